// RUN: vortex-opt %s | vortex-opt | FileCheck %s
// RUN: vortex-opt %s --mlir-print-op-generic | vortex-opt | FileCheck %s

// CHECK-LABEL: @tensors
// CHECK: vortex.library_call "openblas" ins(%{{.*}} [0, 1], %{{.*}} [2, 1] : tensor<?x?xf32>, tensor<1x?x?xf32>)
// CHECK-SAME: outs(%{{.*}} [0, 1] : tensor<?x?xf32>) -> tensor<?x?xf32>
func.func @tensors(%a: tensor<?x?xf32>, %b: tensor<1x?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = vortex.library_call "openblas" ins(%a [0, 1], %b [2, 1] : tensor<?x?xf32>, tensor<1x?x?xf32>)
                                      outs(%c [0, 1] : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// CHECK-LABEL: @memrefs
// CHECK: vortex.library_call "mkl" accumulate ins(%{{.*}} [0, 1], %{{.*}} [0, 1] : memref<3x?xf64>, memref<?x4xf64>)
// CHECK-SAME: outs(%{{.*}} [0, 1] : memref<3x4xf64>)
func.func @memrefs(%a: memref<3x?xf64>, %b: memref<?x4xf64>, %c: memref<3x4xf64>) {
  vortex.library_call "mkl" accumulate ins(%a [0, 1], %b [0, 1] : memref<3x?xf64>, memref<?x4xf64>) outs(%c [0, 1] : memref<3x4xf64>)
  return
}

// CHECK-LABEL: @batch
// CHECK: vortex.library_call "cublas" ins(%{{.*}} [1, 0, 2], %{{.*}} [-1, 1, 0] : tensor<?x?x?xf16>, tensor<?x?xf16>)
// CHECK-SAME: outs(%{{.*}} [0, 1, 2] : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
func.func @batch(%a: tensor<?x?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %p = vortex.library_call "cublas" ins(%a [1, 0, 2], %b [-1, 1, 0] : tensor<?x?x?xf16>, tensor<?x?xf16>)
                                    outs(%c [0, 1, 2] : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %p : tensor<?x?x?xf32>
}

// CHECK-LABEL: @rounded
// CHECK: vortex.library_call "cublas" accumulate tf32 ins(%{{.*}} [0, 1], %{{.*}} [0, 1] : memref<?x?xf32>, memref<?x?xf32>)
func.func @rounded(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  vortex.library_call "cublas" accumulate tf32 ins(%a [0, 1], %b [0, 1] : memref<?x?xf32>, memref<?x?xf32>) outs(%c [0, 1] : memref<?x?xf32>)
  return
}
