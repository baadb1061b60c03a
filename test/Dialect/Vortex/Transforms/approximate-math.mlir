// RUN: vortex-opt %s --vortex-approximate-math | FileCheck %s
// RUN: vortex-opt %s --target=x86-avx512 --vortex-approximate-math | FileCheck %s --check-prefix=AVX512

// Functions of vectors become polynomials in the same vectors.
// CHECK-LABEL: func.func @vectors(
// CHECK-NOT: math.exp
// CHECK-NOT: math.tanh
// CHECK-NOT: math.erf
// CHECK: math.fma {{.*}} : vector<16xf32>
// CHECK-NOT: scalef
// CHECK: return
// AVX512-LABEL: func.func @vectors(
// AVX512: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// AVX512-NOT: arith.shli
// AVX512-LABEL: func.func @half(
func.func @vectors(%x: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>) {
  %a = math.exp %x : vector<16xf32>
  %b = math.tanh %x : vector<16xf32>
  %c = math.erf %x : vector<16xf32>
  return %a, %b, %c : vector<16xf32>, vector<16xf32>, vector<16xf32>
}

// Half precision goes through f32.
// CHECK-LABEL: func.func @half(
// CHECK: arith.extf {{.*}} : vector<16xf16> to vector<16xf32>
// CHECK-NOT: math.exp
// CHECK: arith.truncf {{.*}} : vector<16xf32> to vector<16xf16>
func.func @half(%x: vector<16xf16>) -> vector<16xf16> {
  %a = math.exp %x : vector<16xf16>
  return %a : vector<16xf16>
}

// Doubles have polynomials of their own, whose results may be subnormal.
// CHECK-LABEL: func.func @double(
// CHECK-NOT: math.exp
// CHECK-NOT: math.erf
// CHECK: arith.shli {{.*}} : vector<8xi64>
// CHECK: return
func.func @double(%x: vector<8xf64>) -> (vector<8xf64>, vector<8xf64>) {
  %a = math.exp %x : vector<8xf64>
  %b = math.erf %x : vector<8xf64>
  return %a, %b : vector<8xf64>, vector<8xf64>
}

// Scalars and functions whose polynomial is not exact enough stay.
// CHECK-LABEL: func.func @kept(
// CHECK: math.exp {{.*}} : f32
// CHECK: math.tanh {{.*}} : vector<8xf64>
// CHECK: math.log {{.*}} : vector<16xf32>
// CHECK: math.sin {{.*}} : vector<16xf32>
func.func @kept(%s: f32, %d: vector<8xf64>, %x: vector<16xf32>) -> (f32, vector<8xf64>, vector<16xf32>, vector<16xf32>) {
  %a = math.exp %s : f32
  %b = math.tanh %d : vector<8xf64>
  %c = math.log %x : vector<16xf32>
  %e = math.sin %x : vector<16xf32>
  return %a, %b, %c, %e : f32, vector<8xf64>, vector<16xf32>, vector<16xf32>
}
