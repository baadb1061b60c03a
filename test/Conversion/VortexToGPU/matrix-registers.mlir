// REQUIRES: ptxas
// RUN: vortex-opt %vortex_src_root/test/ptxsim/Inputs/matrices.mlir --target=sm_80 --vortex-hierarchize --vortex-select-kernels --vortex-lower-to-ptx -o %t.mlir
// RUN: %python %vortex_src_root/test/ptxsim/assemble.py %t.mlir | FileCheck %s
// RUN: vortex-opt %vortex_src_root/test/ptxsim/Inputs/matrices.mlir --target=sm_90a --vortex-hierarchize --vortex-select-kernels --vortex-lower-to-ptx -o %t.mlir
// RUN: %python %vortex_src_root/test/ptxsim/assemble.py %t.mlir --target=sm_90a | FileCheck %s

// Products of bytes and of doubles assemble and keep nothing but registers,
// those of parts of a reduction included.
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
// CHECK: bytes_contraction_0_ring_128x128x64_s4
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
// CHECK: doubles_contraction_0_split_ring_8x64x16_s4
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
