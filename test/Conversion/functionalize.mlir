// RUN: vortex-opt %s --vortex-functionalize | FileCheck %s
// RUN: vortex-opt %s --vortex-functionalize --remarks-filter=vortex-functionalize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID

#id = affine_map<(i) -> (i)>

// What is read and written elementwise is one operand; a loop carries what it changes.
// CHECK-LABEL: func.func @loop
// CHECK: %[[T:.*]] = bufferization.to_tensor %arg0 restrict writable
// CHECK: %[[NEW:.*]] = linalg.generic {{.*}} outs(%[[T]] : tensor<?xf32>)
// CHECK: ^bb0(%[[OLD:.*]]: f32):
// CHECK: math.exp %[[OLD]] : f32
// CHECK: %[[END:.*]] = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[X:.*]] = %[[NEW]]) -> (tensor<?xf32>)
// CHECK: tensor.extract %[[X]][%{{.*}}]
// CHECK: %[[NEXT:.*]] = tensor.insert %{{.*}} into %[[X]][%[[I]]]
// CHECK: scf.yield %[[NEXT]]
// CHECK: bufferization.materialize_in_destination %[[END]] in restrict writable %arg0
func.func @loop(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  linalg.exp ins(%x : memref<?xf32>) outs(%x : memref<?xf32>)
  scf.for %i = %c1 to %n step %c1 {
    %h = arith.subi %i, %c1 : index
    %v = memref.load %x[%h] : memref<?xf32>
    memref.store %v, %x[%i] : memref<?xf32>
  }
  return
}

