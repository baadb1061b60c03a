// RUN: vortex-opt %s --vortex-convert-to-nvvm=target=sm_80 | FileCheck %s
// RUN: vortex-opt %s --target=sm_80 --vortex-lower-to-ptx -o %t.mlir
// RUN: env PYTHONPATH=%vortex_src_root/utils %python -m ptxsim %t.mlir --ptx | FileCheck %s --check-prefix=PTX

// A candidate's tree becomes a kernel: ring, swizzle, matrix instructions,
// bias and relu on the accumulators.

// CHECK: vortex.kernel "mm"
// CHECK: vortex.device_kernel = @mm_module::@mm_ring
// CHECK-LABEL: gpu.module @mm_module [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">]
// CHECK: llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// Pointers, extents of m, n, k, strides of A, B and the result.
// CHECK: llvm.func @mm_ring(%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64)
// CHECK-SAME: nvvm.reqntid = array<i32: 128, 1, 1>
// CHECK-SAME: vortex.shared_bytes = 65536 : i64
// CHECK-SAME: vortex.tile = array<i64: 128, 128, 0>
// Three tiles ahead of four stages, eight copies a thread each.
// CHECK-COUNT-8: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-8: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-8: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK: scf.for
// CHECK-NEXT: nvvm.cp.async.wait.group 2
// CHECK-NEXT: nvvm.barrier0
// CHECK-COUNT-8: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-4: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>
// CHECK-COUNT-4: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>
// CHECK-COUNT-32: nvvm.mma.sync
// CHECK-COUNT-32: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: arith.maximumf
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>

// PTX: .target sm_80
// PTX: .extern .shared .align 1024 .b8 smem[];
// PTX: .visible .entry mm_ring(
// PTX: .reqntid 128, 1, 1
// PTX-COUNT-24: cp.async.cg.shared.global
// PTX: cp.async.wait_group 2;
// PTX-NEXT: bar.sync 0;
// PTX: cp.async.cg.shared.global [%{{.*}}], [%{{.*}}], 16, %{{.*}};
// PTX: cp.async.commit_group;
// PTX: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// PTX-COUNT-64: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// PTX-NOT: mma.sync
// PTX: cp.async.wait_group 0;
// PTX: max.NaN.f32
// PTX: st.global.v2

func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %res = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b, %bias : tensor<?x?xf16>, tensor<?x?xf16>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %pbias: tensor<?xf32>, %po: tensor<?x?xf32>):
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill {vortex.id = "fill"} ins(%zero : f32) outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.generic {vortex.anchor, vortex.id = "mm",
        indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                         affine_map<(d0, d1, d2) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>) outs(%z : tensor<?x?xf32>) {
    ^bb0(%x: f16, %y: f16, %s: f32):
      %xf = arith.extf %x : f16 to f32
      %yf = arith.extf %y : f16 to f32
      %q = arith.mulf %xf, %yf : f32
      %r = arith.addf %s, %q : f32
      linalg.yield %r : f32
    } -> tensor<?x?xf32>
    %add = linalg.generic {vortex.id = "add",
        indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%p, %pbias : tensor<?x?xf32>, tensor<?xf32>) outs(%po : tensor<?x?xf32>) {
    ^bb0(%x: f32, %e0: f32, %out: f32):
      %s = arith.addf %x, %e0 : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    %relu = linalg.generic {vortex.id = "relu",
        indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%add : tensor<?x?xf32>) outs(%po : tensor<?x?xf32>) {
    ^bb0(%x: f32, %out: f32):
      %t = arith.maximumf %x, %zero : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    vortex.yield %relu : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @ring schedule {
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) store(2) {
        vortex.level "smem" for (TRL 2 by %c32)
            load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8,
                  <operand = 1, layout = swizzle, axis = 1, together = true> by %c8)
            stages(4) resident {
          vortex.level "warp" forall (PL 0 by %c64, PL 1 by %c64) {
            vortex.stage ["fill", "mm"] micro <instruction = "mma_sync", rows = 64, vectors = 8, lanes = 8, unroll = 2>
          }
        }
        vortex.stage ["add", "relu"]
      }
    }
  } : tensor<?x?xf32>
  return %res : tensor<?x?xf32>
}
