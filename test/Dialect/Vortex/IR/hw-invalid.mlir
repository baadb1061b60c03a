// RUN: vortex-opt %s --split-input-file --verify-diagnostics

// -----

// Zero and negative counts.
// expected-error@+1 {{level 'core': 'units' must be at least 1, got 0}}
#bad = #vortex.hw_level<"core", units = 0>

// -----

// expected-error@+1 {{level 'core': 'units' must be at least 1, got -2}}
#bad = #vortex.hw_level<"core", units = -2>

// -----

// expected-error@+1 {{level 'core': 'units' must be a whole number below 2^53}}
#bad = #vortex.hw_level<"core", units = 1.5>

// -----

// expected-error@+1 {{level 'l2': 'capacity' must be at least 1, got 0}}
#bad = #vortex.hw_level<"l2", units = 1, memory = cache, capacity = 0, bandwidth = 1, granularity = 64>

// -----

// expected-error@+1 {{level 'l2': 'capacity' must be at least 1, got -4096}}
#bad = #vortex.hw_level<"l2", units = 1, memory = cache, capacity = -4 KiB, bandwidth = 1, granularity = 64>

// -----

// expected-error@+1 {{level 'l2': 'bandwidth' must be positive, got 0}}
#bad = #vortex.hw_level<"l2", units = 1, memory = cache, capacity = 4 KiB, bandwidth = 0, granularity = 64>

// -----

// expected-error@+1 {{level 'l2': 'bandwidth' must not be negative, got -2.5}}
#bad = #vortex.hw_level<"l2", units = 1, memory = cache, capacity = 4 KiB, bandwidth = -2.5, granularity = 64>

// -----

// expected-error@+1 {{level 'l2': 'granularity' must be at least 1, got 0}}
#bad = #vortex.hw_level<"l2", units = 1, memory = cache, capacity = 4 KiB, bandwidth = 1, granularity = 0>

// -----

// expected-error@+1 {{level 'l2': 'granularity' of 64 bytes exceeds the capacity of 32 bytes}}
#bad = #vortex.hw_level<"l2", units = 1, memory = cache, capacity = 32, bandwidth = 1, granularity = 64>

// -----

// expected-error@+1 {{level 'core': 'call' must not be negative, got -2}}
#bad = #vortex.hw_level<"core", units = 1, call = -2>

// -----

// expected-error@+1 {{level 'core': 'startup' must not be negative, got -1}}
#bad = #vortex.hw_level<"core", units = 1, startup = -1>

// -----

// expected-error@+1 {{level 'l2': 'capacity' must be a whole number below 2^53}}
#bad = #vortex.hw_level<"l2", units = 1, memory = cache, capacity = 9000000 GiB, bandwidth = 1, granularity = 64>

// -----

// What cannot be read as a number.
// expected-error@+1 {{expected a number}}
#bad = #vortex.hw_level<"l2", units = 1, memory = cache, capacity = many, bandwidth = 1, granularity = 64>

// -----

// expected-error@+1 {{expected a number}}
#bad = #vortex.hw_level<"l2", units = 1, memory = cache, capacity = true, bandwidth = 1, granularity = 64>

// -----

// Alignment.
// expected-error@+1 {{level 'l2': 'alignment' must be a power of two, got 48}}
#bad = #vortex.hw_level<"l2", units = 1, memory = cache, capacity = 4 KiB, bandwidth = 1, granularity = 64, alignment = 48>

// -----

// expected-error@+1 {{level 'l2': 'alignment' must be a power of two, got 48}}
#bad = #vortex.hw_level<"l2", units = 1, memory = cache, capacity = 4 KiB, bandwidth = 1, granularity = 48>

// -----

// Ways of caches alone.
// expected-error@+1 {{level 'l2': 128 ways of 64 bytes exceed the capacity of 4096 bytes}}
#bad = #vortex.hw_level<"l2", units = 1, memory = cache, capacity = 4 KiB, bandwidth = 1, granularity = 64, ways = 128>

// -----

