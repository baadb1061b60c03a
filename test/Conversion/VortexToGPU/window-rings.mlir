// RUN: sed -n '/^#/p;/@conv_f16(/,/^}/p;/@strided_bf16(/,/^}/p;/@dilated_i8(/,/^}/p;/@conv_tf32(/,/^}/p' %vortex_src_root/test/ptxsim/Inputs/windows.mlir > %t.mlir
// RUN: vortex-opt %t.mlir --target=sm_80 --vortex-apply-precision --vortex-hierarchize \
// RUN:   --vortex-select-kernels --vortex-lower-to-ptx -o %t
// RUN: FileCheck %s --input-file=%t
// RUN: vortex-opt %t.mlir --target=sm_90a --vortex-hierarchize -o %t.tree
// RUN: FileCheck %s --check-prefix=TREE --input-file=%t.tree
// RUN: vortex-opt %t.tree --vortex-select-kernels --vortex-lower-to-ptx -o %t.groups
// RUN: FileCheck %s --check-prefix=GROUPS --input-file=%t.groups

// Rings over windows bring rows by asynchronous copies, filled with zeros where
// there is nothing, and multiply them on the matrix instructions of products;
// nothing lies in memory of a thread's own.
// RUN: not grep -q '\.local' %t %t.groups

// CHECK: gpu.binary{{.*}}.entry conv_f16_conv_2d_nhwc_hwcf_0_ring_256x128x32_s4(
// CHECK-SAME: cp.async.cg.shared.global [{{[^;]*}}], [{{[^;]*}}], 16, %r
// CHECK-SAME: cp.async.wait_group
// CHECK-SAME: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-SAME: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-SAME: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: gpu.binary{{.*}}.entry strided_bf16_conv_2d_nhwc_fhwc_0_ring_64x64x64_s4(
// CHECK-SAME: cp.async.cg.shared.global
// CHECK-NOT: .trans.
// CHECK-SAME: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK: gpu.binary{{.*}}.entry dilated_i8_conv_2d_nhwc_hwcf_0_ring_64x64x128_s4(
// CHECK-SAME: cp.async.cg.shared.global
// CHECK-SAME: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32

// Single elements go through registers.
// CHECK: gpu.binary{{.*}}.entry dilated_i8_conv_2d_nhwc_hwcf_0_any_64x64x{{[0-9]+}}_s4(
// CHECK-NOT: cp.async.cg
// CHECK-SAME: mma.sync

// What was asked for in tf32.
// CHECK: gpu.binary{{.*}}.entry conv_tf32_conv_2d_nhwc_hwcf_{{[0-9]}}_ring_
// CHECK-SAME: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32

// Groups of warps: producers copy the image, 16 bytes at once, and bring boxes
// of filters; a barrier waits for their bytes and for each thread that copies.
// Behind it there is a fence between the proxies.
// TREE: vortex.candidate @wgmma_128x256x64_s4 guard {
// TREE: vortex.level "block" persistent (PL 0 by %c1{{.*}}, PL 1 by %c1{{.*}}, PL 2 by %c128{{.*}}, PL 3 by %c256{{.*}}) store(2) joined(3) {
// TREE-NEXT: vortex.level "smem" for (TRL 4 by %c1{{.*}}, TRL 5 by %c1{{.*}}, TRL 6 by %c64{{.*}}) load (<operand = {{.*}}, layout = swizzle, axis = 6, together = true> by %c8{{.*}}, <operand = {{.*}}, layout = swizzle, axis = 3, together = true> by %c64{{.*}}) stages(4) resident {
// TREE-NEXT: vortex.level "warp" forall () role("producer") warps(4) {
// TREE: vortex.level "warp" forall (PL 2 by %c64{{.*}}) role("consumer") warps(8) {
// TREE-NEXT: vortex.stage ["p0", "p1"] micro <instruction = "wgmma", rows = 64, vectors = 1, lanes = 256, unroll = 4>
// GROUPS: gpu.binary{{.*}}.entry conv_f16_conv_2d_nhwc_hwcf_0_wgmma_128x256x64_s4(
// GROUPS-SAME: mov.b32 \09%r[[COUNT:[0-9]+]], 129;
// GROUPS-SAME: mbarrier.init.shared.b64 {{[^;]*}}, %r[[COUNT]];
// GROUPS-SAME: setmaxnreg.dec.sync.aligned.u32
// GROUPS-SAME: mbarrier.arrive.expect_tx.shared.b64
// GROUPS-SAME: cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// GROUPS-SAME: cp.async.cg.shared.global [{{[^;]*}}], [{{[^;]*}}], 16, %r
// GROUPS-SAME: cp.async.mbarrier.arrive.noinc.shared.b64
// GROUPS-SAME: fence.proxy.async.shared::cta
// GROUPS-SAME: wgmma.fence.sync.aligned
// GROUPS-SAME: wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16
