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
