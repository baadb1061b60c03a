// RUN: vortex-opt %s --split-input-file --verify-diagnostics

// A number for each axis of the level.

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
    <"wgmma_m64k16_f16", kind = wgmma, type = f16 x f16 -> f32, shape = 64x256x16, rate = 7495>,
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 4647>
  ]>]} {
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %p = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>] {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      // expected-error @+1 {{has a cluster along 1 axes, but walks 2}}
      vortex.level "block" persistent (PL 0 by %c128, PL 1 by %c128) cluster(2) {
        vortex.level "smem" for (TRL 2 by %c64) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c64, <operand = 1, layout = swizzle, axis = 2, together = true> by %c64) stages(2) resident {
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

// Blocks alone have clusters.

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
    <"wgmma_m64k16_f16", kind = wgmma, type = f16 x f16 -> f32, shape = 64x256x16, rate = 7495>,
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 4647>
  ]>]} {
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %p = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>] {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      vortex.level "block" persistent (PL 0 by %c128, PL 1 by %c128) {
        // expected-error @+1 {{has a cluster, but is no grid or queue of blocks}}
        vortex.level "smem" for (TRL 2 by %c64) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c64, <operand = 1, layout = swizzle, axis = 2, together = true> by %c64) stages(2) resident cluster(2) {
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

// Ranks and masks are bits.

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
    <"wgmma_m64k16_f16", kind = wgmma, type = f16 x f16 -> f32, shape = 64x256x16, rate = 7495>,
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 4647>
  ]>]} {
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %p = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>] {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      // expected-error @+1 {{has a cluster of 3 along axis m; it must be a power of two}}
      vortex.level "block" persistent (PL 0 by %c128, PL 1 by %c128) cluster(3, 1) {
        vortex.level "smem" for (TRL 2 by %c64) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c64, <operand = 1, layout = swizzle, axis = 2, together = true> by %c64) stages(2) resident {
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

// More start together on some chips alone.

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
    <"wgmma_m64k16_f16", kind = wgmma, type = f16 x f16 -> f32, shape = 64x256x16, rate = 7495>,
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 4647>
  ]>]} {
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %p = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>] {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      // expected-error @+1 {{has a cluster of 16 blocks; the limit is 8}}
      vortex.level "block" persistent (PL 0 by %c128, PL 1 by %c128) cluster(16, 1) {
        vortex.level "smem" for (TRL 2 by %c64) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c64, <operand = 1, layout = swizzle, axis = 2, together = true> by %c64) stages(2) resident {
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

// Each block would share with others what the next does not.

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
    <"wgmma_m64k16_f16", kind = wgmma, type = f16 x f16 -> f32, shape = 64x256x16, rate = 7495>,
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 4647>
  ]>]} {
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %p = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>] {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      // expected-error @+1 {{has a cluster along two axes; its blocks share one operand}}
      vortex.level "block" persistent (PL 0 by %c128, PL 1 by %c128) cluster(2, 2) {
        vortex.level "smem" for (TRL 2 by %c64) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c64, <operand = 1, layout = swizzle, axis = 2, together = true> by %c64) stages(2) resident {
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

// Parts of a reduction share nothing.

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
    <"wgmma_m64k16_f16", kind = wgmma, type = f16 x f16 -> f32, shape = 64x256x16, rate = 7495>,
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 4647>
  ]>]} {
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %p = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>] {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      // expected-error @+1 {{has a cluster along reduction axis k}}
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128, PL 2 by %c128) combine("add") cluster(1, 1, 2) {
        vortex.level "smem" for (TRL 2 by %c64) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c64, <operand = 1, layout = swizzle, axis = 2, together = true> by %c64) stages(2) resident {
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

// Who would bring what they share?

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
    <"wgmma_m64k16_f16", kind = wgmma, type = f16 x f16 -> f32, shape = 64x256x16, rate = 7495>,
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 4647>
  ]>]} {
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %p = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>] {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      // expected-error @+1 {{has a cluster, but no level of producers inside, which bring what its blocks share}}
      vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) cluster(2, 1) {
        vortex.level "smem" for (TRL 2 by %c64) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8, <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(2) resident {
          vortex.level "warp" forall (PL 0 by %c64, PL 1 by %c64) {
            vortex.stage ["mm"] micro <instruction = "mma_sync", rows = 64, vectors = 8, lanes = 8, unroll = 4>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// A part of a box has whole patterns of the swizzle: others would lie in another one.

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
    <"wgmma_m64k16_f16", kind = wgmma, type = f16 x f16 -> f32, shape = 64x256x16, rate = 7495>,
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 4647>
  ]>]} {
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %p = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>] {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    vortex.candidate @bad schedule {
      vortex.level "block" persistent (PL 0 by %c128, PL 1 by %c24) cluster(2, 1) {
        // expected-error @+1 {{of 24 rows, of which each of 2 blocks of a cluster brings a part; that is a multiple of 8}}
        vortex.level "smem" for (TRL 2 by %c64) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c64, <operand = 1, layout = swizzle, axis = 2, together = true> by %c64) stages(2) resident {
          vortex.level "warp" forall () role("producer") warps(4) {
          }
          vortex.level "warp" forall (PL 0 by %c64) role("consumer") warps(8) {
            vortex.stage ["mm"] micro <instruction = "wgmma", rows = 64, vectors = 1, lanes = 24, unroll = 4>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}
