// RUN: vortex-opt %s | vortex-opt | FileCheck %s
// RUN: vortex-opt %s --emit-bytecode | vortex-opt | FileCheck %s
// RUN: vortex-opt %s --mlir-print-op-generic | vortex-opt | FileCheck %s

// Candidates as they look on GPUs: a ring of shared memory filled by
// asynchronous copies, and a persistent queue with producer and consumer
// warps that splits the reduction.

module attributes {vortex.targets = [#vortex.hw<
  isa = "sm_80", chip = "test", triple = "nvptx64-nvidia-cuda", cpu = "sm_80",
  levels = [
    <"device", units = 1, memory = dram, capacity = 40 GiB, bandwidth = 1555, granularity = 32>,
    <"block", units = 108, startup = 3000>,
    <"smem", units = 1, memory = shared, capacity = 163 KiB, bandwidth = 180, granularity = 128>,
    <"warp", units = 4, memory = register, capacity = 64 KiB, granularity = 128>,
    <"register", units = 1, memory = register, capacity = 32640, granularity = 128>
  ],
  instructions = [
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>,
    <"wgmma_m64k16_f16", kind = wgmma, type = f16 x f16 -> f32, shape = 64x256x16, rate = 7495>
  ]>]} {

// CHECK-LABEL: func @ring
func.func @ring(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"]
      ins(%a, %b, %bias : tensor<?x?xf16>, tensor<?x?xf16>, tensor<?xf32>)
      outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %pbias: tensor<?xf32>, %po: tensor<?x?xf32>):
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill {vortex.id = "fill"} ins(%zero : f32) outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
    %e = linalg.generic {vortex.id = "bias_relu",
        indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%p, %pbias : tensor<?x?xf32>, tensor<?xf32>) outs(%po : tensor<?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %s = arith.addf %x, %y : f32
      %t = arith.maximumf %s, %zero : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    vortex.yield %e : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @ring_128x128x32 schedule {
      // CHECK: vortex.level "block" grid (PL 0 by %{{.*}}, PL 1 by %{{.*}}) store(2)
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) store(2) {
        // CHECK: vortex.level "smem" for (TRL 2 by %{{.*}}) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %{{.*}}, <operand = 1, layout = swizzle, axis = 1, together = true> by %{{.*}}) stages(4) resident
        vortex.level "smem" for (TRL 2 by %c32)
            load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8,
                  <operand = 1, layout = swizzle, axis = 1, together = true> by %c8)
            stages(4) resident {
          // CHECK: vortex.level "warp" forall (PL 0 by %{{.*}}, PL 1 by %{{.*}})
          vortex.level "warp" forall (PL 0 by %c64, PL 1 by %c64) {
            // CHECK: vortex.stage ["fill", "mm"] micro <instruction = "mma_sync", rows = 64, vectors = 8, lanes = 8, unroll = 2>
            vortex.stage ["fill", "mm"] micro <instruction = "mma_sync", rows = 64, vectors = 8, lanes = 8, unroll = 2>
          }
        }
        // CHECK: vortex.stage ["bias_relu"]
        vortex.stage ["bias_relu"]
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: func @roles
func.func @roles(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill {vortex.id = "fill"} ins(%zero : f32) outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    // The reduction is split so that tiles and parts together fill the units.
    %units = vortex.machine_param "block.units" default 132.0
    %units_i = arith.fptosi %units : f64 to i64
    %u = arith.index_cast %units_i : i64 to index
    %tm = arith.ceildivui %m, %c128 : index
    %tn = arith.ceildivui %n, %c256 : index
    %tiles = arith.muli %tm, %tn : index
    %c1 = arith.constant 1 : index
    %some = arith.maxui %tiles, %c1 : index
    %parts = arith.ceildivui %u, %some : index
    %part = arith.ceildivui %k, %parts : index
    vortex.candidate @cluster schedule {
      // CHECK: vortex.level "block" persistent (PL 0 by %{{.*}}, PL 1 by %{{.*}}) store(32) cluster(2, 1)
      vortex.level "block" persistent (PL 0 by %c128, PL 1 by %c256) store(32) cluster(2, 1) {
        vortex.level "smem" for (TRL 2 by %c64)
            load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c64,
                  <operand = 1, layout = swizzle, axis = 1, together = true> by %c64)
            stages(2) resident {
          vortex.level "warp" forall () role("producer") warps(4) {
          }
          vortex.level "warp" forall (PL 0 by %c64) role("consumer") warps(8) {
            vortex.stage ["fill", "mm"] micro <instruction = "wgmma", rows = 64, vectors = 1, lanes = 256, unroll = 4>
          }
        }
      }
    }
    vortex.candidate @queue_128x256x64_split schedule {
      // CHECK: vortex.level "block" persistent (PL 0 by %{{.*}}, PL 1 by %{{.*}}, PL 2 by %{{.*}}) combine("add") store(2)
      vortex.level "block" persistent (PL 0 by %c128, PL 1 by %c256, PL 2 by %part) combine("add") store(2) {
        vortex.level "smem" for (TRL 2 by %c64)
            load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c64,
                  <operand = 1, layout = swizzle, axis = 1, together = true> by %c64)
            stages(3) resident {
          // CHECK: vortex.level "warp" forall () role("producer") warps(4) {
          // CHECK-NEXT: }
          vortex.level "warp" forall () role("producer") warps(4) {
          }
          // CHECK: vortex.level "warp" forall (PL 0 by %{{.*}}) role("consumer") warps(8) {
          vortex.level "warp" forall (PL 0 by %c64) role("consumer") warps(8) {
            vortex.stage ["fill", "mm"] micro <instruction = "wgmma", rows = 64, vectors = 1, lanes = 256, unroll = 4>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}
