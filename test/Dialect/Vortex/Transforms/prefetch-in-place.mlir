// RUN: vortex-opt %s --target=x86-avx512 --vortex-insert-prefetches | FileCheck %s
// RUN: vortex-opt %s --target=x86-zen4 --vortex-insert-prefetches | FileCheck %s --check-prefix=PLAIN
// RUN: vortex-opt %s --target=x86-avx2 --vortex-insert-prefetches | FileCheck %s --check-prefix=PLAIN

// Rows in place that lie across lines, of an argument that L2 holds and L1 does not, are touched eight lines ahead: in a loop of its own, so
// that others need no branch. What has been packed is not touched, nor anything where vectors do not wait for both of their lines.
// PLAIN-LABEL: func.func @rows
// PLAIN-NOT: scf.if
// PLAIN-NOT: memref.prefetch
// PLAIN-NOT: vortex.prefetch_in_place
// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK: %{{.*}}, %[[OFFSET:.*]], %[[SIZES:.*]]:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[A]]
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[A]]
// CHECK: %[[SKIPPED:.*]] = arith.muli %[[OFFSET]], %[[BYTES:.*]] : index
// CHECK: %[[START:.*]] = arith.addi %[[POINTER]], %[[SKIPPED]]
// CHECK: %[[APART:.*]] = arith.muli %[[STRIDES]]#0, %[[BYTES]]
// CHECK: %[[BITS:.*]] = arith.ori %[[START]], %[[APART]]
// CHECK: %[[PAST:.*]] = arith.andi %[[BITS]], %c63
// CHECK: %[[ACROSS:.*]] = arith.cmpi ne, %[[PAST]], %c0
// CHECK: %[[ROWS:.*]] = arith.muli %[[BYTES]], %[[SIZES]]#0
// CHECK: %[[SIZE:.*]] = arith.muli %[[ROWS]], %[[SIZES]]#1
// CHECK: %[[BEYONDL1:.*]] = arith.cmpi ugt, %[[SIZE]], %c32768
// CHECK: %[[BEYONDL2:.*]] = arith.cmpi ugt, %[[SIZE]], %c1048576
// CHECK: %[[WAITS:.*]] = arith.andi %[[ACROSS]], %[[BEYONDL1]]
// CHECK: %[[INL2:.*]] = arith.xori %[[BEYONDL2]], %true
// CHECK: %[[BOTH:.*]] = arith.andi %[[WAITS]], %[[INL2]]
// CHECK: %[[SUMS:.*]]:2 = scf.if %[[BOTH]]
// CHECK: scf.for %[[K:[a-z0-9]*]] =
// CHECK: %[[AHEAD:.*]] = arith.addi %[[K]], %c128
// CHECK-NEXT: memref.prefetch %{{.*}}[%c0{{[_0-9]*}}, %[[AHEAD]]], read, locality<3>
// CHECK: %[[LATER:.*]] = arith.addi %[[K]], %c144
// CHECK-NEXT: memref.prefetch %{{.*}}[%c1{{[_0-9]*}}, %[[LATER]]], read, locality<3>
// CHECK-NOT: memref.prefetch
// CHECK: } else {
// CHECK-NEXT: scf.for
// CHECK-NOT: memref.prefetch
// CHECK: return %[[SUMS]]#0, %[[SUMS]]#1
// CHECK-NOT: vortex.prefetch_in_place
func.func @rows(%a: memref<?x?xf32, strided<[?, 1], offset: ?>>, %first: index, %k: index) -> (vector<16xf32>, vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %pad = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<16xf32>
  %b = memref.alloc(%k) : memref<?xf32>
  %two = memref.subview %a[%first, 0] [2, %k] [1, 1] : memref<?x?xf32, strided<[?, 1], offset: ?>> to memref<2x?xf32, strided<[?, 1], offset: ?>>
  %s:2 = scf.for %i = %c0 to %k step %c16 iter_args(%p = %z, %q = %z) -> (vector<16xf32>, vector<16xf32>) {
    %next = arith.addi %i, %c16 : index
    %v = vector.transfer_read %b[%i], %pad {in_bounds = [true]} : memref<?xf32>, vector<16xf32>
    %x = vector.transfer_read %two[%c0, %i], %pad {in_bounds = [true]} : memref<2x?xf32, strided<[?, 1], offset: ?>>, vector<16xf32>
    %y = vector.transfer_read %two[%c1, %next], %pad {in_bounds = [true]} : memref<2x?xf32, strided<[?, 1], offset: ?>>, vector<16xf32>
    %e = vector.fma %v, %x, %p : vector<16xf32>
    %f = vector.fma %v, %y, %q : vector<16xf32>
    scf.yield %e, %f : vector<16xf32>, vector<16xf32>
  } {vortex.prefetch_in_place}
  return %s#0, %s#1 : vector<16xf32>, vector<16xf32>
}

