// NVIDIA A100, 80 GB, SXM.
//
// Sources: NVIDIA A100 datasheet (80 GB SXM), NVIDIA A100 architecture white
// paper, CUDA C++ programming guide (compute capability 8.0).
// Rates are the datasheet's dense peaks divided by the number of multiprocessors,
// whose clock of 1.41 GHz they imply. Estimates say so. Level `block` is one
// multiprocessor; a `warp` unit is one of its four partitions with a register
// file of its own, `register` what a single warp can name in it.
module attributes {vortex.targets = [#vortex.hw<
  isa = "sm_80", chip = "a100",
  triple = "nvptx64-nvidia-cuda", cpu = "sm_80", features = "+ptx80",
  levels = [
    <"device", units = 1, memory = dram,
      capacity = 80000000000 from "datasheet: 80 GB",
      bandwidth = 2039 from "datasheet",
      stream = 90.2 from "64 bytes a cycle from L2 to one multiprocessor",
      latency = 333 from "about 470 cycles (arXiv 2402.13499)",
      granularity = 32 from "one sector",
      alignment = 128 from "CUDA C++ programming guide: a warp's coalesced access">,
    <"l2", units = 1, memory = cache,
      capacity = 40 MiB from "datasheet",
      bandwidth = 7219 from "white paper: 5120 bytes a cycle at 1.41 GHz",
      stream = 90.2 from "64 bytes a cycle from L2 to one multiprocessor",
      latency = 188 from "about 265 cycles (arXiv 2402.13499)",
      granularity = 32 from "one sector",
      alignment = 128 from "cache line">,
    <"block", units = 108 from "datasheet: multiprocessors",
      startup = 3000 from "estimate: start of a kernel behind another of the same stream">,
    <"smem", units = 1, memory = shared,
      capacity = 163 KiB from "CUDA C++ programming guide: largest for one block, 8.0",
      bandwidth = 180.5 from "CUDA C++ programming guide: 32 banks of 4 bytes a cycle",
      latency = 21 from "about 29 cycles (arXiv 2402.13499)",
      granularity = 128 from "CUDA C++ programming guide: 32 banks of 4 bytes",
      ways = 32 from "CUDA C++ programming guide: banks",
      alignment = 16 from "PTX ISA: ldmatrix rows, cp.async of 16 bytes">,
    <"warp", units = 4 from "partitions of a multiprocessor", memory = register,
      capacity = 64 KiB from "CUDA C++ programming guide: 65536 registers a multiprocessor",
      granularity = 128 from "32 lanes of 4 bytes">,
    <"register", units = 1, memory = register,
      capacity = 32640 from "CUDA C++ programming guide: 255 registers a thread",
      granularity = 128 from "32 lanes of 4 bytes">
  ],
  instructions = [
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16,
      rate = 2889 from "datasheet: 312 TFLOP/s">,
    <"mma_m16n8k16_f16_f16", kind = mma_sync, type = f16 x f16 -> f16, shape = 16x8x16,
      rate = 2889 from "datasheet: 312 TFLOP/s">,
    <"mma_m16n8k16_bf16", kind = mma_sync, type = bf16 x bf16 -> f32, shape = 16x8x16,
      rate = 2889 from "datasheet: 312 TFLOP/s">,
    <"mma_m16n8k8_tf32", kind = mma_sync, type = tf32 x tf32 -> f32, shape = 16x8x8,
      rate = 1444 from "datasheet: 156 TFLOP/s">,
    <"mma_m16n8k32_s8", kind = mma_sync, type = i8 x i8 -> i32, shape = 16x8x32,
      rate = 5778 from "datasheet: 624 TOP/s">,
    <"mma_m8n8k4_f64", kind = mma_sync, type = f64 x f64 -> f64, shape = 8x8x4,
      rate = 181 from "datasheet: 19.5 TFLOP/s">,
    <"fma_f32", kind = simt, type = f32 x f32 -> f32, shape = 1x32x1,
      rate = 180.6 from "datasheet: 19.5 TFLOP/s">,
    <"fma_f64", kind = simt, type = f64 x f64 -> f64, shape = 1x32x1,
      rate = 89.8 from "datasheet: 9.7 TFLOP/s">
  ]>]} {}
