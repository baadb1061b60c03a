// x86-64 with AVX-512: a server core of the Ice Lake generation or later.
//
// Sizes are those of the smallest common machine of the family. Rates and
// bandwidths were measured on one such machine (two cores at 3.6 GHz,
// 48 KiB L1, 2 MiB L2) and rounded; vortex-probe replaces them by measurements
// of the machine at hand. None of them decides what code can run, only which
// candidate is preferred.
module attributes {vortex.targets = [#vortex.hw<
  isa = "x86-avx512", chip = "generic",
  triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v4",
  features = "+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+popcnt,+movbe,+prfchw,+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl,+avx512vnni",
  levels = [
    <"device", units = 1, memory = dram,
      capacity = 8 GiB from "default",
      bandwidth = 32 from "measured: read of 512 MiB by two threads",
      stream = 17 from "measured: read of 512 MiB by one thread",
      latency = 100 from "default",
      granularity = 64 from "Intel SDM vol. 1: cache line",
      alignment = 4096 from "Intel SDM vol. 3: page; a hardware prefetcher stops at its end", exposed = 2.6 from "measured: vortex-probe">,
    <"l3", units = 1, memory = cache,
      capacity = 16 MiB from "default",
      bandwidth = 59 from "measured: read of 9 MiB a thread by two threads",
      stream = 29.4 from "measured: read of 9 MiB by one thread",
      latency = 25 from "default",
      granularity = 64 from "Intel SDM vol. 1: cache line", touched = 28.8 from "measured: vortex-probe", exposed = 4.2 from "measured: vortex-probe">,
    <"core", units = 2 from "default",
      startup = 300 from "measured: parallel loop over a spinning pool",
      call = 60 from "estimate: of 160 ns measured for a product of one row, one column and one step through the C interface">,
    <"l2", units = 1, memory = cache,
      capacity = 1 MiB from "Intel optimization manual: Skylake server and later",
      bandwidth = 187 from "measured: read of 256 KiB by one thread",
      latency = 4 from "Intel optimization manual: 14 cycles at 3.6 GHz",
      granularity = 64 from "Intel SDM vol. 1: cache line",
      ways = 16 from "Intel optimization manual: Skylake server and later",
      streams = 8 from "measured: rows side by side are read as fast as one; 12 are not">,
    <"l1", units = 1, memory = cache,
      capacity = 32 KiB from "Intel optimization manual: Skylake server; 48 KiB from Ice Lake on",
      bandwidth = 330 from "measured: read of 32 KiB by one thread",
      latency = 1.4 from "Intel optimization manual: 5 cycles at 3.6 GHz",
      granularity = 64 from "Intel SDM vol. 1: cache line",
      ways = 8 from "Intel optimization manual: Skylake server; 12 from Ice Lake on",
      outstanding = 12 from "Intel optimization manual: line fill buffers of Skylake and later",
      translation = 1.67 from "measured: rows a page or more apart, what their latency does not explain">,
    <"register", units = 1, memory = register,
      capacity = 2 KiB from "Intel SDM vol. 1: zmm0 to zmm31",
      granularity = 64 from "Intel SDM vol. 1: 512 bits",
      startup = 14 from "measured: 50 cycles at 3.6 GHz to fill and drain a tile">
  ],
  instructions = [
    <"vfmadd231ps", kind = fma, type = f32 x f32 -> f32, shape = 1x16x1,
      rate = 230 from "measured: 64 operations a cycle at 3.6 GHz",
      latency = 1.1 from "Intel optimization manual: 4 cycles at 3.6 GHz", feature = "avx512f">,
    <"vfmadd231pd", kind = fma, type = f64 x f64 -> f64, shape = 1x8x1,
      rate = 115 from "half of f32",
      latency = 1.1 from "Intel optimization manual: 4 cycles at 3.6 GHz", feature = "avx512f">,
    <"vpmulld", kind = fma, type = i32 x i32 -> i32, shape = 1x16x1,
      rate = 77 from "Intel optimization manual: two operations a product and one a sum, on two ports",
      latency = 0.3 from "Intel optimization manual: the addition, 1 cycle at 3.6 GHz", feature = "avx512f">,
    <"vpmaddwd", kind = dot, type = i16 x i16 -> i32, shape = 1x16x2,
      rate = 230 from "two products a lane, multiply and add apart", feature = "avx512bw">,
    <"vpdpbusd", kind = dot, type = ui8 x i8 -> i32, shape = 1x16x4,
      rate = 900 from "measured",
      latency = 1.4 from "Intel optimization manual: 5 cycles at 3.6 GHz", feature = "avx512vnni">
  ]>]} {}
