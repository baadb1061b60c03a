// RUN: vortex-opt %s --vortex-expand-float8 | FileCheck %s

// As bits of an f32 the number is too small by the difference of the biases.
// CHECK-LABEL: func.func @widen(
// CHECK: arith.bitcast %{{.*}} : f8E4M3FN to i8
// CHECK: %[[SCALE:.*]] = arith.constant 1.329228E+36 : f32
// CHECK: arith.mulf %{{.*}}, %[[SCALE]] : f32
// CHECK: %[[NAN:.*]] = arith.constant 127 : i32
// CHECK: arith.cmpi eq, %{{.*}}, %[[NAN]] : i32
// CHECK-NOT: arith.extf
// CHECK: return %{{.*}} : f32
func.func @widen(%x: f8E4M3FN) -> f32 {
  %0 = arith.extf %x : f8E4M3FN to f32
  return %0 : f32
}

// The upper half of an f16; all lanes at once.
// CHECK-LABEL: func.func @widen_half(
// CHECK: %[[BITS:.*]] = arith.shli %{{.*}}, %{{.*}} : vector<16xi16>
// CHECK: %[[HALF:.*]] = arith.bitcast %[[BITS]] : vector<16xi16> to vector<16xf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[HALF]] : vector<16xf16> to vector<16xf32>
// CHECK: arith.truncf %[[WIDE]] : vector<16xf32> to vector<16xbf16>
func.func @widen_half(%x: vector<16xf8E5M2>) -> vector<16xbf16> {
  %0 = arith.extf %x : vector<16xf8E5M2> to vector<16xbf16>
  return %0 : vector<16xbf16>
}

// CHECK-LABEL: func.func @round(
// CHECK: arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
// CHECK-NOT: arith.truncf
// CHECK: %[[BYTES:.*]] = arith.trunci %{{.*}} : vector<8xi32> to vector<8xi8>
// CHECK: arith.bitcast %[[BYTES]] : vector<8xi8> to vector<8xf8E4M3FN>
func.func @round(%x: vector<8xf16>) -> vector<8xf8E4M3FN> {
  %0 = arith.truncf %x : vector<8xf16> to vector<8xf8E4M3FN>
  return %0 : vector<8xf8E4M3FN>
}

// Other types stay.
// CHECK-LABEL: func.func @others(
// CHECK: arith.extf %{{.*}} : bf16 to f32
func.func @others(%x: bf16) -> f32 {
  %0 = arith.extf %x : bf16 to f32
  return %0 : f32
}
