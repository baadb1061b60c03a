// Products that matrix tiles compute, with what such tiles are given and leave to others. Dims: m, n, k; b: batch.

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#bmk = affine_map<(b, m, n, k) -> (b, m, k)>
#bkn = affine_map<(b, m, n, k) -> (b, k, n)>
#bmn = affine_map<(b, m, n, k) -> (b, m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

// Bias and ReLU behind the sums, the result in bf16.
func.func @tile_bf16(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %bias: tensor<?xf32>) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %b, %c1 : tensor<?x?xbf16>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %out = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%out : tensor<?x?xbf16>) {
  ^bb0(%x: f32, %y: f32, %o: bf16):
    %s = arith.addf %x, %y : f32
    %q = arith.maximumf %s, %zero : f32
    %t = arith.truncf %q : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x?xbf16>
  return %r : tensor<?x?xbf16>
}

// Added to what there is, B transposed.
func.func @tile_acc_i8(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%c : tensor<?x?xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %xw = arith.extsi %x : i8 to i32
    %yw = arith.extsi %y : i8 to i32
    %p = arith.muli %xw, %yw : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

func.func @tile_batch_u8_i8(%a: tensor<?x?x?xi8>, %b: tensor<?x?x?xi8>) -> tensor<?x?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %d = tensor.dim %a, %c0 : tensor<?x?x?xi8>
  %m = tensor.dim %a, %c1 : tensor<?x?x?xi8>
  %n = tensor.dim %b, %c2 : tensor<?x?x?xi8>
  %empty = tensor.empty(%d, %m, %n) : tensor<?x?x?xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<?x?x?xi32>) -> tensor<?x?x?xi32>
  %r = linalg.generic {indexing_maps = [#bmk, #bkn, #bmn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?x?xi8>, tensor<?x?x?xi8>) outs(%init : tensor<?x?x?xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %xw = arith.extui %x : i8 to i32
    %yw = arith.extsi %y : i8 to i32
    %p = arith.muli %xw, %yw : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<?x?x?xi32>
  return %r : tensor<?x?x?xi32>
}

// Heads between rows and steps, as attention keeps them.
func.func @tile_heads_bf16(%a: tensor<?x?x2x?xbf16>, %b: tensor<?x?x2x?xbf16>) -> tensor<?x2x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %d = tensor.dim %a, %c0 : tensor<?x?x2x?xbf16>
  %m = tensor.dim %a, %c1 : tensor<?x?x2x?xbf16>
  %n = tensor.dim %b, %c1 : tensor<?x?x2x?xbf16>
  %empty = tensor.empty(%d, %m, %n) : tensor<?x2x?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, k) -> (b, m, h, k)>, affine_map<(b, h, m, n, k) -> (b, n, h, k)>, affine_map<(b, h, m, n, k) -> (b, h, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?x2x?xbf16>, tensor<?x?x2x?xbf16>) outs(%init : tensor<?x2x?x?xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %xw = arith.extf %x : bf16 to f32
    %yw = arith.extf %y : bf16 to f32
    %p = arith.mulf %xw, %yw : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<?x2x?x?xf32>
  return %r : tensor<?x2x?x?xf32>
}