// Of two arguments each has a branch.
// CHECK-LABEL: func.func @both
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<?xf32>, %[[B:[a-z0-9]*]]: memref<?xf32>
// CHECK-DAG: extract_aligned_pointer_as_index %[[A]]
// CHECK-DAG: extract_aligned_pointer_as_index %[[B]]
// CHECK: scf.if
// CHECK-NEXT: scf.for
// CHECK-COUNT-2: scf.if
// CHECK: } else {
// CHECK-NEXT: scf.for
func.func @both(%a: memref<?xf32>, %b: memref<?xf32>, %k: index) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %pad = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<16xf32>
  %s = scf.for %i = %c0 to %k step %c16 iter_args(%p = %z) -> vector<16xf32> {
    %x = vector.transfer_read %a[%i], %pad {in_bounds = [true]} : memref<?xf32>, vector<16xf32>
    %y = vector.transfer_read %b[%i], %pad {in_bounds = [true]} : memref<?xf32>, vector<16xf32>
    %e = vector.fma %x, %y, %p : vector<16xf32>
    scf.yield %e : vector<16xf32>
  } {vortex.prefetch_in_place}
  return %s : vector<16xf32>
}

// From row to row: eight rows on, and where the last vector of one ends, of rows that do not share sets of L1; out of L2 all. Few rows are
// not worth it.
// PLAIN-LABEL: func.func @down
// PLAIN-NOT: memref.prefetch
// CHECK-LABEL: func.func @down
// CHECK-SAME: %[[B:[a-z0-9]*]]: memref<?x?xf32, strided<[?, 1], offset: ?>>, %[[COUNT:[a-z0-9]*]]: index
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[B]]
// CHECK: %[[APART:.*]] = arith.muli %[[STRIDES]]#0, %c4
// CHECK: %[[NEXT:.*]] = arith.addi %[[APART]], %c64
// CHECK: %[[SET:.*]] = arith.andi %[[NEXT]], %c4095
// CHECK: %[[SPREAD:.*]] = arith.cmpi ugt, %[[SET]], %c128
// CHECK: %[[BEYONDL2:.*]] = arith.cmpi ugt, %{{.*}}, %c1048576
// CHECK: %[[WAITS:.*]] = arith.andi
// CHECK: %[[NEAR:.*]] = arith.andi %[[WAITS]], %[[SPREAD]]
// CHECK: %[[DOWN:.*]] = arith.ori %[[NEAR]], %[[BEYONDL2]]
// CHECK: %[[MANY:.*]] = arith.cmpi uge, %[[COUNT]], %c32
// CHECK: %[[TOUCH:.*]] = arith.andi %[[MANY]], %[[DOWN]]
// CHECK: scf.if %[[TOUCH]]
// CHECK: scf.for %[[K:[a-z0-9]*]] =
// CHECK: %[[LATER:.*]] = arith.addi %[[K]], %c8
// CHECK-NEXT: memref.prefetch %[[B]][%[[LATER]], %c0{{[_0-9]*}}], read, locality<3>
// CHECK-NEXT: memref.prefetch %[[B]][%[[LATER]], %c16{{[_0-9]*}}], read, locality<3>
// CHECK: %[[END:.*]] = arith.addi %c16{{[_0-9]*}}, %c15
// CHECK-NEXT: memref.prefetch %[[B]][%[[LATER]], %[[END]]], read, locality<3>
// CHECK-NOT: memref.prefetch
// CHECK: } else {
// CHECK-NEXT: scf.for
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @down(%b: memref<?x?xf32, strided<[?, 1], offset: ?>>, %k: index) -> (vector<16xf32>, vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %pad = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<16xf32>
  %s:2 = scf.for %i = %c0 to %k step %c1 iter_args(%p = %z, %q = %z) -> (vector<16xf32>, vector<16xf32>) {
    %x = vector.transfer_read %b[%i, %c0], %pad {in_bounds = [true]} : memref<?x?xf32, strided<[?, 1], offset: ?>>, vector<16xf32>
    %y = vector.transfer_read %b[%i, %c16], %pad {in_bounds = [true]} : memref<?x?xf32, strided<[?, 1], offset: ?>>, vector<16xf32>
    %e = arith.addf %x, %p : vector<16xf32>
    %f = arith.addf %y, %q : vector<16xf32>
    scf.yield %e, %f : vector<16xf32>, vector<16xf32>
  } {vortex.prefetch_in_place}
  return %s#0, %s#1 : vector<16xf32>, vector<16xf32>
}

