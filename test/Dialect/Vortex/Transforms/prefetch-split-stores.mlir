// RUN: vortex-opt %s --target=x86-avx512 --vortex-insert-prefetches | FileCheck %s
// RUN: vortex-opt %s --target=x86-zen4 --vortex-insert-prefetches | FileCheck %s --check-prefix=FEW
// RUN: vortex-opt %s --target=x86-avx2 --vortex-insert-prefetches | FileCheck %s --check-prefix=FEW

// Rows of a result of which vectors lie across lines: their lines are taken
// however few steps there are, where stores wait for both lines.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[O:[a-z0-9]*]]: memref<?x?xf32, strided<[?, 1], offset: ?>>, %[[K:[a-z0-9]*]]: index
// CHECK: %[[MANY:.*]] = arith.cmpi uge, %[[K]], %c16{{.*}} : index
// CHECK: {{.*}}, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[O]]
// CHECK: %[[PAST:.*]] = arith.andi %[[STRIDES]]#0, %c15
// CHECK: %[[ACROSS:.*]] = arith.cmpi ne, %[[PAST]], %c0
// CHECK: %[[TAKE:.*]] = arith.ori %[[MANY]], %[[ACROSS]]
// CHECK: scf.if %[[TAKE]] {
// CHECK-NEXT: memref.prefetch %[[O]][%c0, %c0], write
// CHECK-NEXT: memref.prefetch %[[O]][%c1, %c0], write
// FEW-LABEL: func.func @rows
// FEW-NOT: extract_strided_metadata
// FEW: %[[MANY:.*]] = arith.cmpi uge
// FEW-NEXT: scf.if %[[MANY]]
func.func @rows(%o: memref<?x?xf32, strided<[?, 1], offset: ?>>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant dense<0.0> : vector<16xf32>
  %s = scf.for %q = %c0 to %k step %c1 iter_args(%acc = %z) -> vector<16xf32> {
    %a = arith.addf %acc, %acc : vector<16xf32>
    scf.yield %a : vector<16xf32>
  } {vortex.prefetch_result}
  vector.transfer_write %s, %o[%c0, %c0] {in_bounds = [true]} : vector<16xf32>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  vector.transfer_write %s, %o[%c1, %c0] {in_bounds = [true]} : vector<16xf32>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  return
}

// Of one row nobody knows where it begins.
// CHECK-LABEL: func.func @row
// CHECK-NOT: extract_strided_metadata
func.func @row(%o: memref<?x?xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant dense<0.0> : vector<16xf32>
  %s = scf.for %q = %c0 to %k step %c1 iter_args(%acc = %z) -> vector<16xf32> {
    %a = arith.addf %acc, %acc : vector<16xf32>
    scf.yield %a : vector<16xf32>
  } {vortex.prefetch_result}
  vector.transfer_write %s, %o[%c0, %c0] {in_bounds = [true]} : vector<16xf32>, memref<?x?xf32>
  return
}

// Nor how many elements of an unknown width a line has.
// CHECK-LABEL: func.func @indices
// CHECK-NOT: extract_strided_metadata
func.func @indices(%o: memref<4x?xindex>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant dense<0> : vector<8xindex>
  scf.for %q = %c0 to %k step %c1 {
  } {vortex.prefetch_result}
  vector.transfer_write %z, %o[%c0, %c0] {in_bounds = [true]} : vector<8xindex>, memref<4x?xindex>
  vector.transfer_write %z, %o[%c1, %c0] {in_bounds = [true]} : vector<8xindex>, memref<4x?xindex>
  return
}
