// RUN: vortex-opt %s | vortex-opt | FileCheck %s
// RUN: not vortex-opt %s --vortex-expand 2>&1 | FileCheck %s --check-prefix=EXPAND

// The tree of a chain: the reduction of the first product is an axis behind those of the second.
// CHECK: vortex.kernel "chain" axes ["m", "n", "k", "inner"]
// CHECK: vortex.level "smem" for (TRL 2 by %{{.*}}, TRL 3 by %{{.*}})
// CHECK: vortex.stage ["s0", "s"] micro <instruction = "mma_sync"
// CHECK: vortex.stage ["p"]
// CHECK: vortex.stage ["w"] micro <instruction = "mma_sync"
// EXPAND: reduces rows of a chain as they come, which has no nest on tensors
func.func @f(%q: tensor<?x?xf16>, %k: tensor<?x?xf16>, %v: tensor<?x?xf16>, %room: tensor<?x?xf32>, %half: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "chain" axes ["m", "n", "k", "inner"]
      ins(%q, %k, %v, %room, %half : tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf32>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pq: tensor<?x?xf16>, %pk: tensor<?x?xf16>, %pv: tensor<?x?xf16>, %proom: tensor<?x?xf32>, %phalf: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %zero = arith.constant 0.0 : f32
    %s0 = linalg.fill {vortex.id = "s0"} ins(%zero : f32) outs(%proom : tensor<?x?xf32>) -> tensor<?x?xf32>
    %s = linalg.matmul indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>]
        {vortex.id = "s"} ins(%pq, %pk : tensor<?x?xf16>, tensor<?x?xf16>) outs(%s0 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%s : tensor<?x?xf32>) outs(%phalf : tensor<?x?xf16>) attrs = {vortex.id = "p"} {
    ^bb0(%x: f32, %y: f16):
      %t = arith.truncf %x : f32 to f16
      linalg.yield %t : f16
    } -> tensor<?x?xf16>
    %w = linalg.matmul {vortex.anchor, vortex.id = "w"} ins(%p, %pv : tensor<?x?xf16>, tensor<?x?xf16>) outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %w : tensor<?x?xf32>
  } candidates {
  ^bb0(%rows: index, %columns: index, %keys: index, %inner: index):
    %c8 = arith.constant 8 : index
    %cm = arith.constant 64 : index
    %cw = arith.constant 16 : index
    %ck = arith.constant 64 : index
    %ci = arith.constant 64 : index
    %cn = arith.constant 64 : index
    vortex.candidate @running schedule {
      vortex.level "block" grid (PL 0 by %cm, PL 1 by %cn) {
        vortex.level "smem" for (TRL 2 by %ck, TRL 3 by %ci)
            load (<operand = 1, layout = swizzle, axis = 3, together = true> by %c8, <operand = 2, layout = swizzle, axis = 1, together = true> by %c8) stages(2) resident {
          vortex.level "warp" forall (PL 0 by %cw) {
            vortex.stage ["s0", "s"] micro <instruction = "mma_sync", rows = 16, vectors = 8, lanes = 8>
            vortex.stage ["p"]
            vortex.stage ["w"] micro <instruction = "mma_sync", rows = 16, vectors = 8, lanes = 8>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
