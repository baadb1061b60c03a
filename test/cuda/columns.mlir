// A product of f16 by rows of weights, with what is added to a column and to an element: operands are aligned whatever the number of columns.
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

func.func @columns(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %bias: tensor<?xf32>, %rest: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf16>
  %n = tensor.dim %w, %c0 : tensor<?x?xf16>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %product = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
                             iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?xf16>, tensor<?x?xf16>) outs(%init : tensor<?x?xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %l = arith.extf %a : f16 to f32
    %r = arith.extf %b : f16 to f32
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #column, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias, %rest : tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%p: f32, %b: f32, %q: f32, %o: f32):
    %t = arith.addf %p, %b : f32
    %u = arith.addf %t, %q : f32
    linalg.yield %u : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
