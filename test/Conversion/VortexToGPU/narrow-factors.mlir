// RUN: sed -n '/@singles/,/^}/p;/@floats8_inner/,/^}/p' %vortex_src_root/test/ptxsim/Inputs/narrow-factors.mlir > %t.mlir
// RUN: vortex-opt %t.mlir --target=sm_90a --vortex-apply-precision --vortex-hierarchize --vortex-select-kernels --vortex-lower-to-ptx -o %t.ptx.mlir
// RUN: FileCheck %s < %t.ptx.mlir
// RUN: %if ptxas %{ %python %vortex_src_root/test/ptxsim/assemble.py %t.ptx.mlir --target=sm_90a | sed '/_simt_ring8_128x64x128/,/registers/d' | FileCheck %s --check-prefix=ASSEMBLED %}

// Rows of B that are not innermost come element by element; groups of warps
// need both operands innermost.
// CHECK: gpu.binary{{.*}}.entry singles_contraction_2_ring_128x64x32_s4(
// CHECK-SAME: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-SAME: ld.shared.b32
// CHECK-SAME: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK-NOT: .entry singles_contraction_2_wgmma
// CHECK: gpu.binary{{.*}}.entry singles_inner_contraction_2_wgmma_64x64x32_s6_boxes(
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32
// CHECK: gpu.binary{{.*}}.entry floats8_inner_contraction_0_wgmma_64x64x128_s6_boxes(
// The first products of a step start from zero.
// CHECK-SAME: setp.ne.b32 p, 0, 0;{{[^;]*}}wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3
// CHECK-SAME: setp.ne.b32 p, 1, 0;{{[^;]*}}wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3
// CHECK-SAME: wgmma.wait_group.sync.aligned \090;
// CHECK-SAME: fence.proxy.async.shared::cta
// CHECK-SAME: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group

// Nothing spills, and products do not wait for each other; one of scalar units
// does, which vortex-compile leaves out.
// ASSEMBLED-NOT: arning
// ASSEMBLED-NOT: {{[1-9][0-9]*}} bytes spill
// ASSEMBLED: floats8_inner_contraction_0_wgmma_128x128x128_s6_boxes
// ASSEMBLED-NOT: arning
// ASSEMBLED-NOT: {{[1-9][0-9]*}} bytes spill
