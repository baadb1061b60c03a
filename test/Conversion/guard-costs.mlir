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

// Costs that a flag tells from two formulas each are computed in one branch, those with a guard in a branch within it. What both formulas need
// is in both. What is asked of a cost in between waits.
// CHECK-LABEL: func.func @near(
// CHECK-SAME: %[[K:.*]]: index, %[[A:.*]]: f64
// CHECK: %[[LONG:.*]] = arith.cmpi ugt, %[[K]]
// CHECK: %[[NEAR:.*]] = arith.cmpf ole, %[[A]]
// CHECK-NOT: arith.divf
// CHECK: %[[COSTS:.*]]:2 = scf.if %[[NEAR]] -> (f64, f64) {
// CHECK: %[[BOTH:.*]] = arith.divf
// CHECK-NOT: arith.ceildivui
// CHECK: %[[FIRST:.*]] = arith.subf
// CHECK: %[[SECOND:.*]] = scf.if %[[LONG]] -> (f64) {
// CHECK-NOT: arith.ceildivui
// CHECK: } else {
// CHECK-NEXT: arith.constant 0x7FF0000000000000 : f64
// CHECK: scf.yield %[[FIRST]], %[[SECOND]] : f64, f64
// CHECK: } else {
// CHECK: arith.divf
// CHECK: %[[FAR:.*]] = arith.mulf
// CHECK: scf.if %[[LONG]] -> (f64) {
// CHECK: arith.ceildivui
// CHECK: }
// CHECK: scf.yield %[[FAR]], %{{.*}} : f64, f64
// CHECK: }
// CHECK-NEXT: %[[MAY:.*]] = arith.select %[[LONG]], %[[COSTS]]#0
// CHECK: arith.cmpf olt, %[[COSTS]]#1, %[[MAY]]
// CHECK: vortex.select "k" ["a", "b"] {{.*}} costs(%[[COSTS]]#0, %[[COSTS]]#1)
func.func @near(%k: index, %a: f64) -> index {
  %true = arith.constant true
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c4096 = arith.constant 4096 : index
  %never = arith.constant 0x7FF0000000000000 : f64
  %one = arith.constant 1.0 : f64
  %long = arith.cmpi ugt, %k, %c4096 : index
  %near = arith.cmpf ole, %a, %one : f64
  %both = arith.divf %one, %a : f64
  %n0 = arith.addf %both, %a : f64
  %n1 = arith.mulf %n0, %a : f64
  %n2 = arith.subf %n1, %both : f64
  %f0 = arith.mulf %both, %both : f64
  %first = arith.select %near, %n2, %f0 : f64
  %may = arith.select %long, %first, %never : f64
  %m0 = arith.mulf %both, %n0 : f64
  %m1 = arith.mulf %m0, %both : f64
  %m2 = arith.addf %m1, %m0 : f64
  %m3 = arith.mulf %m2, %m1 : f64
  %m4 = arith.addf %m3, %m2 : f64
  %m5 = arith.mulf %m4, %m3 : f64
  %m6 = arith.addf %m5, %m4 : f64
  %m7 = arith.addf %m6, %m5 : f64
  %blocks = arith.ceildivui %k, %c7 : index
  %steps = arith.ceildivui %k, %blocks : index
  %sum = arith.addi %steps, %blocks : index
  %wide = arith.index_cast %sum : index to i64
  %real = arith.sitofp %wide : i64 to f64
  %g0 = arith.mulf %real, %m1 : f64
  %g1 = arith.addf %g0, %m1 : f64
  %g2 = arith.mulf %g1, %g0 : f64
  %g3 = arith.addf %g2, %g1 : f64
  %m8 = arith.mulf %m7, %m6 : f64
  %m9 = arith.addf %m8, %m7 : f64
  %second = arith.select %near, %m9, %g3 : f64
  %less = arith.cmpf olt, %second, %may : f64
  %better = arith.andi %long, %less : i1
  %choice = arith.select %better, %c1, %c0 : index
  %i = vortex.select "k" ["a", "b"] %choice allowed(%true, %long) costs(%first, %second)
  return %i : index
}

