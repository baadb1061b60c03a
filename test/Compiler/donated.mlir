// RUN: rm -rf %t && mkdir -p %t
// RUN: vortex-compile %s --dump-stages-to=%t -o %t/donated.so
// RUN: FileCheck %s < %t/4-buffers.mlir
// RUN: vortex-run %t/donated.so --function=step --input='3x4xf32="1 2 3 4 5 6 7 8 9 10 11 12"' --input='4xf32="1 1 1 2"' --input=4xf32=1 --input=index=1 \
// RUN:   --expected-output='2xf32="10 5"' --expected-output='arg0=3x4xf32="1 2 3 4 1 1 1 2 9 10 11 12"'
// RUN: vortex-run %t/donated.so --function=step --input=1x4xf32=7 --input=4xf32=2 --input=4xf32=1 --input=index=0 \
// RUN:   --expected-output=1xf32=8 --expected-output=arg0=1x4xf32=2
// RUN: not vortex-run %t/donated.so --function=grow --input=2xf32=0 --input=index=3 2>&1 | FileCheck %s --check-prefix=GROWN
// RUN: vortex-run %t/donated.so --function=exchange --input='3xf32="1 2 3"' --input='3xf32="4 5 6"' \
// RUN:   --expected-output='3xf32="1 2 3"' --expected-output='arg0=3xf32="4 5 6"' --expected-output='arg1=3xf32="5 7 9"'
// GROWN: dimension 0 of result 0 is not that of argument 0, whose memory it takes

// One row of the cache is copied, the 16 bytes of the key, and nothing else.
// CHECK-LABEL: func.func @step
// CHECK: %[[ROW:.*]] = memref.subview %arg1[%{{.*}}, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32
// CHECK: memref.copy %arg2, %[[ROW]] : memref<4xf32>
// CHECK-NOT: memref.copy
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @step(%cache: tensor<?x4xf32> {vortex.donated = 1}, %key: tensor<4xf32>, %query: tensor<4xf32>, %pos: index) -> (tensor<?xf32>, tensor<?x4xf32>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %next = tensor.insert_slice %key into %cache[%pos, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
  %rows = arith.addi %pos, %c1 : index
  %live = tensor.extract_slice %next[0, 0] [%rows, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  %e = tensor.empty(%rows) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %scores = linalg.matvec ins(%live, %query : tensor<?x4xf32>, tensor<4xf32>) outs(%z : tensor<?xf32>) -> tensor<?xf32>
  return %scores, %next : tensor<?xf32>, tensor<?x4xf32>
}

func.func @grow(%x: tensor<?xf32> {vortex.donated = 0}, %n: index) -> tensor<?xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Arguments that change places, and a result that is what an argument was.
func.func @exchange(%a: tensor<?xf32> {vortex.donated = 0}, %b: tensor<?xf32> {vortex.donated = 1}) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %sum = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  return %b, %sum, %a : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
