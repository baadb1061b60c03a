// RUN: vortex-opt %s --vortex-donate-arguments | FileCheck %s

// CHECK-LABEL: func.func @row
// CHECK-SAME: (%[[CACHE:.*]]: memref<?x64xf32>, %{{.*}}: tensor<64xf32>, %{{.*}}: index) -> index
// CHECK: %[[T:.*]] = bufferization.to_tensor %[[CACHE]] restrict writable
// CHECK: %[[NEXT:.*]] = tensor.insert_slice %{{.*}} into %[[T]]
// CHECK: %[[HAS:.*]] = memref.dim %[[CACHE]]
// CHECK: %[[NEEDS:.*]] = tensor.dim %[[NEXT]]
// CHECK: %[[FITS:.*]] = arith.cmpi eq, %[[NEEDS]], %[[HAS]] : index
// CHECK: cf.assert %[[FITS]], "dimension 0 of result 1 is not that of argument 0, whose memory it takes"
// CHECK: bufferization.materialize_in_destination %[[NEXT]] in restrict writable %[[CACHE]]
// CHECK: return %{{.*}} : index
func.func @row(%cache: tensor<?x64xf32> {vortex.donated = 1}, %row: tensor<64xf32>, %at: index) -> (index, tensor<?x64xf32>) {
  %r = tensor.insert_slice %row into %cache[%at, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<?x64xf32>
  return %at, %r : index, tensor<?x64xf32>
}

// CHECK-LABEL: func.func @none(%arg0: tensor<?xf32>) -> tensor<?xf32>
func.func @none(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// What may lie in the memory that another result takes is copied before that is written, also a result that takes none.
// CHECK-LABEL: func.func @exchange
// CHECK-SAME: (%[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<?xf32>) -> tensor<?xf32>
// CHECK-DAG: %[[AT:.*]] = bufferization.to_tensor %[[A]]
// CHECK-DAG: %[[BT:.*]] = bufferization.to_tensor %[[B]]
// CHECK: %[[SUM:.*]] = linalg.add
// CHECK: %[[NEWA:.*]] = bufferization.alloc_tensor() copy(%[[BT]])
// CHECK: %[[NEWB:.*]] = bufferization.alloc_tensor() copy(%[[SUM]])
// CHECK: %[[OLD:.*]] = bufferization.alloc_tensor() copy(%[[AT]])
// CHECK: bufferization.materialize_in_destination %[[NEWA]] in restrict writable %[[A]]
// CHECK: bufferization.materialize_in_destination %[[NEWB]] in restrict writable %[[B]]
// CHECK: return %[[OLD]]
func.func @exchange(%a: tensor<?xf32> {vortex.donated = 0}, %b: tensor<?xf32> {vortex.donated = 1}) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %sum = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  return %b, %sum, %a : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
