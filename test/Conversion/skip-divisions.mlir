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
