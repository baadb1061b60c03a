// What keeps the rows of a recurrence from running apart is told in sizes of the program's arguments.
// REQUIRES: vortex-compile, vortex-run
// RUN: vortex-compile %s --target=x86-avx2 -o %t.so
// RUN: vortex-run %t.so --list | FileCheck %s --check-prefix=LIST
// LIST: kernel recurrence.recurrence.0
// LIST: candidate apart if arg0[1] == arg1[0]
// LIST: kernel named.recurrence.0
// LIST: candidate apart if batch == arg1[0]
// RUN: vortex-run %t.so --function=recurrence --force=recurrence.recurrence.0=apart --input=2x3x64xf32=1 --input=3x64xf32=1 --input=64x64xf32=0 --expected-output=2x3x64xf32=1 --expected-output=3x64xf32=1
// RUN: not vortex-run %t.so --function=recurrence --force=recurrence.recurrence.0=apart --input=0x3x64xf32= --input=5x64xf32=1 --input=64x64xf32=0 2>&1 | FileCheck %s
// CHECK: arg0[1] == arg1[0]

func.func @recurrence(%x: tensor<?x?x64xf32>, %h0: tensor<?x64xf32>, %w: tensor<64x64xf32>) -> (tensor<?x?x64xf32>, tensor<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?x64xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?x64xf32>
  %y0 = tensor.empty(%n, %m) : tensor<?x?x64xf32>
  %y, %r = scf.for %i = %c0 to %n step %c1 iter_args(%ys = %y0, %h = %h0) -> (tensor<?x?x64xf32>, tensor<?x64xf32>) {
    %s = tensor.extract_slice %x[%i, 0, 0] [1, %m, 64] [1, 1, 1] : tensor<?x?x64xf32> to tensor<?x64xf32>
    %e = tensor.empty(%m) : tensor<?x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    %p = linalg.matmul ins(%h, %w : tensor<?x64xf32>, tensor<64x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
    %a = linalg.add ins(%p, %s : tensor<?x64xf32>, tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    %next = tensor.insert_slice %a into %ys[%i, 0, 0] [1, %m, 64] [1, 1, 1] : tensor<?x64xf32> into tensor<?x?x64xf32>
    scf.yield %next, %a : tensor<?x?x64xf32>, tensor<?x64xf32>
  }
  return %y, %r : tensor<?x?x64xf32>, tensor<?x64xf32>
}

func.func @named(%x: tensor<?x?x64xf32> {vortex.dims = ["steps", "batch", ""]}, %h0: tensor<?x64xf32>, %w: tensor<64x64xf32>) -> (tensor<?x?x64xf32>, tensor<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?x64xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?x64xf32>
  %y0 = tensor.empty(%n, %m) : tensor<?x?x64xf32>
  %y, %r = scf.for %i = %c0 to %n step %c1 iter_args(%ys = %y0, %h = %h0) -> (tensor<?x?x64xf32>, tensor<?x64xf32>) {
    %s = tensor.extract_slice %x[%i, 0, 0] [1, %m, 64] [1, 1, 1] : tensor<?x?x64xf32> to tensor<?x64xf32>
    %e = tensor.empty(%m) : tensor<?x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    %p = linalg.matmul ins(%h, %w : tensor<?x64xf32>, tensor<64x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
    %a = linalg.add ins(%p, %s : tensor<?x64xf32>, tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    %next = tensor.insert_slice %a into %ys[%i, 0, 0] [1, %m, 64] [1, 1, 1] : tensor<?x64xf32> into tensor<?x?x64xf32>
    scf.yield %next, %a : tensor<?x?x64xf32>, tensor<?x64xf32>
  }
  return %y, %r : tensor<?x?x64xf32>, tensor<?x64xf32>
}
