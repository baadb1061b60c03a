// AMD Instinct MI300X: eight dies of the CDNA 3 generation as one device.
//
// Sources: AMD Instinct MI300X data sheet, AMD CDNA 3 architecture white paper,
// MI300 instruction set architecture reference guide, AMD matrix instruction
// calculator (where lanes have the elements of an mfma), LLVM's user guide of the
// AMDGPU backend. Rates are the data sheet's peaks divided by the number of
// compute units, whose clock of 2.1 GHz they imply. Estimates say so; nothing
// here has been measured. Level `grid` has the blocks of a launch; level `block`
// is one compute unit; a `warp` unit is one of its four SIMDs with a register
// file of its own, a warp a wavefront, `register` what a single wavefront can
// name of vector registers. Each die has an L2 of its own: `l2` has the capacity
// of one and the bandwidth of all.
module attributes {vortex.targets = [#vortex.hw<
  isa = "gfx942", chip = "mi300x",
  triple = "amdgcn-amd-amdhsa", cpu = "gfx942",
  levels = [
    <"device", units = 1, memory = dram,
      capacity = 192000000000 from "data sheet: 192 GB",
      bandwidth = 5300 from "data sheet",
      stream = 134.4 from "white paper: 64 bytes a cycle from L2 to one compute unit",
      latency = 700 from "estimate",
      granularity = 64 from "ISA guide: half of a cache line",
      alignment = 128 from "white paper: cache line">,
    <"l2", units = 1, memory = cache,
      capacity = 4 MiB from "white paper: of each die",
      bandwidth = 34406 from "white paper: 16 channels of 128 bytes a cycle on each of 8 dies at 2.1 GHz",
      stream = 134.4 from "white paper: 64 bytes a cycle from L2 to one compute unit",
      latency = 200 from "estimate",
      granularity = 64 from "ISA guide: half of a cache line",
      alignment = 128 from "white paper: cache line">,
    <"grid", units = 4194303 from "HSA: the work items of a grid, 1024 a block, are counted in 32 bits">,
    <"block", units = 304 from "data sheet: compute units",
      startup = 5000 from "estimate: start of a kernel behind another of the same stream">,
    <"smem", units = 1, memory = shared,
      capacity = 64 KiB from "ISA guide: LDS of a compute unit",
      bandwidth = 268.8 from "ISA guide: 32 banks of 4 bytes a cycle",
      latency = 30 from "estimate: 64 cycles",
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
    <"mfma_f32_16x16x16f16", kind = mfma, type = f16 x f16 -> f32, shape = 16x16x16,
      rate = 4301 from "data sheet: 1307.4 TFLOP/s">,
    <"mfma_f32_16x16x16bf16_1k", kind = mfma, type = bf16 x bf16 -> f32, shape = 16x16x16,
      rate = 4301 from "data sheet: 1307.4 TFLOP/s">,
    <"mfma_f32_16x16x8_xf32", kind = mfma, type = tf32 x tf32 -> f32, shape = 16x16x8,
      rate = 2150 from "data sheet: 653.7 TFLOP/s">,
    <"mfma_f32_16x16x4f32", kind = mfma, type = f32 x f32 -> f32, shape = 16x16x4,
      rate = 537.5 from "data sheet: 163.4 TFLOP/s">,
    <"mfma_f64_16x16x4f64", kind = mfma, type = f64 x f64 -> f64, shape = 16x16x4,
      rate = 537.5 from "data sheet: 163.4 TFLOP/s">,
    <"mfma_i32_16x16x32_i8", kind = mfma, type = i8 x i8 -> i32, shape = 16x16x32,
      rate = 8602 from "data sheet: 2614.9 TOP/s">,
    <"v_fma_f32", kind = simt, type = f32 x f32 -> f32, shape = 1x64x1,
      rate = 537.5 from "data sheet: 163.4 TFLOP/s">,
    <"v_fma_f64", kind = simt, type = f64 x f64 -> f64, shape = 1x64x1,
      rate = 268.8 from "data sheet: 81.7 TFLOP/s">
  ]>]} {}
