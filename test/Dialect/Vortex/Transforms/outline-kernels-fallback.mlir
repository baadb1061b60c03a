// RUN: vortex-opt %s --target=x86-avx512 --vortex-plan-kernels | FileCheck %s

// A kernel without candidates, here for a size of 0, is outlined, too.
// CHECK-LABEL: func.func @fallback
// CHECK: vortex.kernel_call @fallback.exp.0.fallback ins
// CHECK-SAME: {vortex.kernel = "fallback.exp.0"}
// CHECK: module @fallback.exp.0.fallback attributes {vortex.kernel_module
func.func @fallback(%x: tensor<0xf32>) -> tensor<0xf32> {
  %r = linalg.exp ins(%x : tensor<0xf32>) outs(%x : tensor<0xf32>) -> tensor<0xf32>
  return %r : tensor<0xf32>
}
