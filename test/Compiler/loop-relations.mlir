// Sizes that ops of loops and branches need to be the same are checked where the ops run, and nowhere else; those that are computed also outside of them.
// REQUIRES: vortex-compile, vortex-run
// RUN: vortex-compile %s --target=x86-avx2 -o %t.so
// DEFINE: %{run} = vortex-run %t.so
// RUN: %{run} --function=loop --input=2x2xf32=1 --input=2x2xf32=1 --input=index=3 --expected-output=2x2xf32=8
// RUN: %{run} --function=loop --input=2x3xf32=1 --input=2x3xf32=1 --input=index=0 --expected-output=2x3xf32=1
// RUN: not %{run} --function=loop --input=2x3xf32=1 --input=2x3xf32=1 --input=index=1 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: 'dimension 1 of operand 0 == dimension 0 of operand 1', which linalg.matmul needs, does not hold

// RUN: %{run} --function=branch --input=3xf32=1 --input=3xf32=1 --input=i1=1 --expected-output=3xf32=2
// RUN: %{run} --function=branch --input=3xf32=1 --input=9xf32=1 --input=i1=0 --expected-output=3xf32=1
// RUN: not %{run} --function=branch --input=9xf32=1 --input=3xf32=1 --input=i1=1 2>&1 | FileCheck %s --check-prefix=BRANCH
// BRANCH: 'arg0.dim0 == arg1.dim0', which arith.addf needs, does not hold

// RUN: %{run} --function=steps --input=9xf32=1 --input=1xf32=0 --input=index=2 --expected-output=1xf32=1
// RUN: not %{run} --function=steps --input=9xf32=1 --input=1xf32=0 --input=index=3 2>&1 | FileCheck %s --check-prefix=STEPS
// STEPS: dimension 0 of operand 0 == dimension 0 of operand 1

// RUN: %{run} --function=while --input=3xf32=1 --input=3xf32=2 --input=index=2 --expected-output=3xf32=5
// RUN: %{run} --function=while --input=3xf32=1 --input=9xf32=2 --input=index=0 --expected-output=3xf32=1
// RUN: not %{run} --function=while --input=9xf32=1 --input=3xf32=2 --input=index=1 2>&1 | FileCheck %s --check-prefix=WHILE
// WHILE: does not hold

// RUN: %{run} --function=joined --input=2xf32=1 --input=3xf32=1 --input=5xf32=3 --expected-output=5xf32=4
// RUN: not %{run} --function=joined --input=2xf32=1 --input=3xf32=2 --input=6xf32=3 2>&1 | FileCheck %s --check-prefix=JOINED
// JOINED: 'arg0.dim0 + arg1.dim0 == arg2.dim0', which arith.addf needs, does not hold

func.func @joined(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %xy = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %r = arith.addf %xy, %z : tensor<?xf32>
  return %r : tensor<?xf32>
}

// What a branch picks has its own sizes.
// RUN: %{run} --function=picked --input=2xf32=1 --input=4xf32=2 --input=i1=0 --expected-output=4xf32=4
// RUN: %{run} --function=picked --input=4xf32=1 --input=4xf32=2 --input=i1=1 --expected-output=4xf32=3
// RUN: not %{run} --function=picked --input=2xf32=1 --input=4xf32=2 --input=i1=1 2>&1 | FileCheck %s --check-prefix=PICKED
// PICKED: which arith.addf needs, does not hold
// RUN: %{run} --function=picked_in_loop --input=2xf32=1 --input=4xf32=2 --input=index=2 --expected-output=2xf32=1
// RUN: %{run} --function=picked_in_loop --input=2xf32=1 --input=4xf32=2 --input=index=3 --expected-output=4xf32=2

func.func @picked(%x: tensor<?xf32>, %y: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %r = scf.if %c -> (tensor<?xf32>) {
    scf.yield %x : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  %q = arith.addf %r, %y : tensor<?xf32>
  return %q : tensor<?xf32>
}

func.func @picked_in_loop(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %is = arith.cmpi eq, %i, %c2 : index
    %b = arith.select %is, %y, %a : tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

func.func @loop(%h: tensor<?x?xf32>, %w: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %h) -> (tensor<?x?xf32>) {
    %m = tensor.dim %x, %c0 : tensor<?x?xf32>
    %k = tensor.dim %w, %c1 : tensor<?x?xf32>
    %e = tensor.empty(%m, %k) : tensor<?x?xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %y = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %y : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

func.func @branch(%x: tensor<?xf32>, %y: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %r = scf.if %c -> (tensor<?xf32>) {
    %t = arith.addf %x, %y : tensor<?xf32>
    scf.yield %t : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// Step i reads i elements, which must be as many as there are sums.
func.func @steps(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %y) -> (tensor<?xf32>) {
    %s = tensor.extract_slice %x[0] [%i] [1] : tensor<?xf32> to tensor<?xf32>
    %t = linalg.add ins(%s, %acc : tensor<?xf32>, tensor<?xf32>) outs(%acc : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %t : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

func.func @while(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.while (%i = %c0, %acc = %x) : (index, tensor<?xf32>) -> (index, tensor<?xf32>) {
    %go = arith.cmpi ult, %i, %n : index
    scf.condition(%go) %i, %acc : index, tensor<?xf32>
  } do {
  ^bb0(%i: index, %acc: tensor<?xf32>):
    %t = arith.addf %acc, %y : tensor<?xf32>
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %t : index, tensor<?xf32>
  }
  return %r#1 : tensor<?xf32>
}
