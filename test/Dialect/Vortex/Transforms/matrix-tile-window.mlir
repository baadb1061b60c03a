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
// The copy has pixels for the last tile of a row, and tiles are read under each pixel of the window.
// CODE: affine_map<{{.*}} ceildiv 16) * 16{{.*}}>
// CODE-LABEL: func.func @known
// CODE: tensor.pad %{{.*}} nofold
// CODE: case 1 {
// CODE: scf.for %[[ROW:.*]] = %c0 to %c3 step %c1
// CODE: scf.for %[[COLUMN:.*]] = %c0 to %c3 step %c1
// CODE: amx.tile_load %{{.*}}[%c0, %[[ROW]], %{{.*}}], %{{.*}} : memref<1x3x?x64xbf16
// CODE: amx.tile_load %{{.*}}[%[[ROW]], %[[COLUMN]], %{{.*}}], %c64 : memref<3x3x32x64xbf16
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
// CHECK: vortex.candidate @window_dot_9x32
func.func @unknown(%x: tensor<?x?x?x?xi8>, %f: tensor<3x3x?x?xi8>, %o: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%o : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<?x?x?x?xi8>, tensor<3x3x?x?xi8>) outs(%init : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}
