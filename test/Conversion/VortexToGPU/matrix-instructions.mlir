// RUN: vortex-opt %vortex_src_root/test/ptxsim/Inputs/matrices.mlir --target=sm_80 --vortex-hierarchize --vortex-select-kernels --vortex-lower-to-ptx -o %t.80
// RUN: FileCheck %s --input-file=%t.80
// RUN: vortex-opt %vortex_src_root/test/ptxsim/Inputs/matrices.mlir --target=sm_90a --vortex-hierarchize --vortex-select-kernels --vortex-lower-to-ptx -o %t.90
// RUN: FileCheck %s --check-prefix=GROUPS --input-file=%t.90
// RUN: %if ptxas %{ %python %vortex_src_root/test/ptxsim/assemble.py %t.80 | FileCheck %s --check-prefix=REGISTERS %}
// RUN: %if ptxas %{ %python %vortex_src_root/test/ptxsim/assemble.py %t.90 --target=sm_90a | FileCheck %s --check-prefix=REGISTERS %}

// Bytes of rows with the reduction innermost come by ldmatrix, others one by
// one; what they are extended as is the instruction's type.
// CHECK: gpu.binary{{.*}}.entry bytes_contraction_0_ring_64x64x128_s4(
// CHECK-SAME: ld.shared.b8
// CHECK-SAME: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// CHECK: gpu.binary{{.*}}.entry bytes_inner_contraction_0_ring_64x64x128_s4(
// CHECK-SAME: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: gpu.binary{{.*}}.entry bytes_mixed_contraction_0_ring_64x64x128_s4(
// CHECK-SAME: mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32
// CHECK: gpu.binary{{.*}}.entry bytes_unsigned_contraction_0_ring_64x64x128_s4(
// CHECK-SAME: mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32
// CHECK: gpu.binary{{.*}}.entry doubles_contraction_0_ring_64x64x16_s4(
// CHECK-SAME: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64

// Groups of warps transpose elements of 16 bits alone, and multiply bytes of
// different signs in later versions of PTX.
// GROUPS-NOT: .entry bytes_contraction_0_wgmma
// GROUPS: gpu.binary{{.*}}.entry bytes_inner_contraction_0_wgmma_64x64x128_s7(
// GROUPS-SAME: wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8
// GROUPS: gpu.binary{{.*}}.entry bytes_inner_contraction_0_wgmma_16x128x128_s6(
// GROUPS-SAME: wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.s8
// GROUPS-NOT: .entry bytes_mixed_contraction_0_wgmma
// GROUPS: gpu.binary{{.*}}.entry doubles_contraction_0_ring_64x64x32_s4(
// GROUPS-SAME: mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64

// Products of bytes and of doubles assemble and keep nothing but registers,
// those of parts of a reduction included.
// REGISTERS-NOT: {{[1-9][0-9]*}} bytes spill
// REGISTERS: bytes_contraction_0_ring_128x128x64_s4
// REGISTERS-NOT: {{[1-9][0-9]*}} bytes spill
// REGISTERS: doubles_contraction_0_split_ring_{{8x64x16|16x64x32}}_s4
// REGISTERS-NOT: {{[1-9][0-9]*}} bytes spill
