// RUN: vortex-opt %s --vortex-guard-costs | FileCheck %s

// What only the second candidate's cost needs is computed where its guard holds; what the first needs, too, stays.
// CHECK-LABEL: func.func @guarded(
// CHECK-SAME: %[[K:.*]]: index, %[[A:.*]]: f64
// CHECK: %[[LONG:.*]] = arith.cmpi ugt, %[[K]]
// CHECK: %[[SHARED:.*]] = arith.mulf %[[A]], %[[A]]
// CHECK-NOT: arith.ceildivui
// CHECK: %[[COST:.*]] = scf.if %[[LONG]] -> (f64) {
// CHECK: arith.ceildivui
// CHECK: arith.addf
// CHECK-NEXT: %[[NS:.*]] = arith.addf
// CHECK-NEXT: scf.yield %[[NS]]
// CHECK: } else {
// CHECK-NEXT: %[[NEVER:.*]] = arith.constant 0x7FF0000000000000 : f64
// CHECK-NEXT: scf.yield %[[NEVER]]
// CHECK: arith.cmpf olt, %[[COST]], %[[SHARED]]
// CHECK: vortex.select "k" ["a", "b"] {{.*}} costs(%[[SHARED]], %[[COST]])
func.func @guarded(%k: index, %a: f64) -> index {
  %true = arith.constant true
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c4096 = arith.constant 4096 : index
  %long = arith.cmpi ugt, %k, %c4096 : index
  %shared = arith.mulf %a, %a : f64
  %blocks = arith.ceildivui %k, %c7 : index
  %steps = arith.ceildivui %k, %blocks : index
  %sum = arith.addi %steps, %blocks : index
  %wide = arith.index_cast %sum : index to i64
  %real = arith.sitofp %wide : i64 to f64
  %rate = vortex.machine_param "core.call" default 1.000000e+01
  %slow = arith.mulf %real, %rate : f64
  %more = arith.addf %slow, %rate : f64
  %ns = arith.addf %more, %shared : f64
  %less = arith.cmpf olt, %ns, %shared : f64
  %better = arith.andi %long, %less : i1
  %choice = arith.select %better, %c1, %c0 : index
  %i = vortex.select "k" ["a", "b"] %choice allowed(%true, %long) costs(%shared, %ns)
  return %i : index
}

// A cost that is quickly computed, or that another use needs anyway, stays.
// CHECK-LABEL: func.func @stays(
// CHECK-NOT: scf.if
// CHECK: return
func.func @stays(%k: index, %a: f64) -> index {
  %true = arith.constant true
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  %long = arith.cmpi ugt, %k, %c4096 : index
  %ns = arith.mulf %a, %a : f64
  %less = arith.cmpf olt, %ns, %a : f64
  %better = arith.andi %long, %less : i1
  %choice = arith.select %better, %c1, %c0 : index
  %i = vortex.select "k" ["a", "b"] %choice allowed(%true, %long) costs(%a, %ns)
  return %i : index
}

// Costs are numbers: the greater of two is the first where that is greater. What others use, too, stays as it is.
// CHECK-LABEL: func.func @numbers(
// CHECK-SAME: %[[A:.*]]: f64, %[[B:.*]]: f64
// CHECK: %[[GREATER:.*]] = arith.cmpf ogt, %[[A]], %[[B]] : f64
// CHECK-NEXT: %[[MOST:.*]] = arith.select %[[GREATER]], %[[A]], %[[B]] : f64
// CHECK: %[[LESS:.*]] = arith.cmpf olt, %[[A]], %[[B]] : f64
// CHECK-NEXT: %[[LEAST:.*]] = arith.select %[[LESS]], %[[A]], %[[B]] : f64
// CHECK: %[[KEPT:.*]] = arith.maximumf %[[B]], %[[A]]
// CHECK: vortex.select "k" ["a", "b", "c"] {{.*}} costs(%[[MOST]], %[[LEAST]], %[[KEPT]])
// CHECK: return %{{.*}}, %[[KEPT]]
func.func @numbers(%a: f64, %b: f64) -> (index, f64) {
  %true = arith.constant true
  %c0 = arith.constant 0 : index
  %most = arith.maximumf %a, %b : f64
  %least = arith.minimumf %a, %b : f64
  %kept = arith.maximumf %b, %a : f64
  %i = vortex.select "k" ["a", "b", "c"] %c0 allowed(%true, %true, %true) costs(%most, %least, %kept)
  return %i, %kept : index, f64
}
