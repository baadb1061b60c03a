// RUN: vortex-opt %s --vortex-skip-divisions --cse | FileCheck %s

// By one, of no more than the divisor, or of more.
// CHECK-LABEL: func.func @blocks
// CHECK-SAME: (%[[ROWS:.*]]: index, %[[MOST:.*]]: index)
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[MOST]], %c1
// CHECK: %[[BLOCKS:.*]] = scf.if %[[WHOLE]] -> (index) {
// CHECK-NEXT: scf.yield %[[ROWS]]
// CHECK: %[[SINGLE:.*]] = arith.cmpi ule, %[[ROWS]], %[[MOST]]
// CHECK: scf.if %[[SINGLE]] -> (index) {
// CHECK: %[[ANY:.*]] = arith.cmpi ne, %[[ROWS]], %c0
// CHECK: arith.select %[[ANY]], %c1, %c0
// CHECK: } else {
// CHECK: %[[LESS:.*]] = arith.subi %[[ROWS]], %c1
// CHECK: %[[QUOTIENT:.*]] = arith.divui %[[LESS]], %[[MOST]]
// CHECK: arith.addi %[[QUOTIENT]], %c1
// CHECK: return %[[BLOCKS]]
func.func @blocks(%rows: index, %most: index) -> index {
  %blocks = arith.ceildivui %rows, %most : index
  return %blocks : index
}

// A constant takes no division, and numbers are not sizes.
// CHECK-LABEL: func.func @others
// CHECK-NOT: scf.if
func.func @others(%n: index, %x: i32, %y: i32) -> (index, i32) {
  %c32 = arith.constant 32 : index
  %panels = arith.ceildivui %n, %c32 : index
  %z = arith.ceildivui %x, %y : i32
  return %panels, %z : index, i32
}

// Of no more than the divisor is at least, the divisor is not computed.
// CHECK-LABEL: func.func @bounded
// CHECK-SAME: (%[[ROWS:.*]]: index, %[[K:.*]]: index)
// CHECK-NOT: arith.divui
// CHECK: %[[FEW:.*]] = arith.cmpi ule, %[[ROWS]], %c16
// CHECK-NEXT: %[[BLOCKS:.*]] = scf.if %[[FEW]] -> (index) {
// CHECK: %[[ANY:.*]] = arith.cmpi ne, %[[ROWS]], %c0
// CHECK-NEXT: arith.select %[[ANY]], %c1, %c0
// CHECK: } else {
// CHECK-NEXT: %[[FIT:.*]] = arith.divui %{{.*}}, %[[K]]
// CHECK-NEXT: %[[MOST:.*]] = arith.maxui %[[FIT]], %c16
// CHECK-NEXT: arith.cmpi ule, %[[ROWS]], %[[MOST]]
// CHECK: arith.divui %{{.*}}, %[[MOST]]
// CHECK: return %[[BLOCKS]]
func.func @bounded(%rows: index, %k: index) -> index {
  %c16 = arith.constant 16 : index
  %bytes = arith.constant 131072 : index
  %fit = arith.divui %bytes, %k : index
  %most = arith.maxui %fit, %c16 : index
  %blocks = arith.ceildivui %rows, %most : index
  return %blocks : index
}

// With one thread, what an estimate says of several is not asked for. What only the estimate needs is behind the branch; what something else needs, and
// rates of the machine, stay.
// CHECK-LABEL: func.func @threads
// CHECK-SAME: (%[[WORK:.*]]: f64, %[[MACHINE:.*]]: !llvm.ptr)
// CHECK: %[[THREADS:.*]] = arith.index_cast
// CHECK: %[[RATE:.*]] = arith.divf
// CHECK: %[[NEEDED:.*]] = arith.mulf %[[WORK]], %[[WORK]]
// CHECK-NOT: arith.mulf
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %c1, %[[THREADS]]
// CHECK-NEXT: %[[USED:.*]] = scf.if %[[SAME]] -> (index) {
// CHECK-NEXT: scf.yield %c1
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[TIME:.*]] = arith.mulf %[[NEEDED]], %[[RATE]]
// CHECK-NEXT: %[[SHORT:.*]] = arith.cmpf olt, %[[TIME]]
// CHECK-NEXT: %[[CHOICE:.*]] = arith.select %[[SHORT]], %c1, %[[THREADS]]
// CHECK-NEXT: scf.yield %[[CHOICE]]
// CHECK: return %[[USED]], %[[NEEDED]]
func.func @threads(%work: f64, %machine: !llvm.ptr) -> (index, f64) {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %start = arith.constant 100.0 : f64
  %address = llvm.getelementptr %machine[3] : (!llvm.ptr) -> !llvm.ptr, f64
  %most = llvm.load %address invariant : !llvm.ptr -> f64
  %whole = arith.fptosi %most : f64 to i64
  %threads = arith.index_cast %whole : i64 to index
  %rate = llvm.load %machine invariant : !llvm.ptr -> f64
  %each = arith.divf %one, %rate : f64
  %square = arith.mulf %work, %work : f64
  %time = arith.mulf %square, %each : f64
  %short = arith.cmpf olt, %time, %start : f64
  %used = arith.select %short, %c1, %threads : index
  return %used, %square : index, f64
}

// What takes no division to decide stays as it is.
// CHECK-LABEL: func.func @cheap
// CHECK-NOT: scf.if
func.func @cheap(%m: index, %n: index, %work: f64) -> index {
  %start = arith.constant 100.0 : f64
  %time = arith.mulf %work, %work : f64
  %short = arith.cmpf olt, %time, %start : f64
  %used = arith.select %short, %m, %n : index
  return %used : index
}

// Importers divide by products of sizes, which may be zero.
// CHECK-LABEL: func.func @left_open
// CHECK-SAME: (%[[OPEN:.*]]: i1, %[[ALL:.*]]: i64, %[[OTHERS:.*]]: i64)
// CHECK: %[[NONE:.*]] = arith.cmpi eq, %[[OTHERS]], %c0_i64
// CHECK: %[[BY:.*]] = arith.select %[[NONE]], %c1_i64, %[[OTHERS]]
// CHECK: %[[REST:.*]] = arith.divsi %[[ALL]], %[[BY]]
// CHECK: arith.select %[[OPEN]], %[[REST]], %[[OTHERS]]
// CHECK: arith.divsi %[[ALL]], %c8_i64
func.func @left_open(%open: i1, %all: i64, %others: i64) -> (i64, i64) {
  %c8 = arith.constant 8 : i64
  %rest = arith.divsi %all, %others : i64
  %size = arith.select %open, %rest, %others : i64
  %eighth = arith.divsi %all, %c8 : i64
  return %size, %eighth : i64, i64
}
