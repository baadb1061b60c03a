// RUN: vortex-opt %s --vortex-add-context --vortex-remember-choices | FileCheck %s
// RUN: not vortex-opt %s --vortex-remember-choices 2>&1 | FileCheck %s --check-prefix=CONTEXT

// CONTEXT: error: 'vortex.select' op is outside a function with a call context; run vortex-add-context first

// The choice depends on two numbers; a branch that GuardCosts made is part of what computes it. The answer of last time is taken when
// nobody listens, there is one, and both numbers are the same.
// CHECK: module attributes {vortex.memos = 1 : i64}
// CHECK-LABEL: func.func @far(
// CHECK-SAME: %[[C:.*]]: !llvm.ptr {vortex.context}, %[[M:.*]]: index, %[[N:.*]]: index
// CHECK-NOT: vortex.machine_param
// CHECK: %[[MEMO:.*]] = llvm.load {{.*}} invariant
// CHECK-DAG: %[[KM:.*]] = arith.index_cast %[[M]]
// CHECK-DAG: %[[KN:.*]] = arith.index_cast %[[N]]
// CHECK: %[[HOOK:.*]] = llvm.load {{.*}} invariant
// CHECK: %[[QUIET:.*]] = llvm.icmp "eq" %[[HOOK]]
// CHECK: llvm.getelementptr %[[MEMO]][0]
// CHECK: %[[LAST:.*]] = llvm.load
// CHECK-NOT: invariant
// CHECK: %[[ANY:.*]] = arith.cmpi ne, %[[LAST]]
// CHECK: arith.andi %[[QUIET]], %[[ANY]]
// CHECK: llvm.getelementptr %[[MEMO]][1]
// CHECK: arith.cmpi eq
// CHECK: llvm.getelementptr %[[MEMO]][2]
// CHECK: arith.cmpi eq
// CHECK: %[[SAME:.*]] = arith.andi
// CHECK: scf.if %[[SAME]] -> (index) {
// CHECK: arith.subi %[[LAST]]
// CHECK: } else {
// CHECK: vortex.machine_param "core.call"
// CHECK: scf.if
// CHECK: %[[NEW:.*]] = vortex.select "k" ["a", "b"] %[[CHOICE:.*]] allowed
// CHECK: arith.index_cast %[[CHOICE]]
// CHECK-COUNT-3: llvm.store
// CHECK: scf.yield %[[NEW]]
func.func @far(%m: index, %n: index) -> index {
  %true = arith.constant true
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c16 = arith.constant 16 : index
  %rate = vortex.machine_param "core.call" default 1.000000e+01
  %0 = arith.ceildivui %m, %c6 : index
  %1 = arith.ceildivui %n, %c16 : index
  %2 = arith.muli %0, %1 : index
  %3 = arith.index_cast %2 : index to i64
  %4 = arith.sitofp %3 : i64 to f64
  %5 = arith.mulf %4, %rate : f64
  %long = arith.cmpi ugt, %n, %c16 : index
  %6 = scf.if %long -> f64 {
    %9 = arith.addf %5, %rate : f64
    scf.yield %9 : f64
  } else {
    scf.yield %4 : f64
  }
  %7 = arith.addf %6, %5 : f64
  %less = arith.cmpf olt, %7, %5 : f64
  %better = arith.andi %long, %less : i1
  %choice = arith.select %better, %c1, %c0 : index
  %i = vortex.select "k" ["a", "b"] %choice allowed(%true, %long) costs(%5, %7)
  return %i : index
}

// What is quickly computed is computed each time.
// CHECK-LABEL: func.func @near(
// CHECK-NOT: scf.if
// CHECK: return
func.func @near(%m: index, %g: i1, %c: f64) -> index {
  %c6 = arith.constant 6 : index
  %c1 = arith.constant 1 : index
  %0 = arith.cmpi ugt, %m, %c6 : index
  %1 = arith.select %0, %c6, %c1 : index
  %i = vortex.select "near" ["a", "b"] %1 allowed(%g, %0) costs(%c, %c)
  return %i : index
}
