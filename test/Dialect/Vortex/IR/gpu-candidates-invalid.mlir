// RUN: vortex-opt %s --split-input-file --verify-diagnostics

// Shared memory: bytes, formula, limit and level.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    vortex.candidate @bad schedule {
      vortex.level "block" grid (PL 0 by %c256, PL 1 by %c256) {
        // expected-error @+1 {{needs 4 stages of 65536 bytes (256x64 of f16 + 64x256 of f16) = 262144 bytes; level 'smem' of target sm_80 holds 166912}}
        vortex.level "smem" for (TRL 2 by %c64) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8, <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(4) resident {
          vortex.level "warp" forall (PL 0 by %c64, PL 1 by %c64) {
            vortex.stage ["mm"] micro <instruction = "mma_sync", rows = 64, vectors = 8, lanes = 8>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// Threads of a block.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    vortex.candidate @bad schedule {
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c256) {
        vortex.level "smem" for (TRL 2 by %c32) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8, <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(2) resident {
          // expected-error @+1 {{needs 64 warps = 2048 threads in a block; the limit is 1024}}
          vortex.level "warp" forall (PL 0 by %c32, PL 1 by %c16) {
            vortex.stage ["mm"] micro <instruction = "mma_sync", rows = 32, vectors = 2, lanes = 8>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// A tile that its units do not divide.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) {
        vortex.level "smem" for (TRL 2 by %c32) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8, <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(4) resident {
          // expected-error @+1 {{divides the tile of 128 of axis m among units by 48, which does not divide it}}
          vortex.level "warp" forall (PL 0 by %c48, PL 1 by %c64) {
            vortex.stage ["mm"] micro <instruction = "mma_sync", rows = 48, vectors = 8, lanes = 8>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// Registers.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    vortex.candidate @bad schedule {
      vortex.level "block" grid (PL 0 by %c256, PL 1 by %c256) {
        vortex.level "smem" for (TRL 2 by %c32) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8, <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(2) resident {
          vortex.level "warp" forall (PL 0 by %c128, PL 1 by %c256) {
            // expected-error @+1 {{keeps 128x256 accumulators of 'f32' in 32 threads = 4096 bytes a thread; level 'register' of target sm_80 holds 1020}}
            vortex.stage ["mm"] micro <instruction = "mma_sync", rows = 128, vectors = 32, lanes = 8>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// The tile of the reduction is no multiple of the instruction.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) {
        vortex.level "smem" for (TRL 2 by %c8) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8, <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(2) resident {
          vortex.level "warp" forall (PL 0 by %c64, PL 1 by %c64) {
            // expected-error @+1 {{has a tile of 8 of axis k, which instruction 'mma_m16n8k16_f16' of target sm_80 covers in steps of 16}}
            vortex.stage ["mm"] micro <instruction = "mma_sync", rows = 64, vectors = 8, lanes = 8>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// Rows of the tile are no multiple of the instruction.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      vortex.level "block" grid (PL 0 by %c24, PL 1 by %c128) {
        vortex.level "smem" for (TRL 2 by %c32) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8, <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(4) resident {
          vortex.level "warp" forall (PL 0 by %c24, PL 1 by %c64) {
            // expected-error @+1 {{has a tile of 24 of axis m, which instruction 'mma_m16n8k16_f16' of target sm_80 covers in steps of 16}}
            vortex.stage ["mm"] micro <instruction = "mma_sync", rows = 24, vectors = 8, lanes = 8>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// The micro-kernel is not the tile of its level.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) {
        vortex.level "smem" for (TRL 2 by %c32) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8, <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(4) resident {
          vortex.level "warp" forall (PL 0 by %c64, PL 1 by %c64) {
            // expected-error @+1 {{has a micro-kernel with rows = 32 in a tile of 64 of axis m}}
            vortex.stage ["mm"] micro <instruction = "mma_sync", rows = 32, vectors = 8, lanes = 8>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// An instruction the target lacks.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
  ]>]} {
func.func @f(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"]
      ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xbf16>, %pb: tensor<?x?xbf16>, %po: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xbf16>, tensor<?x?xbf16>)
        outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) {
        vortex.level "smem" for (TRL 2 by %c32) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8, <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(4) resident {
          vortex.level "warp" forall (PL 0 by %c64, PL 1 by %c64) {
            // expected-error @+1 {{uses 'mma_sync' for 'bf16' x 'bf16' -> 'f32', which target sm_80 does not have}}
            vortex.stage ["mm"] micro <instruction = "mma_sync", rows = 64, vectors = 8, lanes = 8>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// Rows that cannot be swizzled.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c48) {
        // expected-error @+1 {{swizzles input 1 in rows of 96 bytes; rows must be a power of two times 16 bytes}}
        vortex.level "smem" for (TRL 2 by %c32) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8, <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(4) resident {
          vortex.level "warp" forall (PL 0 by %c64, PL 1 by %c16) {
            vortex.stage ["mm"] micro <instruction = "mma_sync", rows = 64, vectors = 2, lanes = 8>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// A run longer than a unit of the swizzle.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) {
        // expected-error @+1 {{moves input 0 in runs of 16 elements; a run must be a power of two and at most 16 bytes}}
        vortex.level "smem" for (TRL 2 by %c32) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c16, <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(4) resident {
          vortex.level "warp" forall (PL 0 by %c64, PL 1 by %c64) {
            vortex.stage ["mm"] micro <instruction = "mma_sync", rows = 64, vectors = 8, lanes = 8>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// A ring needs something in it.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) {
        // expected-error @+1 {{has a ring of 4 stages, but loads nothing into it}}
        vortex.level "smem" for (TRL 2 by %c32) stages(4) resident {
          vortex.stage ["mm"]
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// A ring is filled by all units.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) {
        // expected-error @+1 {{has a ring of 4 stages, but input 0 is not loaded together}}
        vortex.level "smem" for (TRL 2 by %c32) load (<operand = 0, layout = swizzle, axis = 2> by %c8) stages(4) resident {
          vortex.stage ["mm"]
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// A ring lies in shared memory.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) {
        // expected-error @+1 {{has a ring of 4 stages, but level 'register' of target sm_80 has memory 'register', not 'shared'}}
        vortex.level "register" for (TRL 2 by %c32) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8) stages(4) resident {
          vortex.stage ["mm"]
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// Roles stand under a ring.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
      vortex.level "block" persistent (PL 0 by %c128, PL 1 by %c128) {
        // expected-error @+1 {{has role 'producer', but level 'block' around it has no ring of loads to hand over}}
        vortex.level "warp" forall () role("producer") warps(1) {
        }
        vortex.level "warp" forall (PL 0 by %c64) role("consumer") warps(4) {
          vortex.stage ["mm"]
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// Roles need a level that they share.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    vortex.candidate @bad schedule {
      // expected-error @+1 {{has role 'consumer', but no level around it that producers and consumers share}}
      vortex.level "warp" forall (PL 0 by %c64) role("consumer") warps(4) {
        vortex.stage ["mm"]
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// A consumer needs a producer.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      vortex.level "block" persistent (PL 0 by %c128, PL 1 by %c128) {
        vortex.level "smem" for (TRL 2 by %c32) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8, <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(4) resident {
          // expected-error @+1 {{has role 'consumer', but level 'smem' holds no producer}}
          vortex.level "warp" forall (PL 0 by %c64) role("consumer") warps(4) {
            vortex.stage ["mm"]
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// A producer only loads.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      vortex.level "block" persistent (PL 0 by %c128, PL 1 by %c128) {
        vortex.level "smem" for (TRL 2 by %c32) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8, <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(4) resident {
          // expected-error @+1 {{is a producer, which loads, and cannot hold a vortex.stage}}
          vortex.level "warp" forall () role("producer") warps(1) {
            vortex.stage ["mm"]
          }
          vortex.level "warp" forall (PL 0 by %c64) role("consumer") warps(4) {
            vortex.stage ["mm"]
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// A role needs its number of warps.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      vortex.level "block" persistent (PL 0 by %c128, PL 1 by %c128) {
        vortex.level "smem" for (TRL 2 by %c32) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8, <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(4) resident {
          // expected-error @+1 {{has role 'producer' and needs its number of warps}}
          vortex.level "warp" forall () role("producer") {
          }
          vortex.level "warp" forall (PL 0 by %c64) role("consumer") warps(4) {
            vortex.stage ["mm"]
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// Warps of all roles share the block.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      vortex.level "block" persistent (PL 0 by %c128, PL 1 by %c128) {
        // expected-error @+1 {{needs 16 producer warps + 20 consumer warps = 1152 threads in a block; the limit is 1024}}
        vortex.level "smem" for (TRL 2 by %c32) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8, <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(4) resident {
          vortex.level "warp" forall () role("producer") warps(16) {
          }
          vortex.level "warp" forall (PL 0 by %c64) role("consumer") warps(20) {
            vortex.stage ["mm"]
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// A split reduction is combined.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    vortex.candidate @bad schedule {
      // expected-error @+1 {{splits reduction axis "k" among parallel units without a combine}}
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128, PL 2 by %c512) {
        vortex.stage ["mm"]
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// Only a split reduction is combined.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      // expected-error @+1 {{has combine 'add', but splits no reduction axis among parallel units}}
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) combine("add") {
        vortex.stage ["mm"]
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// Combines have names.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    vortex.candidate @bad schedule {
      // expected-error @+1 {{combines by 'xor'; known are add, mul, min and max}}
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128, PL 2 by %c512) combine("xor") {
        vortex.stage ["mm"]
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// Stores are of whole elements.

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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      // expected-error @+1 {{stores runs of 0 elements}}
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) store(0) {
        vortex.stage ["mm"]
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// Registers of a tile on scalar units.
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
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 2889>
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
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) {
        // expected-error @+1 {{keeps 128x128 accumulators of 'f32' in 32 threads = 2048 bytes a thread; level 'register' of target sm_80 holds 1020}}
        vortex.stage ["mm"] micro <instruction = "simt", rows = 128, vectors = 4, lanes = 32>
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}
