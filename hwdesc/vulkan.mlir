// Any device of Vulkan 1.2 with buffer device addresses.
//
// Sizes are the least that Vulkan asks of a device ("Required Limits" of the
// specification), so that code runs on all. A device chooses how many items a
// subgroup has: warps of one lane ask for none. Level `grid` has the blocks of
// one dimension of a launch; longer grids go on in the second dimension. Of
// speed Vulkan says nothing: rates, bandwidths and latencies are defaults that a
// program sets to those of its device; they decide which candidate is preferred,
// not what can run.
module attributes {vortex.targets = [#vortex.hw<
  isa = "vulkan", chip = "generic",
  triple = "spirv64-unknown-vulkan1.2", cpu = "generic",
  levels = [
    <"device", units = 1, memory = dram,
      capacity = 1 GiB from "default",
      bandwidth = 100 from "default",
      stream = 20 from "default",
      latency = 500 from "default",
      granularity = 64 from "default",
      alignment = 64 from "default">,
    <"l2", units = 1, memory = cache,
      capacity = 1 MiB from "default",
      bandwidth = 400 from "default",
      stream = 20 from "default",
      latency = 200 from "default",
      granularity = 64 from "default",
      alignment = 64 from "default">,
    <"grid", units = 65535 from "Vulkan 1.2, required limits: maxComputeWorkGroupCount, of each dimension">,
    <"block", units = 16 from "default",
      startup = 10000 from "default">,
    <"smem", units = 1, memory = shared,
      capacity = 16 KiB from "Vulkan 1.2, required limits: maxComputeSharedMemorySize",
      bandwidth = 100 from "default",
      latency = 30 from "default",
      granularity = 64 from "default",
      alignment = 16 from "default">,
    <"warp", units = 64 from "half of Vulkan 1.2, required limits: maxComputeWorkGroupInvocations", memory = register,
      capacity = 1024 from "default: 256 registers of an item",
      granularity = 4 from "one lane of 4 bytes">,
    <"register", units = 1, memory = register,
      capacity = 512 from "default: 128 registers of an item",
      granularity = 4 from "one lane of 4 bytes">
  ],
  instructions = [
    <"fma_f32", kind = simt, type = f32 x f32 -> f32, shape = 1x1x1,
      rate = 50 from "default">,
    <"fma_f64", kind = simt, type = f64 x f64 -> f64, shape = 1x1x1,
      rate = 10 from "default">
  ]>]} {}
