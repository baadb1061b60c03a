// RUN: vortex-opt %s --target=x86-avx512 --vortex-decompose-ops --canonicalize --vortex-hierarchize --vortex-expand --canonicalize --cse | FileCheck %s

// Fusion makes a copy of the exponentials for each of their two readers; the
// stage computes them once.
// CHECK-LABEL: func.func @softmax(
// CHECK: vortex.micro_kernel
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK: vortex.yield
// CHECK-NOT: math.exp
func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
