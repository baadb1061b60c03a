// RUN: not vortex-opt %s --vortex-hierarchize=target=nowhere 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not vortex-opt %s --vortex-hierarchize=target=x86-avx512,l2.colour=3 2>&1 | FileCheck %s --check-prefix=FIELD
// RUN: not vortex-opt %s --vortex-hierarchize=target=x86-avx512,l9.capacity=3 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not vortex-opt %s --vortex-hierarchize=target=x86-avx512,sm_80 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: vortex-opt %s --target=x86-avx512,sm_80 --vortex-hierarchize 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: vortex-opt %s --target=sm_80 --vortex-hierarchize --remarks-filter=vortex-hierarchize --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=FALLBACK

// TWO: error: target=x86-avx512,sm_80 names 2 targets; kernels are planned for one
// FIRST: warning: planned for the first of 2 targets alone, x86-avx512/generic

// UNKNOWN: error: {{.*}}nowhere
// FIELD: error: {{.*}}colour
// LEVEL: error: {{.*}}l9

// What no family can plan stays a kernel, and says why.
// FALLBACK: remark: [Missed] fallback
// FALLBACK-SAME: f.exp.0
// FALLBACK-SAME: is a fallback, lowered to generic loops
// FALLBACK: vortex.kernel "f.exp.0"
// FALLBACK-NOT: vortex.candidate
func.func @f(%x: tensor<?x0xf32>, %o: tensor<?x0xf32>) -> tensor<?x0xf32> {
  %r = linalg.exp ins(%x : tensor<?x0xf32>) outs(%o : tensor<?x0xf32>) -> tensor<?x0xf32>
  return %r : tensor<?x0xf32>
}
