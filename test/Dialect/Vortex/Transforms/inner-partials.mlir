// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-expand=candidate=direct_pack_narrow_4x4 --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s

// Columns along the reduction: sums of a tile of one element wait for the step before, so that four steps in turn have sums of their own, of two elements
// two, which are added pairwise; the steps that are left add to the first. Of three elements there is one each.
// CHECK: case 65 {
// CHECK: %[[SUMS:[0-9]+]]:4 = scf.for %{{.*}} = %c0 to %[[MANY:[0-9]+]] step %c64 iter_args({{.*}} = %[[ZERO:.*]], {{.*}} = %[[ZERO]], {{.*}} = %[[ZERO]], {{.*}} = %[[ZERO]])
// CHECK-COUNT-8: vector.transfer_read
// CHECK: scf.yield
// CHECK: arith.addf %[[SUMS]]#0, %[[SUMS]]#2
// CHECK-NEXT: arith.addf %[[SUMS]]#1, %[[SUMS]]#3
// CHECK-NEXT: %[[SUM:.*]] = arith.addf
// CHECK-NEXT: %[[WHOLE:[0-9]+]] = scf.for %{{.*}} = %[[MANY]] to %{{.*}} step %c16 iter_args(%{{.*}} = %[[SUM]])
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[WHOLE]])
// CHECK: case 66 {
// CHECK: :4 = scf.for %{{.*}} = %c0 to %{{.*}} step %c32
// CHECK: case 67 {
// CHECK: :3 = scf.for %{{.*}} = %c0 to %{{.*}} step %c16
func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
