// RUN: vortex-opt %s --vortex-number-queries --vortex-add-context --vortex-lower-queries | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[C:.*]]: !llvm.ptr {vortex.context}
// CHECK: llvm.getelementptr inbounds %[[C]][0, 8]
// CHECK: %[[P:.*]] = llvm.load {{.*}} invariant : !llvm.ptr -> f64
// CHECK: llvm.getelementptr inbounds %[[C]][0, 9]
// CHECK: %[[ASKED:.*]] = llvm.icmp "ne"
// CHECK: scf.if %[[ASKED]] -> (index)
// CHECK: llvm.call %{{.*}}(%[[C]],
// CHECK: } else {
// CHECK-NEXT: scf.yield
// CHECK-NOT: vortex.
func.func @f(%i: index, %g: i1) -> index {
  %0 = vortex.machine_param "threads" default 1.0
  %1 = vortex.select "k" ["a", "b"] %i allowed(%g, %g) costs(%0, %0)
  return %1 : index
}

// A report asks whether or not anybody listens; without a choice it has none.
// CHECK-LABEL: func.func @g(
// CHECK-SAME: %[[C:.*]]: !llvm.ptr {vortex.context}
// CHECK-NOT: scf.if
// CHECK: %[[KERNEL:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: llvm.call %{{.*}}(%[[C]], %[[KERNEL]],
// CHECK: %[[DATA:.*]] = llvm.mlir.constant(-2 : i64)
// CHECK: %[[NONE:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: llvm.call %{{.*}}(%[[C]], %{{.*}}, %[[DATA]], %{{.*}}, %{{.*}}, %[[NONE]])
// CHECK-NOT: vortex.
func.func @g(%i: index, %g: i1, %c: f64) {
  vortex.report "k" ["a", "b"] %i allowed(%g, %g) costs(%c, %c)
  vortex.report "r" ["a", "b"]
  return
}
