// RUN: vortex-opt %s --target=x86-avx2 --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s

// Four rows of one vector have two partial sums each. Sixteen registers do not hold these, the columns of four steps and an element of each row: an
// iteration has one step for each partial sum, kept apart.
// CHECK-LABEL: func.func @tile
// CHECK: case 4 {
// CHECK: arith.remui %{{.*}}, %c2
// CHECK: scf.for %{{.*}} step %c2 iter_args
// CHECK-COUNT-4: arith.addf
// CHECK: llvm.inline_asm has_side_effects{{.*}} ""
// CHECK-COUNT-4: arith.addf
// CHECK-NOT: llvm.inline_asm
// CHECK: scf.yield
func.func @tile(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.micro_kernel <instruction = "fma", rows = 4, vectors = 1, lanes = 8, unroll = 4, in_flight = 8>
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
