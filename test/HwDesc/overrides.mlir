// RUN: vortex-opt %s --target='x86-avx512,core.units=4,l2.capacity=3MiB,l3.stream=20.5,fma.f32.rate=99,fma.f32.latency=2,core.call=7,chip=mine,cpu=znver4,features=+avx512fp16,-avx512vnni' | FileCheck %s
// RUN: vortex-opt %s --target='sm_80,block.units=56,x86-avx2,register.granularity=16' | FileCheck %s --check-prefix=SECOND
// RUN: vortex-opt %s --target='x86-avx512,device.bandwidth=10' | FileCheck %s --check-prefix=STREAM

// Changed numbers say where they come from; the others stay as they were.
// Instructions that need a removed feature go.

// CHECK: isa = "x86-avx512", chip = "mine", {{.*}}, cpu = "znver4", features = "{{.*}}+avx512vl,+avx512fp16,-avx512vnni",
// CHECK: <"l3", {{.*}} bandwidth = 59 from "measured{{[^"]*}}", stream = 20.5 from "command line"
// CHECK: <"core", units = 4 from "command line", startup = 300 from
// CHECK: <"l2", {{.*}} capacity = 3 MiB from "command line"
// CHECK: rate = 99 from "command line", latency = 2 from "command line"
// CHECK-NOT: vpdpbusd

// An item with '=' belongs to the name before it.
// SECOND: isa = "sm_80"
// SECOND: <"block", units = 56 from "command line"
// SECOND: isa = "x86-avx2"
// SECOND: <"core", units = 2 from "default"
// An alignment that was the granularity stays so.
// SECOND: <"register", {{.*}}, granularity = 16 from "command line", {{.*}}source

// One reader never draws more than all together.
// STREAM: <"device", {{.*}} bandwidth = 10 from "command line", stream = 10
module {
}
