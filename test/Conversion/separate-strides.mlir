// RUN: vortex-opt %s --vortex-separate-strides --split-input-file | FileCheck %s

// What is written behind a loop has strides of which LLVM does not know that
// they are those of what is read in front of it.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK: vector.transfer_read %[[C]]
// CHECK: %[[SUMS:.*]]:2 = scf.for
// CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %[[SIZES:.*]]:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[C]]
// CHECK-NEXT: %[[WORD:.*]] = arith.index_cast %[[STRIDES]]#0 : index to i64
// CHECK-NEXT: %[[SAME:.*]] = llvm.inline_asm asm_dialect = att "", "=r,0" %[[WORD]] : (i64) -> i64
// CHECK-NEXT: %[[STRIDE:.*]] = arith.index_cast %[[SAME]] : i64 to index
// CHECK-NEXT: %[[OWN:.*]] = memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [%[[SIZES]]#0, %[[SIZES]]#1], strides: [%[[STRIDE]], 1]
// CHECK: vector.transfer_write %[[SUMS]]#0, %[[OWN]][%c0, %c0]
// CHECK: vector.transfer_write %[[SUMS]]#1, %[[OWN]][%c1, %c0]
func.func @rows(%c: memref<?x?xf32, strided<[?, 1], offset: ?>>, %k: index, %select: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.index_switch %select
  case 2 {
    %0 = vector.transfer_read %c[%c0, %c0], %zero {in_bounds = [true]} : memref<?x?xf32, strided<[?, 1], offset: ?>>, vector<8xf32>
    %1 = vector.transfer_read %c[%c1, %c0], %zero {in_bounds = [true]} : memref<?x?xf32, strided<[?, 1], offset: ?>>, vector<8xf32>
    %2:2 = scf.for %i = %c0 to %k step %c1 iter_args(%x = %0, %y = %1) -> (vector<8xf32>, vector<8xf32>) {
      %3 = arith.addf %x, %x : vector<8xf32>
      %4 = arith.addf %y, %y : vector<8xf32>
      scf.yield %3, %4 : vector<8xf32>, vector<8xf32>
    }
    vector.transfer_write %2#0, %c[%c0, %c0] {in_bounds = [true]} : vector<8xf32>, memref<?x?xf32, strided<[?, 1], offset: ?>>
    vector.transfer_write %2#1, %c[%c1, %c0] {in_bounds = [true]} : vector<8xf32>, memref<?x?xf32, strided<[?, 1], offset: ?>>
    scf.yield
  }
  default {
  }
  return
}

// -----

// Strides that are known are constants of an address, and one row has no
// others. What a block takes of a memory itself has no address outside of it.
// CHECK-LABEL: func.func @known
// CHECK-NOT: inline_asm
func.func @known(%c: memref<?x16xf32>, %d: memref<?x?xf32, strided<[?, 1]>>, %init: vector<8xf32>, %k: index, %select: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.index_switch %select
  case 1 {
    %0 = scf.for %i = %c0 to %k step %c1 iter_args(%x = %init) -> (vector<8xf32>) {
      %1 = arith.addf %x, %x : vector<8xf32>
      scf.yield %1 : vector<8xf32>
    }
    vector.transfer_write %0, %c[%c0, %c0] {in_bounds = [true]} : vector<8xf32>, memref<?x16xf32>
    vector.transfer_write %0, %c[%c1, %c0] {in_bounds = [true]} : vector<8xf32>, memref<?x16xf32>
    vector.transfer_write %0, %d[%c0, %c0] {in_bounds = [true]} : vector<8xf32>, memref<?x?xf32, strided<[?, 1]>>
    %part = memref.subview %d[%select, 0] [%k, %k] [1, 1] : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    vector.transfer_write %0, %part[%c0, %c0] {in_bounds = [true]} : vector<8xf32>, memref<?x?xf32, strided<[?, 1], offset: ?>>
    vector.transfer_write %0, %part[%c1, %c0] {in_bounds = [true]} : vector<8xf32>, memref<?x?xf32, strided<[?, 1], offset: ?>>
    scf.yield
  }
  default {
  }
  return
}

// -----

// Nothing is computed twice where there is no loop whose results are written.
// CHECK-LABEL: func.func @plain
// CHECK-NOT: inline_asm
func.func @plain(%c: memref<?x?xf32, strided<[?, 1]>>, %x: vector<8xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %k step %c1 {
    vector.transfer_write %x, %c[%i, %c0] {in_bounds = [true]} : vector<8xf32>, memref<?x?xf32, strided<[?, 1]>>
    vector.transfer_write %x, %c[%i, %c1] {in_bounds = [true]} : vector<8xf32>, memref<?x?xf32, strided<[?, 1]>>
  }
  return
}
