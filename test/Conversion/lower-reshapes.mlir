// RUN: vortex-opt %s --vortex-lower-reshapes | FileCheck %s

// Two unknown sizes in a group: upstream's expansion crashes on this.
// CHECK-LABEL: func.func @split(
// CHECK-SAME: %{{.*}}, %[[B:.*]]: index, %[[S:.*]]: index)
// CHECK: %[[STRIDE:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%[[B]], %[[S]], 768], strides: [%{{.*}}, 768, 1]
func.func @split(%a: memref<?x768xf32>, %b: index, %s: index) -> memref<?x?x768xf32> {
  %0 = memref.expand_shape %a [[0, 1], [2]] output_shape [%b, %s, 768] : memref<?x768xf32> into memref<?x?x768xf32>
  return %0 : memref<?x?x768xf32>
}

// CHECK-LABEL: func.func @join(
// CHECK: %[[N:.*]] = arith.muli
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%[[N]], 768], strides: [768, 1]
func.func @join(%a: memref<?x?x768xf32>) -> memref<?x768xf32> {
  %0 = memref.collapse_shape %a [[0, 1], [2]] : memref<?x?x768xf32> into memref<?x768xf32>
  return %0 : memref<?x768xf32>
}

// CHECK-LABEL: func.func @strided(
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [1, %{{.*}}], strides: [%{{.*}}, %{{.*}}]
func.func @strided(%a: memref<?xf32, strided<[?], offset: ?>>, %n: index) -> memref<1x?xf32, strided<[?, ?], offset: ?>> {
  %0 = memref.expand_shape %a [[0, 1]] output_shape [1, %n] : memref<?xf32, strided<[?], offset: ?>> into memref<1x?xf32, strided<[?, ?], offset: ?>>
  return %0 : memref<1x?xf32, strided<[?, ?], offset: ?>>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [1, 1], strides: [1, 1]
func.func @scalar(%a: memref<f32>) -> memref<1x1xf32> {
  %0 = memref.expand_shape %a [] output_shape [1, 1] : memref<f32> into memref<1x1xf32>
  return %0 : memref<1x1xf32>
}
