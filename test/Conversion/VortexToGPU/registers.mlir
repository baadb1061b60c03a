// REQUIRES: ptxas
// RUN: vortex-opt %s --target=sm_80 --vortex-lower-to-ptx -o %t.mlir
// RUN: %python %vortex_src_root/test/ptxsim/assemble.py %t.mlir | FileCheck %s

// The largest tile of four warps fits the register file.
// CHECK: 0 bytes spill stores, 0 bytes spill loads
// CHECK: Used {{1?[0-9]?[0-9]|2[0-4][0-9]|25[0-5]}} registers

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
