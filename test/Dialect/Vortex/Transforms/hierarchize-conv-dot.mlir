// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --canonicalize --cse | FileCheck %s
// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-expand=position=0 --vortex-lower-micro-kernels --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s --check-prefix=TILE
// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-expand=position=0 --vortex-lower-micro-kernels --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s --check-prefix=INSIDE
// RUN: vortex-opt %s --target=x86-avx2 --vortex-hierarchize --canonicalize --cse | FileCheck %s --check-prefix=AVX2

// Groups of channels lie beside each other in the filter's panels. Padding is copied: what bytes are too large by is taken off each window alike, unless sums of the filter are known (conv-left-out.mlir).
// CHECK-LABEL: func.func @padded
// CHECK: vortex.machine_param "dot.ui8.rate"
// CHECK: vortex.candidate @window_dot_9x32 cost
// CHECK: vortex.machine_param "dot.ui8.latency"
// CHECK: level "device" for () load (<operand = 1, layout = panel, axis = 3, group = 4>
// CHECK: load (<operand = 0, layout = copy, axis = 1>
// CHECK: micro <instruction = "dot", rows = 9, vectors = 2, lanes = 16, {{.*}}opcode = "vpdpbusd", group = 4>
// Four vectors serve images of short rows, and three of them 48 channels.
// CHECK: vortex.candidate @window_dot_5x64
// CHECK-NOT: vortex.candidate
// AVX2-LABEL: func.func @padded
// AVX2-NOT: instruction = "dot"
// AVX2: return

// TILE-LABEL: func.func @padded
// TILE: linalg.pack %arg1 {{.*}} inner_dims_pos = [3, 2] inner_tiles = [32, 4] into %{{.*}} : tensor<3x3x?x?xi8> -> tensor<?x3x3x?x32x4xi8>
// TILE: tensor.pad %{{.*}} nofold
// TILE: case 66
// TILE: scf.for %[[ROW:.*]] = %c0 to %c3 step %c1
// TILE: scf.for %[[COLUMN:.*]] = %c0 to %c3 step %c1
// TILE: scf.for %[[GROUP:[a-z0-9]*]] =
// TILE: %[[FILTER:.*]] = vector.transfer_read %{{.*}}[%[[ROW]], %[[COLUMN]], %[[GROUP]], %c0], {{.*}} vector<64xi8>
// TILE: vector.transfer_read {{.*}} vector<4xi8>
// TILE: vortex.dot_product "vpdpbusd" %{{.*}}, %{{.*}}, %[[FILTER]]
func.func @padded(%x: tensor<?x?x?x?xi8>, %f: tensor<3x3x?x?xi8>, %o: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
  %zero = arith.constant 0 : i32
  %padding = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %padding : i8
  } : tensor<?x?x?x?xi8> to tensor<?x?x?x?xi8>
  %init = linalg.fill ins(%zero : i32) outs(%o : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x?xi8>, tensor<3x3x?x?xi8>) outs(%init : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}

// Without padding the image may stay where it is.
// CHECK-LABEL: func.func @strided
// CHECK: vortex.candidate @inplace_dot_9x32
// CHECK-NOT: load (<operand = 0
// CHECK: vortex.candidate @window_dot_5x64
// CHECK: load (<operand = 0
// CHECK: vortex.candidate @inplace_dot_5x64
// CHECK-NOT: load (<operand = 0
// CHECK-NOT: vortex.candidate
func.func @strided(%x: tensor<?x?x?x?xi8>, %f: tensor<3x3x?x?xi8>, %o: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%o : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<?x?x?x?xi8>, tensor<3x3x?x?xi8>) outs(%init : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}

// Pixels innermost: no channels beside each other.
// CHECK-LABEL: func.func @channels_first
// CHECK-NOT: instruction = "dot"
// CHECK: return
func.func @channels_first(%x: tensor<?x?x?x?xi8>, %f: tensor<?x?x3x3xi8>, %o: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%o : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  %y = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<?x?x?x?xi8>, tensor<?x?x3x3xi8>) outs(%init : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}

// Of an image without a sign, pixels in the padding are left out where it is.
// INSIDE-LABEL: func.func @unsigned
// INSIDE: case 66
// INSIDE: scf.for
// INSIDE: scf.for
// INSIDE: %[[BITS:.*]] = arith.xori
// INSIDE: scf.for
// INSIDE: vector.transfer_read {{.*}} vector<64xi8>
// INSIDE: arith.andi %[[BITS]], %c1_i64
// INSIDE: scf.if
// INSIDE: vortex.dot_product "vpdpbusd"
// INSIDE: arith.andi %[[BITS]], %c2_i64
// A group that is cut.
// INSIDE: scf.for
// INSIDE: scf.if
// INSIDE: vector.create_mask %{{.*}} : vector<4xi1>
// INSIDE: vortex.dot_product
func.func @unsigned(%x: tensor<?x?x?x?xi8>, %f: tensor<3x3x?x?xi8>, %o: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
  %zero = arith.constant 0 : i32
  %padding = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %padding : i8
  } : tensor<?x?x?x?xi8> to tensor<?x?x?x?xi8>
  %init = linalg.fill ins(%zero : i32) outs(%o : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, y, x, f, i, j, k) -> (n, y + i, x + j, k)>, affine_map<(n, y, x, f, i, j, k) -> (i, j, k, f)>, affine_map<(n, y, x, f, i, j, k) -> (n, y, x, f)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %f : tensor<?x?x?x?xi8>, tensor<3x3x?x?xi8>) outs(%init : tensor<?x?x?x?xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32):
    %0 = arith.extui %a : i8 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %c, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}
