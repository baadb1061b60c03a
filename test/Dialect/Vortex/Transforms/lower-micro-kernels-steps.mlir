// RUN: vortex-opt %s --target=x86-avx512 --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s

// Steps stay apart where the registers do not hold the columns of all four and an element of each row beside the sums: 8 x 2 sums, 4 x 2 columns, 8 elements
// and one more are 33 of 32.
// CHECK-LABEL: func.func @tile
// CHECK: case 7 {
// CHECK-NOT: llvm.inline_asm
// CHECK: case 8 {
// CHECK: scf.for {{.*}} step %c1
// CHECK-NEXT: llvm.inline_asm has_side_effects{{.*}} ""
// CHECK: {loop_annotation =
// CHECK: case 14 {
// CHECK: scf.for {{.*}} step %c1
// CHECK-NEXT: llvm.inline_asm has_side_effects{{.*}} ""
// CHECK: {loop_annotation =
// CHECK-NOT: llvm.inline_asm
// All columns, under no mask.
// CHECK: case 199 {
// CHECK-NOT: llvm.inline_asm
// CHECK: case 200 {
// CHECK: scf.for {{.*}} step %c1
// CHECK-NEXT: llvm.inline_asm has_side_effects{{.*}} ""
func.func @tile(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %r = vortex.micro_kernel <instruction = "fma", rows = 14, vectors = 2, lanes = 16, unroll = 4>
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
