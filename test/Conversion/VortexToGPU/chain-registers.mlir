// REQUIRES: ptxas
// RUN: vortex-opt %vortex_src_root/test/cuda/chains.mlir --target=sm_80 --vortex-decompose-ops --canonicalize --cse --vortex-fuse-chains --vortex-hierarchize --vortex-select-kernels --vortex-lower-to-ptx | grep 'gpu.binary.*running' > %t.mlir
// RUN: %python %vortex_src_root/test/ptxsim/assemble.py %t.mlir | FileCheck %s
// RUN: %python %vortex_src_root/test/ptxsim/assemble.py %t.mlir --target=sm_90a | FileCheck %s

// Scores, weights and results of a chain stay in registers.
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
// CHECK: attention_chain_0_fused_running_128x64_32x32_s4
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