// expected-error@+1 {{level 'device' has dram memory, which has no 'ways'}}
#bad = #vortex.hw_level<"device", units = 1, memory = dram, capacity = 4 KiB, bandwidth = 1, granularity = 64, ways = 4>

// -----

// expected-error@+1 {{level 'shared' has shared memory, which has no 'touched'}}
#bad = #vortex.hw_level<"shared", units = 1, memory = shared, capacity = 4 KiB, bandwidth = 1, granularity = 64, touched = 1>

// -----

// expected-error@+1 {{level 'register' has register memory, which has no 'exposed'}}
#bad = #vortex.hw_level<"register", units = 1, memory = register, capacity = 4 KiB, granularity = 64, exposed = 1>

// -----

// expected-error@+1 {{level 'device' has dram memory, which has no 'scattered'}}
#bad = #vortex.hw_level<"device", units = 1, memory = dram, capacity = 4 KiB, bandwidth = 1, granularity = 64, scattered = 1>

// -----

// expected-error@+1 {{level 'device' has dram memory, which has no 'merged'}}
#bad = #vortex.hw_level<"device", units = 1, memory = dram, capacity = 4 KiB, bandwidth = 1, granularity = 64, merged = 1>

// -----

// expected-error@+1 {{level 'device': 'touched' of 4 GB/s exceeds the bandwidth of 2 GB/s of all readers together}}
#bad = #vortex.hw_level<"device", units = 1, memory = dram, capacity = 4 KiB, bandwidth = 2, granularity = 64, touched = 4>

// -----

// expected-error@+1 {{level 'device' has dram memory, which has no 'translation'}}
#bad = #vortex.hw_level<"device", units = 1, memory = dram, capacity = 4 KiB, bandwidth = 1, granularity = 64, translation = 4>

// -----

// expected-error@+1 {{level 'core' has no memory, so no 'ways'}}
#bad = #vortex.hw_level<"core", units = 1, ways = 4>

// -----

// Fields that are unknown, missing, given twice or out of place.
// expected-error@+1 {{level 'core': unknown field 'color'; expected memory, units, capacity}}
#bad = #vortex.hw_level<"core", units = 1, color = 3>

// -----

// expected-error@+1 {{level 'core' gives 'units' more than once}}
#bad = #vortex.hw_level<"core", units = 1, units = 2>

// -----

// expected-error@+1 {{level 'core' needs 'units'}}
#bad = #vortex.hw_level<"core", startup = 1>

// -----

// expected-error@+1 {{level 'l1' has cache memory and needs 'bandwidth'}}
#bad = #vortex.hw_level<"l1", units = 1, memory = cache, capacity = 4 KiB, granularity = 64>

// -----

// expected-error@+1 {{level 'l1' has cache memory and needs 'capacity'}}
#bad = #vortex.hw_level<"l1", units = 1, memory = cache, bandwidth = 4, granularity = 64>

// -----

// expected-error@+1 {{level 'l1' has cache memory and needs 'granularity'}}
#bad = #vortex.hw_level<"l1", units = 1, memory = cache, capacity = 4 KiB, bandwidth = 4>

// -----

// expected-error@+1 {{level 'core' has no memory, so no 'capacity'}}
#bad = #vortex.hw_level<"core", units = 1, capacity = 64>

// -----

// expected-error@+1 {{level 'core': unknown memory kind 'core'; expected none, dram, cache, shared or register}}
#bad = #vortex.hw_level<"core", units = 1, memory = core>

// -----

// expected-error@+1 {{level 'register': 'capacity' of 100 bytes is not a whole number of registers of 32 bytes}}
#bad = #vortex.hw_level<"register", units = 1, memory = register, capacity = 100, granularity = 32>

// -----

// expected-error@+1 {{level 'l2': 'stream' of 11 GB/s exceeds the bandwidth of 10 GB/s of all readers together}}
#bad = #vortex.hw_level<"l2", units = 1, memory = cache, capacity = 4 KiB, bandwidth = 10, stream = 11, granularity = 64>

// -----

// Names become parts of keys.
// expected-error@+1 {{level name must be letters, digits, '_' or '-', got 'l2.x'}}
#bad = #vortex.hw_level<"l2.x", units = 1>

