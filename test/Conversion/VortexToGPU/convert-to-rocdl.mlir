// RUN: vortex-opt %s --target=gfx90a --vortex-decompose-ops --vortex-hierarchize --vortex-select-kernels \
// RUN:   --vortex-split-reductions --vortex-convert-to-rocdl | FileCheck %s
// RUN: vortex-opt %s --target=gfx942 --vortex-decompose-ops --vortex-hierarchize --vortex-select-kernels \
// RUN:   --vortex-lower-to-amdgcn | FileCheck %s --check-prefix=TEXT

// A wavefront has 64 lanes, a block eight of them; a butterfly has six steps.

// CHECK: gpu.module @softmax_rows_0_module_{{.*}} [#rocdl.target<O = 3, chip = "gfx90a">]
// CHECK-LABEL: llvm.func @softmax_rows_0_rows(
// CHECK-SAME: rocdl.flat_work_group_size = "512,512", rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 512, 1, 1>,
// CHECK-SAME: vortex.shared_bytes = 0 : i64, vortex.tile = array<i64: 8, 0>
// CHECK-NOT: nvvm
// CHECK: rocdl.workitem.id.x
// CHECK: rocdl.workgroup.id.x
// CHECK-COUNT-6: rocdl.ds_bpermute
// CHECK: scf.for
// CHECK-COUNT-6: rocdl.ds_bpermute
// CHECK-NOT: rocdl.ds_bpermute
// CHECK: llvm.return

// Wavefronts that share a row have places in LDS, which the kernel declares.

// CHECK: llvm.mlir.global internal @smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<128 x i8>
// CHECK-LABEL: llvm.func @softmax_rows_0_block_rows(
// CHECK: llvm.fence syncscope("workgroup") release
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: llvm.fence syncscope("workgroup") acquire

// TEXT: gpu.binary @softmax_rows_0_module 
// TEXT-SAME: chip = "gfx942"
// TEXT-SAME: ds_bpermute_b32
// TEXT-SAME: .group_segment_fixed_size: 0
// TEXT-SAME: .reqd_workgroup_size:
// TEXT-SAME: .vgpr_spill_count: 0
// TEXT: gpu.binary @softmax_rows_0_module_3 
// TEXT-SAME: s_barrier
// TEXT-SAME: .group_segment_fixed_size: 128
func.func @softmax(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A ring goes through registers: a vector where all of a run exists, else single
// elements; no product has a matrix instruction.

// CHECK-LABEL: llvm.func @product_matmul_0_simt_ring_
// CHECK-NOT: cp.async
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
// CHECK: llvm.return
func.func @product(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
