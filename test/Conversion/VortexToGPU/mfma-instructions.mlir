// RUN: vortex-opt %vortex_src_root/test/rocdl/Inputs/matrices.mlir --target=gfx90a --vortex-hierarchize --vortex-select-kernels \
// RUN:   --vortex-split-reductions --vortex-convert-to-rocdl | FileCheck %s
// RUN: vortex-opt %vortex_src_root/test/rocdl/Inputs/matrices.mlir --target=gfx90a --vortex-hierarchize --vortex-select-kernels \
// RUN:   --vortex-lower-to-amdgcn -o %t.90a
// RUN: FileCheck %s --check-prefix=TEXT --input-file=%t.90a
// RUN: vortex-opt %vortex_src_root/test/rocdl/Inputs/matrices.mlir --target=gfx942 --vortex-hierarchize --vortex-select-kernels \
// RUN:   --vortex-lower-to-amdgcn -o %t.942
// RUN: FileCheck %s --check-prefix=NEXT --input-file=%t.942

// No kernel keeps anything but in its registers, nor more than LDS holds.
// RUN: not grep -qE '(private_segment_fixed_size|vgpr_spill_count): [1-9]' %t.90a %t.942
// RUN: not grep -qE 'group_segment_fixed_size: ([7-9][0-9]{4}|6[6-9][0-9]{3}|[0-9]{6})' %t.90a %t.942

// Where the reduction is not innermost a lane reads rows beside each other, of
// as many tiles; where it is, steps of one. The next tile is loaded before this
// one is multiplied, and stored behind that. B is on the left.

// CHECK-LABEL: llvm.func @half_nn_contract_0_ring_128x64x64_s2(
// CHECK-SAME: rocdl.reqd_work_group_size = array<i32: 256, 1, 1>
// CHECK: scf.for
// CHECK: llvm.fence syncscope("workgroup") release
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: llvm.fence syncscope("workgroup") acquire
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<2xf16>
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
// CHECK: rocdl.mfma.f32.16x16x16f16 {{.*}} : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
// CHECK-NOT: rocdl.s.barrier
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
// CHECK: scf.yield
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK: llvm.return

// TEXT: gpu.binary @half_nn_contract_0_module {{.*}}v_mfma_f32_16x16x16f16
// TEXT: gpu.binary @brain_batch_matmul_0_module {{.*}}v_mfma_f32_16x16x16bf16_1k
// TEXT: gpu.binary @single_nn_contract_0_module {{.*}}v_mfma_f32_16x16x4f32
// TEXT: gpu.binary @double_nn_contract_0_module {{.*}}v_mfma_f64_16x16x4f64
// TEXT: gpu.binary @bytes_nn_contract_0_module {{.*}}v_mfma_i32_16x16x16i8

// NEXT: gpu.binary @half_nn_contract_0_module {{.*}}v_mfma_f32_16x16x16_f16
// NEXT: gpu.binary @brain_batch_matmul_0_module {{.*}}v_mfma_f32_16x16x16_bf16
// NEXT: gpu.binary @single_nn_contract_0_module {{.*}}v_mfma_f32_16x16x4_f32
// NEXT: gpu.binary @double_nn_contract_0_module {{.*}}v_mfma_f64_16x16x4_f64
// NEXT: gpu.binary @bytes_nn_contract_0_module {{.*}}v_mfma_i32_16x16x32_i8
