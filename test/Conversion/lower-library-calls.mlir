// A call through the context with the library's position, the sizes, and where the matrices lie.
// RUN: vortex-opt %s --vortex-number-queries --vortex-add-context --vortex-lower-library-calls | FileCheck %s

// Positions are those of the sorted names.
// CHECK: module attributes {vortex.libraries = ["mkl", "openblas"]}
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[C:.*]]: !llvm.ptr {vortex.context}
// CHECK: llvm.alloca
// CHECK: llvm.getelementptr inbounds %[[C]][0, 19]
// CHECK: llvm.call %{{.*}}(%[[C]],
// CHECK-NOT: vortex.library_call
func.func @f(%a: memref<?x?xf32>, %b: memref<?x?xf32, strided<[?, 1], offset: ?>>, %c: memref<?x?xf32>) {
  vortex.library_call "openblas" ins(%a [0, 1], %b [0, 1] : memref<?x?xf32>, memref<?x?xf32, strided<[?, 1], offset: ?>>)
                                 outs(%c [0, 1] : memref<?x?xf32>)
  vortex.library_call "mkl" accumulate ins(%a [0, 1], %a [0, 1] : memref<?x?xf32>, memref<?x?xf32>) outs(%c [0, 1] : memref<?x?xf32>)
  return
}
