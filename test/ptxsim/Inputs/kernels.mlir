// One kernel of each class that device code is made for, in several element
// types; all sizes unknown.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

func.func @softmax(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @softmax_f64(%x: tensor<?x?xf64>, %o: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x?xf64>) outs(%o : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}

// Partial results narrower than what lanes exchange.
func.func @largest_i8(%x: tensor<?x?xi8>, %o: tensor<?xi8>) -> tensor<?xi8> {
  %least = arith.constant -128 : i8
  %f = linalg.fill ins(%least : i8) outs(%o : tensor<?xi8>) -> tensor<?xi8>
  %r = linalg.reduce ins(%x : tensor<?x?xi8>) outs(%f : tensor<?xi8>) dimensions = [1]
    (%in: i8, %most: i8) {
      %m = arith.maxsi %in, %most : i8
      linalg.yield %m : i8
    }
  return %r : tensor<?xi8>
}

// Onto what is there, in the order of two reductions.
func.func @sum_onto(%x: tensor<?x?x?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.reduce ins(%x : tensor<?x?x?xf32>) outs(%o : tensor<?xf32>) dimensions = [0, 2]
    (%in: f32, %sum: f32) {
      %s = arith.addf %in, %sum : f32
      linalg.yield %s : f32
    }
  return %r : tensor<?xf32>
}

func.func @columns_bf16(%x: tensor<?x?xbf16>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x?xbf16>) outs(%f : tensor<?xf32>) {
  ^bb0(%in: bf16, %sum: f32):
    %w = arith.extf %in : bf16 to f32
    %s = arith.addf %sum, %w : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @transposed_f16(%x: tensor<?x?xf16>, %o: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %r = linalg.transpose ins(%x : tensor<?x?xf16>) outs(%o : tensor<?x?xf16>) permutation = [1, 0]
  return %r : tensor<?x?xf16>
}

func.func @functions(%x: tensor<?x?xf32>, %s: tensor<?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%in: f32, %scale: f32, %out: f32):
    %a = math.absf %in : f32
    %log = math.log %a : f32
    %sin = math.sin %log : f32
    %cos = math.cos %in : f32
    %erf = math.erf %cos : f32
    %tanh = math.tanh %scale : f32
    %p = arith.mulf %sin, %erf : f32
    %q = arith.addf %p, %tanh : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @functions_f64(%x: tensor<?x?xf64>, %o: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf64>) outs(%o : tensor<?x?xf64>) {
  ^bb0(%in: f64, %out: f64):
    %a = math.absf %in : f64
    %log = math.log %a : f64
    %sin = math.sin %log : f64
    %cos = math.cos %in : f64
    %erf = math.erf %cos : f64
    %tanh = math.tanh %in : f64
    %l = math.log1p %a : f64
    %e = math.expm1 %in : f64
    %p = arith.mulf %sin, %erf : f64
    %q = arith.addf %p, %tanh : f64
    %u = arith.mulf %l, %e : f64
    %v = arith.addf %q, %u : f64
    linalg.yield %v : f64
  } -> tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}

func.func @angles_f64(%x: tensor<?x?xf64>, %o: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf64>) outs(%o : tensor<?x?xf64>) {
  ^bb0(%in: f64, %out: f64):
    %root = math.cbrt %in : f64
    %cos = math.cos %in : f64
    %atan = math.atan %in : f64
    %asin = math.asin %cos : f64
    %acos = math.acos %cos : f64
    %atan2 = math.atan2 %in, %cos : f64
    %p = arith.mulf %root, %asin : f64
    %q = arith.mulf %acos, %atan : f64
    %s = arith.addf %p, %q : f64
    %t = arith.addf %s, %atan2 : f64
    linalg.yield %t : f64
  } -> tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}

func.func @convolution(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %b: tensor<?xf32>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%f : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> (l)>,
                                        affine_map<(i, j, k, l) -> (i, j, k, l)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %b : tensor<?x?x?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?x?x?xf32>) {
  ^bb0(%p: f32, %bias: f32, %out: f32):
    %s = arith.addf %p, %bias : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @product_i8(%a: tensor<?x?x?xi8>, %b: tensor<?x?x?xi8>, %o: tensor<?x?x?xi32>) -> tensor<?x?x?xi32> {
  %zero = arith.constant 0 : i32
  %f = linalg.fill ins(%zero : i32) outs(%o : tensor<?x?x?xi32>) -> tensor<?x?x?xi32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<?x?x?xi8>, tensor<?x?x?xi8>) outs(%f : tensor<?x?x?xi32>) -> tensor<?x?x?xi32>
  return %r : tensor<?x?x?xi32>
}

// Distances: no matrix instruction does that, and zeros behind the end of the
// reduction would count.
func.func @distance_f16(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%x: f16, %y: f16, %sum: f32):
    %xw = arith.extf %x : f16 to f32
    %yw = arith.extf %y : f16 to f32
    %d = arith.subf %xw, %yw : f32
    %one = arith.constant 1.0 : f32
    %e = arith.addf %d, %one : f32
    %q = arith.mulf %e, %e : f32
    %s = arith.addf %sum, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Two operands with their neighbours along the rows, one with them along the lanes, one a row.
#acb = affine_map<(a, b, c) -> (b, c, a)>
#abc = affine_map<(a, b, c) -> (a, b, c)>
func.func @crossed(%x: tensor<?x?x?xf32>, %y: tensor<?x?xf64>, %z: tensor<?x?x?xi8>, %s: tensor<?xf32>, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %r = linalg.generic {indexing_maps = [#acb, affine_map<(a, b, c) -> (c, a)>, #abc, affine_map<(a, b, c) -> (a)>, #abc], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %y, %z, %s : tensor<?x?x?xf32>, tensor<?x?xf64>, tensor<?x?x?xi8>, tensor<?xf32>) outs(%o : tensor<?x?x?xf32>) {
  ^bb0(%u: f32, %v: f64, %w: i8, %t: f32, %out: f32):
    %0 = arith.truncf %v : f64 to f32
    %1 = arith.sitofp %w : i8 to f32
    %2 = arith.mulf %u, %t : f32
    %3 = arith.addf %2, %0 : f32
    %4 = arith.addf %3, %1 : f32
    linalg.yield %4 : f32
  } -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