// -----

// Instructions.
// expected-error@+1 {{instruction 'fma': unknown kind 'madd'; expected fma, dot, tile, mma_sync, wgmma, mfma or simt}}
#bad = #vortex.hw_instruction<"fma", kind = madd, type = f32 x f32 -> f32, shape = 1x8x1, rate = 1>

// -----

// expected-error@+1 {{instruction 'fma': 'rate' must be positive, got 0}}
#bad = #vortex.hw_instruction<"fma", kind = fma, type = f32 x f32 -> f32, shape = 1x8x1, rate = 0>

// -----

// expected-error@+1 {{instruction 'fma': 'rate' must be positive, got -3.5}}
#bad = #vortex.hw_instruction<"fma", kind = fma, type = f32 x f32 -> f32, shape = 1x8x1, rate = -3.5>

// -----

// expected-error@+1 {{instruction 'fma': extents of 'shape' must be at least 1, got 1x0x1}}
#bad = #vortex.hw_instruction<"fma", kind = fma, type = f32 x f32 -> f32, shape = 1x0x1, rate = 1>

// -----

// expected-error@+1 {{instruction 'fma': 'shape' must be m x n x k}}
#bad = #vortex.hw_instruction<"fma", kind = fma, type = f32 x f32 -> f32, shape = 8x1, rate = 1>

// -----

// expected-error@+1 {{instruction 'fma': 'type' needs integer or floating-point element types}}
#bad = #vortex.hw_instruction<"fma", kind = fma, type = index x f32 -> f32, shape = 1x8x1, rate = 1>

// -----

// expected-error@+1 {{instruction 'fma': 'registers' must not be negative, got -1}}
#bad = #vortex.hw_instruction<"fma", kind = fma, type = f32 x f32 -> f32, shape = 1x8x1, rate = 1, registers = -1>

// -----

// expected-error@+1 {{instruction 'fma': unknown field 'cycles'; expected kind}}
#bad = #vortex.hw_instruction<"fma", kind = fma, type = f32 x f32 -> f32, shape = 1x8x1, rate = 1, cycles = 4>

// -----

// expected-error@+1 {{instruction 'fma': 'latency' must not be negative, got -1}}
#bad = #vortex.hw_instruction<"fma", kind = fma, type = f32 x f32 -> f32, shape = 1x8x1, rate = 1, latency = -1>

// -----

// expected-error@+1 {{instruction 'mfma_f32_16x16x16f16': 'shape' is 32x32x8, and that of the op with this name 16x16x16}}
#bad = #vortex.hw_instruction<"mfma_f32_16x16x16f16", kind = mfma, type = f16 x f16 -> f32, shape = 32x32x8, rate = 1>

// -----

// expected-error@+1 {{instruction 'mfma_f32_16x16x16bf16_1k': 'type' is 'f16' x 'f16' -> 'f32', and the op with this name has bf16 x bf16 -> f32}}
#bad = #vortex.hw_instruction<"mfma_f32_16x16x16bf16_1k", kind = mfma, type = f16 x f16 -> f32, shape = 16x16x16, rate = 1>

// -----

// expected-error@+1 {{instruction 'mfma_f32_16x16x32_bf8_fp8': 'type' is 'f8E4M3FNUZ' x 'f8E5M2FNUZ' -> 'f32', and the op with this name has bf8 x fp8 -> f32}}
#bad = #vortex.hw_instruction<"mfma_f32_16x16x32_bf8_fp8", kind = mfma, type = f8E4M3FNUZ x f8E5M2FNUZ -> f32, shape = 16x16x32, rate = 1>

// -----

// expected-error@+1 {{instruction 'mfma_i32_16x16x32_i8': 'type' is 'i8' x 'i8' -> 'f32', and the op with this name has i8 x i8 -> i32}}
#bad = #vortex.hw_instruction<"mfma_i32_16x16x32_i8", kind = mfma, type = i8 x i8 -> f32, shape = 16x16x32, rate = 1>

// -----

