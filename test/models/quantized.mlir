// Programs that were quantised ahead of time: factors are rounded to bytes and made floats again (QuantizeLinear and DequantizeLinear of
// ONNX), as exporters write them.  Tolerance: 1e-5.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#pixels = affine_map<(n, h, w, c) -> (n, h, w, c)>
#taps = affine_map<(f, c, i, j) -> (f, c, i, j)>
#filter = affine_map<(f, c, i, j) -> (f)>

// Bytes without a sign, zero point 10; weights by output, with zero points that are all zero; a bias.
func.func @qdq_linear(%x: tensor<?x96xf32>, %w: tensor<?x96xi8>, %scale: tensor<?xf32>, %bias: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %scale_x = arith.constant 0.03 : f32
  %zero_x = arith.constant 10.0 : f32
  %zero_x_int = arith.constant 10 : i64
  %least = arith.constant 0.0 : f32
  %most = arith.constant 255.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x96xf32>
  %n = tensor.dim %w, %c0 : tensor<?x96xi8>
  %room_q = tensor.empty(%m) : tensor<?x96xi8>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x96xf32>) outs(%room_q : tensor<?x96xi8>) {
  ^bb0(%in: f32, %out: i8):
    %0 = arith.divf %in, %scale_x : f32
    %1 = math.roundeven %0 : f32
    %2 = arith.addf %1, %zero_x : f32
    %3 = arith.maximumf %2, %least : f32
    %4 = arith.minimumf %3, %most : f32
    %5 = arith.fptoui %4 : f32 to i8
    linalg.yield %5 : i8
  } -> tensor<?x96xi8>
  %room_x = tensor.empty(%m) : tensor<?x96xf32>
  %xd = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<?x96xi8>) outs(%room_x : tensor<?x96xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.extui %in : i8 to i64
    %1 = arith.subi %0, %zero_x_int : i64
    %2 = arith.sitofp %1 : i64 to f32
    %3 = arith.mulf %2, %scale_x : f32
    linalg.yield %3 : f32
  } -> tensor<?x96xf32>
  %room_w = tensor.empty(%n) : tensor<?x96xf32>
  %wd = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%w, %scale : tensor<?x96xi8>, tensor<?xf32>) outs(%room_w : tensor<?x96xf32>) {
  ^bb0(%in: i8, %s: f32, %out: f32):
    %0 = arith.sitofp %in : i8 to f32
    %1 = arith.mulf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<?x96xf32>
  %room_t = tensor.empty(%n) : tensor<96x?xf32>
  %wt = linalg.transpose ins(%wd : tensor<?x96xf32>) outs(%room_t : tensor<96x?xf32>) permutation = [1, 0]
  %room_y = tensor.empty(%m, %n) : tensor<?x?xf32>
  %init = linalg.broadcast ins(%bias : tensor<?xf32>) outs(%room_y : tensor<?x?xf32>) dimensions = [0]
  %y = linalg.matmul ins(%xd, %wt : tensor<?x96xf32>, tensor<96x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Bytes with a sign, zero point -5, padded with what is zero; channels innermost in neither.
func.func @qdq_conv(%x: tensor<?x17x?x?xf32>, %w: tensor<?x17x3x3xi8>, %scale: tensor<?xf32>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %scale_x = arith.constant 0.03 : f32
  %zero_x = arith.constant -5.0 : f32
  %zero_x_int = arith.constant -5 : i64
  %least = arith.constant -128.0 : f32
  %most = arith.constant 127.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x17x?x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x17x?x?xf32>
  %wide = tensor.dim %x, %c3 : tensor<?x17x?x?xf32>
  %f = tensor.dim %w, %c0 : tensor<?x17x3x3xi8>
  %room_q = tensor.empty(%n, %h, %wide) : tensor<?x17x?x?xi8>
  %q = linalg.generic {indexing_maps = [#pixels, #pixels], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<?x17x?x?xf32>) outs(%room_q : tensor<?x17x?x?xi8>) {
  ^bb0(%in: f32, %out: i8):
    %0 = arith.divf %in, %scale_x : f32
    %1 = math.roundeven %0 : f32
    %2 = arith.addf %1, %zero_x : f32
    %3 = arith.maximumf %2, %least : f32
    %4 = arith.minimumf %3, %most : f32
    %5 = arith.fptosi %4 : f32 to i8
    linalg.yield %5 : i8
  } -> tensor<?x17x?x?xi8>
  %room_x = tensor.empty(%n, %h, %wide) : tensor<?x17x?x?xf32>
  %xd = linalg.generic {indexing_maps = [#pixels, #pixels], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%q : tensor<?x17x?x?xi8>) outs(%room_x : tensor<?x17x?x?xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.extsi %in : i8 to i64
    %1 = arith.subi %0, %zero_x_int : i64
    %2 = arith.sitofp %1 : i64 to f32
    %3 = arith.mulf %2, %scale_x : f32
    linalg.yield %3 : f32
  } -> tensor<?x17x?x?xf32>
  %padded = tensor.pad %xd low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<?x17x?x?xf32> to tensor<?x17x?x?xf32>
  %room_w = tensor.empty(%f) : tensor<?x17x3x3xf32>
  %wd = linalg.generic {indexing_maps = [#taps, #filter, #taps], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%w, %scale : tensor<?x17x3x3xi8>, tensor<?xf32>) outs(%room_w : tensor<?x17x3x3xf32>) {
  ^bb0(%in: i8, %s: f32, %out: f32):
    %0 = arith.sitofp %in : i8 to f32
    %1 = arith.mulf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<?x17x3x3xf32>
  %room_y = tensor.empty(%n, %f, %h, %wide) : tensor<?x?x?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%room_y : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%padded, %wd : tensor<?x17x?x?xf32>, tensor<?x17x3x3xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}
