// x86-64 with AVX-512 by AMD: Zen 4 and later (families 25 and 26), which also
// have vdpbf16ps at twice the products of an f32 multiply-add. --target=host
// starts from it on such a machine.
//
// Sizes are those of Zen 4. Rates and bandwidths were measured by vortex-probe
// on one machine of family 26 (two cores at 3.7 GHz) and rounded; Zen 4 and the
// desktop's Zen 5 have half of the rates at the same clock, all alike.
module attributes {vortex.targets = [#vortex.hw<
  isa = "x86-avx512", chip = "zen4",
  triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v4",
  features = "+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+popcnt,+movbe,+prfchw,+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl,+avx512vnni,+avx512bf16",
  levels = [
    <"device", units = 1, memory = dram,
      capacity = 8 GiB from "default",
      bandwidth = 39 from "measured: vortex-probe",
      stream = 36 from "measured: vortex-probe",
      latency = 150 from "measured: vortex-probe, 130 to 175",
      granularity = 64 from "AMD64 manual vol. 2: cache line",
      alignment = 4096 from "AMD64 manual vol. 2: page; a hardware prefetcher stops at its end",
      touched = 22 from "measured: vortex-probe, Zen 4">,
    <"l3", units = 1, memory = cache,
      capacity = 16 MiB from "default",
      bandwidth = 200 from "measured: vortex-probe",
      stream = 97 from "measured: vortex-probe",
      latency = 16 from "measured: vortex-probe",
      granularity = 64 from "AMD64 manual vol. 2: cache line">,
    <"core", units = 2 from "default",
      startup = 190 from "measured: vortex-probe",
      call = 60 from "estimate: of 160 ns measured for a product of one row, one column and one step through the C interface">,
    <"l2", units = 1, memory = cache,
      capacity = 1 MiB from "AMD optimization guide: Zen 4",
      bandwidth = 208 from "measured: vortex-probe",
      latency = 4 from "AMD optimization guide: 14 cycles at 3.7 GHz",
      granularity = 64 from "AMD64 manual vol. 2: cache line",
      ways = 8 from "AMD optimization guide: Zen 4; 16 from Zen 5 on",
      streams = 8 from "measured: rows side by side are read as fast as one; 12 are not">,
    <"l1", units = 1, memory = cache,
      capacity = 32 KiB from "AMD optimization guide: Zen 4; 48 KiB from Zen 5 on",
      bandwidth = 398 from "measured: vortex-probe",
      latency = 1.1 from "measured: vortex-probe, 4 cycles",
      granularity = 64 from "AMD64 manual vol. 2: cache line",
      ways = 8 from "AMD optimization guide: Zen 4; 12 from Zen 5 on",
      outstanding = 12 from "as x86-avx512: costs were fitted with it",
      pages = 72 from "AMD optimization guide: Zen 4, first data TLB",
      translation = 1.67 from "measured: rows a page or more apart, what their latency does not explain">,
    <"register", units = 1, memory = register,
      capacity = 2 KiB from "AMD64 manual vol. 1: zmm0 to zmm31",
      granularity = 64 from "AMD64 manual vol. 1: 512 bits",
      startup = 14 from "measured: 50 cycles at 3.6 GHz to fill and drain a tile">
  ],
  instructions = [
    <"vfmadd231ps", kind = fma, type = f32 x f32 -> f32, shape = 1x16x1,
      rate = 236 from "measured: vortex-probe, 64 operations a cycle",
      latency = 1.1 from "measured: vortex-probe, 4 cycles", feature = "avx512f">,
    <"vfmadd231pd", kind = fma, type = f64 x f64 -> f64, shape = 1x8x1,
      rate = 118 from "measured: vortex-probe",
      latency = 1.1 from "measured: vortex-probe, 4 cycles", feature = "avx512f">,
    <"vdpbf16ps", kind = dot, type = bf16 x bf16 -> f32, shape = 1x16x2,
      rate = 471 from "measured: vortex-probe, twice that of f32",
      latency = 1.6 from "measured: vortex-probe, 6 cycles", feature = "avx512bf16">,
    <"vpmulld", kind = fma, type = i32 x i32 -> i32, shape = 1x16x1,
      rate = 87 from "measured: vortex-probe on a Zen 4, multiply and add apart",
      latency = 0.6 from "measured: vortex-probe on a Zen 4, 2 cycles", feature = "avx512f">,
    <"vpmaddwd", kind = dot, type = i16 x i16 -> i32, shape = 1x16x2,
      rate = 410 from "measured: vortex-probe, multiply and add apart", feature = "avx512bw">,
    <"vpdpbusd", kind = dot, type = ui8 x i8 -> i32, shape = 1x16x4,
      rate = 944 from "measured: vortex-probe",
      latency = 1.1 from "measured: vortex-probe, 4 cycles", feature = "avx512vnni">
  ]>]} {}
