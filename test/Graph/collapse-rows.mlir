// Batch and sequence become one dimension of rows in all ops that pass them on.
// RUN: vortex-opt --vortex-collapse-rows --canonicalize --cse --split-input-file --mlir-print-local-scope %s | FileCheck %s

// A product and a mean a row; reshapes are left at the borders.
// CHECK-LABEL: @layer
// CHECK:         %[[X:.*]] = tensor.collapse_shape %arg0 {{\[}}[0, 1], [2]] : tensor<?x?x768xf32> into tensor<?x768xf32>
// CHECK:         %[[Y:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
// CHECK-SAME:      ins(%[[X]], %arg1
// CHECK:         %[[S:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%[[Y]]
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} ins(%[[Y]], %[[S]] : tensor<?x64xf32>, tensor<?xf32>)
// CHECK:         %[[E:.*]] = tensor.expand_shape %[[R]] {{\[}}[0, 1], [2]]
// CHECK:         return %[[E]]
func.func @layer(%x: tensor<?x?x768xf32>, %w: tensor<768x64xf32>) -> tensor<?x?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : tensor<?x?x768xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x768xf32>
  %e = tensor.empty(%b, %s) : tensor<?x?x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?x768xf32>, tensor<768x64xf32>) outs(%z : tensor<?x?x64xf32>) {
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %acc, %p : f32
    linalg.yield %q : f32
  } -> tensor<?x?x64xf32>
  %er = tensor.empty(%b, %s) : tensor<?x?xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y : tensor<?x?x64xf32>) outs(%zr : tensor<?x?xf32>) {
  ^bb0(%l: f32, %acc: f32):
    %q = arith.addf %acc, %l : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y, %sum : tensor<?x?x64xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?x64xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %q = arith.subf %l, %r : f32
    linalg.yield %q : f32
  } -> tensor<?x?x64xf32>
  return %d : tensor<?x?x64xf32>
}

// -----

// A mask that only the batch has keeps both apart; so does a batch of both factors.
// CHECK-LABEL: @apart
// CHECK-NOT:     collapse_shape
func.func @apart(%x: tensor<?x?x?xf32>, %w: tensor<?x?xf32>, %v: tensor<?x?x?xf32>, %mask: tensor<?xf32>, %e: tensor<?x?x?xf32>, %f: tensor<?x?x?xf32>) -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  %y = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %acc, %p : f32
    linalg.yield %q : f32
  } -> tensor<?x?x?xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b)>, affine_map<(b, m, n) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y, %mask : tensor<?x?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %q = arith.addf %l, %r : f32
    linalg.yield %q : f32
  } -> tensor<?x?x?xf32>
  %z = linalg.batch_matmul ins(%v, %v : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%f : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %d, %z : tensor<?x?x?xf32>, tensor<?x?x?xf32>
}

// -----

// A check of all rows reduces both dimensions: it walks rows, too.
// CHECK-LABEL: @check
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
// CHECK:         ins(%{{.*}}, %arg1 : tensor<?x?xf32>, tensor<?x64xf32>)
func.func @check(%x: tensor<?x?x?xf32>, %w: tensor<?x64xf32>, %m: tensor<?x?xf32>, %all: tensor<i32>, %e: tensor<?x?x64xf32>) -> (tensor<?x?x64xf32>, tensor<i32>) {
  %zero = arith.constant 0.0 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%m : tensor<?x?xf32>) outs(%all : tensor<i32>) {
  ^bb0(%in: f32, %out: i32):
    %ok = arith.cmpf one, %in, %zero : f32
    %bit = arith.extui %ok : i1 to i32
    %and = arith.andi %out, %bit : i32
    linalg.yield %and : i32
  } -> tensor<i32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?x?xf32>, tensor<?x64xf32>) outs(%e : tensor<?x?x64xf32>) {
  ^bb0(%l: f32, %r2: f32, %acc: f32):
    %p = arith.mulf %l, %r2 : f32
    %q = arith.addf %acc, %p : f32
    linalg.yield %q : f32
  } -> tensor<?x?x64xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y, %m : tensor<?x?x64xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?x64xf32>) {
  ^bb0(%l: f32, %r2: f32, %o: f32):
    %q = arith.mulf %l, %r2 : f32
    linalg.yield %q : f32
  } -> tensor<?x?x64xf32>
  return %d, %r : tensor<?x?x64xf32>, tensor<i32>
}

// -----

// A value a row with a dimension of size 1 is no row of numbers: it stays, and so does what reads it.
// CHECK-LABEL: @unit
// CHECK-NOT:     collapse_shape
func.func @unit(%x: tensor<?x?x?xf32>, %w: tensor<?x64xf32>, %m: tensor<?x?x1xf32>, %e: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?x?xf32>, tensor<?x64xf32>) outs(%e : tensor<?x?x64xf32>) {
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %acc, %p : f32
    linalg.yield %q : f32
  } -> tensor<?x?x64xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, 0)>, affine_map<(b, m, n) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y, %m : tensor<?x?x64xf32>, tensor<?x?x1xf32>) outs(%e : tensor<?x?x64xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %q = arith.mulf %l, %r : f32
    linalg.yield %q : f32
  } -> tensor<?x?x64xf32>
  return %d : tensor<?x?x64xf32>
}

// -----

// A sum over all has no columns.
// CHECK-LABEL: @total
// CHECK-NOT:     collapse_shape
func.func @total(%x: tensor<?x?xf32>, %v: tensor<?xf32>, %e: tensor<f32>) -> tensor<f32> {
  %s = linalg.generic {indexing_maps = [affine_map<(a, b) -> (b, a)>, affine_map<(a, b) -> (a)>, affine_map<(a, b) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x, %v : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<f32>) {
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %acc, %p : f32
    linalg.yield %q : f32
  } -> tensor<f32>
  return %s : tensor<f32>
}
