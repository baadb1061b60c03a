// Windows that matrix tiles compute: channels that are whole steps of one, that are none but rows of the window are, rows of the result that are cut into
// tiles one by one and as one, and what comes in front of the sums and behind them. Sizes are those of %o. Dims: n, h, w, f; taps i, j; channels c.

// 16 channels are half a step, three pixels of them three. Bias and ReLU, the result in bf16.
func.func @window_few_bf16(%x: tensor<?x?x?x16xbf16>, %f: tensor<3x3x16x?xbf16> {vortex.weight}, %o: tensor<?x?x?x?xf32>, %bias: tensor<?xf32>, %out: tensor<?x?x?x?xbf16>) -> tensor<?x?x?x?xbf16> {
  %zero = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : bf16
  } : tensor<?x?x?x16xbf16> to tensor<?x?x?x16xbf16>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, f, i, j, c) -> (n, h + i, w + j, c)>,
      affine_map<(n, h, w, f, i, j, c) -> (i, j, c, f)>, affine_map<(n, h, w, f, i, j, c) -> (n, h, w, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %f : tensor<?x?x?x16xbf16>, tensor<3x3x16x?xbf16>) outs(%init : tensor<?x?x?x?xf32>) {
  ^bb0(%u: bf16, %v: bf16, %s: f32):
    %a = arith.extf %u : bf16 to f32
    %b = arith.extf %v : bf16 to f32
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x?xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(n, h, w, f) -> (n, h, w, f)>, affine_map<(n, h, w, f) -> (f)>, affine_map<(n, h, w, f) -> (n, h, w, f)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %bias : tensor<?x?x?x?xf32>, tensor<?xf32>) outs(%out : tensor<?x?x?x?xbf16>) {
  ^bb0(%u: f32, %v: f32, %s: bf16):
    %a = arith.addf %u, %v : f32
    %b = arith.maximumf %a, %zero : f32
    %t = arith.truncf %b : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x?x?x?xbf16>
  return %z : tensor<?x?x?x?xbf16>
}

// 12 bytes; five pixels are one step of 60. Every other pixel, added to what there is.
func.func @window_few_i8(%x: tensor<?x?x?x12xi8>, %f: tensor<3x5x12x?xi8> {vortex.weight}, %o: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
  %zero = arith.constant 0 : i32
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, f, i, j, c) -> (n, h * 2 + i, w * 2 + j, c)>,
      affine_map<(n, h, w, f, i, j, c) -> (i, j, c, f)>, affine_map<(n, h, w, f, i, j, c) -> (n, h, w, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %f : tensor<?x?x?x12xi8>, tensor<3x5x12x?xi8>) outs(%o : tensor<?x?x?x?xi32>) {
  ^bb0(%u: i8, %v: i8, %s: i32):
    %a = arith.extsi %u : i8 to i32
    %b = arith.extsi %v : i8 to i32
    %q = arith.muli %a, %b : i32
    %t = arith.addi %s, %q : i32
    linalg.yield %t : i32
  } -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}

// 48 channels, two steps of 24. Rows are whole strides behind each other.
func.func @window_48_bf16(%x: tensor<?x?x?x48xbf16>, %f: tensor<3x3x48x?xbf16>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : bf16
  } : tensor<?x?x?x48xbf16> to tensor<?x?x?x48xbf16>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, f, i, j, c) -> (n, h * 2 + i, w * 2 + j, c)>,
      affine_map<(n, h, w, f, i, j, c) -> (i, j, c, f)>, affine_map<(n, h, w, f, i, j, c) -> (n, h, w, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %f : tensor<?x?x?x48xbf16>, tensor<3x3x48x?xbf16>) outs(%init : tensor<?x?x?x?xf32>) {
  ^bb0(%u: bf16, %v: bf16, %s: f32):
    %a = arith.extf %u : bf16 to f32
    %b = arith.extf %v : bf16 to f32
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// Rows of the window lie apart, and something as large as the result is added.
func.func @window_residual_bf16(%x: tensor<?x?x?x32xbf16>, %f: tensor<3x3x32x?xbf16> {vortex.weight}, %o: tensor<?x?x?x?xf32>, %r: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 2, 2, 0] high[0, 2, 2, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : bf16
  } : tensor<?x?x?x32xbf16> to tensor<?x?x?x32xbf16>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, f, i, j, c) -> (n, h + i * 2, w + j * 2, c)>,
      affine_map<(n, h, w, f, i, j, c) -> (i, j, c, f)>, affine_map<(n, h, w, f, i, j, c) -> (n, h, w, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %f : tensor<?x?x?x32xbf16>, tensor<3x3x32x?xbf16>) outs(%init : tensor<?x?x?x?xf32>) {
  ^bb0(%u: bf16, %v: bf16, %s: f32):
    %a = arith.extf %u : bf16 to f32
    %b = arith.extf %v : bf16 to f32
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x?xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(n, h, w, f) -> (n, h, w, f)>, affine_map<(n, h, w, f) -> (n, h, w, f)>, affine_map<(n, h, w, f) -> (n, h, w, f)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %r : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%o : tensor<?x?x?x?xf32>) {
  ^bb0(%u: f32, %v: f32, %s: f32):
    %a = arith.addf %u, %v : f32
    linalg.yield %a : f32
  } -> tensor<?x?x?x?xf32>
  return %z : tensor<?x?x?x?xf32>
}

