// RUN: vortex-opt %s --vortex-switch-to-if | FileCheck %s

// Each case is a comparison; the last else is the default.
// CHECK-LABEL: func.func @choose
// CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<?xf32>, %[[B:[a-z0-9]*]]: tensor<?xf32>, %[[I:[a-z0-9]*]]: index
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[I]], %c3
// CHECK: %[[R:.*]] = scf.if %[[FIRST]] -> (tensor<?xf32>)
// CHECK: scf.yield %[[A]]
// CHECK: } else {
// CHECK: %[[SECOND:.*]] = arith.cmpi eq, %[[I]], %c7
// CHECK: %[[INNER:.*]] = scf.if %[[SECOND]]
// CHECK: scf.yield %[[B]]
// CHECK: } else {
// CHECK: %[[E:.*]] = linalg.exp
// CHECK: scf.yield %[[E]]
// CHECK: scf.yield %[[INNER]]
// CHECK: return %[[R]]
func.func @choose(%a: tensor<?xf32>, %b: tensor<?xf32>, %i: index) -> tensor<?xf32> {
  %r = scf.index_switch %i -> tensor<?xf32>
  case 3 {
    scf.yield %a : tensor<?xf32>
  }
  case 7 {
    scf.yield %b : tensor<?xf32>
  }
  default {
    %e = linalg.exp ins(%a : tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// What gives no tensor stays.
// CHECK-LABEL: func.func @number
// CHECK: scf.index_switch
func.func @number(%i: index) -> index {
  %c1 = arith.constant 1 : index
  %r = scf.index_switch %i -> index
  case 0 {
    scf.yield %c1 : index
  }
  default {
    scf.yield %i : index
  }
  return %r : index
}
