// Sums along dimensions in front, onto what is there, with what is computed of them.
#all = affine_map<(i, j, c) -> (i, j, c)>
#column = affine_map<(i, j, c) -> (c)>
#c = affine_map<(c) -> (c)>

func.func @sums(%x: tensor<?x?x?xf16>, %bias: tensor<?xf32>) -> tensor<?xf32> {
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c2 : tensor<?x?x?xf16>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%x : tensor<?x?x?xf16>) outs(%init : tensor<?xf32>) {
  ^bb0(%in: f16, %acc: f32):
    %w = arith.extf %in : f16 to f32
    %s = arith.addf %acc, %w : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#c, #c, #c], iterator_types = ["parallel"]}
      ins(%sum, %bias : tensor<?xf32>, tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%s: f32, %b: f32, %o: f32):
    %t = arith.addf %s, %b : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// A row by a matrix: columns are in lanes, and parts of them are added.
func.func @vecmat(%x: tensor<?xf16>, %w: tensor<?x?xf16>) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %w, %c1 : tensor<?x?xf16>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %y = linalg.vecmat ins(%x, %w : tensor<?xf16>, tensor<?x?xf16>) outs(%init : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
