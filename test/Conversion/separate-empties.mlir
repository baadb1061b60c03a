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
