// Sizes that linalg ops need to be the same are checked when a call comes, without `vortex.dims`.
// REQUIRES: vortex-compile, vortex-run
// RUN: vortex-compile %s --target=x86-avx2 -o %t.so
// RUN: vortex-run %t.so --function=two --input=4x3xf32=1 --input=3x5xf32=1 --input=5x2xf32=1 --expected-output=4x2xf32=15
// RUN: not vortex-run %t.so --function=two --input=4x3xf32=1 --input=2x5xf32=1 --input=5x2xf32=1 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: not vortex-run %t.so --function=two --input=4x3xf32=1 --input=3x5xf32=1 --input=6x2xf32=1 2>&1 | FileCheck %s --check-prefix=CHAIN
// RUN: not vortex-run %t.so --function=acc --input=4x8xf32=1 --input=8x2xf32=1 --input=1x1xf32=0 2>&1 | FileCheck %s --check-prefix=INIT
// RUN: not vortex-run %t.so --function=acc --input=4x7xf32=1 --input=8x2xf32=1 --input=4x2xf32=0 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: vortex-run %t.so --function=named --input='4xf32=1 1 0 0' --input=2xf32=1 --expected-output=2xf32=1
// RUN: not vortex-run %t.so --function=named --input='4xf32=1 1 0 0' --input=3xf32=1 2>&1 | FileCheck %s --check-prefix=DECLARED
// RUN: not vortex-run %t.so --function=named --input=3xf32=1 --input=2xf32=1 2>&1 | FileCheck %s --check-prefix=HALF

// INNER: 'two': {{.*}}arg0.dim1 == arg1.dim0
// CHAIN: 'two': {{.*}}arg1.dim1 == arg2.dim0
func.func @two(%x: tensor<?x?xf32>, %v: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %h = tensor.dim %v, %c1 : tensor<?x?xf32>
  %n = tensor.dim %w, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %h) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.matmul ins(%x, %v : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e2 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %z = linalg.matmul ins(%y, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

// INIT: 'acc': {{.*}}arg0.dim0 == arg2.dim0
// NUMBER: 'acc': {{.*}}arg0.dim1 == 8
func.func @acc(%x: tensor<?x?xf32>, %v: tensor<8x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%x, %v : tensor<?x?xf32>, tensor<8x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Sizes that the program declares of its results are checked, too.
// DECLARED: 'named': result 0, dimension 0 is 3, but the signature says 2 ('n // 2')
// HALF: 'named': 'n % 2 == 0' does not hold: n = 3
func.func @named(%x: tensor<?xf32> {vortex.dims = ["n"]}, %y: tensor<?xf32>) -> (tensor<?xf32> {vortex.dims = ["n // 2"]})
    attributes {vortex.where = ["n % 2 == 0"]} {
  return %y : tensor<?xf32>
}
