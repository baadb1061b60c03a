// Products read and write tensors where they are, without copies.
// RUN: vortex-opt --vortex-fold-relayout --canonicalize --cse --split-input-file --mlir-print-local-scope %s | FileCheck %s

// A weight copied to every batch.
// CHECK-LABEL: @shared
// CHECK-NOT:     linalg.broadcast
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>
// CHECK-SAME:      ins(%arg0, %arg1
func.func @shared(%x: tensor<?x?x?xf32>, %w: tensor<?x?xf32>, %e: tensor<?x?x?xf32>, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %all = linalg.broadcast ins(%w : tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>) dimensions = [0]
  %y = linalg.batch_matmul ins(%x, %all : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%o : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// -----

// Heads: transposed and joined with the batch before the product, split and transposed behind it.
// CHECK-LABEL: @heads
// CHECK-NOT:     linalg.transpose
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d3)>,
// CHECK-SAME:      affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d3)>]
// CHECK-SAME:      ins(%arg0, %arg1 : tensor<?x?x12x?xf32>, tensor<?x?x12x64xf32>)
// CHECK-NOT:     linalg.transpose
// CHECK:         return %{{.*}} : tensor<?x?x12x64xf32>
func.func @heads(%p: tensor<?x?x12x?xf32>, %v: tensor<?x?x12x64xf32>, %b: index, %s: index, %k: index) -> tensor<?x?x12x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c12 = arith.constant 12 : index
  %ep = tensor.empty(%b, %s, %k) : tensor<?x12x?x?xf32>
  %tp = linalg.transpose ins(%p : tensor<?x?x12x?xf32>) outs(%ep : tensor<?x12x?x?xf32>) permutation = [0, 2, 1, 3]
  %ev = tensor.empty(%b, %k) : tensor<?x12x?x64xf32>
  %tv = linalg.transpose ins(%v : tensor<?x?x12x64xf32>) outs(%ev : tensor<?x12x?x64xf32>) permutation = [0, 2, 1, 3]
  %jp = tensor.collapse_shape %tp [[0, 1], [2], [3]] : tensor<?x12x?x?xf32> into tensor<?x?x?xf32>
  %jv = tensor.collapse_shape %tv [[0, 1], [2], [3]] : tensor<?x12x?x64xf32> into tensor<?x?x64xf32>
  %n = arith.muli %b, %c12 : index
  %e = tensor.empty(%n, %s) : tensor<?x?x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %y = linalg.batch_matmul ins(%jp, %jv : tensor<?x?x?xf32>, tensor<?x?x64xf32>) outs(%z : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %h = tensor.expand_shape %y [[0, 1], [2], [3]] output_shape [%b, 12, %s, 64] : tensor<?x?x64xf32> into tensor<?x12x?x64xf32>
  %et = tensor.empty(%b, %s) : tensor<?x?x12x64xf32>
  %t = linalg.transpose ins(%h : tensor<?x12x?x64xf32>) outs(%et : tensor<?x?x12x64xf32>) permutation = [0, 2, 1, 3]
  return %t : tensor<?x?x12x64xf32>
}

// -----

// Keys shared by groups of heads: broadcast, joined, transposed.
// CHECK-LABEL: @groups
// CHECK-NOT:     linalg.transpose
// CHECK:         %[[Q:.*]] = tensor.expand_shape %arg0 {{\[}}[0], [1, 2], [3], [4]]
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d4, d5)>
// CHECK-SAME:      ins(%[[Q]], %arg1
func.func @groups(%q: tensor<?x16x?x64xf32>, %k: tensor<?x8x?x64xf32>, %b: index, %s: index, %keys: index, %n: index, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %eb = tensor.empty(%b, %keys) : tensor<?x8x2x?x64xf32>
  %all = linalg.broadcast ins(%k : tensor<?x8x?x64xf32>) outs(%eb : tensor<?x8x2x?x64xf32>) dimensions = [2]
  %j = tensor.collapse_shape %all [[0], [1, 2], [3], [4]] : tensor<?x8x2x?x64xf32> into tensor<?x16x?x64xf32>
  %et = tensor.empty(%b, %keys) : tensor<?x16x64x?xf32>
  %t = linalg.transpose ins(%j : tensor<?x16x?x64xf32>) outs(%et : tensor<?x16x64x?xf32>) permutation = [0, 1, 3, 2]
  %jq = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<?x16x?x64xf32> into tensor<?x?x64xf32>
  %jk = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<?x16x64x?xf32> into tensor<?x64x?xf32>
  %y = linalg.batch_matmul ins(%jq, %jk : tensor<?x?x64xf32>, tensor<?x64x?xf32>) outs(%o : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// -----

// Heads in groups are written transposed, too.
// CHECK-LABEL: @joined
// CHECK-NOT:     linalg.transpose
// CHECK:         affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d1, d2, d4)>]
// CHECK:         tensor.collapse_shape %{{.*}} {{\[}}[0], [1], [2, 3], [4]] : tensor<?x?x8x2x64xf32> into tensor<?x?x16x64xf32>
func.func @joined(%p: tensor<?x8x2x?x?xf32>, %v: tensor<?x8x?x64xf32>, %b: index, %s: index) -> tensor<?x?x16x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%b, %s) : tensor<?x8x2x?x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8x2x?x64xf32>) -> tensor<?x8x2x?x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, g, h, i, d, j) -> (b, g, h, i, j)>, affine_map<(b, g, h, i, d, j) -> (b, g, j, d)>,
                                        affine_map<(b, g, h, i, d, j) -> (b, g, h, i, d)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<?x8x2x?x?xf32>, tensor<?x8x?x64xf32>) outs(%z : tensor<?x8x2x?x64xf32>) {
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %m = arith.mulf %l, %r : f32
    %q = arith.addf %acc, %m : f32
    linalg.yield %q : f32
  } -> tensor<?x8x2x?x64xf32>
  %h = tensor.collapse_shape %y [[0], [1, 2], [3], [4]] : tensor<?x8x2x?x64xf32> into tensor<?x16x?x64xf32>
  %et = tensor.empty(%b, %s) : tensor<?x?x16x64xf32>
  %t = linalg.transpose ins(%h : tensor<?x16x?x64xf32>) outs(%et : tensor<?x?x16x64xf32>) permutation = [0, 2, 1, 3]
  return %t : tensor<?x?x16x64xf32>
}

