// Loops of a binder that are alike up to the values from outside become one
// function; others, and those of other functions, stay.

// RUN: vortex-opt %s --split-input-file --vortex-share-binder-loops | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-NOT: call
// CHECK: scf.for
// CHECK-NOT: call
// CHECK: scf.for
// CHECK-NOT: call
// CHECK-LABEL: func.func @f.bind(
// CHECK-SAME: %[[A:.*]]: memref<64x8xf32>, %[[B:.*]]: memref<64x8xf32>, %[[C:.*]]: memref<32x8xf32>, %[[D:.*]]: memref<64x8xf32>,
// CHECK-SAME: %[[X:.*]]: memref<8x64xf32>, %[[Y:.*]]: memref<8x64xf32>, %[[N:.*]]: index
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: call @[[LOOP:.*]](%[[N]], %[[A]], %[[X]]) : (index, memref<64x8xf32>, memref<8x64xf32>) -> ()
// CHECK-NEXT: call @[[LOOP]](%[[N]], %[[B]], %[[Y]])
// Another type, alike to no other:
// CHECK-NEXT: scf.for
// CHECK: memref.load %[[C]]
// Other constants:
// CHECK: scf.for
// CHECK: memref.load %[[D]]
// Short ones:
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: call
// CHECK: func.func private @[[LOOP]](%[[END:.*]]: index, %[[FROM:.*]]: memref<64x8xf32>, %[[TO:.*]]: memref<8x64xf32>)
// CHECK-SAME: passthrough = ["noinline"]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]]
// CHECK: memref.load %[[FROM]]
// CHECK: memref.store %{{.*}}, %[[TO]]
func.func @f(%a: memref<64x8xf32>, %x: memref<8x64xf32>, %n: index) attributes {vortex.binder = @f.bind} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.load %a[%i, %c0] : memref<64x8xf32>
    %1 = memref.load %a[%i, %c1] : memref<64x8xf32>
    %2 = arith.mulf %1, %0 : f32
    %3 = arith.mulf %2, %1 : f32
    %4 = arith.mulf %3, %2 : f32
    %5 = arith.mulf %4, %3 : f32
    %6 = arith.mulf %5, %4 : f32
    %7 = arith.mulf %6, %5 : f32
    %8 = arith.mulf %7, %6 : f32
    %9 = arith.mulf %8, %7 : f32
    %10 = arith.mulf %9, %8 : f32
    %11 = arith.mulf %10, %9 : f32
    %12 = arith.mulf %11, %10 : f32
    %13 = arith.mulf %12, %11 : f32
    %14 = arith.mulf %13, %12 : f32
    %15 = arith.mulf %14, %13 : f32
    %16 = arith.mulf %15, %14 : f32
    %17 = arith.mulf %16, %15 : f32
    %18 = arith.mulf %17, %16 : f32
    %19 = arith.mulf %18, %17 : f32
    %20 = arith.mulf %19, %18 : f32
    %21 = arith.mulf %20, %19 : f32
    %22 = arith.mulf %21, %20 : f32
    %23 = arith.mulf %22, %21 : f32
    memref.store %23, %x[%c2, %i] : memref<8x64xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.load %a[%i, %c0] : memref<64x8xf32>
    %1 = memref.load %a[%i, %c1] : memref<64x8xf32>
    %2 = arith.mulf %1, %0 : f32
    %3 = arith.mulf %2, %1 : f32
    %4 = arith.mulf %3, %2 : f32
    %5 = arith.mulf %4, %3 : f32
    %6 = arith.mulf %5, %4 : f32
    %7 = arith.mulf %6, %5 : f32
    %8 = arith.mulf %7, %6 : f32
    %9 = arith.mulf %8, %7 : f32
    %10 = arith.mulf %9, %8 : f32
    %11 = arith.mulf %10, %9 : f32
    %12 = arith.mulf %11, %10 : f32
    %13 = arith.mulf %12, %11 : f32
    %14 = arith.mulf %13, %12 : f32
    %15 = arith.mulf %14, %13 : f32
    %16 = arith.mulf %15, %14 : f32
    %17 = arith.mulf %16, %15 : f32
    %18 = arith.mulf %17, %16 : f32
    %19 = arith.mulf %18, %17 : f32
    %20 = arith.mulf %19, %18 : f32
    %21 = arith.mulf %20, %19 : f32
    %22 = arith.mulf %21, %20 : f32
    %23 = arith.mulf %22, %21 : f32
    memref.store %23, %x[%c2, %i] : memref<8x64xf32>
  }
  return
}

