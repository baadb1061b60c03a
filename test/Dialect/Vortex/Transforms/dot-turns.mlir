// RUN: vortex-opt %s --target=x86-avx2 --vortex-hierarchize | FileCheck %s --check-prefix=PLAN
// RUN: vortex-opt %s --target=x86-avx2 --vortex-hierarchize --vortex-expand=candidate=pack_both_dot_6x16 --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s

// Pairs of bf16 that no instruction multiplies: as many sums as of f32. Rows of A are packed.
// PLAN: vortex.candidate @pack_both_dot_6x16
// PLAN: load (<operand = 0, layout = pack, axis = 0, group = 2>
// PLAN: micro <instruction = "dot", rows = 6, vectors = 2, lanes = 8, unroll = 4, {{.*}}opcode = "vfmadd231ps_bf16", group = 2>
// PLAN-NOT: vortex.candidate @pack_b_dot

// A step goes through all rows twice, so that factors take one register each; what it reads then is at an index that nothing
// is seen to be equal to.
// CHECK: case 2
// CHECK: scf.for %[[K:[a-z0-9]+]] =
// CHECK: %[[B0:.*]] = vector.transfer_read {{.*}} vector<16xbf16>
// CHECK: %[[B1:.*]] = vector.transfer_read {{.*}} vector<16xbf16>
// CHECK: %[[A:.*]] = vector.bitcast %{{.*}} : vector<8xi32> to vector<16xbf16>
// CHECK: vortex.dot_product "vfmadd231ps_bf16_low" %{{.*}}, %[[A]], %[[B0]]
// CHECK: vortex.dot_product "vfmadd231ps_bf16_low" %{{.*}}, %[[A]], %[[B1]]
// CHECK-NOT: "vfmadd231ps_bf16_high"
// CHECK: llvm.inline_asm has_side_effects
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[K]]
// CHECK: %[[HIDDEN:.*]] = llvm.inline_asm asm_dialect = att "", "=r,0" %[[NUMBER]]
// CHECK: %[[AGAIN:.*]] = arith.index_cast %[[HIDDEN]]
// CHECK: vector.transfer_read %{{.*}}[%[[AGAIN]], %c0]
// CHECK: "vfmadd231ps_bf16_high"
// CHECK: scf.yield
func.func @product(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
