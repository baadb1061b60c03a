// RUN: vortex-opt %s --vortex-densify-operands | FileCheck %s

// Columns that are not adjacent are copied for the kernel, and back.
// CHECK-LABEL: func.func @gaps(
// CHECK-SAME: %[[A:.*]]: memref<?xf32, strided<[2], offset: ?>>, %[[B:.*]]: memref<?xf32, strided<[?], offset: ?>>
// CHECK: %[[X:.*]] = memref.alloc({{.*}}) {alignment = 64 : i64} : memref<?xf32>
// CHECK: memref.copy %[[A]], %[[X]]
// CHECK: %[[Y:.*]] = memref.alloc({{.*}}) {alignment = 64 : i64} : memref<?xf32>
// CHECK: memref.copy %[[B]], %[[Y]]
// CHECK: vortex.kernel_call @k ins(%[[X]] : memref<?xf32>) outs(%[[Y]] : memref<?xf32>)
// CHECK: memref.copy %[[Y]], %[[B]]
func.func @gaps(%a: memref<?xf32, strided<[2], offset: ?>>, %b: memref<?xf32, strided<[?], offset: ?>>) {
  vortex.kernel_call @k ins(%a : memref<?xf32, strided<[2], offset: ?>>) outs(%b : memref<?xf32, strided<[?], offset: ?>>)
  return
}

// Rows that are apart are no gaps, unless all elements have to follow each other.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[A:.*]]: memref<?x4xf32, strided<[9, 1], offset: ?>>
// CHECK: %[[X:.*]] = memref.alloc({{.*}}) {alignment = 64 : i64} : memref<?x4xf32>
// CHECK: memref.copy %[[A]], %[[X]]
// CHECK: vortex.kernel_call @k ins(%[[A]], %[[X]] : memref<?x4xf32, strided<[9, 1], offset: ?>>, memref<?x4xf32>) outs(%{{.*}}) dense [1]
func.func @rows(%a: memref<?x4xf32, strided<[9, 1], offset: ?>>, %c: memref<?xf32>) {
  vortex.kernel_call @k ins(%a, %a : memref<?x4xf32, strided<[9, 1], offset: ?>>, memref<?x4xf32, strided<[9, 1], offset: ?>>) outs(%c : memref<?xf32>) dense [1]
  return
}

// Of packed operands nothing may lie between.
// CHECK-LABEL: func.func @packed(
// CHECK-SAME: %[[A:.*]]: memref<?x?x4xf32, strided<[?, 4, 1], offset: ?>>, %[[B:.*]]: memref<?x?x4xf32>
// CHECK: %[[X:.*]] = memref.alloc({{.*}}) {alignment = 64 : i64} : memref<?x?x4xf32>
// CHECK: memref.copy %[[A]], %[[X]]
// CHECK-NOT: memref.copy
// CHECK: vortex.kernel_call @k ins(%[[A]], %[[X]], %[[B]] : {{.*}}) outs(%{{.*}}) dense [0] packed [1, 2]
func.func @packed(%a: memref<?x?x4xf32, strided<[?, 4, 1], offset: ?>>, %b: memref<?x?x4xf32>, %c: memref<?xf32>) {
  %d = memref.cast %b : memref<?x?x4xf32> to memref<?x?x4xf32, strided<[?, 4, 1], offset: ?>>
  vortex.kernel_call @k ins(%a, %a, %d : memref<?x?x4xf32, strided<[?, 4, 1], offset: ?>>, memref<?x?x4xf32, strided<[?, 4, 1], offset: ?>>, memref<?x?x4xf32, strided<[?, 4, 1], offset: ?>>)
    outs(%c : memref<?xf32>) dense [0] packed [1, 2]
  return
}

// A cast forgets strides that there are.
// CHECK-LABEL: func.func @cast(
// CHECK-SAME: %[[A:.*]]: memref<?x4xf32>
// CHECK-NOT: memref.copy
// CHECK: vortex.kernel_call @k ins(%[[A]] : memref<?x4xf32>)
func.func @cast(%a: memref<?x4xf32>, %c: memref<?xf32>) {
  %b = memref.cast %a : memref<?x4xf32> to memref<?x4xf32, strided<[?, ?], offset: ?>>
  vortex.kernel_call @k ins(%b : memref<?x4xf32, strided<[?, ?], offset: ?>>) outs(%c : memref<?xf32>)
  return
}

