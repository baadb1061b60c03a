// Products whose reduction is long, so that it may go in blocks: with something behind them, accumulating, with another result type.
// Dynamic dims: b, m, n, k.  Tolerance: 1e-5, 8e-3 (one bf16 step) where the result is bf16.

#id = affine_map<(i, j) -> (i, j)>
#col = affine_map<(i, j) -> (j)>

// relu(A W + bias); W and the bias may be bound as weights.
func.func @long_dense(%a: tensor<?x?xf32>, %w: tensor<?x?xf32>, %bias: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %w, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// C + A B, and nothing to start from or to finish.
func.func @long_acc(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A batch of products of bf16 added up in f32 and rounded once.
func.func @long_batch_bf16(%a: tensor<?x?x?xbf16>, %b: tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %n0 = tensor.dim %a, %c0 : tensor<?x?x?xbf16>
  %m = tensor.dim %a, %c1 : tensor<?x?x?xbf16>
  %n = tensor.dim %b, %c2 : tensor<?x?x?xbf16>
  %sums = tensor.empty(%n0, %m, %n) : tensor<?x?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.batch_matmul ins(%a, %b : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) outs(%init : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %empty = tensor.empty(%n0, %m, %n) : tensor<?x?x?xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p : tensor<?x?x?xf32>) outs(%empty : tensor<?x?x?xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x?x?xbf16>
  return %r : tensor<?x?x?xbf16>
}
