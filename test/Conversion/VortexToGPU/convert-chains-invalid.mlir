// RUN: vortex-opt %s --split-input-file --verify-diagnostics --vortex-convert-to-nvvm

// Chains that device code does not exist for.

// A warp has the rows of one instruction.
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
    %cw = arith.constant 32 : index
    %ck = arith.constant 64 : index
    %ci = arith.constant 64 : index
    %cn = arith.constant 64 : index
    vortex.candidate @running schedule {
      vortex.level "block" grid (PL 0 by %cm, PL 1 by %cn) {
        vortex.level "smem" for (TRL 2 by %ck, TRL 3 by %ci)
            load (<operand = 1, layout = swizzle, axis = 3, together = true> by %c8, <operand = 2, layout = swizzle, axis = 1, together = true> by %c8) stages(2) resident {
          // expected-error @+1 {{has 32 rows; a warp that runs a chain has 16}}
          vortex.level "warp" forall (PL 0 by %cw) {
            vortex.stage ["s0", "s"] micro <instruction = "mma_sync", rows = 32, vectors = 8, lanes = 8>
            vortex.stage ["p"]
            vortex.stage ["w"] micro <instruction = "mma_sync", rows = 32, vectors = 8, lanes = 8>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// Each product is a micro-kernel.
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
          // expected-error @+1 {{must hold a stage with each product as its micro-kernel}}
          vortex.level "warp" forall (PL 0 by %cw) {
            vortex.stage ["p"]
            vortex.stage ["w"] micro <instruction = "mma_sync", rows = 16, vectors = 8, lanes = 8>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// The ring has stages.
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
        // expected-error @+1 {{must be a sequential loop with a ring of two or more stages of two inputs and resident sums}}
        vortex.level "smem" for (TRL 2 by %ck, TRL 3 by %ci)
            load (<operand = 1, layout = swizzle, axis = 3, together = true> by %c8, <operand = 2, layout = swizzle, axis = 1, together = true> by %c8) stages(1) resident {
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
}
