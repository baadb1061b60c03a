// RUN: vortex-opt %s --one-shot-bufferize="bufferize-function-boundaries" --canonicalize | FileCheck %s

// Two rows of two vectors: the last of each row has the mask.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:[a-z0-9]+]]: vector<16xf32>, %[[Y:[a-z0-9]+]]: vector<16xf32>, %[[M:[a-z0-9]+]]: vector<16xi1>, %[[C:[a-z0-9]+]]: memref<?x?xf32
// CHECK-NOT: alloc
// CHECK: vector.transfer_write %[[X]], %[[C]][%c0, %c0] {in_bounds = [true]} : vector<16xf32>
// CHECK: vector.transfer_write %[[Y]], %[[C]][%c0, %c16], %[[M]]
// CHECK: vector.transfer_write %[[Y]], %[[C]][%c1, %c0] {in_bounds = [true]} : vector<16xf32>
// CHECK: vector.transfer_write %[[X]], %[[C]][%c1, %c16], %[[M]]
func.func @rows(%x: vector<16xf32>, %y: vector<16xf32>, %m: vector<16xi1>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %d = vortex.store_tile %x, %y, %y, %x : vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>
      masks(%m : vector<16xi1>) into %c : tensor<?x?xf32> {row_dim = 2 : i64, vectors = 2 : i64}
  return %d : tensor<?x?xf32>
}

// Rows of another dimension, from a given one on.
// CHECK-LABEL: func.func @heads(
// CHECK-SAME: %[[X:[a-z0-9]+]]: vector<8xf32>, %[[F:[a-z0-9]+]]: index, %[[C:[a-z0-9]+]]: memref<1x?x1x?xf32
// CHECK: vector.transfer_write %[[X]], %[[C]][%c0, %[[F]], %c0, %c0]
// CHECK: %[[NEXT:.*]] = arith.addi %[[F]], %c1
// CHECK: vector.transfer_write %[[X]], %[[C]][%c0, %[[NEXT]], %c0, %c0]
func.func @heads(%x: vector<8xf32>, %first: index, %c: tensor<1x?x1x?xf32>) -> tensor<1x?x1x?xf32> {
  %d = vortex.store_tile %x, %x : vector<8xf32>, vector<8xf32> from %first
      into %c : tensor<1x?x1x?xf32> {row_dim = 3 : i64, vectors = 1 : i64}
  return %d : tensor<1x?x1x?xf32>
}

// What else is read of the tile keeps its elements.
// CHECK-LABEL: func.func @copied(
// CHECK: %[[COPY:.*]] = memref.alloc
// CHECK: memref.copy
// CHECK: vector.transfer_write %{{.*}}, %[[COPY]]
func.func @copied(%x: vector<8xf32>, %c: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %d = vortex.store_tile %x : vector<8xf32> into %c : tensor<?xf32> {row_dim = 0 : i64, vectors = 1 : i64}
  return %c, %d : tensor<?xf32>, tensor<?xf32>
}