// State that starts as a part of rows and goes on as memory of its own: both have rows without gaps.
// CHECK-LABEL: func.func @state(
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[H:.*]] = %{{.*}}) -> (memref<?x128xf32, strided<[128, 1], offset: ?>>)
// CHECK-NOT: memref.copy
// CHECK: %[[NEW:.*]] = memref.alloc
// CHECK: vortex.kernel_call @step ins(%[[H]] : memref<?x128xf32, strided<[128, 1], offset: ?>>) outs(%[[NEW]] : memref<?x128xf32>)
// CHECK: %[[NEXT:.*]] = memref.cast %[[NEW]] : memref<?x128xf32> to memref<?x128xf32, strided<[128, 1], offset: ?>>
// CHECK: scf.yield %[[NEXT]]
// CHECK: vortex.kernel_call @last ins(%[[R]] : memref<?x128xf32, strided<[128, 1], offset: ?>>)
func.func @state(%all: memref<?x?x128xf32>, %i: index, %n: index, %m: index, %last: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = memref.subview %all[%i, 0, 0] [1, %m, 128] [1, 1, 1] : memref<?x?x128xf32> to memref<?x128xf32, strided<[128, 1], offset: ?>>
  %start = memref.cast %part : memref<?x128xf32, strided<[128, 1], offset: ?>> to memref<?x128xf32, strided<[?, ?], offset: ?>>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%h = %start) -> (memref<?x128xf32, strided<[?, ?], offset: ?>>) {
    %new = memref.alloc(%m) : memref<?x128xf32>
    vortex.kernel_call @step ins(%h : memref<?x128xf32, strided<[?, ?], offset: ?>>) outs(%new : memref<?x128xf32>)
    %next = memref.cast %new : memref<?x128xf32> to memref<?x128xf32, strided<[?, ?], offset: ?>>
    scf.yield %next : memref<?x128xf32, strided<[?, ?], offset: ?>>
  }
  vortex.kernel_call @last ins(%r : memref<?x128xf32, strided<[?, ?], offset: ?>>) outs(%last : memref<?xf32>)
  return
}

// What a loop in a loop carries, and what it leaves as it is.
// CHECK-LABEL: func.func @nested(
// CHECK: scf.for {{.*}} -> (memref<?x128xf32>, memref<?x128xf32>)
// CHECK: scf.for {{.*}} -> (memref<?x128xf32>)
// CHECK-NOT: memref.copy
// CHECK: return
func.func @nested(%a: memref<?x128xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = memref.cast %a : memref<?x128xf32> to memref<?x128xf32, strided<[?, ?], offset: ?>>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%g = %start, %same = %start) -> (memref<?x128xf32, strided<[?, ?], offset: ?>>, memref<?x128xf32, strided<[?, ?], offset: ?>>) {
    %s = scf.for %t = %c0 to %n step %c1 iter_args(%h = %g) -> (memref<?x128xf32, strided<[?, ?], offset: ?>>) {
      %new = memref.alloc(%m) : memref<?x128xf32>
      vortex.kernel_call @step ins(%h, %same : memref<?x128xf32, strided<[?, ?], offset: ?>>, memref<?x128xf32, strided<[?, ?], offset: ?>>) outs(%new : memref<?x128xf32>)
      %next = memref.cast %new : memref<?x128xf32> to memref<?x128xf32, strided<[?, ?], offset: ?>>
      scf.yield %next : memref<?x128xf32, strided<[?, ?], offset: ?>>
    }
    scf.yield %s, %same : memref<?x128xf32, strided<[?, ?], offset: ?>>, memref<?x128xf32, strided<[?, ?], offset: ?>>
  }
  return
}

// Cases that have nothing in common but a type.
// CHECK-LABEL: func.func @cases(
// CHECK: %[[B:.*]] = scf.if %{{.*}} -> (memref<?x8xf32, strided<[?, 1], offset: ?>>)
// CHECK: vortex.kernel_call @k ins(%[[B]] : memref<?x8xf32, strided<[?, 1], offset: ?>>)
// CHECK: %[[C:.*]] = scf.if %{{.*}} -> (memref<?x8xf32, strided<[?, ?], offset: ?>>)
// CHECK: memref.copy %[[C]]
func.func @cases(%p: i1, %a: memref<?x8xf32>, %b: memref<?x8xf32, strided<[16, 1], offset: ?>>, %c: memref<?x8xf32, strided<[16, 2], offset: ?>>, %o: memref<?xf32>) {
  %x = scf.if %p -> (memref<?x8xf32, strided<[?, ?], offset: ?>>) {
    %1 = memref.cast %a : memref<?x8xf32> to memref<?x8xf32, strided<[?, ?], offset: ?>>
    scf.yield %1 : memref<?x8xf32, strided<[?, ?], offset: ?>>
  } else {
    %1 = memref.cast %b : memref<?x8xf32, strided<[16, 1], offset: ?>> to memref<?x8xf32, strided<[?, ?], offset: ?>>
    scf.yield %1 : memref<?x8xf32, strided<[?, ?], offset: ?>>
  }
  vortex.kernel_call @k ins(%x : memref<?x8xf32, strided<[?, ?], offset: ?>>) outs(%o : memref<?xf32>)
  %y = scf.if %p -> (memref<?x8xf32, strided<[?, ?], offset: ?>>) {
    %1 = memref.cast %a : memref<?x8xf32> to memref<?x8xf32, strided<[?, ?], offset: ?>>
    scf.yield %1 : memref<?x8xf32, strided<[?, ?], offset: ?>>
  } else {
    %1 = memref.cast %c : memref<?x8xf32, strided<[16, 2], offset: ?>> to memref<?x8xf32, strided<[?, ?], offset: ?>>
    scf.yield %1 : memref<?x8xf32, strided<[?, ?], offset: ?>>
  }
  vortex.kernel_call @k ins(%y : memref<?x8xf32, strided<[?, ?], offset: ?>>) outs(%o : memref<?xf32>)
  return
}
