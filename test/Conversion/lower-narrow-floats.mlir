// RUN: vortex-opt %s --vortex-lower-narrow-floats | FileCheck %s

// CHECK-LABEL: func.func @half(
// CHECK: %[[N:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK: %[[ODD:.*]] = arith.ori
// CHECK: %[[S:.*]] = arith.select %{{.*}}, %[[ODD]], %{{.*}} : i32
// CHECK: %[[F:.*]] = arith.bitcast %[[S]] : i32 to f32
// CHECK: arith.truncf %[[F]] : f32 to f16
func.func @half(%x: f64) -> f16 {
  %0 = arith.truncf %x : f64 to f16
  return %0 : f16
}

// CHECK-LABEL: func.func @single(
// CHECK-NEXT: arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: return
func.func @single(%x: f64) -> f32 {
  %0 = arith.truncf %x : f64 to f32
  return %0 : f32
}

// CHECK-LABEL: func.func @fma_half(
// CHECK: %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} : vector<8xf64>
// CHECK: %[[S:.*]] = arith.addf %[[P]], %{{.*}} : vector<8xf64>
// CHECK: arith.truncf %[[S]] : vector<8xf64> to vector<8xf32>
// CHECK: %[[ODD:.*]] = arith.bitcast %{{.*}} : vector<8xi32> to vector<8xf32>
// CHECK: %[[R:.*]] = arith.truncf %[[ODD]] : vector<8xf32> to vector<8xf16>
// CHECK: return %[[R]]
func.func @fma_half(%a: vector<8xf16>, %b: vector<8xf16>, %c: vector<8xf16>) -> vector<8xf16> {
  %0 = math.fma %a, %b, %c : vector<8xf16>
  return %0 : vector<8xf16>
}

// The sum is made odd before it is rounded.
// CHECK-LABEL: func.func @fma_brain(
// CHECK: %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} : f64
// CHECK: %[[S:.*]] = arith.addf %[[P]], %{{.*}} : f64
// CHECK: %[[Y:.*]] = arith.subf %[[S]], %[[P]] : f64
// CHECK: %[[BITS:.*]] = arith.select %{{.*}} : i64
// CHECK: %[[BITS:.*]] = arith.select %{{.*}} : i64
// CHECK: %[[ODD:.*]] = arith.bitcast %[[BITS]] : i64 to f64
// CHECK: arith.truncf %[[ODD]] : f64 to f32
// CHECK-NOT: math.fma
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @fma_brain(%a: bf16, %b: bf16, %c: bf16) -> bf16 {
  %0 = math.fma %a, %b, %c : bf16
  return %0 : bf16
}

// CHECK-LABEL: func.func @fma_single(
// CHECK-NEXT: math.fma
// CHECK-NEXT: return
func.func @fma_single(%a: f32) -> f32 {
  %0 = math.fma %a, %a, %a : f32
  return %0 : f32
}
