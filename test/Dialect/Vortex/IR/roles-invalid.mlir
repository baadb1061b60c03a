// RUN: vortex-opt %s --split-input-file --verify-diagnostics

// Rows of a box are what the swizzle spans.

module attributes {vortex.targets = [#vortex.hw<
  isa = "sm_90a", chip = "test", triple = "nvptx64-nvidia-cuda", cpu = "sm_90a",
  levels = [
    <"device", units = 1, memory = dram, capacity = 40 GiB, bandwidth = 1555, granularity = 32>,
    <"block", units = 108, startup = 3000>,
    <"smem", units = 1, memory = shared, capacity = 227 KiB, bandwidth = 180, granularity = 128>,
    <"warp", units = 4, memory = register, capacity = 64 KiB, granularity = 128>,
    <"register", units = 1, memory = register, capacity = 32640, granularity = 128>
  ],
  instructions = [
    <"wgmma_m64k16_f16", kind = wgmma, type = f16 x f16 -> f32, shape = 64x256x16, rate = 7495>
  ]>]} {
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) {
        // expected-error @+1 {{brings input 0 in boxes with rows of 32 elements = 64 bytes; producers copy rows of 128 bytes}}
        vortex.level "smem" for (TRL 2 by %c64) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c32, <operand = 1, layout = swizzle, axis = 1, together = true> by %c32) stages(4) resident {
          vortex.level "warp" forall () role("producer") warps(4) {
          }
          vortex.level "warp" forall (PL 0 by %c64) role("consumer") warps(8) {
            vortex.stage ["mm"] micro <instruction = "wgmma", rows = 64, vectors = 1, lanes = 128, unroll = 4>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// A box that does not divide its tile: fewer bytes would land than the barrier waits for.

module attributes {vortex.targets = [#vortex.hw<
  isa = "sm_90a", chip = "test", triple = "nvptx64-nvidia-cuda", cpu = "sm_90a",
  levels = [
    <"device", units = 1, memory = dram, capacity = 40 GiB, bandwidth = 1555, granularity = 32>,
    <"block", units = 108, startup = 3000>,
    <"smem", units = 1, memory = shared, capacity = 227 KiB, bandwidth = 180, granularity = 128>,
    <"warp", units = 4, memory = register, capacity = 64 KiB, granularity = 128>,
    <"register", units = 1, memory = register, capacity = 32640, granularity = 128>
  ],
  instructions = [
    <"wgmma_m64k16_f16", kind = wgmma, type = f16 x f16 -> f32, shape = 64x256x16, rate = 7495>
  ]>]} {
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c96) {
        // expected-error @+1 {{brings input 1 in boxes with rows of 128 bytes, of which its tile's rows of 192 bytes are no multiple}}
        vortex.level "smem" for (TRL 2 by %c64) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c64, <operand = 1, layout = swizzle, axis = 1, together = true> by %c64) stages(4) resident {
          vortex.level "warp" forall () role("producer") warps(4) {
          }
          vortex.level "warp" forall (PL 0 by %c64) role("consumer") warps(8) {
            vortex.stage ["mm"] micro <instruction = "wgmma", rows = 64, vectors = 1, lanes = 96, unroll = 4>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// A box has at most 256 rows.

module attributes {vortex.targets = [#vortex.hw<
  isa = "sm_90a", chip = "test", triple = "nvptx64-nvidia-cuda", cpu = "sm_90a",
  levels = [
    <"device", units = 1, memory = dram, capacity = 40 GiB, bandwidth = 1555, granularity = 32>,
    <"block", units = 108, startup = 3000>,
    <"smem", units = 1, memory = shared, capacity = 227 KiB, bandwidth = 180, granularity = 128>,
    <"warp", units = 4, memory = register, capacity = 64 KiB, granularity = 128>,
    <"register", units = 1, memory = register, capacity = 32640, granularity = 128>
  ],
  instructions = [
    <"wgmma_m64k16_f16", kind = wgmma, type = f16 x f16 -> f32, shape = 64x256x16, rate = 7495>
  ]>]} {
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    vortex.candidate @bad schedule {
      vortex.level "block" grid (PL 0 by %c512, PL 1 by %c64) {
        // expected-error @+1 {{brings input 0 in boxes of 512 rows; a box has a multiple of 8, at most 256}}
        vortex.level "smem" for (TRL 2 by %c64) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c64, <operand = 1, layout = swizzle, axis = 1, together = true> by %c64) stages(2) resident {
          vortex.level "warp" forall () role("producer") warps(4) {
          }
          vortex.level "warp" forall (PL 0 by %c128) role("consumer") warps(16) {
            vortex.stage ["mm"] micro <instruction = "wgmma", rows = 128, vectors = 1, lanes = 64, unroll = 4>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// Barriers lie in shared memory, too.

module attributes {vortex.targets = [#vortex.hw<
  isa = "sm_90a", chip = "test", triple = "nvptx64-nvidia-cuda", cpu = "sm_90a",
  levels = [
    <"device", units = 1, memory = dram, capacity = 40 GiB, bandwidth = 1555, granularity = 32>,
    <"block", units = 108, startup = 3000>,
    <"smem", units = 1, memory = shared, capacity = 227 KiB, bandwidth = 180, granularity = 128>,
    <"warp", units = 4, memory = register, capacity = 64 KiB, granularity = 128>,
    <"register", units = 1, memory = register, capacity = 32640, granularity = 128>
  ],
  instructions = [
    <"wgmma_m64k16_f16", kind = wgmma, type = f16 x f16 -> f32, shape = 64x256x16, rate = 7495>
  ]>]} {
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    vortex.candidate @bad schedule {
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c256) {
        // expected-error @+1 {{needs 5 stages of 49168 bytes (128x64 of f16 + 64x256 of f16 + 2 barriers of 8) = 245840 bytes; level 'smem' of target sm_90a holds 232448}}
        vortex.level "smem" for (TRL 2 by %c64) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c64, <operand = 1, layout = swizzle, axis = 1, together = true> by %c64) stages(5) resident {
          vortex.level "warp" forall () role("producer") warps(4) {
          }
          vortex.level "warp" forall (PL 0 by %c64) role("consumer") warps(8) {
            vortex.stage ["mm"] micro <instruction = "wgmma", rows = 64, vectors = 1, lanes = 256, unroll = 4>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// Registers move between whole groups of warps.

module attributes {vortex.targets = [#vortex.hw<
  isa = "sm_90a", chip = "test", triple = "nvptx64-nvidia-cuda", cpu = "sm_90a",
  levels = [
    <"device", units = 1, memory = dram, capacity = 40 GiB, bandwidth = 1555, granularity = 32>,
    <"block", units = 108, startup = 3000>,
    <"smem", units = 1, memory = shared, capacity = 227 KiB, bandwidth = 180, granularity = 128>,
    <"warp", units = 4, memory = register, capacity = 64 KiB, granularity = 128>,
    <"register", units = 1, memory = register, capacity = 32640, granularity = 128>
  ],
  instructions = [
    <"wgmma_m64k16_f16", kind = wgmma, type = f16 x f16 -> f32, shape = 64x256x16, rate = 7495>
  ]>]} {
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) {
        vortex.level "smem" for (TRL 2 by %c64) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c64, <operand = 1, layout = swizzle, axis = 1, together = true> by %c64) stages(4) resident {
          // expected-error @+1 {{has 1 producer warps; registers move between groups of 4}}
          vortex.level "warp" forall () role("producer") warps(1) {
          }
          vortex.level "warp" forall (PL 0 by %c64) role("consumer") warps(8) {
            vortex.stage ["mm"] micro <instruction = "wgmma", rows = 64, vectors = 1, lanes = 128, unroll = 4>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// Accumulators of all groups fit beside the producers.

module attributes {vortex.targets = [#vortex.hw<
  isa = "sm_90a", chip = "test", triple = "nvptx64-nvidia-cuda", cpu = "sm_90a",
  levels = [
    <"device", units = 1, memory = dram, capacity = 40 GiB, bandwidth = 1555, granularity = 32>,
    <"block", units = 108, startup = 3000>,
    <"smem", units = 1, memory = shared, capacity = 227 KiB, bandwidth = 180, granularity = 128>,
    <"warp", units = 4, memory = register, capacity = 64 KiB, granularity = 128>,
    <"register", units = 1, memory = register, capacity = 32640, granularity = 128>
  ],
  instructions = [
    <"wgmma_m64k16_f16", kind = wgmma, type = f16 x f16 -> f32, shape = 64x256x16, rate = 7495>
  ]>]} {
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    vortex.candidate @bad schedule {
      vortex.level "block" grid (PL 0 by %c256, PL 1 by %c256) {
        vortex.level "smem" for (TRL 2 by %c64) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c64, <operand = 1, layout = swizzle, axis = 1, together = true> by %c64) stages(2) resident {
          vortex.level "warp" forall () role("producer") warps(4) {
          }
          // expected-error @+1 {{keeps 128 accumulators a thread in 16 warps beside 4 producers; the registers of a multiprocessor of target sm_90a do not hold them}}
          vortex.level "warp" forall (PL 0 by %c64) role("consumer") warps(16) {
            vortex.stage ["mm"] micro <instruction = "wgmma", rows = 64, vectors = 1, lanes = 256, unroll = 4>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// Boxes of the result have rows that the swizzle spans.

module attributes {vortex.targets = [#vortex.hw<
  isa = "sm_90a", chip = "test", triple = "nvptx64-nvidia-cuda", cpu = "sm_90a",
  levels = [
    <"device", units = 1, memory = dram, capacity = 40 GiB, bandwidth = 1555, granularity = 32>,
    <"block", units = 108, startup = 3000>,
    <"smem", units = 1, memory = shared, capacity = 227 KiB, bandwidth = 180, granularity = 128>,
    <"warp", units = 4, memory = register, capacity = 64 KiB, granularity = 128>,
    <"register", units = 1, memory = register, capacity = 32640, granularity = 128>
  ],
  instructions = [
    <"wgmma_m64k16_f16", kind = wgmma, type = f16 x f16 -> f32, shape = 64x256x16, rate = 7495>
  ]>]} {
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %c256 = arith.constant 256 : index
    vortex.candidate @bad schedule {
      // expected-error @+1 {{stores boxes with rows of 64 elements = 256 bytes; bulk copies store rows of 128 bytes}}
      vortex.level "block" persistent (PL 0 by %c128, PL 1 by %c256) store(64) {
        vortex.level "smem" for (TRL 2 by %c64) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c64, <operand = 1, layout = swizzle, axis = 1, together = true> by %c64) stages(2) resident {
          vortex.level "warp" forall () role("producer") warps(4) {
          }
          vortex.level "warp" forall (PL 0 by %c64) role("consumer") warps(8) {
            vortex.stage ["mm"] micro <instruction = "wgmma", rows = 64, vectors = 1, lanes = 256, unroll = 4>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// They lie beside the ring.

module attributes {vortex.targets = [#vortex.hw<
  isa = "sm_90a", chip = "test", triple = "nvptx64-nvidia-cuda", cpu = "sm_90a",
  levels = [
    <"device", units = 1, memory = dram, capacity = 40 GiB, bandwidth = 1555, granularity = 32>,
    <"block", units = 108, startup = 3000>,
    <"smem", units = 1, memory = shared, capacity = 227 KiB, bandwidth = 180, granularity = 128>,
    <"warp", units = 4, memory = register, capacity = 64 KiB, granularity = 128>,
    <"register", units = 1, memory = register, capacity = 32640, granularity = 128>
  ],
  instructions = [
    <"wgmma_m64k16_f16", kind = wgmma, type = f16 x f16 -> f32, shape = 64x256x16, rate = 7495>
  ]>]} {
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %c256 = arith.constant 256 : index
    vortex.candidate @bad schedule {
      vortex.level "block" persistent (PL 0 by %c128, PL 1 by %c256) store(32) {
        // expected-error @+1 {{needs 5 stages of 49168 bytes (128x64 of f16 + 64x256 of f16 + 2 barriers of 8) and 32768 for boxes of results = 278608 bytes; level 'smem' of target sm_90a holds 232448}}
        vortex.level "smem" for (TRL 2 by %c64) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c64, <operand = 1, layout = swizzle, axis = 1, together = true> by %c64) stages(5) resident {
          vortex.level "warp" forall () role("producer") warps(4) {
          }
          vortex.level "warp" forall (PL 0 by %c64) role("consumer") warps(8) {
            vortex.stage ["mm"] micro <instruction = "wgmma", rows = 64, vectors = 1, lanes = 256, unroll = 4>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}