// expected-error@+1 {{instruction 'v_mfma_f32': the name of an mfma is that of its ROCDL op, with '_' for its dots: mfma_f32_16x16x16f16}}
#bad = #vortex.hw_instruction<"v_mfma_f32", kind = mfma, type = f32 x f32 -> f32, shape = 16x16x4, rate = 1>

// -----

// The processor of a description has other names: one of another generation,
// one that is nobody's.
#bad = #vortex.hw<isa = "gfx90a", triple = "amdgcn-amd-amdhsa", cpu = "gfx90a",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 1, granularity = 64>,
    <"block", units = 1>,
    <"smem", units = 1, memory = shared, capacity = 64 KiB, bandwidth = 1, granularity = 128>,
    <"warp", units = 1, memory = register, capacity = 1 KiB, granularity = 256>,
    <"register", units = 1, memory = register, capacity = 1 KiB, granularity = 256>
  ],
  instructions = [
    <"mfma_f32_16x16x16f16", kind = mfma, type = f16 x f16 -> f32, shape = 16x16x16, rate = 1>,
    // expected-error@+1 {{instruction 'mfma_f32_16x16x8_xf32' is none of gfx90a, which has mfma_f32_16x16x16bf16_1k, mfma_f32_16x16x16f16,}}
    <"mfma_f32_16x16x8_xf32", kind = mfma, type = tf32 x tf32 -> f32, shape = 16x16x8, rate = 1>
  ]>

// -----

// Processors without any, and ones that nobody made.
#bad = #vortex.hw<isa = "gfx1100", triple = "amdgcn-amd-amdhsa", cpu = "gfx1100",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 1, granularity = 64>,
    <"block", units = 1>,
    <"smem", units = 1, memory = shared, capacity = 64 KiB, bandwidth = 1, granularity = 128>,
    <"warp", units = 1, memory = register, capacity = 1 KiB, granularity = 256>,
    <"register", units = 1, memory = register, capacity = 1 KiB, granularity = 256>
  ],
  instructions = [
    // expected-error@+1 {{instruction 'mfma_f32_16x16x16f16' is none of gfx1100, which LLVM knows no mfma of}}
    <"mfma_f32_16x16x16f16", kind = mfma, type = f16 x f16 -> f32, shape = 16x16x16, rate = 1>
  ]>

// -----

// Names that LLVM's code generator would end the process at, or repeat for each function.
// expected-error@+1 {{LLVM knows no processor 'gfx9999' of amdgcn; did you mean 'gfx9}}
#bad = #vortex.hw<isa = "gfx9999", triple = "amdgcn-amd-amdhsa", cpu = "gfx9999",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 1, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 1 KiB, granularity = 256>
  ]>

// -----

// expected-error@+1 {{LLVM knows no feature '-avx3' of x86_64; did you mean 'avx}}
#bad = #vortex.hw<isa = "x86-avx2", triple = "x86_64-unknown-linux-gnu", features = "+avx2,-avx3",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 30, granularity = 64>,
    <"core", units = 4>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 90, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 512, granularity = 32>
  ]>

// -----

// expected-error@+1 {{'triple' must be of x86-64 with ELF files for isa 'x86-avx2', as x86_64-unknown-linux-gnu, got 'aarch64-unknown-linux-gnu'}}
#bad = #vortex.hw<isa = "x86-avx2", triple = "aarch64-unknown-linux-gnu",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 30, granularity = 64>,
    <"core", units = 4>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 90, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 512, granularity = 32>
  ]>

// -----

// expected-error@+1 {{'triple' must be of nvptx64 for isa 'sm_80', as nvptx64-nvidia-cuda, got 'x86_64-unknown-linux-gnu'}}
#bad = #vortex.hw<isa = "sm_80", triple = "x86_64-unknown-linux-gnu",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 1, granularity = 64>,
    <"block", units = 1>,
    <"smem", units = 1, memory = shared, capacity = 64 KiB, bandwidth = 1, granularity = 128>,
    <"warp", units = 1, memory = register, capacity = 1 KiB, granularity = 256>,
    <"register", units = 1, memory = register, capacity = 1 KiB, granularity = 256>
  ]>

