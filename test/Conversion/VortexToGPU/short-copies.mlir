// RUN: vortex-opt %vortex_src_root/test/ptxsim/Inputs/copies.mlir --target=sm_80 --vortex-hierarchize --vortex-select-kernels --vortex-lower-to-ptx \
// RUN:   | FileCheck %s

// Each class of copies moves as many bytes as the rows of its operands are
// aligned to, with the number that exist behind them.
// CHECK: gpu.binary{{.*}}.entry half_matmul_0_ring_128x128x32_s4(
// CHECK-SAME: cp.async.cg.shared.global [{{[^]]*}}], [{{[^]]*}}], 16, %r
// CHECK-NOT: cp.async.ca
// CHECK: gpu.binary{{.*}}.entry half_matmul_0_ring8_128x128x32_s4(
// CHECK-NOT: cp.async.cg
// CHECK-SAME: cp.async.ca.shared.global [{{[^]]*}}], [{{[^]]*}}], 8, %r
// CHECK: gpu.binary{{.*}}.entry half_matmul_0_ring4_128x128x32_s4(
// CHECK-NOT: cp.async.cg
// CHECK-SAME: cp.async.ca.shared.global [{{[^]]*}}], [{{[^]]*}}], 4, %r
// Halves have two bytes, which no asynchronous copy moves.
// CHECK: gpu.binary{{.*}}.entry half_matmul_0_any_64x64x32_s4(
// CHECK-NOT: cp.async.c{{[ag]}}
// CHECK-SAME: st.shared.b16
// CHECK: gpu.binary{{.*}}.entry half_crossed_
