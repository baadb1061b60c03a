// The passes in the distribution's own mlir-opt, targets by the pass's option.
// RUN: %mlir_opt --load-pass-plugin=%vortex_plugin \
// RUN:   --pass-pipeline='builtin.module(vortex-hierarchize{target=sm_80})' %s | FileCheck %s --check-prefix=GPU
// RUN: %mlir_opt --load-pass-plugin=%vortex_plugin \
// RUN:   --pass-pipeline='builtin.module(vortex-hierarchize{target=x86-avx512},vortex-select-kernels)' %s | FileCheck %s --check-prefix=CPU
// Named pipelines run to the end, upstream's passes in them.
// RUN: %mlir_opt --load-dialect-plugin=%vortex_plugin --load-pass-plugin=%vortex_plugin \
// RUN:   --pass-pipeline='builtin.module(vortex-lower-to-llvm)' %s | FileCheck %s --check-prefix=LLVM
// What it prints is what vortex-opt prints.
// RUN: %mlir_opt --load-pass-plugin=%vortex_plugin --pass-pipeline='builtin.module(vortex-hierarchize{target=sm_80})' %s -o %t.plugin
// RUN: vortex-opt --pass-pipeline='builtin.module(vortex-hierarchize{target=sm_80})' %s -o %t.tool
// RUN: diff %t.plugin %t.tool

// GPU-LABEL: func.func @matmul
// GPU: vortex.kernel
// GPU: vortex.candidate
// GPU: vortex.level "block" grid
// GPU: instruction = "mma_sync"
// CPU-LABEL: func.func @matmul
// CPU: vortex.machine_param
// CPU: vortex.select
// CPU: scf.index_switch
// LLVM: llvm.func @matmul
// LLVM-NOT: {{func\.func|tensor<|linalg\.|vortex\.}}
func.func @matmul(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
