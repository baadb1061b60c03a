// One Llama-style decoder block as a person would write it: RMSNorm, rotary embedding by position, grouped-query attention over a
// KV cache (8 KV heads, 2 query heads each, head size 64), causal by index, SwiGLU.  Same mathematics as one block of
// imported/llama_block.mlir, whose mask argument is replaced by the causal rule: query i sees keys 0 .. past + i.
// Dynamic dims: batch, seq, past; keys = past + seq.  Tolerance: 5e-5.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>
#hs = affine_map<(b, s, h, f) -> (b, s, h, f)>
#cs = affine_map<(b, s, h, f) -> (b, s, f)>
#bsf = affine_map<(b, s, f) -> (b, s, f)>
#bs = affine_map<(b, s, f) -> (b, s)>
#f = affine_map<(b, s, f) -> (f)>
#q = affine_map<(b, g, r, i, j, d) -> (b, i, g, r, d)>
#k = affine_map<(b, g, r, i, j, d) -> (b, g, j, d)>
#s = affine_map<(b, g, r, i, j, d) -> (b, g, r, i, j)>
#id5 = affine_map<(b, g, r, i, j) -> (b, g, r, i, j)>
#pv_p = affine_map<(b, g, r, i, d, j) -> (b, g, r, i, j)>
#pv_v = affine_map<(b, g, r, i, d, j) -> (b, g, j, d)>
#pv_o = affine_map<(b, g, r, i, d, j) -> (b, i, g, r, d)>

func.func private @norm(%x: tensor<?x1024xf32>, %gamma: tensor<1024xf32>) -> tensor<?x1024xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %inv = arith.constant 9.765625e-4 : f32
  %t = tensor.dim %x, %c0 : tensor<?x1024xf32>
  %rows = tensor.empty(%t) : tensor<?xf32>
  %full = tensor.empty(%t) : tensor<?x1024xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sq = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x1024xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %p = arith.mulf %a, %a : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sq, %gamma : tensor<?x1024xf32>, tensor<?xf32>, tensor<1024xf32>) outs(%full : tensor<?x1024xf32>) {
  ^bb0(%a: f32, %m: f32, %g: f32, %o: f32):
    %v = arith.mulf %m, %inv : f32
    %ve = arith.addf %v, %eps : f32
    %rs = math.rsqrt %ve : f32
    %u = arith.mulf %a, %rs : f32
    %w = arith.mulf %u, %g : f32
    linalg.yield %w : f32
  } -> tensor<?x1024xf32>
  return %y : tensor<?x1024xf32>
}

