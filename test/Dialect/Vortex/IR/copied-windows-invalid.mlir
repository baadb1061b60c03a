// RUN: vortex-opt %s --split-input-file --verify-diagnostics

// What producers bring of windows: runs of 16 bytes, to rows as long as those of a box.

// Points of windows are no box of a tensor map.

func.func @f(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = vortex.kernel "conv" axes ["n", "h", "w", "f", "kh", "kw", "c"]
      ins(%x, %w : tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>) outs(%o : tensor<?x?x?x?xf32>) {
  ^bb0(%px: tensor<?x?x?x?xf16>, %pw: tensor<?x?x?x?xf16>, %po: tensor<?x?x?x?xf32>):
    %p = linalg.conv_2d_nhwc_hwcf {vortex.anchor, vortex.id = "conv"} ins(%px, %pw : tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>)
        outs(%po : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    vortex.yield %p : tensor<?x?x?x?xf32>
  } candidates {
  ^bb0(%n: index, %h: index, %v: index, %f: index, %kh: index, %kw: index, %c: index):
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    vortex.candidate @bad schedule {
      vortex.level "block" persistent (PL 0 by %c1, PL 1 by %c1, PL 2 by %c64, PL 3 by %c64) store(2) joined(3) {
        // expected-error @+1 {{brings input 0 in boxes by affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 + d5, d6)>, whose points are no box of a tensor; producers copy windows in runs of 16 bytes}}
        vortex.level "smem" for (TRL 4 by %c1, TRL 5 by %c1, TRL 6 by %c64)
            load (<operand = 0, layout = swizzle, axis = 6, together = true> by %c64,
                  <operand = 1, layout = swizzle, axis = 3, together = true> by %c64) stages(3) resident {
          vortex.level "warp" forall () role("producer") warps(4) {
          }
          vortex.level "warp" forall (PL 2 by %c64) role("consumer") warps(4) {
            vortex.stage ["conv"] micro <instruction = "wgmma", rows = 64, vectors = 1, lanes = 64, unroll = 4>
          }
        }
      }
    }
  } : tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// -----

// Runs go to the place of one box, which is a row of the swizzle wide.

func.func @f(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = vortex.kernel "conv" axes ["n", "h", "w", "f", "kh", "kw", "c"]
      ins(%x, %w : tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>) outs(%o : tensor<?x?x?x?xf32>) {
  ^bb0(%px: tensor<?x?x?x?xf16>, %pw: tensor<?x?x?x?xf16>, %po: tensor<?x?x?x?xf32>):
    %p = linalg.conv_2d_nhwc_hwcf {vortex.anchor, vortex.id = "conv"} ins(%px, %pw : tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>)
        outs(%po : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    vortex.yield %p : tensor<?x?x?x?xf32>
  } candidates {
  ^bb0(%n: index, %h: index, %v: index, %f: index, %kh: index, %kw: index, %c: index):
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    vortex.candidate @bad schedule {
      vortex.level "block" persistent (PL 0 by %c1, PL 1 by %c1, PL 2 by %c64, PL 3 by %c64) store(2) joined(3) {
        // expected-error @+1 {{brings input 0 in runs of 16 bytes to rows of 64 bytes; what producers copy in runs has rows of 128}}
        vortex.level "smem" for (TRL 4 by %c1, TRL 5 by %c1, TRL 6 by %c32)
            load (<operand = 0, layout = swizzle, axis = 6, together = true> by %c8,
                  <operand = 1, layout = swizzle, axis = 3, together = true> by %c64) stages(3) resident {
          vortex.level "warp" forall () role("producer") warps(4) {
          }
          vortex.level "warp" forall (PL 2 by %c64) role("consumer") warps(4) {
            vortex.stage ["conv"] micro <instruction = "wgmma", rows = 64, vectors = 1, lanes = 64, unroll = 4>
          }
        }
      }
    }
  } : tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// -----

// Neither a row of a box nor a run.

func.func @f(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = vortex.kernel "conv" axes ["n", "h", "w", "f", "kh", "kw", "c"]
      ins(%x, %w : tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>) outs(%o : tensor<?x?x?x?xf32>) {
  ^bb0(%px: tensor<?x?x?x?xf16>, %pw: tensor<?x?x?x?xf16>, %po: tensor<?x?x?x?xf32>):
    %p = linalg.conv_2d_nhwc_hwcf {vortex.anchor, vortex.id = "conv"} ins(%px, %pw : tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>)
        outs(%po : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    vortex.yield %p : tensor<?x?x?x?xf32>
  } candidates {
  ^bb0(%n: index, %h: index, %v: index, %f: index, %kh: index, %kw: index, %c: index):
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    vortex.candidate @bad schedule {
      vortex.level "block" persistent (PL 0 by %c1, PL 1 by %c1, PL 2 by %c64, PL 3 by %c64) store(2) joined(3) {
        // expected-error @+1 {{brings input 0 in boxes with rows of 32 elements = 64 bytes; producers copy rows of 128 bytes, or runs of 16}}
        vortex.level "smem" for (TRL 4 by %c1, TRL 5 by %c1, TRL 6 by %c64)
            load (<operand = 0, layout = swizzle, axis = 6, together = true> by %c32,
                  <operand = 1, layout = swizzle, axis = 3, together = true> by %c64) stages(3) resident {
          vortex.level "warp" forall () role("producer") warps(4) {
          }
          vortex.level "warp" forall (PL 2 by %c64) role("consumer") warps(4) {
            vortex.stage ["conv"] micro <instruction = "wgmma", rows = 64, vectors = 1, lanes = 64, unroll = 4>
          }
        }
      }
    }
  } : tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// -----

// A copy is of its own block's memory alone; the blocks share the image.

func.func @f(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = vortex.kernel "conv" axes ["n", "h", "w", "f", "kh", "kw", "c"]
      ins(%x, %w : tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>) outs(%o : tensor<?x?x?x?xf32>) {
  ^bb0(%px: tensor<?x?x?x?xf16>, %pw: tensor<?x?x?x?xf16>, %po: tensor<?x?x?x?xf32>):
    %p = linalg.conv_2d_nhwc_hwcf {vortex.anchor, vortex.id = "conv"} ins(%px, %pw : tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>)
        outs(%po : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    vortex.yield %p : tensor<?x?x?x?xf32>
  } candidates {
  ^bb0(%n: index, %h: index, %v: index, %f: index, %kh: index, %kw: index, %c: index):
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    vortex.candidate @bad schedule {
      vortex.level "block" persistent (PL 0 by %c1, PL 1 by %c1, PL 2 by %c64, PL 3 by %c64) store(2) cluster(1, 1, 1, 2) joined(3) {
        // expected-error @+1 {{brings input 0 in runs that 2 blocks of a cluster share; only boxes go to the memory of several}}
        vortex.level "smem" for (TRL 4 by %c1, TRL 5 by %c1, TRL 6 by %c64)
            load (<operand = 0, layout = swizzle, axis = 6, together = true> by %c8,
                  <operand = 1, layout = swizzle, axis = 3, together = true> by %c64) stages(3) resident {
          vortex.level "warp" forall () role("producer") warps(4) {
          }
          vortex.level "warp" forall (PL 2 by %c64) role("consumer") warps(4) {
            vortex.stage ["conv"] micro <instruction = "wgmma", rows = 64, vectors = 1, lanes = 64, unroll = 4>
          }
        }
      }
    }
  } : tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// -----

// Nor are rows that are counted together.

func.func @f(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?xf16>, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %r = vortex.kernel "mm" axes ["b", "m", "n", "i", "k"] ins(%x, %w : tensor<?x?x?x?xf16>, tensor<?x?x?xf16>) outs(%o : tensor<?x?x?xf32>) {
  ^bb0(%px: tensor<?x?x?x?xf16>, %pw: tensor<?x?x?xf16>, %po: tensor<?x?x?xf32>):
    %p = linalg.generic {vortex.anchor, vortex.id = "mm",
        indexing_maps = [affine_map<(b, m, n, i, k) -> (b, m, i, k)>, affine_map<(b, m, n, i, k) -> (i, k, n)>, affine_map<(b, m, n, i, k) -> (b, m, n)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%px, %pw : tensor<?x?x?x?xf16>, tensor<?x?x?xf16>) outs(%po : tensor<?x?x?xf32>) {
    ^bb0(%a: f16, %b: f16, %s: f32):
      %d = arith.extf %a : f16 to f32
      %e = arith.extf %b : f16 to f32
      %q = arith.mulf %d, %e : f32
      %t = arith.addf %s, %q : f32
      linalg.yield %t : f32
    } -> tensor<?x?x?xf32>
    vortex.yield %p : tensor<?x?x?xf32>
  } candidates {
  ^bb0(%b: index, %m: index, %n: index, %i: index, %k: index):
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    vortex.candidate @bad schedule {
      vortex.level "block" persistent (PL 0 by %c1, PL 1 by %c64, PL 2 by %c64) store(2) joined(2) {
        // expected-error @+1 {{brings input 0 in boxes by affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, whose points are no box of a tensor; producers copy windows in runs of 16 bytes}}
        vortex.level "smem" for (TRL 3 by %c1, TRL 4 by %c64)
            load (<operand = 0, layout = swizzle, axis = 4, together = true> by %c64,
                  <operand = 1, layout = swizzle, axis = 2, together = true> by %c64) stages(3) resident {
          vortex.level "warp" forall () role("producer") warps(4) {
          }
          vortex.level "warp" forall (PL 1 by %c64) role("consumer") warps(4) {
            vortex.stage ["mm"] micro <instruction = "wgmma", rows = 64, vectors = 1, lanes = 64, unroll = 4>
          }
        }
      }
    }
  } : tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
