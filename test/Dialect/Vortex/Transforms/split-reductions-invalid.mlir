// RUN: vortex-opt %s --vortex-split-reductions --split-input-file --verify-diagnostics

// Parts are added, and nothing else.
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
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill {vortex.id = "fill"} ins(%zero : f32) outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    vortex.candidate @split schedule {
      // expected-error @+1 {{'vortex.level' op combines by 'max'; parts of a contraction are added}}
      vortex.level "block" grid (PL 0 by %c64, PL 1 by %c64, PL 2 by %c64) combine("max") {
        vortex.level "smem" for (TRL 2 by %c32)
            load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8,
                  <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(3) resident {
          vortex.stage ["fill", "mm"]
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// What copies bring belongs to one part: that is said in steps of a ring.
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
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill {vortex.id = "fill"} ins(%zero : f32) outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    vortex.candidate @split schedule {
      // expected-error @+1 {{'vortex.level' op splits a reduction, and holds no ring that walks it in constant steps}}
      vortex.level "block" grid (PL 0 by %c64, PL 1 by %c64, PL 2 by %c64) combine("add") {
        vortex.stage ["fill", "mm"]
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// A largest product is no contraction.
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
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{'vortex.kernel' op splits a reduction, which needs one result and a contraction of two operands or a sum of elements as the anchor}}
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill {vortex.id = "fill"} ins(%zero : f32) outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.generic {vortex.anchor, vortex.id = "mm", indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
        affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>) outs(%z : tensor<?x?xf32>) {
    ^bb0(%x: f16, %y: f16, %s: f32):
      %q = arith.mulf %x, %y : f16
      %w = arith.extf %q : f16 to f32
      %t = arith.maximumf %s, %w : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    vortex.candidate @split schedule {
      vortex.level "block" grid (PL 0 by %c64, PL 1 by %c64, PL 2 by %c64) combine("add") {
        vortex.level "smem" for (TRL 2 by %c32)
            load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8,
                  <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(3) resident {
          vortex.stage ["fill", "mm"]
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// Blocks are those of a GPU.
module {
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{'vortex.kernel' op splits a reduction among blocks, but no GPU is the first of its targets}}
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill {vortex.id = "fill"} ins(%zero : f32) outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    vortex.candidate @split schedule {
      vortex.level "block" grid (PL 0 by %c64, PL 1 by %c64, PL 2 by %c64) combine("add") {
        vortex.level "smem" for (TRL 2 by %c32)
            load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8,
                  <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(3) resident {
          vortex.stage ["fill", "mm"]
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// Only the length of a part is taken along.
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
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %po: tensor<?x?xf32>):
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill {vortex.id = "fill"} ins(%zero : f32) outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    vortex.candidate @split schedule {
      // expected-error @+1 {{'vortex.level' op splits a reduction, and has tiles whose size is no constant}}
      vortex.level "block" grid (PL 0 by %m, PL 1 by %c64, PL 2 by %c64) combine("add") {
        vortex.level "smem" for (TRL 2 by %c32)
            load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8,
                  <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(3) resident {
          vortex.stage ["fill", "mm"]
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}
