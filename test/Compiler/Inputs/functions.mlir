#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>

// A product, and functions of its sums by polynomials: bias and GELU of known
// rows, sigmoid.
func.func @gelu(%a: tensor<?x768xf32>, %b: tensor<768x3072xf32>, %bias: tensor<3072xf32>) -> tensor<?x3072xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %rsqrt2 = arith.constant 0.70710678 : f32
  %m = tensor.dim %a, %c0 : tensor<?x768xf32>
  %empty = tensor.empty(%m) : tensor<?x3072xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x3072xf32>) -> tensor<?x3072xf32>
  %c = linalg.matmul ins(%a, %b : tensor<?x768xf32>, tensor<768x3072xf32>) outs(%init : tensor<?x3072xf32>) -> tensor<?x3072xf32>
  %r = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %bias : tensor<?x3072xf32>, tensor<3072xf32>) outs(%empty : tensor<?x3072xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.mulf %s, %rsqrt2 : f32
    %e = math.erf %t : f32
    %u = arith.addf %e, %one : f32
    %h = arith.mulf %s, %half : f32
    %g = arith.mulf %h, %u : f32
    linalg.yield %g : f32
  } -> tensor<?x3072xf32>
  return %r : tensor<?x3072xf32>
}

func.func @sigmoid(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %negative = arith.negf %x : f32
    %e = math.exp %negative : f32
    %d = arith.addf %e, %one : f32
    %g = arith.divf %one, %d : f32
    linalg.yield %g : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
