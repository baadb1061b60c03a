// RUN: vortex-opt %s --vortex-separate-empties | FileCheck %s

// Two values never start from one tensor.empty; the cases of one switch may, since one of them runs.
// CHECK-LABEL: func.func @chain
// CHECK-COUNT-2: tensor.empty
// CHECK: %[[A:.*]] = linalg.exp ins(%arg0 : tensor<?xf32>) outs(%[[FIRST:.*]] : tensor<?xf32>)
// CHECK-NOT: outs(%[[FIRST]] :
// CHECK: linalg.exp ins(%[[A]] : tensor<?xf32>) outs(%[[SECOND:.*]] : tensor<?xf32>)
// CHECK: linalg.log ins(%[[A]] : tensor<?xf32>) outs(%[[SECOND]] : tensor<?xf32>)
func.func @chain(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = scf.index_switch %n -> tensor<?xf32>
  case 0 {
    %b = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  default {
    %b = linalg.log ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// A loop that carries a tensor gets memory of its own in each iteration.
// CHECK-LABEL: func.func @loop
// CHECK-NOT: tensor.empty
// CHECK: scf.for
// CHECK-NEXT: %[[E:.*]] = tensor.empty
// CHECK-NEXT: linalg.exp {{.*}} outs(%[[E]]
func.func @loop(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<?xf32> {
    %y = linalg.exp ins(%h : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
