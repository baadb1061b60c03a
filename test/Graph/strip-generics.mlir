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

// A sum a row, kept as a column.
// CHECK-LABEL: @column
// CHECK:         linalg.generic {indexing_maps = [#[[XY:.*]], #[[X:.*]]], iterator_types = ["parallel", "reduction"]}
// CHECK-SAME:      outs(%{{.*}} : tensor<?xf32>)
func.func @column(%x: tensor<?x?xf32>, %n: index) -> tensor<?x1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x1xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x1xf32>) -> tensor<?x1xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%z : tensor<?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %in, %out : f32
    linalg.yield %a : f32
  } -> tensor<?x1xf32>
  return %s : tensor<?x1xf32>
}

// The payload of a kernel is what its schedule says.
// CHECK-LABEL: @kernel
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<1x?xf32>) {{.*}}vortex.id = "copy"
func.func @kernel(%x: tensor<1x?xf32>, %o: tensor<1x?xf32>) -> tensor<1x?xf32> {
  %y = vortex.kernel "k" axes ["m", "n"] ins(%x : tensor<1x?xf32>) outs(%o : tensor<1x?xf32>) {
  ^bb0(%a: tensor<1x?xf32>, %b: tensor<1x?xf32>):
    %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<1x?xf32>) outs(%b : tensor<1x?xf32>) attrs = {vortex.anchor, vortex.id = "copy"} {
    ^bb0(%in: f32, %out: f32):
      %e = math.exp %in : f32
      linalg.yield %e : f32
    } -> tensor<1x?xf32>
    vortex.yield %c : tensor<1x?xf32>
  } : tensor<1x?xf32>
  return %y : tensor<1x?xf32>
}
