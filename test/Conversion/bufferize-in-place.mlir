// RUN: vortex-opt %s --vortex-bufferize-in-place=check --cse --canonicalize | FileCheck %s

// Each op writes where its init is.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:.*]]: vector<16xf32>, %[[C:.*]]: memref<?x?xf32>, %[[N:.*]]: index
// CHECK-NOT: alloc
// CHECK: scf.for
// CHECK: %[[ROW:.*]] = memref.subview %[[C]]
// CHECK: vector.transfer_write %[[X]], %[[ROW]]
// CHECK-NOT: memref.copy
func.func @rows(%x: vector<16xf32>, %c: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = bufferization.to_tensor %c restrict writable : memref<?x?xf32> to tensor<?x?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %t) -> (tensor<?x?xf32>) {
    %row = tensor.extract_slice %s[%i, 0] [1, 16] [1, 1] : tensor<?x?xf32> to tensor<1x16xf32>
    %w = vector.transfer_write %x, %row[%c0, %c0] {in_bounds = [true]} : vector<16xf32>, tensor<1x16xf32>
    %u = tensor.insert_slice %w into %s[%i, 0] [1, 16] [1, 1] : tensor<1x16xf32> into tensor<?x?xf32>
    scf.yield %u : tensor<?x?xf32>
  }
  bufferization.materialize_in_destination %r in restrict writable %c : (tensor<?x?xf32>, memref<?x?xf32>) -> ()
  return
}
