// RUN: vortex-opt %s --vortex-decompose-ops | FileCheck %s

// CHECK-LABEL: func.func @softmax(
// CHECK-NOT: linalg.softmax
// CHECK: %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: linalg.fill ins(%[[LEAST]] : f32)
// CHECK: arith.maxnumf
// CHECK: math.exp
// CHECK: arith.divf {{.*}} fastmath<arcp>
func.func @softmax(%a: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.softmax dimension(1) ins(%a : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// On memory, its own even: the result is a value of its own until it is copied.
// CHECK-LABEL: func.func @softmax_in_place(
// CHECK-SAME: %[[X:.*]]: memref<?x?xf32>)
// CHECK: bufferization.to_tensor %[[X]]
// CHECK-NOT: linalg.softmax
// CHECK: %[[R:.*]] = bufferization.to_buffer
// CHECK: memref.copy %[[R]], %[[X]]
func.func @softmax_in_place(%x: memref<?x?xf32>) {
  linalg.softmax dimension(1) ins(%x : memref<?x?xf32>) outs(%x : memref<?x?xf32>)
  return
}

// CHECK-LABEL: func.func @concat(
// CHECK-NOT: tensor.concat
// CHECK-COUNT-2: tensor.insert_slice
func.func @concat(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tensor.concat dim(0) %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @pack(
// CHECK-NOT: linalg.pack
// CHECK: tensor.pad
// CHECK: linalg.transpose
func.func @pack(%a: tensor<?x?xf32>, %d: tensor<?x?x32x1xf32>) -> tensor<?x?x32x1xf32> {
  %f = arith.constant 0.0 : f32
  %0 = linalg.pack %a padding_value(%f : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 1] into %d : tensor<?x?xf32> -> tensor<?x?x32x1xf32>
  return %0 : tensor<?x?x32x1xf32>
}

// CHECK-LABEL: func.func @unpack(
// CHECK-NOT: linalg.unpack
// CHECK: tensor.collapse_shape
func.func @unpack(%a: tensor<?x?x8x2xf32>, %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.unpack %a inner_dims_pos = [0, 1] inner_tiles = [8, 2] into %d : tensor<?x?x8x2xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Tiles whose sizes come with the call: each element from its indices.
// CHECK-LABEL: func.func @pack_dynamic(
// CHECK-NOT: linalg.pack
// CHECK: linalg.generic
// CHECK: scf.if
// CHECK: tensor.extract
func.func @pack_dynamic(%a: tensor<?x?xf32>, %d: tensor<?x?x?xf32>, %t: index, %p: f32) -> tensor<?x?x?xf32> {
  %0 = linalg.pack %a padding_value(%p : f32) inner_dims_pos = [1] inner_tiles = [%t] into %d : tensor<?x?xf32> -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// CHECK-LABEL: func.func @unpack_dynamic(
// CHECK-NOT: linalg.unpack
// CHECK: linalg.generic
// CHECK: arith.divui
// CHECK: arith.remui
func.func @unpack_dynamic(%a: tensor<?x?x?x2xf32>, %d: tensor<?x?xf32>, %t: index) -> tensor<?x?xf32> {
  %0 = linalg.unpack %a inner_dims_pos = [0, 1] inner_tiles = [%t, 2] into %d : tensor<?x?x?x2xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
