// RUN: vortex-opt %s --vortex-add-context --vortex-remember-choices | FileCheck %s
// RUN: not vortex-opt %s --vortex-remember-choices 2>&1 | FileCheck %s --check-prefix=CONTEXT

// CONTEXT: error: 'func.call' op asks for a choice without a call context; run vortex-add-context first

// The choice depends on two numbers that are not always the same. The answer of last time is taken when nobody listens, there is one, and both numbers are
// the same; what a listener wanted is not kept.
// CHECK: module attributes {vortex.memos = 1 : i64}
// CHECK-LABEL: func.func @far(
// CHECK-SAME: %[[C:.*]]: !llvm.ptr {vortex.context}, %[[M:.*]]: index, %[[N:.*]]: index
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
// CHECK: arith.cmpi eq, %[[KM]]
// CHECK: llvm.getelementptr %[[MEMO]][2]
// CHECK: arith.cmpi eq, %[[KN]]
// CHECK-NOT: arith.cmpi
// CHECK: %[[SAME:.*]] = arith.andi
// CHECK: %[[I:.*]] = scf.if %[[SAME]] -> (index) {
// CHECK: arith.subi %[[LAST]]
// CHECK: } else {
// CHECK: %[[NEW:.*]] = func.call @which(%[[C]], %[[M]], %[[N]], %{{.*}}, %[[M]], %{{.*}})
// CHECK: %[[NOTHING:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: %[[KEPT:.*]] = arith.select %[[QUIET]], %{{.*}}, %[[NOTHING]] : i64
// CHECK: llvm.store %[[KEPT]]
// CHECK-COUNT-2: llvm.store
// CHECK: scf.yield %[[NEW]]
// CHECK: return %[[I]]
func.func @far(%m: index, %n: index) -> index {
  %c768 = arith.constant 768 : index
  %kernel = arith.constant 3 : i64
  %i = call @which(%m, %n, %c768, %m, %kernel) : (index, index, index, index, i64) -> index
  return %i : index
}

// One that is for listeners alone remembers nothing.
// CHECK-LABEL: func.func @told(
// CHECK-NOT: scf.if
// CHECK: return
func.func @told(%m: index) {
  %kernel = arith.constant 4 : i64
  %i = call @which(%m, %m, %m, %m, %kernel) : (index, index, index, index, i64) -> index
  return
}

// Declared, it gets the context that its body elsewhere takes.
// CHECK: func.func private @which(!llvm.ptr {vortex.context}, index, index, index, index, i64 {vortex.kernel_number}) -> index attributes {vortex.choice = ["a", "b"]}
func.func private @which(index, index, index, index, i64 {vortex.kernel_number}) -> index attributes {vortex.choice = ["a", "b"]}