func.func @f.bind(%a: memref<64x8xf32>, %b: memref<64x8xf32>, %c: memref<32x8xf32>, %d: memref<64x8xf32>,
                  %x: memref<8x64xf32>, %y: memref<8x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.addi %i, %c1 : index
    %0 = memref.load %a[%i, %c0] : memref<64x8xf32>
    %1 = memref.load %a[%i, %c1] : memref<64x8xf32>
    %2 = memref.load %a[%i, %c2] : memref<64x8xf32>
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    %5 = arith.mulf %4, %0 : f32
    %6 = arith.mulf %5, %1 : f32
    %7 = arith.mulf %6, %2 : f32
    %8 = arith.mulf %7, %3 : f32
    %9 = arith.mulf %8, %4 : f32
    %10 = arith.mulf %9, %5 : f32
    %11 = arith.mulf %10, %6 : f32
    %12 = arith.mulf %11, %7 : f32
    %13 = arith.mulf %12, %8 : f32
    %14 = arith.mulf %13, %9 : f32
    %15 = arith.mulf %14, %10 : f32
    %16 = arith.mulf %15, %11 : f32
    %17 = arith.mulf %16, %12 : f32
    %18 = arith.mulf %17, %13 : f32
    %19 = arith.mulf %18, %14 : f32
    %20 = arith.mulf %19, %15 : f32
    memref.store %20, %x[%c2, %i] : memref<8x64xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.addi %i, %c1 : index
    %0 = memref.load %b[%i, %c0] : memref<64x8xf32>
    %1 = memref.load %b[%i, %c1] : memref<64x8xf32>
    %2 = memref.load %b[%i, %c2] : memref<64x8xf32>
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    %5 = arith.mulf %4, %0 : f32
    %6 = arith.mulf %5, %1 : f32
    %7 = arith.mulf %6, %2 : f32
    %8 = arith.mulf %7, %3 : f32
    %9 = arith.mulf %8, %4 : f32
    %10 = arith.mulf %9, %5 : f32
    %11 = arith.mulf %10, %6 : f32
    %12 = arith.mulf %11, %7 : f32
    %13 = arith.mulf %12, %8 : f32
    %14 = arith.mulf %13, %9 : f32
    %15 = arith.mulf %14, %10 : f32
    %16 = arith.mulf %15, %11 : f32
    %17 = arith.mulf %16, %12 : f32
    %18 = arith.mulf %17, %13 : f32
    %19 = arith.mulf %18, %14 : f32
    %20 = arith.mulf %19, %15 : f32
    memref.store %20, %y[%c2, %i] : memref<8x64xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.addi %i, %c1 : index
    %0 = memref.load %c[%i, %c0] : memref<32x8xf32>
    %1 = memref.load %c[%i, %c1] : memref<32x8xf32>
    %2 = memref.load %c[%i, %c2] : memref<32x8xf32>
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    %5 = arith.mulf %4, %0 : f32
    %6 = arith.mulf %5, %1 : f32
    %7 = arith.mulf %6, %2 : f32
    %8 = arith.mulf %7, %3 : f32
    %9 = arith.mulf %8, %4 : f32
    %10 = arith.mulf %9, %5 : f32
    %11 = arith.mulf %10, %6 : f32
    %12 = arith.mulf %11, %7 : f32
    %13 = arith.mulf %12, %8 : f32
    %14 = arith.mulf %13, %9 : f32
    %15 = arith.mulf %14, %10 : f32
    %16 = arith.mulf %15, %11 : f32
    %17 = arith.mulf %16, %12 : f32
    %18 = arith.mulf %17, %13 : f32
    %19 = arith.mulf %18, %14 : f32
    %20 = arith.mulf %19, %15 : f32
    memref.store %20, %y[%c2, %i] : memref<8x64xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.addi %i, %c1 : index
    %0 = memref.load %d[%i, %c0] : memref<64x8xf32>
    %1 = memref.load %d[%i, %c1] : memref<64x8xf32>
    %2 = memref.load %d[%i, %c3] : memref<64x8xf32>
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    %5 = arith.mulf %4, %0 : f32
    %6 = arith.mulf %5, %1 : f32
    %7 = arith.mulf %6, %2 : f32
    %8 = arith.mulf %7, %3 : f32
    %9 = arith.mulf %8, %4 : f32
    %10 = arith.mulf %9, %5 : f32
    %11 = arith.mulf %10, %6 : f32
    %12 = arith.mulf %11, %7 : f32
    %13 = arith.mulf %12, %8 : f32
    %14 = arith.mulf %13, %9 : f32
    %15 = arith.mulf %14, %10 : f32
    %16 = arith.mulf %15, %11 : f32
    %17 = arith.mulf %16, %12 : f32
    %18 = arith.mulf %17, %13 : f32
    %19 = arith.mulf %18, %14 : f32
    %20 = arith.mulf %19, %15 : f32
    memref.store %20, %y[%c2, %i] : memref<8x64xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i, %c2] : memref<64x8xf32>
    memref.store %v, %x[%c2, %i] : memref<8x64xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %b[%i, %c2] : memref<64x8xf32>
    memref.store %v, %y[%c2, %i] : memref<8x64xf32>
  }
  return
}