// -----

// Groups of heads share keys: what follows the product walks groups and heads apart, too, but not rows, which stay whole.
// CHECK-LABEL: @passed_on
// CHECK:         %[[S:.*]] = linalg.generic {{.*}} -> (d0, d1, d2, d3, d5)>{{.*}} -> (d0, d1, d4, d5)>
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>,
// CHECK-SAME:      ins(%[[S]], %arg2 : tensor<?x8x2x?x?xf32>, tensor<?x?x?xf32>)
// CHECK:         linalg.generic {{.*}}"reduction"]} ins(%{{.*}} : tensor<?x8x2x?x?xf32>) outs(%{{.*}} : tensor<?x8x2x?xf32>)
// CHECK:         tensor.collapse_shape %{{.*}} {{\[}}[0], [1, 2], [3]] : tensor<?x8x2x?xf32> into tensor<?x16x?xf32>
func.func @passed_on(%q: tensor<?x16x?x64xf32>, %k: tensor<?x8x?x64xf32>, %mask: tensor<?x?x?xf32>, %b: index, %s: index, %keys: index, %n: index, %o: tensor<?x?x?xf32>) -> tensor<?x16x?xf32> {
  %eb = tensor.empty(%b, %keys) : tensor<?x8x2x?x64xf32>
  %all = linalg.broadcast ins(%k : tensor<?x8x?x64xf32>) outs(%eb : tensor<?x8x2x?x64xf32>) dimensions = [2]
  %j = tensor.collapse_shape %all [[0], [1, 2], [3], [4]] : tensor<?x8x2x?x64xf32> into tensor<?x16x?x64xf32>
  %et = tensor.empty(%b, %keys) : tensor<?x16x64x?xf32>
  %t = linalg.transpose ins(%j : tensor<?x16x?x64xf32>) outs(%et : tensor<?x16x64x?xf32>) permutation = [0, 1, 3, 2]
  %jq = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<?x16x?x64xf32> into tensor<?x?x64xf32>
  %jk = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<?x16x64x?xf32> into tensor<?x64x?xf32>
  %y = linalg.batch_matmul ins(%jq, %jk : tensor<?x?x64xf32>, tensor<?x64x?xf32>) outs(%o : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %h = tensor.expand_shape %y [[0, 1], [2], [3]] output_shape [%b, 16, %s, %keys] : tensor<?x?x?xf32> into tensor<?x16x?x?xf32>
  %es = tensor.empty(%b, %s, %keys) : tensor<?x16x?x?xf32>
  %masked = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>],
                            iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%h, %mask : tensor<?x16x?x?xf32>, tensor<?x?x?xf32>) outs(%es : tensor<?x16x?x?xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %z = arith.addf %x, %m : f32
    linalg.yield %z : f32
  } -> tensor<?x16x?x?xf32>
  %low = arith.constant 0xFF800000 : f32
  %em = tensor.empty(%b, %s) : tensor<?x16x?xf32>
  %start = linalg.fill ins(%low : f32) outs(%em : tensor<?x16x?xf32>) -> tensor<?x16x?xf32>
  %max = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%masked : tensor<?x16x?x?xf32>) outs(%start : tensor<?x16x?xf32>) {
  ^bb0(%x: f32, %out: f32):
    %z = arith.maximumf %x, %out : f32
    linalg.yield %z : f32
  } -> tensor<?x16x?xf32>
  return %max : tensor<?x16x?xf32>
}

