// RUN: vortex-opt %s --vortex-lower-parallel | FileCheck %s
// RUN: vortex-opt %s --vortex-lower-parallel --vortex-lower-parallel | FileCheck %s

// CHECK-LABEL: func.func private @f.body(
// CHECK-SAME: %[[C:.*]]: !llvm.ptr {vortex.context}, %[[CLOSURE:.*]]: !llvm.ptr, %[[I:.*]]: i64)
// CHECK: llvm.getelementptr %[[CLOSURE]]
// CHECK: memref.alloc
// CHECK: scf.for
// CHECK: return

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[C:.*]]: !llvm.ptr
// CHECK: %[[MEMORY:.*]] = llvm.alloca
// CHECK: llvm.getelementptr inbounds %[[C]][0, 10]
// CHECK: scf.if
// CHECK: llvm.getelementptr inbounds %[[C]][0, 3]
// CHECK: llvm.call
// CHECK: } else {
// CHECK: scf.for
// CHECK: func.call @f.body(%[[C]], %[[MEMORY]],
// CHECK-NOT: scf.forall
func.func @f(%c: !llvm.ptr, %m: memref<?x?xf32>, %n: index, %x: f32) {
  %c4 = arith.constant 4 : index
  scf.forall (%i, %j) = (0, 0) to (%n, %n) step (4, 1) {
    %t = memref.alloc(%n) : memref<?xf32>
    scf.forall (%k) in (%c4) {
      memref.store %x, %t[%k] : memref<?xf32>
    }
    %y = memref.load %t[%j] : memref<?xf32>
    memref.store %y, %m[%i, %j] : memref<?x?xf32>
    memref.dealloc %t : memref<?xf32>
  }
  return
}

// The first iteration is the loop's own.
// CHECK-LABEL: func.func private @from.body(
// CHECK-SAME: %[[CLOSURE:[a-z0-9]*]]: !llvm.ptr, %{{[a-z0-9]*}}: i64)
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[CLOSURE]][0, 2]
// CHECK: llvm.load %[[FIELD]]
// CHECK: %[[LOWER:.*]] = builtin.unrealized_conversion_cast
// CHECK: %[[DISTANCE:.*]] = arith.muli
// CHECK: %[[AT:.*]] = arith.addi %[[DISTANCE]], %[[LOWER]]
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[AT]]]
func.func @from(%c: !llvm.ptr, %m: memref<?xf32>, %low: index, %high: index, %x: f32) {
  scf.forall (%i) = (%low) to (%high) step (3) {
    memref.store %x, %m[%i] : memref<?xf32>
  }
  return
}
