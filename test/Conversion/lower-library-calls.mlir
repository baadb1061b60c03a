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

// The types of factors and result, and a batch of one dimension, which one factor does not have.
// CHECK-LABEL: func.func @batch(
// CHECK: %[[HALF:.*]] = llvm.mlir.constant(2 : i64)
// CHECK-NEXT: %[[SINGLE:.*]] = llvm.mlir.constant(0 : i64)
// CHECK-NEXT: %[[BATCHES:.*]] = llvm.mlir.constant(1 : i64)
// CHECK-NEXT: %[[SET:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: llvm.call %{{.*}}(%{{[^,]*}}, %{{[^,]*}}, %[[HALF]], %[[SINGLE]], %[[BATCHES]], %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[SET]]) : !llvm.ptr, (!llvm.ptr, i64, i64, i64, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> ()
func.func @batch(%a: memref<?x?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?x?xf32>) {
  vortex.library_call "openblas" ins(%a [0, 1, 2], %b [-1, 0, 1] : memref<?x?x?xf16>, memref<?x?xf16>)
                                 outs(%c [0, 1, 2] : memref<?x?x?xf32>)
  return
}