// Bytes of an image without a sign; strides that differ.
func.func @window_u8s8(%x: tensor<?x?x?x64xi8>, %f: tensor<2x3x64x?xi8>, %o: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
  %zero = arith.constant 0 : i32
  %padding = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : i8
  } : tensor<?x?x?x64xi8> to tensor<?x?x?x64xi8>
  %init = linalg.fill ins(%zero : i32) outs(%o : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, f, i, j, c) -> (n, h + i, w * 2 + j, c)>,
      affine_map<(n, h, w, f, i, j, c) -> (i, j, c, f)>, affine_map<(n, h, w, f, i, j, c) -> (n, h, w, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %f : tensor<?x?x?x64xi8>, tensor<2x3x64x?xi8>) outs(%init : tensor<?x?x?x?xi32>) {
  ^bb0(%u: i8, %v: i8, %s: i32):
    %a = arith.extui %u : i8 to i32
    %b = arith.extsi %v : i8 to i32
    %q = arith.muli %a, %b : i32
    %t = arith.addi %s, %q : i32
    linalg.yield %t : i32
  } -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}

// One row of pixels.
func.func @window_row_bf16(%x: tensor<?x?x32xbf16>, %f: tensor<5x32x?xbf16> {vortex.weight}, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 2, 0] high[0, 2, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index):
    tensor.yield %padding : bf16
  } : tensor<?x?x32xbf16> to tensor<?x?x32xbf16>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, w, f, j, c) -> (n, w + j, c)>,
      affine_map<(n, w, f, j, c) -> (j, c, f)>, affine_map<(n, w, f, j, c) -> (n, w, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %f : tensor<?x?x32xbf16>, tensor<5x32x?xbf16>) outs(%init : tensor<?x?x?xf32>) {
  ^bb0(%u: bf16, %v: bf16, %s: f32):
    %a = arith.extf %u : bf16 to f32
    %b = arith.extf %v : bf16 to f32
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// Three dimensions.
func.func @window_space_bf16(%x: tensor<?x?x?x?x32xbf16>, %f: tensor<2x3x3x32x?xbf16> {vortex.weight}, %o: tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 1, 1, 0] high[0, 1, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index, %i4: index):
    tensor.yield %padding : bf16
  } : tensor<?x?x?x?x32xbf16> to tensor<?x?x?x?x32xbf16>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, d, h, w, f, k, i, j, c) -> (n, d + k, h + i, w + j, c)>,
      affine_map<(n, d, h, w, f, k, i, j, c) -> (k, i, j, c, f)>, affine_map<(n, d, h, w, f, k, i, j, c) -> (n, d, h, w, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction"]}
      ins(%p, %f : tensor<?x?x?x?x32xbf16>, tensor<2x3x3x32x?xbf16>) outs(%init : tensor<?x?x?x?x?xf32>) {
  ^bb0(%u: bf16, %v: bf16, %s: f32):
    %a = arith.extf %u : bf16 to f32
    %b = arith.extf %v : bf16 to f32
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x?x?xf32>
  return %y : tensor<?x?x?x?x?xf32>
}

// Three channels, which a zero makes two words: rows of seven pixels are one tile of 28 steps.
func.func @window_three_bf16(%x: tensor<?x?x?x3xbf16>, %f: tensor<7x7x3x?xbf16> {vortex.weight}, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 3, 3, 0] high[0, 3, 3, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : bf16
  } : tensor<?x?x?x3xbf16> to tensor<?x?x?x3xbf16>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, f, i, j, c) -> (n, h * 2 + i, w * 2 + j, c)>,
      affine_map<(n, h, w, f, i, j, c) -> (i, j, c, f)>, affine_map<(n, h, w, f, i, j, c) -> (n, h, w, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %f : tensor<?x?x?x3xbf16>, tensor<7x7x3x?xbf16>) outs(%init : tensor<?x?x?x?xf32>) {
  ^bb0(%u: bf16, %v: bf16, %s: f32):
    %a = arith.extf %u : bf16 to f32
    %b = arith.extf %v : bf16 to f32
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// One channel of an image that is not padded.
func.func @window_one_bf16(%x: tensor<?x?x?x1xbf16>, %f: tensor<5x20x1x?xbf16> {vortex.weight}, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, f, i, j, c) -> (n, h * 2 + i, w * 2 + j, c)>,
      affine_map<(n, h, w, f, i, j, c) -> (i, j, c, f)>, affine_map<(n, h, w, f, i, j, c) -> (n, h, w, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %f : tensor<?x?x?x1xbf16>, tensor<5x20x1x?xbf16>) outs(%init : tensor<?x?x?x?xf32>) {
  ^bb0(%u: bf16, %v: bf16, %s: f32):
    %a = arith.extf %u : bf16 to f32
    %b = arith.extf %v : bf16 to f32
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// Five bytes, two words. Something is added in place.
func.func @window_five_i8(%x: tensor<?x?x?x5xi8>, %f: tensor<3x3x5x?xi8> {vortex.weight}, %o: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
  %zero = arith.constant 0 : i32
  %padding = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : i8
  } : tensor<?x?x?x5xi8> to tensor<?x?x?x5xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, f, i, j, c) -> (n, h + i, w + j, c)>,
      affine_map<(n, h, w, f, i, j, c) -> (i, j, c, f)>, affine_map<(n, h, w, f, i, j, c) -> (n, h, w, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %f : tensor<?x?x?x5xi8>, tensor<3x3x5x?xi8>) outs(%o : tensor<?x?x?x?xi32>) {
  ^bb0(%u: i8, %v: i8, %s: i32):
    %a = arith.extsi %u : i8 to i32
    %b = arith.extsi %v : i8 to i32
    %q = arith.muli %a, %b : i32
    %t = arith.addi %s, %q : i32
    linalg.yield %t : i32
  } -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}

