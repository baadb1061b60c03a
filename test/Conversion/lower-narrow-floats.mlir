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
