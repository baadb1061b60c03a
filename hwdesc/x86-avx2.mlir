// x86-64 with AVX2 and FMA: Haswell, Zen and later.
//
// Sizes are those of the smallest common machine of the family. Measured rates
// and bandwidths are from one machine (EPYC of family 25 with two cores at 2.95 GHz), rounded;
// vortex-probe replaces them by measurements of the machine at hand. None of
// them decides what code can run, only which candidate is preferred.
module attributes {vortex.targets = [#vortex.hw<
  isa = "x86-avx2", chip = "generic",
  triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3",
  features = "+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+popcnt,+movbe",
  levels = [
    <"device", units = 1, memory = dram,
      capacity = 8 GiB from "default",
      bandwidth = 20 from "measured: read of 256 MiB by two threads",
      stream = 13.5 from "measured: read of 256 MiB by one thread",
      latency = 100 from "default",
      granularity = 64 from "Intel SDM vol. 1: cache line",
      alignment = 4096 from "Intel SDM vol. 3: page; a hardware prefetcher stops at its end", touched = 9.5 from "measured: vortex-probe", exposed = 1.2 from "measured: vortex-probe">,
    <"l3", units = 1, memory = cache,
      capacity = 16 MiB from "default",
      bandwidth = 120 from "measured: read of 2 MiB a thread by two threads",
      stream = 60 from "measured: read of 2 MiB by one thread",
      latency = 18 from "measured: vortex-probe",
      granularity = 64 from "Intel SDM vol. 1: cache line", touched = 40 from "measured: vortex-probe", exposed = 0.5 from "measured: vortex-probe", scattered = 1.2 from "measured: vortex-probe">,
    <"core", units = 2 from "default",
      startup = 330 from "measured: parallel loop over a spinning pool",
      call = 60 from "estimate: of 160 ns measured for a product of one row, one column and one step through the C interface">,
    <"l2", units = 1, memory = cache,
      capacity = 256 KiB from "Intel optimization manual: Haswell; 512 KiB on Zen, 1 MiB and more later",
      bandwidth = 90 from "Intel optimization manual: about 25 bytes a cycle sustained",
      latency = 4 from "Intel optimization manual: 12 to 14 cycles",
      granularity = 64 from "Intel SDM vol. 1: cache line",
      ways = 8 from "Intel optimization manual: Haswell",
      streams = 8 from "measured: rows side by side are read as fast as one; 12 are not">,
    <"l1", units = 1, memory = cache,
      capacity = 32 KiB from "Intel optimization manual: Haswell",
      bandwidth = 200 from "Intel optimization manual: two loads of 32 bytes a cycle",
      latency = 1.4 from "Intel optimization manual: 5 cycles at 3.6 GHz",
      granularity = 64 from "Intel SDM vol. 1: cache line",
      ways = 8 from "Intel optimization manual: Haswell",
      outstanding = 10 from "Intel optimization manual: line fill buffers of Haswell",
      pages = 64 from "Intel optimization manual: Haswell, first data TLB",
      translation = 0.9 from "measured: rows a page or more apart, what their latency does not explain">,
    <"register", units = 1, memory = register,
      capacity = 512 from "Intel SDM vol. 1: ymm0 to ymm15",
      granularity = 32 from "Intel SDM vol. 1: 256 bits",
      startup = 10 from "measured: 30 cycles to fill and drain a tile">
  ],
  instructions = [
    <"vfmadd231ps", kind = fma, type = f32 x f32 -> f32, shape = 1x8x1,
      rate = 94 from "measured: 32 operations a cycle",
      latency = 1.4 from "Intel optimization manual: 5 cycles at 3.6 GHz on Haswell", feature = "fma">,
    <"vfmadd231pd", kind = fma, type = f64 x f64 -> f64, shape = 1x4x1,
      rate = 47 from "half of f32",
      latency = 1.4 from "Intel optimization manual: 5 cycles at 3.6 GHz on Haswell", feature = "fma">,
    <"vpmulld", kind = fma, type = i32 x i32 -> i32, shape = 1x8x1,
      rate = 75 from "measured; Haswell takes two cycles a product, which gives 29",
      latency = 0.3 from "Intel optimization manual: the addition, 1 cycle at 3.6 GHz", feature = "avx2">,
    <"vpmaddwd", kind = dot, type = i16 x i16 -> i32, shape = 1x8x2,
      rate = 150 from "measured", feature = "avx2">,
    <"vfmadd231ps_bf16", kind = dot, type = bf16 x bf16 -> f32, shape = 1x8x2,
      rate = 90 from "measured: that of vfmadd231ps",
      latency = 2.8 from "twice that of vfmadd231ps", feature = "fma">
  ]>]} {}
