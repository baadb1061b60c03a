// RUN: vortex-opt %s --vortex-split-reductions --canonicalize | FileCheck %s

#hw = #vortex.hw<isa = "sm_80", chip = "test", triple = "nvptx64-nvidia-cuda", cpu = "sm_80",
  levels = [
    <"device", units = 1, memory = dram, capacity = 40 GiB, bandwidth = 1555, granularity = 32>,
    <"l2", units = 1, memory = cache, capacity = 40 MiB, bandwidth = 5000, granularity = 32>,
    <"block", units = 108, startup = 3000>,
    <"smem", units = 1, memory = shared, capacity = 163 KiB, bandwidth = 180, granularity = 128>,
    <"warp", units = 4, memory = register, capacity = 64 KiB, granularity = 128>,
    <"register", units = 1, memory = register, capacity = 32640, granularity = 128>
  ],
  instructions = [
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
  ]>
module attributes {vortex.targets = [#hw]} {

// Parts of whole steps of the ring, as many as there are; what is behind the
// contraction is behind their sum.
// CHECK-LABEL: func @mm
// CHECK-SAME: %[[A:.*]]: tensor<?x?xf16>, %[[B:.*]]: tensor<?x?xf16>, %[[S:.*]]: f32, %[[O:.*]]: tensor<?x?xf32>
// CHECK: %[[STEPS:.*]] = arith.ceildivui %{{.*}}, %c32
// CHECK: %[[LENGTH:.*]] = arith.muli %[[STEPS]], %c32
// CHECK: %[[PARTS:.*]] = arith.ceildivui %{{.*}}, %[[LENGTH]]
// CHECK: %[[E:.*]] = tensor.empty(%[[PARTS]], %{{.*}}, %{{.*}}) : tensor<?x?x?xf32>
// CHECK: %[[N:.*]] = arith.index_cast %[[LENGTH]] : index to i64
// CHECK: %[[P:.*]] = vortex.kernel "mm" axes ["part", "m", "n", "k"] ins(%[[A]], %[[B]], %[[N]] : tensor<?x?xf16>, tensor<?x?xf16>, i64) outs(%[[E]] : tensor<?x?x?xf32>)
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK: linalg.index 3
// CHECK: arith.divui
// CHECK: linalg.index 0
// CHECK: arith.select
// CHECK: vortex.candidate @split schedule
// CHECK: vortex.level "block" grid (PL 0 by %c1{{.*}}, PL 1 by %c64{{.*}}, PL 2 by %c64{{.*}}) {
// CHECK: vortex.level "smem" for (TRL 3 by %c32{{.*}}) load (<operand = 0, layout = swizzle, axis = 3, together = true> by %{{.*}}, <operand = 1, layout = swizzle, axis = 2, together = true> by %{{.*}}) stages(3) resident
// CHECK: vortex.stage ["zero", "parts"] micro <instruction = "mma_sync"
// CHECK: vortex.kernel "mm" axes ["part", "m", "n"] ins(%[[P]], %[[S]] : tensor<?x?x?xf32>, f32) outs(%[[O]] : tensor<?x?xf32>)
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["reduction", "parallel", "parallel"]
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK: vortex.candidate @split schedule
// CHECK: vortex.stage ["fill", "mm", "times"] micro <instruction = "simt"
func.func @mm(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %s: f32, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b, %s : tensor<?x?xf16>, tensor<?x?xf16>, f32) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %ps: f32, %po: tensor<?x?xf32>):
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill {vortex.id = "fill"} ins(%zero : f32) outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
    %t = linalg.generic {vortex.id = "times", indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%p : tensor<?x?xf32>) outs(%po : tensor<?x?xf32>) {
    ^bb0(%x: f32, %out: f32):
      %y = arith.mulf %x, %ps : f32
      linalg.yield %y : f32
    } -> tensor<?x?xf32>
    vortex.yield %t : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c7 = arith.constant 7 : index
    %part = arith.ceildivui %k, %c7 : index
    vortex.candidate @split schedule {
      vortex.level "block" grid (PL 0 by %c64, PL 1 by %c64, PL 2 by %part) combine("add") {
        vortex.level "smem" for (TRL 2 by %c32)
            load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8,
                  <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(3) resident {
          vortex.level "warp" forall (PL 0 by %c32, PL 1 by %c32) {
            vortex.stage ["fill", "mm"] micro <instruction = "mma_sync", rows = 32, vectors = 4, lanes = 8, unroll = 2>
          }
        }
        vortex.stage ["times"]
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}
