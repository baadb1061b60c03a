// RUN: vortex-opt %s --target=sm_80 --vortex-hierarchize --vortex-expand=candidate=ring_128x128x32_s4 --canonicalize --cse | FileCheck %s
// RUN: vortex-opt %s --target=sm_80 --vortex-hierarchize --vortex-expand=position=14 --canonicalize --cse | FileCheck %s --check-prefix=ANY
// RUN: vortex-opt %s --target=sm_80 --vortex-hierarchize --vortex-expand=position=99 --canonicalize --cse | FileCheck %s --check-prefix=ANY
// RUN: vortex-opt %s --target=sm_80 --vortex-hierarchize --vortex-expand --vortex-lower-micro-kernels=inline=true --canonicalize --cse | FileCheck %s --check-prefix=INLINE

// Blocks and warps are loops, the ring is a copy of the tiles with its stages on the loop; what starts the reduction stays in front of it and
// what follows behind.
// CHECK-LABEL: func.func @mm
// CHECK: scf.forall {{.*}} step (128, 128)
// CHECK: %[[START:.*]] = linalg.fill
// CHECK: scf.for {{.*}} step %c32 iter_args(%{{.*}} = %[[START]])
// CHECK: %[[A:.*]] = linalg.copy {vortex.level = "smem"}
// CHECK: %[[B:.*]] = linalg.copy {vortex.level = "smem"}
// CHECK: scf.forall {{.*}} step (64, 64)
// CHECK: tensor.extract_slice %[[A]]
// CHECK: tensor.extract_slice %[[B]]
// CHECK: vortex.micro_kernel <instruction = "mma_sync", rows = 64, vectors = 8, lanes = 8, unroll = 2>
// CHECK-NOT: linalg.fill
// CHECK: } {vortex.level = "warp"}
// CHECK: } {vortex.level = "smem", vortex.stages = 4 : i64}
// CHECK: linalg.exp
// CHECK: } {vortex.level = "block"}

// The last candidate stands for what there is none of.
// ANY: scf.forall {{.*}} step (64, 64)

// INLINE-NOT: vortex.micro_kernel
// INLINE: scf.forall {{.*}} step (256, 128)
// INLINE: linalg.matmul
func.func @mm(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.exp ins(%p : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