// (lo, hi) -> (lo cos - hi sin, hi cos + lo sin) on the two halves of each head.
func.func private @rope(%x: tensor<?x?x?x64xf32>, %cos: tensor<?x?x32xf32>, %sin: tensor<?x?x32xf32>) -> tensor<?x?x?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x?x64xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x?x64xf32>
  %h = tensor.dim %x, %c2 : tensor<?x?x?x64xf32>
  %lo = tensor.extract_slice %x[0, 0, 0, 0] [%b, %s, %h, 32] [1, 1, 1, 1] : tensor<?x?x?x64xf32> to tensor<?x?x?x32xf32>
  %hi = tensor.extract_slice %x[0, 0, 0, 32] [%b, %s, %h, 32] [1, 1, 1, 1] : tensor<?x?x?x64xf32> to tensor<?x?x?x32xf32>
  %e = tensor.empty(%b, %s, %h) : tensor<?x?x?x32xf32>
  %l, %u = linalg.generic {indexing_maps = [#hs, #hs, #cs, #cs, #hs, #hs], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%lo, %hi, %cos, %sin : tensor<?x?x?x32xf32>, tensor<?x?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>)
      outs(%e, %e : tensor<?x?x?x32xf32>, tensor<?x?x?x32xf32>) {
  ^bb0(%a: f32, %z: f32, %c: f32, %n: f32, %o0: f32, %o1: f32):
    %ac = arith.mulf %a, %c : f32
    %zn = arith.mulf %z, %n : f32
    %zc = arith.mulf %z, %c : f32
    %an = arith.mulf %a, %n : f32
    %p = arith.subf %ac, %zn : f32
    %q = arith.addf %zc, %an : f32
    linalg.yield %p, %q : f32, f32
  } -> (tensor<?x?x?x32xf32>, tensor<?x?x?x32xf32>)
  %r = tensor.concat dim(3) %l, %u : (tensor<?x?x?x32xf32>, tensor<?x?x?x32xf32>) -> tensor<?x?x?x64xf32>
  return %r : tensor<?x?x?x64xf32>
}

func.func @llama_layer(%x: tensor<?x?x1024xf32>, %pos: tensor<?x?xi64>, %past_k: tensor<?x8x?x64xf32>, %past_v: tensor<?x8x?x64xf32>,
    %freq: tensor<32xf32>, %g1: tensor<1024xf32>, %wq: tensor<1024x1024xf32>, %wk: tensor<1024x512xf32>, %wv: tensor<1024x512xf32>,
    %wo: tensor<1024x1024xf32>, %g2: tensor<1024xf32>, %wg: tensor<1024x2816xf32>, %wu: tensor<1024x2816xf32>, %wd: tensor<2816x1024xf32>)
    -> (tensor<?x?x1024xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %b = tensor.dim %x, %c0 : tensor<?x?x1024xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x1024xf32>
  %past = tensor.dim %past_k, %c2 : tensor<?x8x?x64xf32>
  %keys = arith.addi %past, %s : index
  %t = arith.muli %b, %s : index

  %ec = tensor.empty(%b, %s) : tensor<?x?x32xf32>
  %cos, %sin = linalg.generic {indexing_maps = [#bs, #f, #bsf, #bsf], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%pos, %freq : tensor<?x?xi64>, tensor<32xf32>) outs(%ec, %ec : tensor<?x?x32xf32>, tensor<?x?x32xf32>) {
  ^bb0(%p: i64, %w: f32, %o0: f32, %o1: f32):
    %pf = arith.sitofp %p : i64 to f32
    %a = arith.mulf %pf, %w : f32
    %c = math.cos %a : f32
    %n = math.sin %a : f32
    linalg.yield %c, %n : f32, f32
  } -> (tensor<?x?x32xf32>, tensor<?x?x32xf32>)

  %xt = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x1024xf32> into tensor<?x1024xf32>
  %n1 = func.call @norm(%xt, %g1) : (tensor<?x1024xf32>, tensor<1024xf32>) -> tensor<?x1024xf32>
  %e1024 = tensor.empty(%t) : tensor<?x1024xf32>
  %e512 = tensor.empty(%t) : tensor<?x512xf32>
  %i1024 = linalg.fill ins(%zero : f32) outs(%e1024 : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  %i512 = linalg.fill ins(%zero : f32) outs(%e512 : tensor<?x512xf32>) -> tensor<?x512xf32>
  %qt = linalg.matmul ins(%n1, %wq : tensor<?x1024xf32>, tensor<1024x1024xf32>) outs(%i1024 : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  %kt = linalg.matmul ins(%n1, %wk : tensor<?x1024xf32>, tensor<1024x512xf32>) outs(%i512 : tensor<?x512xf32>) -> tensor<?x512xf32>
  %vt = linalg.matmul ins(%n1, %wv : tensor<?x1024xf32>, tensor<1024x512xf32>) outs(%i512 : tensor<?x512xf32>) -> tensor<?x512xf32>
  %q16 = tensor.expand_shape %qt [[0, 1], [2, 3]] output_shape [%b, %s, 16, 64] : tensor<?x1024xf32> into tensor<?x?x16x64xf32>
  %k8 = tensor.expand_shape %kt [[0, 1], [2, 3]] output_shape [%b, %s, 8, 64] : tensor<?x512xf32> into tensor<?x?x8x64xf32>
  %v8 = tensor.expand_shape %vt [[0, 1], [2, 3]] output_shape [%b, %s, 8, 64] : tensor<?x512xf32> into tensor<?x?x8x64xf32>
  %qd = tensor.cast %q16 : tensor<?x?x16x64xf32> to tensor<?x?x?x64xf32>
  %kd = tensor.cast %k8 : tensor<?x?x8x64xf32> to tensor<?x?x?x64xf32>
  %qr = func.call @rope(%qd, %cos, %sin) : (tensor<?x?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>) -> tensor<?x?x?x64xf32>
  %kr = func.call @rope(%kd, %cos, %sin) : (tensor<?x?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>) -> tensor<?x?x?x64xf32>
  %qs = tensor.cast %qr : tensor<?x?x?x64xf32> to tensor<?x?x16x64xf32>
  %ks = tensor.cast %kr : tensor<?x?x?x64xf32> to tensor<?x?x8x64xf32>
  %q = tensor.expand_shape %qs [[0], [1], [2, 3], [4]] output_shape [%b, %s, 8, 2, 64] : tensor<?x?x16x64xf32> into tensor<?x?x8x2x64xf32>
  %ehd = tensor.empty(%b, %s) : tensor<?x8x?x64xf32>
  %kn = linalg.transpose ins(%ks : tensor<?x?x8x64xf32>) outs(%ehd : tensor<?x8x?x64xf32>) permutation = [0, 2, 1, 3]
  %vn = linalg.transpose ins(%v8 : tensor<?x?x8x64xf32>) outs(%ehd : tensor<?x8x?x64xf32>) permutation = [0, 2, 1, 3]
  %k = tensor.concat dim(2) %past_k, %kn : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>) -> tensor<?x8x?x64xf32>
  %v = tensor.concat dim(2) %past_v, %vn : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>) -> tensor<?x8x?x64xf32>

  %room = tensor.empty(%b, %s, %keys) : tensor<?x8x2x?x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%room : tensor<?x8x2x?x?xf32>) -> tensor<?x8x2x?x?xf32>
  %qk = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x?x8x2x64xf32>, tensor<?x8x?x64xf32>) outs(%s0 : tensor<?x8x2x?x?xf32>) {
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p0 = arith.mulf %l, %r : f32
    %p1 = arith.addf %acc, %p0 : f32
    linalg.yield %p1 : f32
  } -> tensor<?x8x2x?x?xf32>
  %masked = linalg.generic {indexing_maps = [#id5, #id5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%qk : tensor<?x8x2x?x?xf32>) outs(%room : tensor<?x8x2x?x?xf32>) {
  ^bb0(%l: f32, %o: f32):
    %i = linalg.index 3 : index
    %j = linalg.index 4 : index
    %last = arith.addi %i, %past : index
    %seen = arith.cmpi sle, %j, %last : index
    %p0 = arith.mulf %l, %scale : f32
    %p1 = arith.select %seen, %p0, %lowest : f32
    linalg.yield %p1 : f32
  } -> tensor<?x8x2x?x?xf32>
  %p = linalg.softmax dimension(4) ins(%masked : tensor<?x8x2x?x?xf32>) outs(%room : tensor<?x8x2x?x?xf32>) -> tensor<?x8x2x?x?xf32>
  %ctx = tensor.empty(%b, %s) : tensor<?x?x8x2x64xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%ctx : tensor<?x?x8x2x64xf32>) -> tensor<?x?x8x2x64xf32>
  %pv = linalg.generic {indexing_maps = [#pv_p, #pv_v, #pv_o], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<?x8x2x?x?xf32>, tensor<?x8x?x64xf32>) outs(%o0 : tensor<?x?x8x2x64xf32>) {
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p0 = arith.mulf %l, %r : f32
    %p1 = arith.addf %acc, %p0 : f32
    linalg.yield %p1 : f32
  } -> tensor<?x?x8x2x64xf32>
  %ot = tensor.collapse_shape %pv [[0, 1], [2, 3, 4]] : tensor<?x?x8x2x64xf32> into tensor<?x1024xf32>

  // The residual is the product's initial value.
  %h = linalg.matmul ins(%ot, %wo : tensor<?x1024xf32>, tensor<1024x1024xf32>) outs(%xt : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  %n2 = func.call @norm(%h, %g2) : (tensor<?x1024xf32>, tensor<1024xf32>) -> tensor<?x1024xf32>
  %ef = tensor.empty(%t) : tensor<?x2816xf32>
  %if = linalg.fill ins(%zero : f32) outs(%ef : tensor<?x2816xf32>) -> tensor<?x2816xf32>
  %gate = linalg.matmul ins(%n2, %wg : tensor<?x1024xf32>, tensor<1024x2816xf32>) outs(%if : tensor<?x2816xf32>) -> tensor<?x2816xf32>
  %up = linalg.matmul ins(%n2, %wu : tensor<?x1024xf32>, tensor<1024x2816xf32>) outs(%if : tensor<?x2816xf32>) -> tensor<?x2816xf32>
  %act = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%gate, %up : tensor<?x2816xf32>, tensor<?x2816xf32>) outs(%ef : tensor<?x2816xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %a0 = arith.negf %l : f32
    %a1 = math.exp %a0 : f32
    %a2 = arith.addf %a1, %one : f32
    %a3 = arith.divf %l, %a2 : f32
    %a4 = arith.mulf %a3, %r : f32
    linalg.yield %a4 : f32
  } -> tensor<?x2816xf32>
  %yt = linalg.matmul ins(%act, %wd : tensor<?x2816xf32>, tensor<2816x1024xf32>) outs(%h : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  %y = tensor.expand_shape %yt [[0, 1], [2]] output_shape [%b, %s, 1024] : tensor<?x1024xf32> into tensor<?x?x1024xf32>
  return %y, %k, %v : tensor<?x?x1024xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>
}
