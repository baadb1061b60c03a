// Rows of a table that a reduction alone reads are picked in it.
// RUN: vortex-opt --vortex-join-gathers --canonicalize --mlir-print-local-scope %s | FileCheck %s

// A list that was made of bags is bags again.
// CHECK-LABEL: @bags
// CHECK-SAME:      (%[[IDS:.*]]: tensor<?x?xi64>, %[[TABLE:.*]]: tensor<?x64xf32>, %[[INIT:.*]]: tensor<?x64xf32>)
// CHECK:         %[[LIST:.*]] = tensor.collapse_shape %[[IDS]]
// CHECK:         %[[BAGS:.*]] = tensor.expand_shape %[[LIST]]
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "parallel"]} ins(%[[BAGS]] : tensor<?x?xi64>) outs(%[[INIT]] : tensor<?x64xf32>)
// CHECK-DAG:       %[[ROW:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK-DAG:       %[[COLUMN:.*]] = linalg.index 2 : index
// CHECK:           tensor.extract %[[TABLE]][%[[ROW]], %[[COLUMN]]]
// CHECK:           arith.addf
// CHECK:         return %[[SUM]]
func.func @bags(%ids: tensor<?x?xi64>, %table: tensor<?x64xf32>, %init: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %ids, %c0 : tensor<?x?xi64>
  %l = tensor.dim %ids, %c1 : tensor<?x?xi64>
  %n = arith.muli %b, %l : index
  %list = tensor.collapse_shape %ids [[0, 1]] : tensor<?x?xi64> into tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %rows = linalg.generic {indexing_maps = [affine_map<(i, d) -> (i)>, affine_map<(i, d) -> (i, d)>], iterator_types = ["parallel", "parallel"]}
      ins(%list : tensor<?xi64>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%i: i64, %o: f32):
    %r = arith.index_cast %i : i64 to index
    %d = linalg.index 1 : index
    %v = tensor.extract %table[%r, %d] : tensor<?x64xf32>
    linalg.yield %v : f32
  } -> tensor<?x64xf32>
  %bags = tensor.expand_shape %rows [[0, 1], [2]] output_shape [%b, %l, 64] : tensor<?x64xf32> into tensor<?x?x64xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(b, l, d) -> (b, l, d)>, affine_map<(b, l, d) -> (b, d)>], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%bags : tensor<?x?x64xf32>) outs(%init : tensor<?x64xf32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  } -> tensor<?x64xf32>
  return %sum : tensor<?x64xf32>
}

// A sum along each row stays apart, and so do rows that are read twice.
// CHECK-LABEL: @apart
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]
func.func @apart(%ids: tensor<?xi64>, %table: tensor<?x64xf32>, %e: tensor<?x64xf32>, %a: tensor<?xf32>, %c: tensor<64xf32>)
    -> (tensor<?xf32>, tensor<64xf32>, tensor<?x64xf32>) {
  %rows = linalg.generic {indexing_maps = [affine_map<(i, d) -> (i)>, affine_map<(i, d) -> (i, d)>], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<?xi64>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%i: i64, %o: f32):
    %r = arith.index_cast %i : i64 to index
    %d = linalg.index 1 : index
    %v = tensor.extract %table[%r, %d] : tensor<?x64xf32>
    linalg.yield %v : f32
  } -> tensor<?x64xf32>
  %along = linalg.generic {indexing_maps = [affine_map<(i, d) -> (i, d)>, affine_map<(i, d) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%rows : tensor<?x64xf32>) outs(%a : tensor<?xf32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %others = linalg.generic {indexing_maps = [affine_map<(i, d) -> (i)>, affine_map<(i, d) -> (i, d)>], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<?xi64>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%i: i64, %o: f32):
    %r = arith.index_cast %i : i64 to index
    %d = linalg.index 1 : index
    %v = tensor.extract %table[%r, %d] : tensor<?x64xf32>
    %w = arith.negf %v : f32
    linalg.yield %w : f32
  } -> tensor<?x64xf32>
  %across = linalg.generic {indexing_maps = [affine_map<(i, d) -> (i, d)>, affine_map<(i, d) -> (d)>], iterator_types = ["reduction", "parallel"]}
      ins(%others : tensor<?x64xf32>) outs(%c : tensor<64xf32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  return %along, %across, %others : tensor<?xf32>, tensor<64xf32>, tensor<?x64xf32>
}

// So do a sum and a maximum in one op.
// CHECK-LABEL: @both
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]
func.func @both(%ids: tensor<?xi64>, %table: tensor<?x64xf32>, %e: tensor<?x64xf32>, %a: tensor<64xf32>, %c: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %rows = linalg.generic {indexing_maps = [affine_map<(i, d) -> (i)>, affine_map<(i, d) -> (i, d)>], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<?xi64>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%i: i64, %o: f32):
    %r = arith.index_cast %i : i64 to index
    %d = linalg.index 1 : index
    %v = tensor.extract %table[%r, %d] : tensor<?x64xf32>
    linalg.yield %v : f32
  } -> tensor<?x64xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, d) -> (i, d)>, affine_map<(i, d) -> (d)>, affine_map<(i, d) -> (d)>], iterator_types = ["reduction", "parallel"]}
      ins(%rows : tensor<?x64xf32>) outs(%a, %c : tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%x: f32, %s: f32, %m: f32):
    %t = arith.addf %s, %x : f32
    %u = arith.maximumf %m, %x : f32
    linalg.yield %t, %u : f32, f32
  } -> (tensor<64xf32>, tensor<64xf32>)
  return %r#0, %r#1 : tensor<64xf32>, tensor<64xf32>
}
