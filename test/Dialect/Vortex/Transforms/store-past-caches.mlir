// RUN: vortex-opt %s --target=x86-avx512 --vortex-store-past-caches | FileCheck %s
// RUN: vortex-opt %s --target=sm_80 --vortex-store-past-caches | FileCheck %s --check-prefix=GPU

// What exceeds the last level is stored past it, where rows begin at multiples of a vector and are not what is read. The thread waits for that behind its
// outermost loop, of which there are two.
// CHECK-LABEL: func.func @rows
// CHECK: scf.forall
// CHECK-DAG: %[[TO:.*]] = memref.extract_aligned_pointer_as_index %arg1
// CHECK-DAG: %[[FROM:.*]] = memref.extract_aligned_pointer_as_index %arg0
// CHECK: %[[OTHER:.*]] = arith.cmpi ne, %{{.*}}, %{{.*}} : index
// CHECK: memref.extract_strided_metadata %arg1
// CHECK: %[[LAST:.*]] = arith.constant 16777216 : index
// CHECK: %[[LARGE:.*]] = arith.cmpi ugt, %{{.*}}, %[[LAST]] : index
// CHECK: %[[BITS:.*]] = arith.constant 63 : index
// CHECK: arith.andi %{{.*}}, %[[BITS]] : index
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq
// CHECK: %[[MAY:.*]] = arith.andi %[[LARGE]], %[[ALIGNED]] : i1
// CHECK: %[[PAST:.*]] = arith.andi %[[MAY]], %[[OTHER]] : i1
// CHECK: scf.if %[[PAST]] {
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-2: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true} : memref<1x?xf32
// CHECK-NOT: vector.transfer_write
// CHECK: llvm.call_intrinsic "llvm.x86.sse.sfence"() : () -> ()
// CHECK-NEXT: } else {
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-2: vector.transfer_write
// CHECK-NOT: nontemporal
// CHECK-NOT: sfence
// CHECK: return
// GPU-NOT: nontemporal
func.func @rows(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%t) = (0) to (%m) step (8) {
    scf.for %i = %t to %m step %c1 {
      %in = memref.subview %x[%i, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<1x?xf32, strided<[?, 1], offset: ?>>
      %out = memref.subview %y[%i, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<1x?xf32, strided<[?, 1], offset: ?>>
      scf.for %q = %c0 to %n step %c32 {
        %v = vector.transfer_read %in[%c0, %q], %zero {in_bounds = [true]} : memref<1x?xf32, strided<[?, 1], offset: ?>>, vector<16xf32>
        vector.transfer_write %v, %out[%c0, %q] {in_bounds = [true]} : vector<16xf32>, memref<1x?xf32, strided<[?, 1], offset: ?>>
        %r = arith.addi %q, %c16 : index
        %w = vector.transfer_read %in[%c0, %r], %zero {in_bounds = [true]} : memref<1x?xf32, strided<[?, 1], offset: ?>>, vector<16xf32>
        vector.transfer_write %w, %out[%c0, %r] {in_bounds = [true]} : vector<16xf32>, memref<1x?xf32, strided<[?, 1], offset: ?>>
      } {vortex.nontemporal}
    }
  }
  return
}

// Not at multiples of a vector.
// CHECK-LABEL: func.func @shifted
// CHECK-NOT: vector.store
// CHECK: vector.transfer_write
// CHECK-NOT: vortex.nontemporal
// CHECK: return
func.func @shifted(%v: vector<16xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %q = %c0 to %n step %c16 {
    %r = arith.addi %q, %c1 : index
    vector.transfer_write %v, %y[%r] {in_bounds = [true]} : vector<16xf32>, memref<?xf32>
  } {vortex.nontemporal}
  return
}

// Under a mask, and to memory whose neighbours do not lie beside each other.
// CHECK-LABEL: func.func @masked
// CHECK-NOT: vector.store
// CHECK-COUNT-2: vector.transfer_write
// CHECK-NOT: vortex.nontemporal
// CHECK: return
func.func @masked(%v: vector<16xf32>, %mask: vector<16xi1>, %y: memref<?xf32>, %z: memref<?xf32, strided<[?], offset: ?>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  scf.for %q = %c0 to %n step %c16 {
    vector.transfer_write %v, %y[%q], %mask {in_bounds = [true]} : vector<16xf32>, memref<?xf32>
  } {vortex.nontemporal}
  scf.for %q = %c0 to %n step %c16 {
    vector.transfer_write %v, %z[%q] {in_bounds = [true]} : vector<16xf32>, memref<?xf32, strided<[?], offset: ?>>
  } {vortex.nontemporal}
  return
}

// A part of the columns of each row.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: vector.store
// CHECK: return
func.func @columns(%v: vector<16xf32>, %y: memref<?x?xf32>, %at: index, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %m step %c1 {
    %part = memref.subview %y[%i, %at] [1, %n] [1, 1] : memref<?x?xf32> to memref<1x?xf32, strided<[?, 1], offset: ?>>
    scf.for %q = %c0 to %n step %c16 {
      vector.transfer_write %v, %part[%c0, %q] {in_bounds = [true]} : vector<16xf32>, memref<1x?xf32, strided<[?, 1], offset: ?>>
    } {vortex.nontemporal}
  }
  return
}

// A thread's share of one row begins where it is found to: of the whole the size counts.
// CHECK-LABEL: func.func @share
// CHECK: scf.forall
// CHECK: %[[SHARE:.*]] = memref.subview %arg1
// CHECK: memref.dim %arg1, %{{.*}} : memref<?xf32>
// CHECK: %[[BEGIN:.*]] = memref.extract_aligned_pointer_as_index %[[SHARE]]
// CHECK: memref.extract_strided_metadata %[[SHARE]]
// CHECK: scf.if
// CHECK: vector.store {{.*}} nontemporal = true
// CHECK: sfence
func.func @share(%v: vector<16xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  scf.forall (%t) = (0) to (%n) step (4096) {
    %part = memref.subview %y[%t] [4096] [1] : memref<?xf32> to memref<4096xf32, strided<[1], offset: ?>>
    %c4096 = arith.constant 4096 : index
    scf.for %q = %c0 to %c4096 step %c16 {
      vector.transfer_write %v, %part[%q] {in_bounds = [true]} : vector<16xf32>, memref<4096xf32, strided<[1], offset: ?>>
    } {vortex.nontemporal}
  }
  return
}
