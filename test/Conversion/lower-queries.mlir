// RUN: vortex-opt %s --vortex-number-queries --vortex-add-context --vortex-lower-queries | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[C:.*]]: !llvm.ptr {vortex.context}
// CHECK: llvm.getelementptr inbounds %[[C]][0, 8]
// CHECK: %[[P:.*]] = llvm.load {{.*}} invariant : !llvm.ptr -> f64
// The context of a loop's body has one thread, whatever the machine's table says.
// CHECK: llvm.getelementptr inbounds %[[C]][0, 10]
// CHECK: %[[N:.*]] = llvm.load {{.*}} invariant : !llvm.ptr -> i64
// CHECK: %[[THREADS:.*]] = arith.sitofp %[[N]] : i64 to f64
// CHECK: llvm.getelementptr inbounds %[[C]][0, 9]
// CHECK: %[[ASKED:.*]] = llvm.icmp "ne"
// CHECK: scf.if %[[ASKED]] -> (index)
// CHECK: llvm.call %{{.*}}(%[[C]],
// CHECK: } else {
// CHECK-NEXT: scf.yield
// CHECK-NOT: vortex.
func.func @f(%i: index, %g: i1) -> index {
  %0 = vortex.machine_param "l2.capacity" default 1048576.0
  %1 = vortex.machine_param "threads" default 1.0
  %2 = vortex.select "k" ["a", "b"] %i allowed(%g, %g) costs(%0, %1)
  return %2 : index
}

// A function for several kernels is told which one asks.
// CHECK-LABEL: func.func @shared(
// CHECK-SAME: %[[C:.*]]: !llvm.ptr {vortex.context}, %{{.*}}: index, %{{.*}}: i1, %{{.*}}: f64, %[[KERNEL:.*]]: i64 {vortex.kernel_number}
// CHECK: llvm.call %{{.*}}(%[[C]], %[[KERNEL]],
func.func @shared(%i: index, %g: i1, %c: f64, %kernel: i64 {vortex.kernel_number}) -> index {
  %0 = vortex.select "" ["a", "b"] %i allowed(%g, %g) costs(%c, %c)
  return %0 : index
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
  vortex.report "k" ["a", "b"] choice %i allowed(%g, %g) costs(%c, %c)
  vortex.report "r" ["a", "b"]
  return
}

// The address of the first element, its offset in bytes included, and 4096 at
// most; a stride is what the descriptor says. Neither needs a context.
// CHECK-LABEL: func.func @operands
// CHECK-SAME: %[[M:[a-z0-9]+]]: memref<?x?xf64
// CHECK-DAG: %[[BASE:.*]] = memref.extract_aligned_pointer_as_index %[[M]]
// CHECK-DAG: %{{.*}}, %[[OFFSET:.*]], %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %[[M]]
// CHECK: %[[BYTES:.*]] = arith.muli %[[OFFSET]], %c8
// CHECK: %[[ADDRESS:.*]] = arith.addi %[[BASE]], %[[BYTES]]
// CHECK: %[[MARKED:.*]] = arith.ori %[[ADDRESS]], %c4096
// CHECK: %[[NEGATED:.*]] = arith.subi %{{.*}}, %[[MARKED]]
// CHECK: %[[ALIGNMENT:.*]] = arith.andi %[[MARKED]], %[[NEGATED]]
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[M]]
// CHECK: return %[[ALIGNMENT]], %[[STRIDES]]#0
func.func @operands(%m: memref<?x?xf64, strided<[?, 1], offset: ?>>) -> (index, index) {
  %0 = vortex.alignment %m : memref<?x?xf64, strided<[?, 1], offset: ?>>
  %1 = vortex.stride %m, 0 : memref<?x?xf64, strided<[?, 1], offset: ?>>
  return %0, %1 : index, index
}
