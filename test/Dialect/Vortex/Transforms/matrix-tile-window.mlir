// RUN: vortex-opt %s --target=x86-avx512-amx --vortex-hierarchize --canonicalize | FileCheck %s
// RUN: vortex-opt %s --target=x86-avx512-amx --vortex-hierarchize --vortex-expand=candidate=window_tile_32x32 --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s --check-prefix=CODE
// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize | FileCheck %s --check-prefix=NONE

// Where channels are whole steps of a tile nothing else is needed, and no guard.
// NONE-NOT: window_tile
// CHECK-LABEL: func.func @known
// CHECK: vortex.candidate @window_tile_32x32 cost
// CHECK: load (<operand = 1, layout = panel, axis = 3, group = 2>
// CHECK: load (<operand = 0, layout = copy, axis = 1>
// CHECK: micro <instruction = "tile", rows = 32, vectors = 2, {{.*}}opcode = "tdpbf16ps", group = 2>
// CHECK-NOT: vortex.candidate
// The copy has room for what the last tile reads behind its rows, here for 15 pixels in rows of two more than the result has.
// CODE-LABEL: func.func @known
// CODE: arith.ceildivui %c15, %{{.*}} : index
// CODE: tensor.pad %{{.*}} nofold
// All rows of a strip are cut into tiles one by one or, where that takes fewer and a row is whole pixels behind the other, as one.
// CODE: memref.extract_strided_metadata %{{.*}} : memref<1x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>> -> memref<bf16>, {{.*}}
// CODE: %[[PIXEL:.*]] = arith.maxsi %{{.*}}#2, %c1
// CODE: %[[OFROW:.*]] = arith.ceildivui %{{.*}}, %c16
// CODE: %[[ALL:.*]] = arith.muli %[[OFROW]], %{{.*}}
// CODE: arith.divui %{{.*}}#1, %[[PIXEL]]
// CODE: arith.select %{{.*}}, %{{.*}}, %[[ALL]]
// CODE: scf.for %{{.*}} = %c0 to %{{.*}} step %c2
// CODE: scf.index_switch
// CODE: case 1 {
// CODE: scf.for %{{.*}} = %c0 to %c3 step %c1
// CODE: scf.for %{{.*}} = %c0 to %c3 step %c1
// CODE: amx.tile_load %{{.*}}[%c0, %{{.*}}], %[[PIXEL]] : memref<1x?xbf16, {{.*}}> into !amx.tile<16x32xbf16>
// CODE: amx.tile_load %{{.*}}[%c0, %{{.*}}], %c64 : memref<1x?xbf16, {{.*}}> into !amx.tile<16x32xbf16>
// CODE: amx.tile_mulf
func.func @known(%x: tensor<?x?x?x64xbf16>, %f: tensor<3x3x64x?xbf16>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %padding : bf16
  } : tensor<?x?x?x64xbf16> to tensor<?x?x?x64xbf16>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x64xbf16>, tensor<3x3x64x?xbf16>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// Else a guard asks, and others run where it does not hold.
// CHECK-LABEL: func.func @unknown
// CHECK: vortex.candidate @window_tile_32x32 guard
// CHECK: arith.remui %{{.*}}, %c64
// CHECK: arith.cmpi eq
// CHECK: vortex.candidate @window_dot_5x64
func.func @unknown(%x: tensor<?x?x?x?xi8>, %f: tensor<3x3x?x?xi8>, %o: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%o : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<?x?x?x?xi8>, tensor<3x3x?x?xi8>) outs(%init : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}

// Channels of a pixel that are no whole steps: rows of the window are. Three times 16 are two tiles of 24.
// CHECK-LABEL: func.func @few
// CHECK: vortex.candidate @window_tile_32x32 cost
// CHECK: micro <instruction = "tile", rows = 32, vectors = 2, lanes = 16, unroll = 12, {{.*}}opcode = "tdpbf16ps", group = 2>
// CHECK-NOT: vortex.candidate
// CODE-LABEL: func.func @few
// CODE: case 1 {
// CODE: scf.for %{{.*}} = %c0 to %c3 step %c1
// CODE: amx.tile_load %{{.*}} into !amx.tile<16x24xbf16>
// CODE: amx.tile_load %{{.*}} into !amx.tile<12x32xbf16>
func.func @few(%x: tensor<?x?x?x16xbf16>, %f: tensor<3x3x16x?xbf16>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<?x?x?x16xbf16>, tensor<3x3x16x?xbf16>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// Where pixels of the window lie apart, they are no run: each is a tile of 16 steps.
// CHECK-LABEL: func.func @apart
// CHECK: micro <instruction = "tile", rows = 32, vectors = 2, lanes = 16, unroll = 8, {{.*}}opcode = "tdpbf16ps", group = 2>
func.func @apart(%x: tensor<?x?x?x16xbf16>, %f: tensor<3x3x16x?xbf16>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<2> : tensor<2xi64>}
      ins(%x, %f : tensor<?x?x?x16xbf16>, tensor<3x3x16x?xbf16>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}
