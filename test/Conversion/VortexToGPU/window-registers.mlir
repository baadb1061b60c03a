// REQUIRES: ptxas
// RUN: sed -n '/^#/p;/@conv_f16(/,/^}/p;/@strided_bf16(/,/^}/p' %vortex_src_root/test/ptxsim/Inputs/windows.mlir > %t.mlir
// RUN: vortex-opt %t.mlir --target=sm_80 --vortex-hierarchize --vortex-select-kernels --vortex-lower-to-ptx -o %t.80
// RUN: %python %vortex_src_root/test/ptxsim/assemble.py %t.80 | FileCheck %s --check-prefix=CHECK
// RUN: vortex-opt %t.mlir --target=sm_90a --vortex-hierarchize --vortex-select-kernels --vortex-lower-to-ptx -o %t.90
// RUN: %python %vortex_src_root/test/ptxsim/assemble.py %t.90 --target=sm_90a | FileCheck %s --check-prefixes=CHECK,GROUPS

// Rings over windows assemble and keep nothing but registers: those that all
// warps fill, and those that producers fill with copies of runs.
// CHECK-NOT: arning
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
// GROUPS: conv_f16_conv_2d_nhwc_hwcf_0_wgmma_
// GROUPS-NEXT: Function properties
// GROUPS-NEXT: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-NOT: arning
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
// CHECK: conv_f16_conv_2d_nhwc_hwcf_0_ring_16x64x64_s4
// CHECK-NOT: arning
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
// GROUPS: strided_bf16_conv_2d_nhwc_fhwc_0_wgmma_
// CHECK-NOT: arning
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
// CHECK: strided_bf16_conv_2d_nhwc_fhwc_0_ring_16x64x64_s4
// CHECK-NOT: arning
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
