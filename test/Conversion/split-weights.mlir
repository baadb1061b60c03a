// RUN: vortex-opt %s --vortex-split-weights | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %{{.*}}: tensor<?x?xf32>, %[[W:.*]]: tensor<?x?xf32> {vortex.sizes_only, vortex.weight}, %[[P:.*]]: tensor<?x?xf32> {vortex.bound}) -> tensor<?x?xf32>
// CHECK-SAME: attributes {vortex.binder = @f.bind}
// CHECK-NOT: linalg.transpose
// CHECK: linalg.matmul ins(%{{.*}}, %[[P]]

// CHECK-LABEL: func.func @f.bind(
// CHECK-SAME: %[[W:.*]]: tensor<?x?xf32>) -> tensor<?x?xf32>
// CHECK: tensor.dim %[[W]]
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[W]]
// CHECK: return %[[T]]
func.func @f(%a: tensor<?x?xf32>, %w: tensor<?x?xf32> {vortex.weight}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %w, %c0 : tensor<?x?xf32>
  %k = tensor.dim %w, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%k, %n) : tensor<?x?xf32>
  %t = linalg.transpose ins(%w : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) permutation = [1, 0] {vortex.bind}
  %o = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %t : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// What depends on an ordinary argument stays, marked or not.
// CHECK-LABEL: func.func @stays(
// CHECK: linalg.exp
// CHECK-NOT: @stays.bind
func.func @stays(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp {vortex.bind} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A weight that is packed for one use and read by another is still read.
// CHECK-LABEL: func.func @both(
// CHECK-SAME: %{{.*}}: tensor<4x4xf32> {vortex.weight}, %{{.*}}: tensor<4x4xf32> {vortex.bound})
func.func @both(%w: tensor<4x4xf32> {vortex.weight}) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %t = linalg.transpose ins(%w : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0] {vortex.bind}
  %a = linalg.exp ins(%w : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = linalg.exp ins(%t : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %a, %b : tensor<4x4xf32>, tensor<4x4xf32>
}

// A function of the program keeps its name.
// CHECK-LABEL: func.func @taken(
// CHECK-SAME: attributes {vortex.binder = @[[BINDER:taken.bind_.*]]} {
// CHECK: func.func @[[BINDER]](%{{.*}}: tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK: func.func @taken.bind(%{{.*}}: tensor<4xf32>)
func.func @taken(%w: tensor<4x4xf32> {vortex.weight}) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %t = linalg.transpose ins(%w : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0] {vortex.bind}
  %b = linalg.exp ins(%t : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %b : tensor<4x4xf32>
}
func.func @taken.bind(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
