// RUN: vortex-opt %s --target=sm_80 --vortex-decompose-ops --vortex-hierarchize --vortex-select-kernels \
// RUN:   --vortex-split-reductions --vortex-convert-to-nvvm | FileCheck %s

// Rows that lanes hold: everything is loaded and computed once, elements
// behind the end are those of the last group again and count for nothing.

// CHECK-LABEL: llvm.func @softmax_rows_0_held_rows_128_x4(
// CHECK: scf.if
// CHECK: %[[SOME:.*]] = arith.cmpi ult
// CHECK: arith.minui
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-3: arith.maxnumf
// CHECK: arith.select %[[SOME]], %{{.*}}, %{{.*}} : f32
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK-COUNT-4: arith.subf
// CHECK-NOT: llvm.load
// CHECK: scf.if %[[SOME]] {
// CHECK-NEXT: vector.from_elements {{.*}} : vector<4xf32>
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>
// CHECK-NOT: llvm.load
// CHECK-NOT: scf.for
// CHECK: llvm.return

// Two groups of four under way, loaded before anything is stored.
// CHECK-LABEL: llvm.func @softmax_rows_0_rows_x4(
// CHECK: scf.for {{.*}} -> (f32, f32)
// CHECK-COUNT-2: llvm.load {{.*}} -> vector<4xf32>
// CHECK: scf.yield {{.*}} : f32, f32
// CHECK: scf.for {{.*}} -> (f32)
// CHECK: scf.for {{.*}} -> (f32, f32)
// CHECK: scf.for {{.*}} -> (f32)
// CHECK: scf.for
// CHECK-NOT: llvm.store
// CHECK: llvm.load {{.*}} -> vector<4xf32>
// CHECK-NOT: llvm.store
// CHECK: llvm.load {{.*}} -> vector<4xf32>
// CHECK-COUNT-2: llvm.store {{.*}} : vector<4xf32>

// A row for each warp: one walk for each reduction, a butterfly behind it, one
// walk to store. Eight rows a block; blocks do not divide the columns.

// CHECK-LABEL: llvm.func @softmax_rows_0_rows(
// CHECK-SAME: nvvm.reqntid = array<i32: 256, 1, 1>, vortex.shared_bytes = 0 : i64, vortex.tile = array<i64: 8, 0>
// CHECK: scf.if
// Four elements of a lane under way, then single ones.
// CHECK: scf.for {{.*}} iter_args({{.*}}, {{.*}}, {{.*}}, {{.*}}) -> (f32, f32, f32, f32)
// CHECK-COUNT-4: arith.maxnumf
// CHECK: scf.for {{.*}} -> (f32)
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK: scf.for
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl.sync
// CHECK: scf.for
// CHECK-COUNT-4: llvm.store
func.func @softmax(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Nothing to reduce: a run of a row for each block, too.

// CHECK-LABEL: llvm.func @transposed_transpose_0_runs(
// CHECK-SAME: vortex.tile = array<i64: 1, 1024>
// CHECK-NOT: nvvm.shfl.sync
func.func @transposed(%x: tensor<?x?xf16>, %o: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %r = linalg.transpose ins(%x : tensor<?x?xf16>) outs(%o : tensor<?x?xf16>) permutation = [1, 0]
  return %r : tensor<?x?xf16>
}

// A column for each lane, whose elements are summed by it alone. What is past
// the edge reads the last column and stores nothing.

// CHECK-LABEL: llvm.func @columns_reduce_0_columns(
// CHECK-SAME: vortex.tile = array<i64: 0, 256>
// CHECK: arith.minui
// CHECK: scf.for {{.*}} -> (f32)
// CHECK: arith.addf
// CHECK: llvm.inline_asm has_side_effects "mov.b32 $0, $1;"
// CHECK: scf.if
// CHECK: llvm.store
// CHECK-NOT: nvvm.shfl.sync
func.func @columns(%x: tensor<?x?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.reduce ins(%x : tensor<?x?xf32>) outs(%o : tensor<?xf32>) dimensions = [0]
    (%in: f32, %sum: f32) {
      %s = arith.addf %in, %sum : f32
      linalg.yield %s : f32
    }
  return %r : tensor<?xf32>
}

// A ring before scalar units: sixteen bytes a copy and, four steps at a time, a
// load of A's rows; neighbours of B's columns are one load, steps that do not
// exist are left out. Rows of the result are stored in such runs where they are
// aligned, else one by one.

// CHECK-LABEL: llvm.func @product_matmul_0_simt_ring_16x64x32_s4(
// CHECK-SAME: vortex.shared_bytes = 40960 : i64, vortex.tile = array<i64: 16, 64, 0>
// CHECK: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg
// CHECK: nvvm.cp.async.wait.group 2
// CHECK-NEXT: nvvm.barrier0
// CHECK: arith.minui
// CHECK: scf.for
// CHECK: llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: arith.mulf {{.*}} fastmath<contract> : f32
// CHECK: arith.addf {{.*}} fastmath<contract> : f32
// CHECK: scf.if
// CHECK: llvm.store {{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<1>
// CHECK-NOT: nvvm.mma.sync
func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