// -----

// All of what was joined is read by both factors: what follows stays as it is.
// CHECK-LABEL: @not_shared
// CHECK:         linalg.generic {{.*}}ins(%{{.*}} : tensor<?x?x64xf32>) outs(%{{.*}} : tensor<?x?x64xf32>)
// CHECK:         math.exp
func.func @not_shared(%p: tensor<?x?x12x?xf32>, %v: tensor<?x12x?x64xf32>, %b: index, %s: index, %k: index, %n: index) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ep = tensor.empty(%b, %s, %k) : tensor<?x12x?x?xf32>
  %tp = linalg.transpose ins(%p : tensor<?x?x12x?xf32>) outs(%ep : tensor<?x12x?x?xf32>) permutation = [0, 2, 1, 3]
  %jp = tensor.collapse_shape %tp [[0, 1], [2], [3]] : tensor<?x12x?x?xf32> into tensor<?x?x?xf32>
  %jv = tensor.collapse_shape %v [[0, 1], [2], [3]] : tensor<?x12x?x64xf32> into tensor<?x?x64xf32>
  %e = tensor.empty(%n, %s) : tensor<?x?x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %y = linalg.batch_matmul ins(%jp, %jv : tensor<?x?x?xf32>, tensor<?x?x64xf32>) outs(%z : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<?x?x64xf32>) outs(%e : tensor<?x?x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = math.exp %in : f32
    linalg.yield %r : f32
  } -> tensor<?x?x64xf32>
  return %x : tensor<?x?x64xf32>
}

// -----

// Columns stay columns: the result is not written along its rows.
// CHECK-LABEL: @columns
// CHECK:         linalg.matmul
// CHECK:         linalg.transpose
func.func @columns(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  %et = tensor.empty(%n, %m) : tensor<?x?xf32>
  %t = linalg.transpose ins(%y : tensor<?x?xf32>) outs(%et : tensor<?x?xf32>) permutation = [1, 0]
  return %t : tensor<?x?xf32>
}

// -----

// A transposition in front of a loop is made once, not in every step.
// CHECK-LABEL: @loop
// CHECK:         linalg.transpose
// CHECK:         scf.for
// CHECK:           linalg.matmul
func.func @loop(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %e: tensor<?x?xf32>, %steps: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = linalg.transpose ins(%w : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) permutation = [1, 0]
  %r = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %x) -> tensor<?x?xf32> {
    %y = linalg.matmul ins(%x, %t : tensor<?x?xf32>, tensor<?x?xf32>) outs(%acc : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %y : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// -----

// A sum that starts from a row that is broadcast starts from zero; one of bf16 would be rounded once more.
// CHECK-LABEL: @starts
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x8xf32>, %[[W:[a-z0-9]+]]: tensor<8x4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>
// CHECK:         %[[Z:.*]] = linalg.fill ins(%cst
// CHECK:         %[[P:.*]] = linalg.matmul ins(%[[X]], %[[W]] : {{.*}}) outs(%[[Z]] :
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-SAME:      ins(%[[P]], %[[B]] :
// CHECK-NEXT:    ^bb0(%[[L:.*]]: f32, %[[R:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      arith.addf %[[L]], %[[R]]
// CHECK:         %[[N:.*]] = linalg.broadcast
// CHECK:         linalg.matmul ins({{.*}}) outs(%[[N]] : tensor<?x4xbf16>)
func.func @starts(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>, %m: index,
                  %xn: tensor<?x8xbf16>, %wn: tensor<8x4xbf16>, %bn: tensor<4xbf16>) -> (tensor<?x4xf32>, tensor<?x4xbf16>) {
  %e = tensor.empty(%m) : tensor<?x4xf32>
  %s = linalg.broadcast ins(%b : tensor<4xf32>) outs(%e : tensor<?x4xf32>) dimensions = [0]
  %y = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>) outs(%s : tensor<?x4xf32>) -> tensor<?x4xf32>
  %en = tensor.empty(%m) : tensor<?x4xbf16>
  %sn = linalg.broadcast ins(%bn : tensor<4xbf16>) outs(%en : tensor<?x4xbf16>) dimensions = [0]
  %yn = linalg.matmul ins(%xn, %wn : tensor<?x8xbf16>, tensor<8x4xbf16>) outs(%sn : tensor<?x4xbf16>) -> tensor<?x4xbf16>
  return %y, %yn : tensor<?x4xf32>, tensor<?x4xbf16>
}
