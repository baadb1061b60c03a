// RUN: vortex-opt %s --vortex-convert-to-nvvm=target=sm_80 --split-input-file --verify-diagnostics

// A queue.

func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %res = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
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
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @ring schedule {
      // expected-error @+1 {{is a persistent queue, whose blocks need levels of producers and consumers for device code}}
      vortex.level "block" persistent (PL 0 by %c128, PL 1 by %c128) store(2) {
        vortex.level "smem" for (TRL 2 by %c32)
            load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8,
                  <operand = 1, layout = swizzle, axis = 1, together = true> by %c8)
            stages(4) resident {
          vortex.level "warp" forall (PL 0 by %c64, PL 1 by %c64) {
            vortex.stage ["fill", "mm"] micro <instruction = "mma_sync", rows = 64, vectors = 8, lanes = 8, unroll = 2>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %res : tensor<?x?xf32>
}

// -----

// Sizes that are not constants.

func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %res = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
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
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @ring schedule {
      // expected-error @+1 {{tiles axis "m" by a size that is not constant}}
      vortex.level "block" grid (PL 0 by %m, PL 1 by %c128) store(2) {
        vortex.level "smem" for (TRL 2 by %c32)
            load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8,
                  <operand = 1, layout = swizzle, axis = 1, together = true> by %c8)
            stages(4) resident {
          vortex.level "warp" forall (PL 0 by %c64, PL 1 by %c64) {
            vortex.stage ["fill", "mm"] micro <instruction = "mma_sync", rows = 64, vectors = 8, lanes = 8, unroll = 2>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %res : tensor<?x?xf32>
}

// -----

// A single buffer.

func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %res = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
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
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @ring schedule {
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) store(2) {
        // expected-error @+1 {{must be a sequential loop with a ring of two or more stages and resident accumulators}}
        vortex.level "smem" for (TRL 2 by %c32)
            load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8,
                  <operand = 1, layout = swizzle, axis = 1, together = true> by %c8)
            resident {
          vortex.level "warp" forall (PL 0 by %c64, PL 1 by %c64) {
            vortex.stage ["fill", "mm"] micro <instruction = "mma_sync", rows = 64, vectors = 8, lanes = 8, unroll = 2>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %res : tensor<?x?xf32>
}

// -----

// Runs across the operand.

func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %res = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
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
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @ring schedule {
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) store(2) {
        // expected-error @+1 {{must load input 0 swizzled, together, in runs along its innermost axis "k"}}
        vortex.level "smem" for (TRL 2 by %c32)
            load (<operand = 0, layout = swizzle, axis = 0, together = true> by %c8,
                  <operand = 1, layout = swizzle, axis = 1, together = true> by %c8)
            stages(4) resident {
          vortex.level "warp" forall (PL 0 by %c64, PL 1 by %c64) {
            vortex.stage ["fill", "mm"] micro <instruction = "mma_sync", rows = 64, vectors = 8, lanes = 8, unroll = 2>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %res : tensor<?x?xf32>
}

// -----

// A split reduction.

func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %res = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
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
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @ring schedule {
      // expected-error @+1 {{splits a reduction, which vortex-split-reductions has to do first}}
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128, PL 2 by %c128) combine("add") store(2) {
        vortex.level "smem" for (TRL 2 by %c32)
            load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8,
                  <operand = 1, layout = swizzle, axis = 1, together = true> by %c8)
            stages(4) resident {
          vortex.level "warp" forall (PL 0 by %c64, PL 1 by %c64) {
            vortex.stage ["fill", "mm"] micro <instruction = "mma_sync", rows = 64, vectors = 8, lanes = 8, unroll = 2>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %res : tensor<?x?xf32>
}

// -----

// Elements without device code.

func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %res = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf32>, %pb: tensor<?x?xf32>, %po: tensor<?x?xf32>):
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill {vortex.id = "fill"} ins(%zero : f32) outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.generic {vortex.anchor, vortex.id = "mm",
        indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                         affine_map<(d0, d1, d2) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%pa, %pb : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
                  %q = arith.mulf %x, %y : f32
      %r = arith.addf %s, %q : f32
      linalg.yield %r : f32
    } -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @ring schedule {
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) store(2) {
        vortex.level "smem" for (TRL 2 by %c32)
            load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c4,
                  <operand = 1, layout = swizzle, axis = 1, together = true> by %c4)
            stages(4) resident {
          vortex.level "warp" forall (PL 0 by %c64, PL 1 by %c64) {
            // expected-error @+1 {{needs 'mma_sync' for 'f32' x 'f32' -> 'f32'; device code exists for mma_sync on 16-bit floats and tf32 with f32 sums, on i8 with i32 sums and on f64}}
            vortex.stage ["fill", "mm"] micro <instruction = "mma_sync", rows = 64, vectors = 8, lanes = 8, unroll = 2>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %res : tensor<?x?xf32>
}

// -----

// A chain that no stage runs.

func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %scale: f32, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %res = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b, %scale : tensor<?x?xf16>, tensor<?x?xf16>, f32) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %pscale: f32, %po: tensor<?x?xf32>):
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
    // expected-error @+1 {{is run by no stage behind the reduction}}
    %times = linalg.generic {vortex.id = "times",
        indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%p : tensor<?x?xf32>) outs(%po : tensor<?x?xf32>) {
    ^bb0(%x: f32, %out: f32):
      %s = arith.mulf %x, %pscale : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    vortex.yield %times : tensor<?x?xf32>
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
        vortex.stage ["fill"]
      }
    }
  } : tensor<?x?xf32>
  return %res : tensor<?x?xf32>
}

// -----

// What lanes hold of a row is what they have under way at once: it has no size of its own.

func.func @f(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %res = vortex.kernel "scale" axes ["m", "n"] ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%px: tensor<?x?xf32>, %po: tensor<?x?xf32>):
    %e = linalg.exp {vortex.anchor, vortex.id = "e"} ins(%px : tensor<?x?xf32>) outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %e : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index):
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index
    vortex.candidate @held schedule {
      vortex.level "block" grid (PL 0 by %c8) {
        vortex.level "warp" forall (PL 0 by %c1) {
          // expected-error @+1 {{must be resident and walk nothing, around a stage whose lanes hold a row}}
          vortex.level "register" for (TSL 1 by %c256) {
            vortex.stage ["e"] micro <instruction = "vector", rows = 1, vectors = 4, lanes = 32, lane_axis = 1>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %res : tensor<?x?xf32>
}
