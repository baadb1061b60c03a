// RUN: vortex-opt %s | FileCheck %s
// RUN: vortex-opt %s | vortex-opt | FileCheck %s
// RUN: vortex-opt %s --emit-bytecode | vortex-opt | FileCheck %s
// RUN: vortex-opt %s --verify-roundtrip -o /dev/null

// One level and one instruction a line; fields in a fixed order whatever the
// input's; bytes with the largest unit that divides them; an alignment that
// equals the granularity is left out.

// CHECK:      module attributes {vortex.targets = [#vortex.hw<
// CHECK-NEXT:   isa = "x86-avx2", chip = "example", triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3", features = "+avx2,+fma",
// CHECK-NEXT:   levels = [
// CHECK-NEXT:     <"device", units = 1, memory = dram, capacity = 16 GiB, bandwidth = 32.5 from "measured", stream = 17, latency = 100, granularity = 64>,
// CHECK-NEXT:     <"l3", units = 1, memory = cache, capacity = 12000000, bandwidth = 58.8, granularity = 64, alignment = 4096 from "page">,
// CHECK-NEXT:     <"core", units = 4 from "datasheet", startup = 300, call = 60 from "measured">,
// CHECK-NEXT:     <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 90, granularity = 64>,
// CHECK-NEXT:     <"l1", units = 1, memory = cache, capacity = 48 KiB, bandwidth = 200.125, latency = 1.4, granularity = 64, source = "a.mlir:7">,
// CHECK-NEXT:     <"register", units = 1, memory = register, capacity = 512, granularity = 32>
// CHECK-NEXT:   ],
// CHECK-NEXT:   instructions = [
// CHECK-NEXT:     <"vfmadd231ps", kind = fma, type = f32 x f32 -> f32, shape = 1x8x1, rate = 110 from "measured", latency = 1.25 from "manual", feature = "fma">,
// CHECK-NEXT:     <"tile", kind = tile, type = ui8 x i8 -> i32, shape = 16x16x64, rate = 0.0625, registers = 8, source = "a.mlir:9">
// CHECK-NEXT:   ]>, #vortex.hw<
// CHECK-NEXT:   isa = "other", chip = "generic", triple = "t",
// CHECK-NEXT:   levels = [
// CHECK-NEXT:     <"device", units = 1>,
// CHECK-NEXT:     <"register", units = 1, memory = register, capacity = 64, granularity = 8>
// CHECK-NEXT:   ]>]} {
module attributes {vortex.targets = [#vortex.hw<
  features = "+avx2,+fma", chip = "example", isa = "x86-avx2",
  triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3",
  levels = [
    <"device", memory = dram, units = 1, latency = 100.0, stream = 17,
      bandwidth = 32.5 from "measured", granularity = 64, alignment = 64,
      capacity = 16 GiB>,
    <"l3", units = 1, memory = cache, capacity = 12000000, bandwidth = 58.8, granularity = 64, alignment = 4096 from "page">,
    <"core", call = 60 from "measured", startup = 3.0e+2, units = 4 from "datasheet">,
    #vortex.hw_level<"l2", units = 1, memory = cache, capacity = 1024 KiB, bandwidth = 90, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 49152, bandwidth = 200.125, latency = 1.4, granularity = 64, source = "a.mlir:7">,
    <"register", units = 1, memory = register, capacity = 512, granularity = 32>
  ],
  instructions = [
    <"vfmadd231ps", feature = "fma", latency = 1.25 from "manual", rate = 110 from "measured", shape = 1x8x1, type = f32 x f32 -> f32, kind = fma>,
    <"tile", kind = tile, type = ui8 x i8 -> i32, shape = 16x16x64, rate = 0.0625, registers = 8, source = "a.mlir:9">
  ]>,
  #vortex.hw<isa = "other", triple = "t", levels = [
    <"device", units = 1>, <"register", units = 1, memory = register, capacity = 64, granularity = 8>
  ]>
]} {
}