// Packed panels are streams, which prefetchers follow.
// CHECK-LABEL: func.func @packed
// CHECK-NOT: memref.prefetch
func.func @packed(%b: memref<?x16xf32>, %k: index) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<16xf32>
  %s = scf.for %i = %c0 to %k step %c1 iter_args(%p = %z) -> vector<16xf32> {
    %x = vector.transfer_read %b[%i, %c0], %pad {in_bounds = [true]} : memref<?x16xf32>, vector<16xf32>
    %e = arith.addf %x, %p : vector<16xf32>
    scf.yield %e : vector<16xf32>
  } {vortex.prefetch_in_place}
  return %s : vector<16xf32>
}

// A loop without results, and a layout that has no strides.
// CHECK-LABEL: func.func @stored
// CHECK: scf.if
// CHECK-NEXT: scf.for
// CHECK: memref.prefetch
// CHECK: } else {
// CHECK-NEXT: scf.for
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @stored(%a: memref<?x?xf32>, %o: memref<16xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %pad = arith.constant 0.0 : f32
  scf.for %i = %c0 to %k step %c16 {
    %x = vector.transfer_read %a[%c0, %i], %pad {in_bounds = [true]} : memref<?x?xf32>, vector<16xf32>
    vector.transfer_write %x, %o[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
  } {vortex.prefetch_in_place}
  return
}

// CHECK-LABEL: func.func @folded
// CHECK-NOT: memref.prefetch
func.func @folded(%a: memref<?x?xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d0 mod 2, d1)>>, %k: index) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %pad = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<16xf32>
  %s = scf.for %i = %c0 to %k step %c16 iter_args(%p = %z) -> vector<16xf32> {
    %x = vector.transfer_read %a[%c0, %i], %pad {in_bounds = [true]} : memref<?x?xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d0 mod 2, d1)>>, vector<16xf32>
    %y = vector.transfer_read %a[%i, %c0], %pad {in_bounds = [true]} : memref<?x?xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d0 mod 2, d1)>>, vector<16xf32>
    %e = arith.addf %x, %p : vector<16xf32>
    %f = arith.addf %y, %e : vector<16xf32>
    scf.yield %f : vector<16xf32>
  } {vortex.prefetch_in_place}
  return %s : vector<16xf32>
}