// Three channels of a filter that is no weight are no whole words, though columns of the window make them even.
func.func @window_even_bf16(%x: tensor<?x?x?x3xbf16>, %f: tensor<3x2x3x?xbf16>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, f, i, j, c) -> (n, h + i, w + j, c)>,
      affine_map<(n, h, w, f, i, j, c) -> (i, j, c, f)>, affine_map<(n, h, w, f, i, j, c) -> (n, h, w, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %f : tensor<?x?x?x3xbf16>, tensor<3x2x3x?xbf16>) outs(%init : tensor<?x?x?x?xf32>) {
  ^bb0(%u: bf16, %v: bf16, %s: f32):
    %a = arith.extf %u : bf16 to f32
    %b = arith.extf %v : bf16 to f32
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// Windows that begin behind the first pixel.
func.func @window_behind_bf16(%x: tensor<?x?x?x32xbf16>, %f: tensor<3x3x32x?xbf16> {vortex.weight}, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, f, i, j, c) -> (n, h + i + 1, w + j + 2, c)>,
      affine_map<(n, h, w, f, i, j, c) -> (i, j, c, f)>, affine_map<(n, h, w, f, i, j, c) -> (n, h, w, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %f : tensor<?x?x?x32xbf16>, tensor<3x3x32x?xbf16>) outs(%init : tensor<?x?x?x?xf32>) {
  ^bb0(%u: bf16, %v: bf16, %s: f32):
    %a = arith.extf %u : bf16 to f32
    %b = arith.extf %v : bf16 to f32
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}