// A cost that is computed from another one stays, and so does one that two candidates have.
// CHECK-LABEL: func.func @alike(
// CHECK-NOT: scf.if
// CHECK: return
func.func @alike(%k: index, %a: f64) -> index {
  %true = arith.constant true
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %one = arith.constant 1.0 : f64
  %long = arith.cmpi ugt, %k, %c4096 : index
  %near = arith.cmpf ole, %a, %one : f64
  %0 = arith.addf %a, %one : f64
  %1 = arith.mulf %0, %a : f64
  %2 = arith.addf %1, %0 : f64
  %3 = arith.mulf %2, %1 : f64
  %4 = arith.addf %3, %2 : f64
  %first = arith.select %near, %4, %3 : f64
  %5 = arith.addf %first, %3 : f64
  %6 = arith.mulf %5, %4 : f64
  %7 = arith.addf %6, %5 : f64
  %8 = arith.mulf %7, %6 : f64
  %second = arith.select %near, %8, %7 : f64
  %9 = arith.subf %a, %one : f64
  %10 = arith.mulf %9, %9 : f64
  %11 = arith.addf %10, %9 : f64
  %12 = arith.mulf %11, %10 : f64
  %13 = arith.addf %12, %11 : f64
  %14 = arith.mulf %13, %12 : f64
  %15 = arith.addf %14, %13 : f64
  %16 = arith.mulf %15, %14 : f64
  %17 = arith.addf %16, %15 : f64
  %18 = arith.mulf %17, %16 : f64
  %i = vortex.select "k" ["a", "b", "c", "d"] %c0 allowed(%true, %long, %long, %true) costs(%first, %second, %18, %18)
  return %i : index
}

// What waits for a cost does not pass stores: the flag's costs stay where they are.
// CHECK-LABEL: func.func @stored(
// CHECK-NOT: scf.if
// CHECK: memref.store
// CHECK-NEXT: memref.load
// CHECK-NOT: scf.if
// CHECK: return
func.func @stored(%a: f64, %m: memref<f64>) -> (index, f64) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %true = arith.constant true
  %near = arith.cmpf ole, %a, %one : f64
  %0 = arith.addf %a, %a : f64
  %1 = arith.mulf %0, %a : f64
  %2 = arith.addf %1, %0 : f64
  %3 = arith.mulf %2, %1 : f64
  %first = arith.select %near, %2, %3 : f64
  memref.store %first, %m[] : memref<f64>
  %v = memref.load %m[] : memref<f64>
  %4 = arith.addf %3, %2 : f64
  %5 = arith.mulf %4, %3 : f64
  %6 = arith.addf %5, %4 : f64
  %7 = arith.mulf %6, %5 : f64
  %8 = arith.addf %7, %6 : f64
  %second = arith.select %near, %7, %8 : f64
  %i = vortex.select "k" ["a", "b"] %c0 allowed(%true, %true) costs(%first, %second)
  return %i, %v : index, f64
}

// A cost that something else is told stays: what is returned, and what another choice is told by another guard. So does one whose guard is not
// known where the cost is.
// CHECK-LABEL: func.func @told(
// CHECK-NOT: scf.if
// CHECK: return
func.func @told(%a: f64, %f: i1, %g: i1, %n: index) -> (index, index, index, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %0 = arith.addf %a, %a : f64
  %1 = arith.mulf %0, %a : f64
  %2 = arith.addf %1, %0 : f64
  %3 = arith.mulf %2, %1 : f64
  %4 = arith.addf %3, %2 : f64
  %5 = arith.mulf %4, %3 : f64
  %6 = arith.addf %5, %4 : f64
  %7 = arith.mulf %6, %5 : f64
  %8 = arith.addf %7, %6 : f64
  %9 = arith.mulf %8, %7 : f64
  %returned = arith.addf %9, %8 : f64
  %i = vortex.select "k" ["a", "b"] %c0 allowed(%true, %f) costs(%a, %returned)
  %10 = arith.subf %a, %9 : f64
  %11 = arith.mulf %10, %a : f64
  %12 = arith.subf %11, %10 : f64
  %13 = arith.mulf %12, %11 : f64
  %14 = arith.subf %13, %12 : f64
  %15 = arith.mulf %14, %13 : f64
  %16 = arith.subf %15, %14 : f64
  %17 = arith.mulf %16, %15 : f64
  %18 = arith.subf %17, %16 : f64
  %19 = arith.mulf %18, %17 : f64
  %shared = arith.subf %19, %18 : f64
  %j = vortex.select "l" ["a", "b"] %c0 allowed(%true, %f) costs(%a, %shared)
  %k = vortex.select "m" ["a", "b"] %c0 allowed(%true, %g) costs(%a, %shared)
  %20 = arith.divf %a, %9 : f64
  %21 = arith.mulf %20, %a : f64
  %22 = arith.divf %21, %20 : f64
  %23 = arith.mulf %22, %21 : f64
  %24 = arith.divf %23, %22 : f64
  %25 = arith.mulf %24, %23 : f64
  %26 = arith.divf %25, %24 : f64
  %27 = arith.mulf %26, %25 : f64
  %28 = arith.divf %27, %26 : f64
  %later = arith.mulf %28, %27 : f64
  %l = scf.for %q = %c0 to %n step %c1 iter_args(%may = %f) -> i1 {
    %x = vortex.select "n" ["a", "b"] %c0 allowed(%true, %may) costs(%a, %later)
    %next = arith.cmpi ugt, %x, %c0 : index
    scf.yield %next : i1
  }
  %m = arith.index_castui %l : i1 to index
  %n0 = arith.addi %k, %m : index
  return %i, %j, %n0, %returned : index, index, index, f64
}
