// A library writes where the matrix is; what it does not add to is not read.
// RUN: vortex-opt %s --one-shot-bufferize="bufferize-function-boundaries" | FileCheck %s

// CHECK-LABEL: @written
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: vortex.library_call "x" ins(%{{.*}} [0, 1], %{{.*}} [0, 1] : memref<?x?xf32,{{.*}}>, memref<?x?xf32,{{.*}}>) outs(%{{.*}} [0, 1] : memref<?x?xf32,
// CHECK-SAME: {vortex.index = 3 : i64}
func.func @written(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = vortex.library_call "x" ins(%a [0, 1], %b [0, 1] : tensor<?x?xf32>, tensor<?x?xf32>)
                               outs(%c [0, 1] : tensor<?x?xf32>) {vortex.index = 3 : i64} -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// CHECK-LABEL: @added
// CHECK: %[[M:.*]] = memref.alloc
// CHECK: memref.copy %{{.*}}, %[[M]]
// CHECK: vortex.library_call "x" accumulate {{.*}} outs(%[[M]] [0, 1]
func.func @added(%a: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %p = vortex.library_call "x" accumulate ins(%a [0, 1], %a [0, 1] : tensor<?x?xf32>, tensor<?x?xf32>)
                                          outs(%c [0, 1] : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p, %c : tensor<?x?xf32>, tensor<?x?xf32>
}