// Parts of a memory are values of their own, put back where they were.
// CHECK-LABEL: func.func @parts
// CHECK: %[[T:.*]] = bufferization.to_tensor %arg0 restrict writable
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[T]][%arg1, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
// CHECK: %[[NEW:.*]] = linalg.copy ins(%{{.*}} : tensor<64xf32>) outs(%[[ROW]] : tensor<64xf32>)
// CHECK: %[[U:.*]] = tensor.insert_slice %[[NEW]] into %[[T]][%arg1, 0]
// CHECK: bufferization.materialize_in_destination %[[U]] in restrict writable %arg0
// CHECK-NOT: memref.subview
func.func @parts(%x: memref<?x64xf32>, %i: index, %key: memref<64xf32>) {
  %row = memref.subview %x[%i, 0] [1, 64] [1, 1] : memref<?x64xf32> to memref<64xf32, strided<[1], offset: ?>>
  linalg.copy ins(%key : memref<64xf32>) outs(%row : memref<64xf32, strided<[1], offset: ?>>)
  return
}

// SAID: Remark=rows,{{.*}} stays one on memory: {{.*}}an op in a loop would be a kernel of a part of memory alone
// CHECK-LABEL: func.func @rows
// CHECK-NOT: to_tensor
func.func @rows(%x: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  scf.for %i = %c1 to %m step %c1 {
    %cur = memref.subview %x[%i, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[1], offset: ?>>
    linalg.exp ins(%cur : memref<?xf32, strided<[1], offset: ?>>) outs(%cur : memref<?xf32, strided<[1], offset: ?>>)
  }
  return
}

// SAID: Remark=apart,{{.*}} stays one on memory: {{.*}}an op reads one part of a memory and writes another
// CHECK-LABEL: func.func @apart
// CHECK-NOT: to_tensor
func.func @apart(%x: memref<8xf32>) {
  %low = memref.subview %x[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %high = memref.subview %x[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  linalg.exp ins(%low : memref<4xf32, strided<[1]>>) outs(%high : memref<4xf32, strided<[1], offset: 4>>)
  return
}

// An allocation, an element of it, and a branch.
// CHECK-LABEL: func.func @branch
// CHECK: %[[T:.*]] = bufferization.to_tensor %arg0 restrict writable
// CHECK: %[[SUM:.*]] = linalg.reduce
// CHECK: tensor.extract %[[SUM]][]
// CHECK: %[[END:.*]] = scf.if {{.*}} -> (tensor<?xf32>)
// CHECK: %[[NEW:.*]] = linalg.generic {{.*}} outs(%[[T]] : tensor<?xf32>)
// CHECK: arith.negf
// CHECK: scf.yield %[[NEW]]
// CHECK: else
// CHECK: scf.yield %[[T]]
// CHECK: materialize_in_destination %[[END]]
// CHECK-NOT: memref.alloca
func.func @branch(%x: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloca() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<f32>)
  linalg.reduce ins(%x : memref<?xf32>) outs(%sum : memref<f32>) dimensions = [0]
    (%a: f32, %acc: f32) {
      %t = arith.addf %a, %acc : f32
      linalg.yield %t : f32
    }
  %s = memref.load %sum[] : memref<f32>
  %neg = arith.cmpf olt, %s, %zero : f32
  scf.if %neg {
    linalg.negf ins(%x : memref<?xf32>) outs(%x : memref<?xf32>)
  }
  return
}

// What is read alone is not written back.
// CHECK-LABEL: func.func @two
// CHECK: bufferization.to_tensor %arg0 restrict : memref<?xf32>
// CHECK: bufferization.to_tensor %arg1 restrict writable
// CHECK: tensor.insert
// CHECK-COUNT-1: materialize_in_destination
// CHECK-NOT: materialize_in_destination
func.func @two(%x: memref<?xf32>, %y: memref<?xf32>, %i: index) {
  linalg.exp ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
  %v = memref.load %x[%i] : memref<?xf32>
  memref.store %v, %y[%i] : memref<?xf32>
  return
}

// SAID: Remark=overlap,{{.*}} stays one on memory: {{.*}}an op reads memory that it may have written before
// CHECK-LABEL: func.func @overlap
// CHECK-NOT: to_tensor
func.func @overlap(%x: memref<?xf32>, %i: index, %n: index) {
  %from = memref.subview %x[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  %to = memref.subview %x[%i] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
  linalg.exp ins(%from : memref<?xf32, strided<[1]>>) outs(%to : memref<?xf32, strided<[1], offset: ?>>)
  return
}

// SAID: Remark=transposed,{{.*}} stays one on memory: {{.*}}an op reads memory that it may have written before
// CHECK-LABEL: func.func @transposed
// CHECK-NOT: to_tensor
func.func @transposed(%x: memref<8x8xf32>) {
  linalg.transpose ins(%x : memref<8x8xf32>) outs(%x : memref<8x8xf32>) permutation = [1, 0]
  return
}

// SAID: Remark=gaps,{{.*}} stays one on memory: {{.*}}elements of a view do not lie side by side
// CHECK-LABEL: func.func @gaps
// CHECK-NOT: to_tensor
func.func @gaps(%x: memref<?x4xf32>, %n: index) {
  %v = memref.subview %x[0, 0] [%n, 2] [1, 2] : memref<?x4xf32> to memref<?x2xf32, strided<[4, 2]>>
  linalg.exp ins(%v : memref<?x2xf32, strided<[4, 2]>>) outs(%v : memref<?x2xf32, strided<[4, 2]>>)
  return
}

// SAID: Remark=cast,{{.*}} stays one on memory: {{.*}}memref.reinterpret_cast uses memory
// CHECK-LABEL: func.func @cast
// CHECK-NOT: to_tensor
func.func @cast(%x: memref<8xf32>) {
  %v = memref.reinterpret_cast %x to offset: [0], sizes: [4], strides: [1] : memref<8xf32> to memref<4xf32>
  linalg.exp ins(%v : memref<4xf32>) outs(%v : memref<4xf32>)
  return
}

// A product in a loop is work enough for kernels, and so is what is around it; a softmax is as good as other ops.
// CHECK-LABEL: func.func @again
// CHECK:         bufferization.to_tensor %{{.*}} restrict writable
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           linalg.fill
// CHECK:           linalg.matmul {{.*}} -> tensor<?x?xf32>
// CHECK:           linalg.softmax {{.*}} -> tensor<?x?xf32>
// CHECK:           scf.yield
// CHECK:         bufferization.materialize_in_destination
func.func @again(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %y: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    linalg.fill ins(%zero : f32) outs(%y : memref<?x?xf32>)
    linalg.matmul ins(%x, %w : memref<?x?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>)
    linalg.softmax dimension(1) ins(%y : memref<?x?xf32>) outs(%x : memref<?x?xf32>)
  }
  return
}
