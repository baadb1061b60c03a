// One layer of BERT-base with unknown batch and sequence length, as private functions.  The projections are products over all
// batch x seq rows, attention reads the heads in place (no transposes, no copies of weights), softmax is one op.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>
#q = affine_map<(b, h, i, j, d) -> (b, i, h, d)>
#k = affine_map<(b, h, i, j, d) -> (b, j, h, d)>
#s = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
#id4 = affine_map<(b, h, i, j) -> (b, h, i, j)>
#mask = affine_map<(b, h, i, j) -> (b, j)>
#pv_p = affine_map<(b, h, i, d, j) -> (b, h, i, j)>
#pv_v = affine_map<(b, h, i, d, j) -> (b, j, h, d)>
#pv_o = affine_map<(b, h, i, d, j) -> (b, i, h, d)>

// x w + bias
func.func private @linear(%x: tensor<?x768xf32>, %w: tensor<768x768xf32>, %bias: tensor<768xf32>) -> tensor<?x768xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x768xf32>
  %empty = tensor.empty(%t) : tensor<?x768xf32>
  %init = linalg.broadcast ins(%bias : tensor<768xf32>) outs(%empty : tensor<?x768xf32>) dimensions = [0]
  %y = linalg.matmul ins(%x, %w : tensor<?x768xf32>, tensor<768x768xf32>) outs(%init : tensor<?x768xf32>) -> tensor<?x768xf32>
  return %y : tensor<?x768xf32>
}

// layernorm(x + y)
func.func private @add_norm(%x: tensor<?x768xf32>, %y: tensor<?x768xf32>, %gamma: tensor<768xf32>, %beta: tensor<768xf32>) -> tensor<?x768xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %inv = arith.constant 0.00130208333 : f32
  %t = tensor.dim %x, %c0 : tensor<?x768xf32>
  %rows = tensor.empty(%t) : tensor<?xf32>
  %full = tensor.empty(%t) : tensor<?x768xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %h = linalg.add ins(%x, %y : tensor<?x768xf32>, tensor<?x768xf32>) outs(%full : tensor<?x768xf32>) -> tensor<?x768xf32>
  %sum = linalg.reduce ins(%h : tensor<?x768xf32>) outs(%zeros : tensor<?xf32>) dimensions = [1]
    (%a: f32, %acc: f32) {
      %r = arith.addf %a, %acc : f32
      linalg.yield %r : f32
    }
  %sq = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%h, %sum : tensor<?x768xf32>, tensor<?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32, %acc: f32):
    %mu = arith.mulf %s, %inv : f32
    %d = arith.subf %a, %mu : f32
    %p = arith.mulf %d, %d : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #row, #col, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%h, %sum, %sq, %gamma, %beta : tensor<?x768xf32>, tensor<?xf32>, tensor<?xf32>, tensor<768xf32>, tensor<768xf32>)
      outs(%full : tensor<?x768xf32>) {
  ^bb0(%a: f32, %s: f32, %q: f32, %g: f32, %be: f32, %o: f32):
    %mu = arith.mulf %s, %inv : f32
    %v = arith.mulf %q, %inv : f32
    %ve = arith.addf %v, %eps : f32
    %rs = math.rsqrt %ve : f32
    %d = arith.subf %a, %mu : f32
    %n = arith.mulf %d, %rs : f32
    %u = arith.mulf %n, %g : f32
    %w = arith.addf %u, %be : f32
    linalg.yield %w : f32
  } -> tensor<?x768xf32>
  return %r : tensor<?x768xf32>
}

