// A tensor of one element that is computed is read as an operand, not extracted in the body: what follows a product joins it.
// RUN: vortex-opt --vortex-attach-target=target=x86-avx512 --vortex-plan-kernels --mlir-print-local-scope %s | FileCheck %s

// CHECK-LABEL: func.func @scaled
// CHECK-NOT:     linalg.generic {{.*}} iterator_types = ["parallel"
// CHECK:         vortex.kernel_call {{.*}} outs(%{{.*}} : tensor<?x?xf32>)
// CHECK-NOT:     linalg.generic {{.*}} iterator_types = ["parallel"
// CHECK:         return
func.func @scaled(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %s: tensor<f32>, %t: tensor<f32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  %one = tensor.empty() : tensor<f32>
  %u = linalg.mul ins(%s, %t : tensor<f32>, tensor<f32>) outs(%one : tensor<f32>) -> tensor<f32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %u : tensor<?x?xf32>, tensor<f32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %f: f32, %o: f32):
    %r = arith.mulf %x, %f : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
