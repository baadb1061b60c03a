// RUN: vortex-opt %s --vortex-number-queries --vortex-share-choices | FileCheck %s
// RUN: not vortex-opt %s --vortex-share-choices 2>&1 | FileCheck %s --check-prefix=NUMBER

// NUMBER: error: 'vortex.select' op has no position; run vortex-number-queries first

// Two choices of the same arithmetic, of other sizes and of a kernel's report, are calls of one function, which is told whose they are; a third has another
// number in it.
// CHECK-LABEL: func.func @alike(
// CHECK-SAME: %[[M:.*]]: index, %[[N:.*]]: index
// CHECK-NOT: arith.{{add|mul}}
// CHECK: %[[K:.*]] = arith.constant 0 : i64
// CHECK: %[[R:.*]] = call @vortex.choice(%[[M]], %[[K]])
// CHECK: %[[L:.*]] = arith.constant 1 : i64
// CHECK: call @vortex.choice(%[[N]], %[[L]])
// CHECK: %[[O:.*]] = arith.constant 2 : i64
// CHECK: %[[S:.*]] = call @vortex.choice_0(%[[N]], %[[O]])
// CHECK-NOT: vortex.{{select|report}}
// CHECK: return %[[R]], %[[S]]
func.func @alike(%m: index, %n: index) -> (index, index) {
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %rate = vortex.machine_param "core.call" default 1.000000e+01
  %v0 = arith.ceildivui %m, %c6 : index
  %v1 = arith.muli %v0, %v0 : index
  %v2 = arith.addi %v1, %v0 : index
  %v3 = arith.muli %v2, %v1 : index
  %v4 = arith.addi %v3, %v2 : index
  %v5 = arith.muli %v4, %v3 : index
  %v6 = arith.addi %v5, %v4 : index
  %v7 = arith.index_cast %v6 : index to i64
  %v8 = arith.sitofp %v7 : i64 to f64
  %v9 = arith.mulf %v8, %rate : f64
  %v10 = arith.addf %v9, %v8 : f64
  %v11 = arith.mulf %v10, %v9 : f64
  %v14 = arith.mulf %v11, %v11 : f64
  %v15 = arith.addf %v14, %v9 : f64
  %v16 = arith.mulf %v15, %v8 : f64
  %v12 = arith.cmpf olt, %v10, %v16 : f64
  %v13 = arith.select %v12, %v0, %v1 : index
  %i = vortex.select "k" ["a"] %v13 allowed(%v12) costs(%v11)
  %v20 = arith.ceildivui %n, %c6 : index
  %v21 = arith.muli %v20, %v20 : index
  %v22 = arith.addi %v21, %v20 : index
  %v23 = arith.muli %v22, %v21 : index
  %v24 = arith.addi %v23, %v22 : index
  %v25 = arith.muli %v24, %v23 : index
  %v26 = arith.addi %v25, %v24 : index
  %v27 = arith.index_cast %v26 : index to i64
  %v28 = arith.sitofp %v27 : i64 to f64
  %v29 = arith.mulf %v28, %rate : f64
  %v30 = arith.addf %v29, %v28 : f64
  %v31 = arith.mulf %v30, %v29 : f64
  %v34 = arith.mulf %v31, %v31 : f64
  %v35 = arith.addf %v34, %v29 : f64
  %v36 = arith.mulf %v35, %v28 : f64
  %v32 = arith.cmpf olt, %v30, %v36 : f64
  %v33 = arith.select %v32, %v20, %v21 : index
  vortex.report "l" ["a"] choice %v33 allowed(%v32) costs(%v31)
  %v40 = arith.ceildivui %n, %c7 : index
  %v41 = arith.muli %v40, %v40 : index
  %v42 = arith.addi %v41, %v40 : index
  %v43 = arith.muli %v42, %v41 : index
  %v44 = arith.addi %v43, %v42 : index
  %v45 = arith.muli %v44, %v43 : index
  %v46 = arith.addi %v45, %v44 : index
  %v47 = arith.index_cast %v46 : index to i64
  %v48 = arith.sitofp %v47 : i64 to f64
  %v49 = arith.mulf %v48, %rate : f64
  %v50 = arith.addf %v49, %v48 : f64
  %v51 = arith.mulf %v50, %v49 : f64
  %v54 = arith.mulf %v51, %v51 : f64
  %v55 = arith.addf %v54, %v49 : f64
  %v56 = arith.mulf %v55, %v48 : f64
  %v52 = arith.cmpf olt, %v50, %v56 : f64
  %v53 = arith.select %v52, %v40, %v41 : index
  %j = vortex.select "o" ["a"] %v53 allowed(%v52) costs(%v51)
  return %i, %j : index, index
}

// What is quickly computed stays.
// CHECK-LABEL: func.func @first(
// CHECK-NOT: call
// CHECK: return
func.func @first(%m: index) -> (index, i1, f64) {
  %c = arith.constant 1.0 : f64
  %c6 = arith.constant 6 : index
  %g = arith.cmpi ugt, %m, %c6 : index
  %i = vortex.select "near" ["a"] %m allowed(%g) costs(%c)
  return %i, %g, %c : index, i1, f64
}

// CHECK: func.func private @vortex.choice(%{{.*}}: index, %{{.*}}: i64 {vortex.kernel_number}) -> index attributes {vortex.choice = ["a"]}
// CHECK: arith.constant 6
// CHECK: vortex.machine_param "core.call"
// Sums of costs may be computed in any order; comparisons are what they are.
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<reassoc,nsz,contract> : f64
// CHECK-NEXT: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,nsz,contract> : f64
// CHECK: %[[LESS:.*]] = arith.cmpf olt, %{{.*}}, %{{.*}} : f64
// CHECK: %[[CHOICE:.*]] = arith.select %[[LESS]]
// CHECK: %[[I:.*]] = vortex.select "" ["a"] %[[CHOICE]] allowed(%[[LESS]])
// CHECK: return %[[I]]
// CHECK: func.func private @vortex.choice_0(
// CHECK: arith.constant 7