// -----

// Tiles grow until registers end.
#bad = #vortex.hw<isa = "x86-avx2", triple = "x86_64-unknown-linux-gnu",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 30, granularity = 64>,
    <"core", units = 4>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 90, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    // expected-error@+1 {{level 'register': 1024 registers of 32 bytes; instructions of x86-64 name 32 of 64 bytes at most}}
    <"register", units = 1, memory = register, capacity = 32 KiB, granularity = 32>
  ]>

// -----

#bad = #vortex.hw<isa = "gfx942", triple = "amdgcn-amd-amdhsa", cpu = "gfx942",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 1, granularity = 64>,
    <"block", units = 1>,
    <"smem", units = 1, memory = shared, capacity = 64 KiB, bandwidth = 1, granularity = 128>,
    <"warp", units = 1, memory = register, capacity = 1 KiB, granularity = 256>,
    <"register", units = 1, memory = register, capacity = 1 KiB, granularity = 256>
  ],
  instructions = [
    // expected-error@+1 {{instruction 'mfma_f32_16x16x16f16_1k' is none of gfx942, which has}}
    <"mfma_f32_16x16x16f16_1k", kind = mfma, type = f16 x f16 -> f32, shape = 16x16x16, rate = 1>
  ]>

// -----

// expected-error@+1 {{level 'smem': 'granularity' of 128 bytes is not a whole number of bytes of each of 33 banks}}
#bad = #vortex.hw_level<"smem", units = 1, memory = shared, capacity = 64 KiB, bandwidth = 1, granularity = 128, ways = 33>

// -----

// expected-error@+1 {{instruction 'fma' gives 'rate' more than once}}
#bad = #vortex.hw_instruction<"fma", kind = fma, type = f32 x f32 -> f32, shape = 1x8x1, rate = 1, rate = 4>

// -----

// expected-error@+1 {{instruction 'fma' needs 'rate'}}
#bad = #vortex.hw_instruction<"fma", kind = fma, type = f32 x f32 -> f32, shape = 1x8x1>

// -----

// A level that passes look for is missing.
#bad = #vortex.hw<
  isa = "x86-avx2", triple = "t",
  // expected-error@+1 {{level 'l2' is missing; x86-avx2 needs device, core, l2, l1, register, from the outside in}}
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 30, granularity = 64>,
    <"core", units = 4>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 512, granularity = 32>
  ]>

// -----

#bad = #vortex.hw<
  isa = "x86-avx2", triple = "t",
  // expected-error@+1 {{level 'register' is missing}}
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 30, granularity = 64>,
    <"core", units = 4>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 90, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>
  ]>

// -----

#bad = #vortex.hw<
  isa = "sm_80", triple = "t",
  // expected-error@+1 {{level 'block' is missing; sm_80 needs device, block, smem, warp, register, from the outside in}}
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 30, granularity = 64>,
    <"core", units = 4>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 90, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 512, granularity = 32>
  ]>

// -----

// Out of order.
#bad = #vortex.hw<
  isa = "x86-avx2", triple = "t",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 30, granularity = 64>,
    <"core", units = 4>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    // expected-error@+1 {{level 'l2' holds 1048576 bytes, more than the 32768 bytes of level 'l1' outside it}}
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 90, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 512, granularity = 32>
  ]>

// -----

#bad = #vortex.hw<
  isa = "x86-avx2", triple = "t",
  levels = [
    // expected-error@+1 {{level 'core' stands outside level 'device'}}
    <"core", units = 4>,
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 30, granularity = 64>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 90, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 512, granularity = 32>
  ]>

// -----

// A level that holds less than the level inside it.
#bad = #vortex.hw<
  isa = "x86-avx2", triple = "t",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 30, granularity = 64>,
    <"core", units = 4>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 90, granularity = 64>,
    // expected-error@+1 {{level 'l1' holds 2097152 bytes, more than the 1048576 bytes of level 'l2' outside it}}
    <"l1", units = 1, memory = cache, capacity = 2 MiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 512, granularity = 32>
  ]>

// -----

