// AMD Instinct MI210: one die of the CDNA 2 generation.
//
// Sources: AMD Instinct MI210 data sheet, AMD CDNA 2 architecture white paper,
// MI200 instruction set architecture reference guide, AMD matrix instruction
// calculator (where lanes have the elements of an mfma), LLVM's user guide of the
// AMDGPU backend. Rates are the data sheet's peaks divided by the number of
// compute units, whose clock of 1.7 GHz they imply. Estimates say so; nothing
// here has been measured. Level `grid` has the blocks of a launch; level `block`
// is one compute unit; a `warp` unit is one of its four SIMDs with a register
// file of its own, a warp a wavefront, `register` what a single wavefront can
// name of vector registers.
module attributes {vortex.targets = [#vortex.hw<
  isa = "gfx90a", chip = "mi210",
  triple = "amdgcn-amd-amdhsa", cpu = "gfx90a",
  levels = [
    <"device", units = 1, memory = dram,
      capacity = 64000000000 from "data sheet: 64 GB",
      bandwidth = 1638 from "data sheet",
      stream = 108.8 from "white paper: 64 bytes a cycle from L2 to one compute unit",
      latency = 500 from "estimate",
      granularity = 64 from "ISA guide: half of a cache line",
      alignment = 128 from "white paper: cache line of L2">,
    <"l2", units = 1, memory = cache,
      capacity = 8 MiB from "white paper",
      bandwidth = 6963 from "white paper: 32 slices of 128 bytes a cycle at 1.7 GHz",
      stream = 108.8 from "white paper: 64 bytes a cycle from L2 to one compute unit",
      latency = 200 from "estimate",
      granularity = 64 from "ISA guide: half of a cache line",
      alignment = 128 from "white paper: cache line of L2">,
    <"grid", units = 4194303 from "HSA: the work items of a grid, 1024 a block, are counted in 32 bits">,
    <"block", units = 104 from "data sheet: compute units",
      startup = 5000 from "estimate: start of a kernel behind another of the same stream">,
    <"smem", units = 1, memory = shared,
      capacity = 64 KiB from "ISA guide: LDS of a compute unit",
      bandwidth = 217.6 from "ISA guide: 32 banks of 4 bytes a cycle",
      latency = 38 from "estimate: 64 cycles",
      granularity = 128 from "ISA guide: 32 banks of 4 bytes",
      ways = 32 from "ISA guide: banks",
      alignment = 16 from "ISA guide: ds_read_b128">,
    <"warp", units = 4 from "ISA guide: SIMDs of a compute unit", memory = register,
      capacity = 128 KiB from "ISA guide: 512 vector registers of 64 lanes for one wavefront",
      granularity = 256 from "64 lanes of 4 bytes">,
    <"register", units = 1, memory = register,
      capacity = 64 KiB from "ISA guide: 256 vector registers beside those of matrix cores",
      granularity = 256 from "64 lanes of 4 bytes">
  ],
  instructions = [
    // "MI200 matrix fused multiply-add behavior specifics" (MIOpen): those of f16
    // and bf16 take subnormal factors and sums for zero.
    <"mfma_f32_16x16x16f16", kind = mfma, type = f16 x f16 -> f32, shape = 16x16x16,
      rate = 1740 from "data sheet: 181.0 TFLOP/s">,
    <"mfma_f32_16x16x16bf16_1k", kind = mfma, type = bf16 x bf16 -> f32, shape = 16x16x16,
      rate = 1740 from "data sheet: 181.0 TFLOP/s">,
    <"mfma_f32_16x16x4f32", kind = mfma, type = f32 x f32 -> f32, shape = 16x16x4,
      rate = 435.6 from "data sheet: 45.3 TFLOP/s">,
    <"mfma_f64_16x16x4f64", kind = mfma, type = f64 x f64 -> f64, shape = 16x16x4,
      rate = 435.6 from "data sheet: 45.3 TFLOP/s">,
    <"mfma_i32_16x16x16i8", kind = mfma, type = i8 x i8 -> i32, shape = 16x16x16,
      rate = 1740 from "data sheet: 181.0 TOP/s">,
    <"v_fma_f32", kind = simt, type = f32 x f32 -> f32, shape = 1x64x1,
      rate = 217.3 from "data sheet: 22.6 TFLOP/s">,
    <"v_fma_f64", kind = simt, type = f64 x f64 -> f64, shape = 1x64x1,
      rate = 217.3 from "data sheet: 22.6 TFLOP/s">
  ]>]} {}
