// REQUIRES: ptxas
// RUN: vortex-opt %vortex_src_root/test/ptxsim/Inputs/kernels.mlir --target=sm_80 --vortex-decompose-ops --vortex-hierarchize \
// RUN:   --vortex-select-kernels --vortex-lower-to-ptx -o %t.mlir
// RUN: %python %vortex_src_root/test/ptxsim/assemble.py %t.mlir | FileCheck %s

// No kernel on scalar units keeps anything but its registers.
// CHECK-COUNT-31: 0 bytes spill stores, 0 bytes spill loads
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