// -----

// What calls stays.

// CHECK-LABEL: func.func @g.bind(
// CHECK-COUNT-2: scf.for
// CHECK-NOT: call @g.bind.loop
func.func private @callee(index)
func.func @g() attributes {vortex.binder = @g.bind} {
  return
}
func.func @g.bind(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %1 = arith.addi %i, %i : index
    %2 = arith.muli %1, %i : index
    %3 = arith.muli %2, %i : index
    %4 = arith.muli %3, %i : index
    %5 = arith.muli %4, %i : index
    %6 = arith.muli %5, %i : index
    %7 = arith.muli %6, %i : index
    %8 = arith.muli %7, %i : index
    %9 = arith.muli %8, %i : index
    %10 = arith.muli %9, %i : index
    %11 = arith.muli %10, %i : index
    %12 = arith.muli %11, %i : index
    %13 = arith.muli %12, %i : index
    %14 = arith.muli %13, %i : index
    %15 = arith.muli %14, %i : index
    %16 = arith.muli %15, %i : index
    %17 = arith.muli %16, %i : index
    %18 = arith.muli %17, %i : index
    %19 = arith.muli %18, %i : index
    %20 = arith.muli %19, %i : index
    %21 = arith.muli %20, %i : index
    %22 = arith.muli %21, %i : index
    %23 = arith.muli %22, %i : index
    func.call @callee(%23) : (index) -> ()
  }
  scf.for %i = %c0 to %n step %c1 {
    %1 = arith.addi %i, %i : index
    %2 = arith.muli %1, %i : index
    %3 = arith.muli %2, %i : index
    %4 = arith.muli %3, %i : index
    %5 = arith.muli %4, %i : index
    %6 = arith.muli %5, %i : index
    %7 = arith.muli %6, %i : index
    %8 = arith.muli %7, %i : index
    %9 = arith.muli %8, %i : index
    %10 = arith.muli %9, %i : index
    %11 = arith.muli %10, %i : index
    %12 = arith.muli %11, %i : index
    %13 = arith.muli %12, %i : index
    %14 = arith.muli %13, %i : index
    %15 = arith.muli %14, %i : index
    %16 = arith.muli %15, %i : index
    %17 = arith.muli %16, %i : index
    %18 = arith.muli %17, %i : index
    %19 = arith.muli %18, %i : index
    %20 = arith.muli %19, %i : index
    %21 = arith.muli %20, %i : index
    %22 = arith.muli %21, %i : index
    %23 = arith.muli %22, %i : index
    func.call @callee(%23) : (index) -> ()
  }
  return
}
