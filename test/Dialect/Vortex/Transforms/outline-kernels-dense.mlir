// RUN: vortex-opt %s --target=x86-avx512 --vortex-plan-kernels | FileCheck %s

// A panel packed beforehand has no gaps, and its callee's strides say so.
// CHECK-LABEL: func.func @weight
// CHECK: vortex.kernel_call {{.*}} dense [1]
// CHECK: func.func @{{.*}}(%{{.*}}: !llvm.ptr, %{{.*}}: memref<?x?xf32, strided<[?, 1], offset: ?>>, %{{.*}}: memref<?x?x{{[0-9]+}}xf32>,
func.func @weight(%x: tensor<?x?xf32>, %w: tensor<?x?xf32> {vortex.weight}, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
