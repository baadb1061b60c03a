// RUN: not vortex-opt %s --split-input-file --vortex-lower-library-calls 2>&1 | FileCheck %s

// CHECK: error: 'vortex.library_call' op has no position; run vortex-number-queries first
func.func @f(%p: !llvm.ptr, %a: memref<?x?xf32>) {
  vortex.library_call "x" ins(%a [0, 1], %a [0, 1] : memref<?x?xf32>, memref<?x?xf32>) outs(%a [0, 1] : memref<?x?xf32>)
  return
}

// -----

// CHECK: error: 'vortex.library_call' op is outside a function with a call context; run vortex-add-context first
func.func @f(%a: memref<?x?xf32>) {
  vortex.library_call "x" ins(%a [0, 1], %a [0, 1] : memref<?x?xf32>, memref<?x?xf32>) outs(%a [0, 1] : memref<?x?xf32>) {vortex.index = 0 : i64}
  return
}

// -----

// CHECK: error: 'vortex.library_call' op computes a tensor; bufferize first
func.func @f(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = vortex.library_call "x" ins(%a [0, 1], %a [0, 1] : tensor<?x?xf32>, tensor<?x?xf32>) outs(%a [0, 1] : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}