func.func private @layer(%x: tensor<?x?x768xf32>, %mask: tensor<?x?xf32>,
    %wq: tensor<768x768xf32>, %bq: tensor<768xf32>, %wk: tensor<768x768xf32>, %bk: tensor<768xf32>,
    %wv: tensor<768x768xf32>, %bv: tensor<768xf32>, %wo: tensor<768x768xf32>, %bo: tensor<768xf32>,
    %g1: tensor<768xf32>, %be1: tensor<768xf32>, %w1: tensor<768x3072xf32>, %b1: tensor<3072xf32>,
    %w2: tensor<3072x768xf32>, %b2: tensor<768xf32>, %g2: tensor<768xf32>, %be2: tensor<768xf32>) -> tensor<?x?x768xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %rsqrt2 = arith.constant 0.70710678 : f32
  %scale = arith.constant 0.125 : f32
  %b = tensor.dim %x, %c0 : tensor<?x?x768xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x768xf32>
  %t = arith.muli %b, %s : index
  %xt = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x768xf32> into tensor<?x768xf32>

  %qt = func.call @linear(%xt, %wq, %bq) : (tensor<?x768xf32>, tensor<768x768xf32>, tensor<768xf32>) -> tensor<?x768xf32>
  %kt = func.call @linear(%xt, %wk, %bk) : (tensor<?x768xf32>, tensor<768x768xf32>, tensor<768xf32>) -> tensor<?x768xf32>
  %vt = func.call @linear(%xt, %wv, %bv) : (tensor<?x768xf32>, tensor<768x768xf32>, tensor<768xf32>) -> tensor<?x768xf32>
  %q = tensor.expand_shape %qt [[0, 1], [2, 3]] output_shape [%b, %s, 12, 64] : tensor<?x768xf32> into tensor<?x?x12x64xf32>
  %k = tensor.expand_shape %kt [[0, 1], [2, 3]] output_shape [%b, %s, 12, 64] : tensor<?x768xf32> into tensor<?x?x12x64xf32>
  %v = tensor.expand_shape %vt [[0, 1], [2, 3]] output_shape [%b, %s, 12, 64] : tensor<?x768xf32> into tensor<?x?x12x64xf32>

  %room = tensor.empty(%b, %s, %s) : tensor<?x12x?x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%room : tensor<?x12x?x?xf32>) -> tensor<?x12x?x?xf32>
  %qk = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x?x12x64xf32>, tensor<?x?x12x64xf32>) outs(%s0 : tensor<?x12x?x?xf32>) {
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p0 = arith.mulf %l, %r : f32
    %p1 = arith.addf %acc, %p0 : f32
    linalg.yield %p1 : f32
  } -> tensor<?x12x?x?xf32>
  %masked = linalg.generic {indexing_maps = [#id4, #mask, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%qk, %mask : tensor<?x12x?x?xf32>, tensor<?x?xf32>) outs(%room : tensor<?x12x?x?xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %p0 = arith.mulf %l, %scale : f32
    %p1 = arith.addf %p0, %r : f32
    linalg.yield %p1 : f32
  } -> tensor<?x12x?x?xf32>
  %p = linalg.softmax dimension(3) ins(%masked : tensor<?x12x?x?xf32>) outs(%room : tensor<?x12x?x?xf32>) -> tensor<?x12x?x?xf32>
  %ctx = tensor.empty(%b, %s) : tensor<?x?x12x64xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%ctx : tensor<?x?x12x64xf32>) -> tensor<?x?x12x64xf32>
  %pv = linalg.generic {indexing_maps = [#pv_p, #pv_v, #pv_o], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<?x12x?x?xf32>, tensor<?x?x12x64xf32>) outs(%o0 : tensor<?x?x12x64xf32>) {
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p0 = arith.mulf %l, %r : f32
    %p1 = arith.addf %acc, %p0 : f32
    linalg.yield %p1 : f32
  } -> tensor<?x?x12x64xf32>
  %ot = tensor.collapse_shape %pv [[0, 1], [2, 3]] : tensor<?x?x12x64xf32> into tensor<?x768xf32>

  %att = func.call @linear(%ot, %wo, %bo) : (tensor<?x768xf32>, tensor<768x768xf32>, tensor<768xf32>) -> tensor<?x768xf32>
  %h = func.call @add_norm(%xt, %att, %g1, %be1) : (tensor<?x768xf32>, tensor<?x768xf32>, tensor<768xf32>, tensor<768xf32>) -> tensor<?x768xf32>

  %ef = tensor.empty(%t) : tensor<?x3072xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%ef : tensor<?x3072xf32>) -> tensor<?x3072xf32>
  %f1 = linalg.matmul ins(%h, %w1 : tensor<?x768xf32>, tensor<768x3072xf32>) outs(%f0 : tensor<?x3072xf32>) -> tensor<?x3072xf32>
  %f2 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f1, %b1 : tensor<?x3072xf32>, tensor<3072xf32>) outs(%ef : tensor<?x3072xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %a0 = arith.addf %l, %r : f32
    %a1 = arith.mulf %a0, %rsqrt2 : f32
    %a2 = math.erf %a1 : f32
    %a3 = arith.addf %a2, %one : f32
    %a4 = arith.mulf %a0, %half : f32
    %a5 = arith.mulf %a4, %a3 : f32
    linalg.yield %a5 : f32
  } -> tensor<?x3072xf32>
  %eo = tensor.empty(%t) : tensor<?x768xf32>
  %g0 = linalg.broadcast ins(%b2 : tensor<768xf32>) outs(%eo : tensor<?x768xf32>) dimensions = [0]
  %f3 = linalg.matmul ins(%f2, %w2 : tensor<?x3072xf32>, tensor<3072x768xf32>) outs(%g0 : tensor<?x768xf32>) -> tensor<?x768xf32>
  %yt = func.call @add_norm(%h, %f3, %g2, %be2) : (tensor<?x768xf32>, tensor<?x768xf32>, tensor<768xf32>, tensor<768xf32>) -> tensor<?x768xf32>
  %y = tensor.expand_shape %yt [[0, 1], [2]] output_shape [%b, %s, 768] : tensor<?x768xf32> into tensor<?x?x768xf32>
  return %y : tensor<?x?x768xf32>
}
