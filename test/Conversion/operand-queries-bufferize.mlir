// RUN: vortex-opt %s --one-shot-bufferize="bufferize-function-boundaries" | FileCheck %s

// A question about an operand reads none of its elements: what it asks about
// may be written in place before the answer is used.
// CHECK-LABEL: func.func @f
// CHECK-SAME: %[[M:[a-z0-9]+]]: memref<?x?xf32
// CHECK-NOT: memref.alloc
// CHECK: vortex.alignment %[[M]] : memref<?x?xf32
// CHECK: linalg.fill {{.*}} outs(%[[M]]
// CHECK: vortex.stride %[[M]], 0 : memref<?x?xf32
// CHECK-NOT: memref.copy
func.func @f(%t: tensor<?x?xf32>, %x: f32) -> (tensor<?x?xf32>, index, index) {
  %0 = vortex.alignment %t : tensor<?x?xf32>
  %r = linalg.fill ins(%x : f32) outs(%t : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = vortex.stride %t, 0 : tensor<?x?xf32>
  return %r, %0, %1 : tensor<?x?xf32>, index, index
}
