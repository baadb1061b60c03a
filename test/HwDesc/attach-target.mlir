// RUN: vortex-opt %s --vortex-attach-target=target=x86-avx2 | FileCheck %s
// RUN: not vortex-opt %s --vortex-attach-target=target=x86-avx1024 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK: module attributes {vortex.targets = [#vortex.hw<
// CHECK: isa = "x86-avx2"
// UNKNOWN: error: {{.*}}x86-avx1024
func.func private @f()
