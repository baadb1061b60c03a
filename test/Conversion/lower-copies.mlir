// RUN: vortex-opt %s --vortex-lower-copies | FileCheck %s

// CHECK-LABEL: func.func @contiguous(
// CHECK: memref.copy
func.func @contiguous(%a: memref<?x?xf32>, %b: memref<?x?xf32>) {
  memref.copy %a, %b : memref<?x?xf32> to memref<?x?xf32>
  return
}

// CHECK-LABEL: func.func @strided(
// CHECK-NOT: memref.copy
// CHECK: linalg.generic
func.func @strided(%a: memref<?x?xf32>, %b: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  memref.copy %a, %b : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  return
}
