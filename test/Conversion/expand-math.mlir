// RUN: vortex-opt %s --vortex-expand-math | FileCheck %s

// CHECK-LABEL: func.func @log1p(
// CHECK-SAME: %[[X:.*]]: vector<4xf32>
// CHECK: %[[U:.*]] = arith.addf %[[X]]
// CHECK: %[[LOG:.*]] = math.log %[[U]]
// CHECK: %[[REST:.*]] = arith.subf %[[U]]
// CHECK: %[[FACTOR:.*]] = arith.divf %[[X]], %[[REST]]
// CHECK: arith.mulf %[[LOG]], %[[FACTOR]]
// CHECK-NOT: math.log1p
func.func @log1p(%x: vector<4xf32>) -> vector<4xf32> {
  %y = math.log1p %x : vector<4xf32>
  return %y : vector<4xf32>
}

// CHECK-LABEL: func.func @expm1(
// CHECK: math.exp
// CHECK: math.log
// CHECK-NOT: math.expm1
func.func @expm1(%x: f64) -> f64 {
  %y = math.expm1 %x : f64
  return %y : f64
}

// Narrower numbers are made wider first, by another pass.
// CHECK-LABEL: func.func @half(
// CHECK: math.log1p
func.func @half(%x: f16) -> f16 {
  %y = math.log1p %x : f16
  return %y : f16
}
