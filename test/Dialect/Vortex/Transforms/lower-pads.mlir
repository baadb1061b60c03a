// RUN: vortex-opt %s --vortex-lower-pads --canonicalize --cse | FileCheck %s

// Channels are not padded: a row of pixels is filled, copied and filled. Where nothing lies between pixels it is copied in one run.
// CHECK-LABEL: func.func @image
// CHECK-NOT: tensor.pad
// CHECK: %[[STRIDES:[a-z]*]]:3 = memref.extract_strided_metadata
// CHECK: %[[GAPLESS:.*]] = arith.cmpi eq, %[[STRIDES]]#1, %{{.*}}
// CHECK: scf.for
// CHECK: arith.cmpi ult
// CHECK: scf.for
// CHECK: vector.transfer_write %[[PADDING:[a-z0-9_]*]],
// CHECK: arith.select %[[GAPLESS]]
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.transfer_read
// CHECK: vector.transfer_write
// CHECK: scf.for
// CHECK: vector.transfer_write %[[PADDING]],
// CHECK-NOT: vector.transfer_write
// CHECK: return
func.func @image(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[1, 2, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %one : f32
  } : tensor<?x?x?xf32> to tensor<?x?x?xf32>
  return %p : tensor<?x?x?xf32>
}

// The innermost dimension is padded: it is a row by itself.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: memref.extract_strided_metadata
// CHECK-NOT: tensor.pad
// CHECK: vector.transfer_write
func.func @rows(%x: tensor<?x?xi8>, %l: index) -> tensor<?x?xi8> {
  %zero = arith.constant 0 : i8
  %p = tensor.pad %x low[0, %l] high[3, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : i8
  } : tensor<?x?xi8> to tensor<?x?xi8>
  return %p : tensor<?x?xi8>
}

// A value for each element is not for this pass.
// CHECK-LABEL: func.func @computed
// CHECK: tensor.pad
func.func @computed(%x: tensor<?xindex>) -> tensor<?xindex> {
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %i : index
  } : tensor<?xindex> to tensor<?xindex>
  return %p : tensor<?xindex>
}


// A value behind each of three channels: four pixels, read at once where they lie side by side, are spread out.
// CHECK-LABEL: func.func @words
// CHECK-NOT: tensor.pad
// CHECK: memref.extract_strided_metadata
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c12
// CHECK: %[[PIXELS:.*]] = vector.transfer_read
// CHECK: %[[SPREAD:.*]] = vector.shuffle %[[PIXELS]], %{{.*}} [0, 1, 2, 16, 3, 4, 5, 16, 6, 7, 8, 16, 9, 10, 11, 16]
// CHECK: vector.transfer_write %[[SPREAD]]
func.func @words(%x: tensor<?x?x3xf32>) -> tensor<?x?x4xf32> {
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[1, 2, 0] high[0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %one : f32
  } : tensor<?x?x3xf32> to tensor<?x?x4xf32>
  return %p : tensor<?x?x4xf32>
}
