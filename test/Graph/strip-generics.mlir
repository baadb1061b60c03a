// Results that nobody uses and constant operands go.
// RUN: vortex-opt --vortex-strip-generics --canonicalize %s | FileCheck %s

// The position of the maximum has no use.
// CHECK-LABEL: @max
// CHECK:         linalg.generic
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: f32, %[[OUT:.*]]: f32):
// CHECK-NEXT:      %[[MAX:.*]] = arith.maximumf %[[IN]], %[[OUT]]
// CHECK-NEXT:      linalg.yield %[[MAX]] : f32
// CHECK-NEXT:    -> tensor<?xf32>
func.func @max(%x: tensor<?x?xf32>, %m: tensor<?xf32>, %at: tensor<?xi64>) -> tensor<?xf32> {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%m, %at : tensor<?xf32>, tensor<?xi64>) {
  ^bb0(%in: f32, %out: f32, %best: i64):
    %j = linalg.index 1 : index
    %here = arith.index_cast %j : index to i64
    %max = arith.maximumf %in, %out : f32
    %more = arith.cmpf ogt, %in, %out : f32
    %next = arith.select %more, %here, %best : i64
    linalg.yield %max, %next : f32, i64
  } -> (tensor<?xf32>, tensor<?xi64>)
  return %r#0 : tensor<?xf32>
}

// CHECK-LABEL: @scale
// CHECK:         %[[EIGHT:.*]] = arith.constant 8.000000e+00 : f32
// CHECK:         ins(%arg0 : tensor<?xf32>)
// CHECK:           arith.divf %{{.*}}, %[[EIGHT]] : f32
func.func @scale(%x: tensor<?xf32>) -> tensor<?xf32> {
  %eight = arith.constant dense<8.0> : tensor<f32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x, %eight : tensor<?xf32>, tensor<f32>) outs(%x : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
