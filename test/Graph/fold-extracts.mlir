// Elements that a body extracts at the indices of its loops are read as an operand.
// RUN: vortex-opt --vortex-fold-extracts --canonicalize --split-input-file --mlir-print-local-scope %s | FileCheck %s

// A mean a row, broadcast the way an importer does: index 0 where the size is 1.
// CHECK-LABEL: @row
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
// CHECK-SAME:      ins(%arg1 : tensor<?x?x1xf32>)
// CHECK-NEXT:    ^bb0(%[[V:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      linalg.yield %[[V]]
func.func @row(%x: tensor<?x?x768xf32>, %mean: tensor<?x?x1xf32> {vortex.dims = ["b", "s", ""]}) -> tensor<?x?x768xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %mean, %c0 : tensor<?x?x1xf32>
  %s = tensor.dim %mean, %c1 : tensor<?x?x1xf32>
  %one_b = arith.cmpi eq, %b, %c1 : index
  %e = tensor.empty(%b, %s) : tensor<?x?x768xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%e : tensor<?x?x768xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %at = arith.select %one_b, %c0, %i : index
    %v = tensor.extract %mean[%at, %j, %c0] : tensor<?x?x1xf32>
    linalg.yield %v : f32
  } -> tensor<?x?x768xf32>
  return %y : tensor<?x?x768xf32>
}

// -----

// A loop that is not known to be as long as the dimension, a row other than the first, a table looked up.
// CHECK-LABEL: @stays
// CHECK-COUNT-3: tensor.extract
func.func @stays(%x: tensor<?xf32>, %y: tensor<?x?xf32>, %at: tensor<?xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %at, %c0 : tensor<?xi64>
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%at : tensor<?xi64>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: i64, %out: f32):
    %i = linalg.index 0 : index
    %u = tensor.extract %x[%i] : tensor<?xf32>
    %v = tensor.extract %y[%c0, %i] : tensor<?x?xf32>
    %p = arith.index_cast %in : i64 to index
    %w = tensor.extract %x[%p] : tensor<?xf32>
    %s = arith.addf %u, %v : f32
    %t = arith.addf %s, %w : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
