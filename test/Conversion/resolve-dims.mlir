// RUN: vortex-opt %s --vortex-resolve-dims | FileCheck %s
// Extents of results are those of operands, through any number of ops; nothing but what reads extents changes, also what folds.
// CHECK-LABEL: func @through
//  CHECK-SAME:   %[[A:.*]]: tensor<?x?xf32>, %{{.*}}: f32)
//       CHECK:   %[[C0:.*]] = arith.constant 0
//       CHECK:   linalg.fill
//       CHECK:   linalg.fill
//       CHECK:   %[[ROWS:.*]] = tensor.dim %[[A]],
//       CHECK:   %[[SUM:.*]] = arith.addi %[[C0]], %[[C0]]
//       CHECK:   arith.addi %[[ROWS]], %[[SUM]]
func.func @through(%a: tensor<?x?xf32>, %zero: f32) -> (index, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %first = linalg.fill ins(%zero : f32) outs(%a : tensor<?x?xf32>) -> tensor<?x?xf32>
  %second = linalg.fill ins(%zero : f32) outs(%first : tensor<?x?xf32>) -> tensor<?x?xf32>
  %rows = tensor.dim %second, %c0 : tensor<?x?xf32>
  %sum = arith.addi %c0, %c0 : index
  %all = arith.addi %rows, %sum : index
  return %all, %second : index, tensor<?x?xf32>
}
// Of what says nothing of its results, the question stays.
// CHECK-LABEL: func @unknown
//       CHECK:   %[[CALL:.*]] = call @other
//       CHECK:   tensor.dim %[[CALL]]
func.func private @other() -> tensor<?xf32>
func.func @unknown() -> index {
  %c0 = arith.constant 0 : index
  %t = call @other() : () -> tensor<?xf32>
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  return %n : index
}
