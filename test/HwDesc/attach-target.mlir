// RUN: vortex-opt %s --vortex-attach-target=target=x86-avx2 | FileCheck %s
// RUN: vortex-opt %s --target=x86-avx2,sm_80,x86-avx2 | FileCheck %s --check-prefix=ONCE
// RUN: not vortex-opt %s --vortex-attach-target=target=x86-avx1024 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK: module attributes {vortex.targets = [#vortex.hw<
// CHECK: isa = "x86-avx2"
// ONCE-COUNT-2: isa =
// ONCE-NOT: isa =
// UNKNOWN: error: {{.*}}x86-avx1024
func.func private @f()
