// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-select-kernels --canonicalize --cse --vortex-bind-weights -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: vortex-opt %t.mlir --vortex-expand --vortex-lower-micro-kernels --resolve-ranked-shaped-type-result-dims --canonicalize --cse -o %t.tile.mlir
// RUN: FileCheck %s --input-file=%t.tile.mlir --check-prefix=TILE
// RUN: FileCheck %s --input-file=%t.tile.mlir --check-prefix=CASES

// An instruction takes bytes of the image as larger by 128. Of a filter that is bound its sums are made once, of the whole window and, for candidates
// that leave out pixels in the padding, of each of its taps.
// CHECK-LABEL: func.func @padded
// CHECK-SAME: %[[X:.*]]: tensor<?x?x?x?xi8>, %[[F:.*]]: tensor<3x3x?x?xi8>
// CHECK-DAG: %[[TAPS:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%[[F]] : {{.*}} outs(%{{.*}} : tensor<3x3x?xi32>) attrs = {vortex.bind}
// CHECK-DAG: %[[ALL:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "reduction", "reduction", "parallel"]} ins(%[[F]] : {{.*}} outs(%{{.*}} : tensor<?xi32>) attrs = {vortex.bind}
// CHECK: vortex.kernel {{.*}} ins(%[[X]], %{{.*}}, %[[ALL]], %[[TAPS]], %{{.*}} : tensor<?x?x?x?xi8>, tensor<?x3x3x?x32x4xi8>, tensor<?xi32>, tensor<3x3x?xi32>, index, index)
// CHECK: attrs = {vortex.anchor, vortex.column_sums = 2 : i64, vortex.id = "p1", vortex.step_sums = 3 : i64}
// CHECK: vortex.candidate @inplace_dot_9x32
// CHECK: vortex.kernel {{.*}} ins(%[[X]], %{{.*}}, %[[ALL]], %{{.*}} : tensor<?x?x?x?xi8>, tensor<?x3x3x?x64x4xi8>, tensor<?xi32>, index, index)
// CHECK: attrs = {vortex.anchor, vortex.column_sums = 2 : i64, vortex.id = "p1"}
// CHECK: vortex.candidate @window_dot_6x64

// Sums of a tile's columns are read once, under masks: whole tiles, whose panels need none, have no cases of their own (193 and on) for them.
// CASES-LABEL: func.func @padded
// CASES: case 137
// CASES-NOT: case 193
// CASES: case 1 {

// Rows of the window in front of the image and behind it are taken out of what all pixels start below by ...
// TILE-LABEL: func.func @padded
// TILE: tensor.extract_slice {{.*}} : tensor<3x3x?xi32> to tensor<3x3x?xi32>
// TILE: case 66
// TILE: %[[FIRST:.*]] = vector.transfer_read %{{.*}} : tensor<?xi32>, vector<16xi32>
// TILE: scf.for {{.*}} %c0 to %{{.*}} iter_args(%{{.*}} = %[[FIRST]]
// TILE: scf.for {{.*}} %c0 to %c3
// TILE: vector.transfer_read %{{.*}} : tensor<3x3x?xi32>, vector<16xi32>
// TILE: arith.subi {{.*}} : vector<16xi32>
// TILE: scf.for {{.*}} to %c3
// TILE: scf.for {{.*}} %c0 to %c3
// TILE: arith.subi {{.*}} : vector<16xi32>
// TILE: arith.muli {{.*}} : vector<16xi32>
// ... and pixels that a column of the window has in the padding get back what its sums took off.
// TILE: %[[BITS:.*]] = arith.xori {{.*}} : i64
// TILE: arith.cmpi ne, %[[BITS]], %c3_i64
// TILE: scf.if
// TILE: vector.transfer_read %{{.*}} : tensor<3x3x?xi32>, vector<16xi32>
// TILE: %[[BACK:.*]] = arith.muli {{.*}} : vector<16xi32>
// TILE: %[[BIT:.*]] = arith.andi %[[BITS]], %c1_i64
// TILE: %[[WORD:.*]] = arith.subi %[[BIT]], %c1_i64
// TILE: %[[NARROW:.*]] = arith.trunci %[[WORD]] : i64 to i32
// TILE: %[[OUT:.*]] = vector.broadcast %[[NARROW]] : i32 to vector<16xi32>
// TILE: arith.shrui %[[BITS]], %c1_i64
// TILE: %[[ADDED:.*]] = arith.andi %[[BACK]], %[[OUT]] : vector<16xi32>
// TILE: arith.addi %{{.*}}, %[[ADDED]] : vector<16xi32>
// TILE: scf.for
// TILE: arith.andi %[[BITS]], %c1_i64
// TILE: vortex.dot_product "vpdpbusd"
func.func @padded(%x: tensor<?x?x?x?xi8>, %f: tensor<3x3x?x?xi8> {vortex.weight}, %o: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
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