// Twice the same level.
#bad = #vortex.hw<
  isa = "x86-avx2", triple = "t",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 30, granularity = 64>,
    <"core", units = 4>,
    // expected-error@+1 {{level 'core' is described more than once}}
    <"core", units = 2>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 90, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 512, granularity = 32>
  ]>

// -----

#bad = #vortex.hw<
  isa = "x86-avx2", triple = "t",
  levels = [
    // expected-error@+1 {{the outermost level must be 'device', got 'rack'}}
    <"rack", units = 2>,
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 30, granularity = 64>,
    <"core", units = 4>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 90, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 512, granularity = 32>
  ]>

// -----

#bad = #vortex.hw<
  isa = "x86-avx2", triple = "t",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 30, granularity = 64>,
    <"core", units = 4>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 90, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 512, granularity = 32>,
    // expected-error@+1 {{the innermost level must be 'register' with register memory}}
    <"lane", units = 8>
  ]>

// -----

// Instructions of a machine.
#bad = #vortex.hw<
  isa = "x86-avx2", triple = "t", features = "+avx2,-fma",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 30, granularity = 64>,
    <"core", units = 4>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 90, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 512, granularity = 32>
  ],
  instructions = [
    // expected-error@+1 {{instruction 'f' needs feature 'fma', which 'features' does not have}}
    <"f", kind = fma, type = f32 x f32 -> f32, shape = 1x8x1, rate = 1, feature = "fma">
  ]>

// -----

#bad = #vortex.hw<
  isa = "x86-avx2", triple = "t",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 30, granularity = 64>,
    <"core", units = 4>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 90, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 512, granularity = 32>
  ],
  instructions = [
    <"f", kind = fma, type = f32 x f32 -> f32, shape = 1x8x1, rate = 1>,
    // expected-error@+1 {{instruction 'f' is described more than once}}
    <"f", kind = fma, type = f32 x f32 -> f32, shape = 1x8x1, rate = 1>
  ]>

// -----

#bad = #vortex.hw<
  isa = "x86-avx2", triple = "t",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 30, granularity = 64>,
    <"core", units = 4>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 90, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 512, granularity = 32>
  ],
  instructions = [
    <"f", kind = fma, type = f32 x f32 -> f32, shape = 1x8x1, rate = 1>,
    // expected-error@+1 {{instruction 'g' has kind and types of instruction 'f'}}
    <"g", kind = fma, type = f32 x f32 -> f32, shape = 1x8x1, rate = 1>
  ]>

// -----

// Fields of the description.
// expected-error@+2 {{'features' must be +name or -name, separated by commas, got 'avx2'}}
#bad = #vortex.hw<
  isa = "x86-avx2", triple = "t", features = "avx2",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 30, granularity = 64>,
    <"core", units = 4>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 90, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 512, granularity = 32>
  ]>

// -----

// expected-error@+2 {{hardware description: unknown field 'vendor'; expected isa, chip, triple, cpu, features, levels or instructions}}
#bad = #vortex.hw<
  isa = "x86-avx2", triple = "t", vendor = "x",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 30, granularity = 64>,
    <"core", units = 4>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 90, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 512, granularity = 32>
  ]>

// -----

// expected-error@+2 {{hardware description gives 'isa' more than once}}
#bad = #vortex.hw<
  isa = "x86-avx2", triple = "t", isa = "b",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 30, granularity = 64>,
    <"core", units = 4>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 90, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 512, granularity = 32>
  ]>

// -----

// Without a triple the whole is at fault.
// expected-error@+1 {{hardware description needs 'triple'}}
#bad = #vortex.hw<isa = "x86-avx2", levels = []>

// -----

// What carries the descriptions.
// expected-error@+1 {{attribute 'vortex.targets' must be a non-empty array of #vortex.hw}}
module attributes {vortex.targets = []} {}

// -----

// The error stands at the field, not at the level.
#bad = #vortex.hw_level<"l2", units = 1, memory = cache,
  // expected-error@+1 {{level 'l2': 'capacity' must be at least 1, got 0}}
  capacity = 0 KiB,
  bandwidth = 100, granularity = 64>
