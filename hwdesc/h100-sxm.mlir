// NVIDIA H100, 80 GB, SXM5.
//
// Sources: NVIDIA H100 datasheet, NVIDIA H100 architecture white paper, CUDA C++
// programming guide (compute capability 9.0). Shared memory that TMA fills with
// 128-byte swizzle is aligned to 1024 bytes; that is the layout's own rule.
// Rates are the datasheet's dense peaks divided by the number of multiprocessors,
// whose clock of 1.83 GHz they imply. Estimates say so. Level `block` is one
// multiprocessor; a `warp` unit is one of its four partitions with a register
// file of its own, `register` what a single warp can name in it.
module attributes {vortex.targets = [#vortex.hw<
  isa = "sm_90a", chip = "h100-sxm",
  triple = "nvptx64-nvidia-cuda", cpu = "sm_90a", features = "+ptx80",
  levels = [
    <"device", units = 1, memory = dram,
      capacity = 80000000000 from "datasheet: 80 GB",
      bandwidth = 3350 from "datasheet",
      stream = 117.1 from "64 bytes a cycle from L2 to one multiprocessor",
      latency = 257 from "about 470 cycles (arXiv 2402.13499)",
      granularity = 32 from "one sector",
      alignment = 128 from "CUDA C++ programming guide: a warp's coalesced access">,
    <"l2", units = 1, memory = cache,
      capacity = 50 MiB from "white paper",
      bandwidth = 5500 from "estimate: published read tests give 5.5 to 7 TB/s",
      stream = 117.1 from "64 bytes a cycle from L2 to one multiprocessor",
      merged = 18000 from "measured on an H200: tiles of products beside each other draw 11 to 15 TB/s and are not bound by it; fitted",
      latency = 145 from "about 265 cycles (arXiv 2402.13499)",
      granularity = 32 from "one sector",
      alignment = 128 from "cache line">,
    <"block", units = 132 from "datasheet: multiprocessors",
      startup = 1900 from "measured on an H200: small kernels behind each other in a graph take 1.6 to 2.2 us">,
    <"smem", units = 1, memory = shared,
      capacity = 227 KiB from "CUDA C++ programming guide: largest for one block, 9.0",
      bandwidth = 234.2 from "CUDA C++ programming guide: 32 banks of 4 bytes a cycle",
      latency = 16 from "about 29 cycles (arXiv 2402.13499)",
      granularity = 128 from "CUDA C++ programming guide: 32 banks of 4 bytes",
      ways = 32 from "CUDA C++ programming guide: banks",
      alignment = 128 from "CUDA C++ programming guide: destination of a bulk tensor copy">,
    <"warp", units = 4 from "partitions of a multiprocessor", memory = register,
      capacity = 64 KiB from "CUDA C++ programming guide: 65536 registers a multiprocessor",
      granularity = 128 from "32 lanes of 4 bytes">,
    <"register", units = 1, memory = register,
      capacity = 32640 from "CUDA C++ programming guide: 255 registers a thread",
      granularity = 128 from "32 lanes of 4 bytes">
  ],
  instructions = [
    <"wgmma_m64k16_f16", kind = wgmma, type = f16 x f16 -> f32, shape = 64x256x16,
      rate = 7495 from "datasheet: 989.4 TFLOP/s">,
    <"wgmma_m64k16_f16_f16", kind = wgmma, type = f16 x f16 -> f16, shape = 64x256x16,
      rate = 7495 from "datasheet: 989.4 TFLOP/s">,
    <"wgmma_m64k16_bf16", kind = wgmma, type = bf16 x bf16 -> f32, shape = 64x256x16,
      rate = 7495 from "datasheet: 989.4 TFLOP/s">,
    <"wgmma_m64k8_tf32", kind = wgmma, type = tf32 x tf32 -> f32, shape = 64x256x8,
      rate = 3748 from "datasheet: 494.7 TFLOP/s">,
    <"wgmma_m64k32_e4m3", kind = wgmma, type = f8E4M3FN x f8E4M3FN -> f32, shape = 64x256x32,
      rate = 14992 from "datasheet: 1978.9 TFLOP/s">,
    <"wgmma_m64k32_s8", kind = wgmma, type = i8 x i8 -> i32, shape = 64x256x32,
      rate = 14992 from "datasheet: 1978.9 TOP/s">,
    <"mma_m16n8k16_f16", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16,
      rate = 4647 from "datasheet: 989.4 TFLOP/s, of which mma.sync reaches about 62 % on this generation (arXiv 2402.13499)">,
    <"mma_m16n8k16_f16_f16", kind = mma_sync, type = f16 x f16 -> f16, shape = 16x8x16,
      rate = 4647 from "datasheet: 989.4 TFLOP/s, of which mma.sync reaches about 62 % on this generation (arXiv 2402.13499)">,
    <"mma_m16n8k16_bf16", kind = mma_sync, type = bf16 x bf16 -> f32, shape = 16x8x16,
      rate = 4647 from "datasheet: 989.4 TFLOP/s, of which mma.sync reaches about 62 % on this generation (arXiv 2402.13499)">,
    <"mma_m16n8k8_tf32", kind = mma_sync, type = tf32 x tf32 -> f32, shape = 16x8x8,
      rate = 2324 from "datasheet: 494.7 TFLOP/s, of which mma.sync reaches about 62 % on this generation (arXiv 2402.13499)">,
    <"mma_m16n8k32_s8", kind = mma_sync, type = i8 x i8 -> i32, shape = 16x8x32,
      rate = 9295 from "datasheet: 1978.9 TOP/s, of which mma.sync reaches about 62 % on this generation (arXiv 2402.13499)">,
    <"mma_m16n8k8_f64", kind = mma_sync, type = f64 x f64 -> f64, shape = 16x8x8,
      rate = 507 from "datasheet: 66.9 TFLOP/s">,
    <"fma_f32", kind = simt, type = f32 x f32 -> f32, shape = 1x32x1,
      rate = 506.8 from "datasheet: 66.9 TFLOP/s">,
    <"fma_f64", kind = simt, type = f64 x f64 -> f64, shape = 1x32x1,
      rate = 253.8 from "datasheet: 33.5 TFLOP/s">
  ]>]} {}
