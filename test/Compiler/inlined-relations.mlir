// What stands in a function's first block once calls are inlined and branches are folded is checked when a call comes, too: no op reads beyond its operands.
// REQUIRES: vortex-compile, vortex-run
// RUN: vortex-compile %s --target=x86-avx2 -o %t.so
// RUN: vortex-run %t.so --list | FileCheck %s --check-prefix=LIST
// DEFINE: %{run} = vortex-run %t.so
// RUN: %{run} --function=twice --input=4x3xf32=1 --input=3x5xf32=1 --input=5x2xf32=1 --expected-output=4x2xf32=15
// RUN: not %{run} --function=twice --input=5x30xf32=1 --input=30x31xf32=1 --input=1x3xf32=1 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: %{run} --function=loop --input=4x3xf32=1 --input=3x5xf32=1 --expected-output=4x5xf32=3
// RUN: not %{run} --function=loop --input=3x40xf32=1 --input=2x5xf32=1 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not %{run} --function=branch --input=3x40xf32=1 --input=2x5xf32=1 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not %{run} --function=region --input=3x40xf32=1 --input=2x5xf32=1 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not %{run} --function=block --input=3x40xf32=1 --input=2x5xf32=1 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: %{run} --function=deep --input=4x3xf32=1 --input=3x5xf32=1 --expected-output=4x5xf32=3
// RUN: not %{run} --function=deep --input=3x40xf32=1 --input=2x5xf32=1 2>&1 | FileCheck %s --check-prefix=ONE

// LIST: function twice(
// LIST-NEXT: where arg0.dim1 == arg1.dim0
// LIST-NEXT: where arg1.dim1 == arg2.dim0
// TWICE: 'twice': 'arg1.dim1 == arg2.dim0' does not hold
// ONE: 'arg0.dim1 == arg1.dim0' does not hold: arg0.dim1 = 40, arg1.dim0 = 2
func.func private @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %z = func.call @zero(%a, %b) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}
func.func private @zero(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}
func.func private @f1(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = func.call @product(%a, %b) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}
func.func private @f2(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = func.call @f1(%a, %b) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}
func.func private @f3(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = func.call @f2(%a, %b) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}
func.func private @f4(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = func.call @f3(%a, %b) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}
func.func @twice(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %x = func.call @product(%a, %b) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = func.call @product(%x, %c) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
func.func @deep(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = func.call @f4(%a, %b) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}
func.func @loop(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = func.call @zero(%a, %b) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%q = %z) -> (tensor<?x?xf32>) {
    %x = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%q : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %x : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}
func.func @branch(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %true = arith.constant true
  %z = func.call @zero(%a, %b) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = scf.if %true -> (tensor<?x?xf32>) {
    %x = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %x : tensor<?x?xf32>
  } else {
    scf.yield %z : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}
func.func @region(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %z = func.call @zero(%a, %b) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = scf.execute_region -> tensor<?x?xf32> {
    %x = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %x : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}
func.func @block(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %z = func.call @zero(%a, %b) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  cf.br ^next
^next:
  %x = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %x : tensor<?x?xf32>
}
