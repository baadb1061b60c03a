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
// RUN: not vortex-run %t.so --function=tensors --input=9xf32=1 --input=3xf32=1 2>&1 | FileCheck %s --check-prefix=TENSORS
// RUN: not vortex-run %t.so --function=cast --input=3xf32=1 2>&1 | FileCheck %s --check-prefix=CAST
// RUN: not vortex-run %t.so --function=memrefs --input=9xf32=1 --input=3xf32=1 --input=9xf32=1 2>&1 | FileCheck %s --check-prefix=MEMREFS
// RUN: not vortex-run %t.so --function=memrefs --input=9xf32=1 --input=9xf32=1 --input=3xf32=1 2>&1 | FileCheck %s --check-prefix=COPY
// RUN: not vortex-run %t.so --function=concat --input=2x3xf32=1 --input=2x4xf32=1 2>&1 | FileCheck %s --check-prefix=CONCAT
// RUN: not vortex-run %t.so --function=call --input=3xf32=1 --input=9xf32=1 2>&1 | FileCheck %s --check-prefix=CALL
// RUN: vortex-run %t.so --function=window --input=9xf32=1 --input=3xf32=1 --input=3xf32=0 --expected-output=3xf32=3
// RUN: vortex-run %t.so --function=window --input=0xf32= --input=3xf32=1 --input=0xf32= --expected-output=0xf32=
// RUN: not vortex-run %t.so --function=window --input=8xf32=1 --input=3xf32=1 --input=3xf32=0 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: not vortex-run %t.so --function=names --input=1xf32=1 --input=3xf32=1 2>&1 | FileCheck %s --check-prefix=NAMES

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

// Sizes that have names are told by them.
// NAMES: 'names': 'arg0.dim0 == arg1.dim0' does not hold: arg0.dim0 (n) = 1, arg1.dim0 (m) = 3
func.func @names(%x: tensor<?xf32> {vortex.dims = ["n"]}, %y: tensor<?xf32> {vortex.dims = ["m"]}) -> tensor<?xf32> {
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}

// TENSORS: 'tensors': 'arg0.dim0 == arg1.dim0' does not hold
func.func @tensors(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %e = math.exp %x : tensor<?xf32>
  %r = arith.addf %e, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}

// CAST: 'cast': 'arg0.dim0 == 4' does not hold
func.func @cast(%x: tensor<?xf32>) -> tensor<4xf32> {
  %r = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}

// MEMREFS: 'memrefs': 'arg0.dim0 == arg1.dim0' does not hold
// COPY: 'memrefs': 'arg0.dim0 == arg2.dim0' does not hold
func.func @memrefs(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
  linalg.exp ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
  memref.copy %x, %z : memref<?xf32> to memref<?xf32>
  return
}

// CONCAT: 'concat': 'arg0.dim1 == arg1.dim1' does not hold
func.func @concat(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = tensor.concat dim(0) %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CALL: 'call': 'arg1.dim0 == arg0.dim0' does not hold
func.func private @callee(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @call(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = call @callee(%y, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// A window of 3 at every third element; without any, nothing is read.
// WINDOW: 'window': 'arg0.dim0 >= min(arg2.dim0, 1) * min(arg1.dim0, 1) * ((arg2.dim0 - 1) * 3 + (arg1.dim0 - 1) + 1)' does not hold
func.func @window(%x: tensor<?xf32>, %f: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i * 3 + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %f : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %m = arith.mulf %p, %q : f32
    %a = arith.addf %s, %m : f32
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
