// Windows that slide over padded images.  Every size is unknown.  Tolerance: 1e-5, exact for maxima and bytes.

// Padding 1 around an image of any size and channels.
func.func @conv2d_pad(%x: tensor<?x?x?x?xf32>, %f: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : f32
  } : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %h_in = tensor.dim %p, %c1 : tensor<?x?x?x?xf32>
  %h_taps = tensor.dim %f, %c0 : tensor<?x?x?x?xf32>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 1 : index
  %h_dilation = arith.constant 1 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %p, %c2 : tensor<?x?x?x?xf32>
  %w_taps = tensor.dim %f, %c1 : tensor<?x?x?x?xf32>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 1 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %c = tensor.dim %x, %c3 : tensor<?x?x?x?xf32>
  %f_out = tensor.dim %f, %c3 : tensor<?x?x?x?xf32>
  %empty = tensor.empty(%n, %h_out, %w_out, %f_out) : tensor<?x?x?x?xf32>
  %init = linalg.fill ins(%init_value : f32) outs(%empty : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// The same of bytes.
func.func @conv2d_pad_i8(%x: tensor<?x?x?x?xi8>, %f: tensor<?x?x?x?xi8>) -> tensor<?x?x?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0 : i32
  %padding = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : i8
  } : tensor<?x?x?x?xi8> to tensor<?x?x?x?xi8>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xi8>
  %h_in = tensor.dim %p, %c1 : tensor<?x?x?x?xi8>
  %h_taps = tensor.dim %f, %c0 : tensor<?x?x?x?xi8>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 1 : index
  %h_dilation = arith.constant 1 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %p, %c2 : tensor<?x?x?x?xi8>
  %w_taps = tensor.dim %f, %c1 : tensor<?x?x?x?xi8>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 1 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %c = tensor.dim %x, %c3 : tensor<?x?x?x?xi8>
  %f_out = tensor.dim %f, %c3 : tensor<?x?x?x?xi8>
  %empty = tensor.empty(%n, %h_out, %w_out, %f_out) : tensor<?x?x?x?xi32>
  %init = linalg.fill ins(%init_value : i32) outs(%empty : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x?xi8>, tensor<?x?x?x?xi8>) outs(%init : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}

// Bytes of an image without a sign.
func.func @conv2d_pad_u8s8(%x: tensor<?x?x?x?xi8>, %f: tensor<?x?x?x?xi8>) -> tensor<?x?x?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0 : i32
  %padding = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : i8
  } : tensor<?x?x?x?xi8> to tensor<?x?x?x?xi8>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xi8>
  %h_in = tensor.dim %p, %c1 : tensor<?x?x?x?xi8>
  %h_taps = tensor.dim %f, %c0 : tensor<?x?x?x?xi8>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 1 : index
  %h_dilation = arith.constant 1 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %p, %c2 : tensor<?x?x?x?xi8>
  %w_taps = tensor.dim %f, %c1 : tensor<?x?x?x?xi8>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 1 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %c = tensor.dim %x, %c3 : tensor<?x?x?x?xi8>
  %f_out = tensor.dim %f, %c3 : tensor<?x?x?x?xi8>
  %empty = tensor.empty(%n, %h_out, %w_out, %f_out) : tensor<?x?x?x?xi32>
  %init = linalg.fill ins(%init_value : i32) outs(%empty : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, f, i, j, c) -> (n, h + i, w + j, c)>,
      affine_map<(n, h, w, f, i, j, c) -> (i, j, c, f)>, affine_map<(n, h, w, f, i, j, c) -> (n, h, w, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %f : tensor<?x?x?x?xi8>, tensor<?x?x?x?xi8>) outs(%init : tensor<?x?x?x?xi32>) {
  ^bb0(%a: i8, %b: i8, %sum: i32):
    %wide_a = arith.extui %a : i8 to i32
    %wide_b = arith.extsi %b : i8 to i32
    %product = arith.muli %wide_a, %wide_b : i32
    %next = arith.addi %sum, %product : i32
    linalg.yield %next : i32
  } -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}

// The same of bf16, summed in f32.
func.func @conv2d_pad_bf16(%x: tensor<?x?x?x?xbf16>, %f: tensor<?x?x?x?xbf16>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : bf16
  } : tensor<?x?x?x?xbf16> to tensor<?x?x?x?xbf16>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xbf16>
  %h_in = tensor.dim %p, %c1 : tensor<?x?x?x?xbf16>
  %h_taps = tensor.dim %f, %c0 : tensor<?x?x?x?xbf16>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 1 : index
  %h_dilation = arith.constant 1 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %p, %c2 : tensor<?x?x?x?xbf16>
  %w_taps = tensor.dim %f, %c1 : tensor<?x?x?x?xbf16>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 1 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %c = tensor.dim %x, %c3 : tensor<?x?x?x?xbf16>
  %f_out = tensor.dim %f, %c3 : tensor<?x?x?x?xbf16>
  %empty = tensor.empty(%n, %h_out, %w_out, %f_out) : tensor<?x?x?x?xf32>
  %init = linalg.fill ins(%init_value : f32) outs(%empty : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x?xbf16>, tensor<?x?x?x?xbf16>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// Bytes that no padding surrounds, stride 2.
func.func @conv2d_s2_i8(%x: tensor<?x?x?x?xi8>, %f: tensor<?x?x?x?xi8>) -> tensor<?x?x?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0 : i32
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xi8>
  %h_in = tensor.dim %x, %c1 : tensor<?x?x?x?xi8>
  %h_taps = tensor.dim %f, %c0 : tensor<?x?x?x?xi8>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 2 : index
  %h_dilation = arith.constant 1 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %x, %c2 : tensor<?x?x?x?xi8>
  %w_taps = tensor.dim %f, %c1 : tensor<?x?x?x?xi8>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 2 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %c = tensor.dim %x, %c3 : tensor<?x?x?x?xi8>
  %f_out = tensor.dim %f, %c3 : tensor<?x?x?x?xi8>
  %empty = tensor.empty(%n, %h_out, %w_out, %f_out) : tensor<?x?x?x?xi32>
  %init = linalg.fill ins(%init_value : i32) outs(%empty : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<?x?x?x?xi8>, tensor<?x?x?x?xi8>) outs(%init : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}

// Stride 2, padding 3: windows that lie in the padding alone are among them.
func.func @conv2d_pad_s2(%x: tensor<?x?x?x?xf32>, %f: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 3, 3, 0] high[0, 3, 3, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : f32
  } : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %h_in = tensor.dim %p, %c1 : tensor<?x?x?x?xf32>
  %h_taps = tensor.dim %f, %c0 : tensor<?x?x?x?xf32>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 2 : index
  %h_dilation = arith.constant 1 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %p, %c2 : tensor<?x?x?x?xf32>
  %w_taps = tensor.dim %f, %c1 : tensor<?x?x?x?xf32>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 2 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %c = tensor.dim %x, %c3 : tensor<?x?x?x?xf32>
  %f_out = tensor.dim %f, %c3 : tensor<?x?x?x?xf32>
  %empty = tensor.empty(%n, %h_out, %w_out, %f_out) : tensor<?x?x?x?xf32>
  %init = linalg.fill ins(%init_value : f32) outs(%empty : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// Stride 3, dilation 2, padding that differs from side to side.
func.func @conv2d_pad_uneven(%x: tensor<?x?x?x?xf32>, %f: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 0, 0] high[0, 0, 2, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : f32
  } : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %h_in = tensor.dim %p, %c1 : tensor<?x?x?x?xf32>
  %h_taps = tensor.dim %f, %c0 : tensor<?x?x?x?xf32>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 3 : index
  %h_dilation = arith.constant 2 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %p, %c2 : tensor<?x?x?x?xf32>
  %w_taps = tensor.dim %f, %c1 : tensor<?x?x?x?xf32>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 3 : index
  %w_dilation = arith.constant 2 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %c = tensor.dim %x, %c3 : tensor<?x?x?x?xf32>
  %f_out = tensor.dim %f, %c3 : tensor<?x?x?x?xf32>
  %empty = tensor.empty(%n, %h_out, %w_out, %f_out) : tensor<?x?x?x?xf32>
  %init = linalg.fill ins(%init_value : f32) outs(%empty : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<3> : tensor<2xi64>, dilations = dense<2> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// Bytes with a sign, of a filter that is bound: what is left out of the padding is known to the sums of the filter. Stride 2, padding of 3.
func.func @conv2d_pad_s2_weight_i8(%x: tensor<?x?x?x?xi8>, %f: tensor<?x?x?x?xi8> {vortex.weight}) -> tensor<?x?x?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0 : i32
  %padding = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 3, 3, 0] high[0, 3, 3, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : i8
  } : tensor<?x?x?x?xi8> to tensor<?x?x?x?xi8>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xi8>
  %h_in = tensor.dim %p, %c1 : tensor<?x?x?x?xi8>
  %h_taps = tensor.dim %f, %c0 : tensor<?x?x?x?xi8>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 2 : index
  %h_dilation = arith.constant 1 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %p, %c2 : tensor<?x?x?x?xi8>
  %w_taps = tensor.dim %f, %c1 : tensor<?x?x?x?xi8>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 2 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %c = tensor.dim %x, %c3 : tensor<?x?x?x?xi8>
  %f_out = tensor.dim %f, %c3 : tensor<?x?x?x?xi8>
  %empty = tensor.empty(%n, %h_out, %w_out, %f_out) : tensor<?x?x?x?xi32>
  %init = linalg.fill ins(%init_value : i32) outs(%empty : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x?xi8>, tensor<?x?x?x?xi8>) outs(%init : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}

// Stride 3, dilation 2, padding that differs from side to side.
func.func @conv2d_pad_uneven_weight_i8(%x: tensor<?x?x?x?xi8>, %f: tensor<?x?x?x?xi8> {vortex.weight}) -> tensor<?x?x?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0 : i32
  %padding = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 1, 0, 0] high[0, 0, 2, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : i8
  } : tensor<?x?x?x?xi8> to tensor<?x?x?x?xi8>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xi8>
  %h_in = tensor.dim %p, %c1 : tensor<?x?x?x?xi8>
  %h_taps = tensor.dim %f, %c0 : tensor<?x?x?x?xi8>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 3 : index
  %h_dilation = arith.constant 2 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %p, %c2 : tensor<?x?x?x?xi8>
  %w_taps = tensor.dim %f, %c1 : tensor<?x?x?x?xi8>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 3 : index
  %w_dilation = arith.constant 2 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %c = tensor.dim %x, %c3 : tensor<?x?x?x?xi8>
  %f_out = tensor.dim %f, %c3 : tensor<?x?x?x?xi8>
  %empty = tensor.empty(%n, %h_out, %w_out, %f_out) : tensor<?x?x?x?xi32>
  %init = linalg.fill ins(%init_value : i32) outs(%empty : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<3> : tensor<2xi64>, dilations = dense<2> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x?xi8>, tensor<?x?x?x?xi8>) outs(%init : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}

// Rows alone are padded.
func.func @conv2d_pad_rows_weight_i8(%x: tensor<?x?x?x?xi8>, %f: tensor<?x?x?x?xi8> {vortex.weight}) -> tensor<?x?x?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0 : i32
  %padding = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 2, 0, 0] high[0, 1, 0, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : i8
  } : tensor<?x?x?x?xi8> to tensor<?x?x?x?xi8>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xi8>
  %h_in = tensor.dim %p, %c1 : tensor<?x?x?x?xi8>
  %h_taps = tensor.dim %f, %c0 : tensor<?x?x?x?xi8>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 1 : index
  %h_dilation = arith.constant 1 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %p, %c2 : tensor<?x?x?x?xi8>
  %w_taps = tensor.dim %f, %c1 : tensor<?x?x?x?xi8>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 1 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %c = tensor.dim %x, %c3 : tensor<?x?x?x?xi8>
  %f_out = tensor.dim %f, %c3 : tensor<?x?x?x?xi8>
  %empty = tensor.empty(%n, %h_out, %w_out, %f_out) : tensor<?x?x?x?xi32>
  %init = linalg.fill ins(%init_value : i32) outs(%empty : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x?xi8>, tensor<?x?x?x?xi8>) outs(%init : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}

// Two reductions that are left out around the pixels of a row.
func.func @conv3d_pad_weight_i8(%x: tensor<?x?x?x?x?xi8>, %f: tensor<?x?x?x?x?xi8> {vortex.weight}) -> tensor<?x?x?x?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0 : i32
  %padding = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 1, 1, 1, 0] high[0, 1, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index, %i4: index):
    tensor.yield %padding : i8
  } : tensor<?x?x?x?x?xi8> to tensor<?x?x?x?x?xi8>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?x?xi8>
  %d_in = tensor.dim %p, %c1 : tensor<?x?x?x?x?xi8>
  %d_taps = tensor.dim %f, %c0 : tensor<?x?x?x?x?xi8>
  %d_steps = arith.subi %d_taps, %c1 : index
  %d_stride = arith.constant 1 : index
  %d_dilation = arith.constant 1 : index
  %d_reach = arith.muli %d_steps, %d_dilation : index
  %d_last = arith.subi %d_in, %d_reach : index
  %d_room = arith.subi %d_last, %c1 : index
  %d_whole = arith.divui %d_room, %d_stride : index
  %d_out = arith.addi %d_whole, %c1 : index
  %h_in = tensor.dim %p, %c2 : tensor<?x?x?x?x?xi8>
  %h_taps = tensor.dim %f, %c1 : tensor<?x?x?x?x?xi8>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 1 : index
  %h_dilation = arith.constant 1 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %p, %c3 : tensor<?x?x?x?x?xi8>
  %w_taps = tensor.dim %f, %c2 : tensor<?x?x?x?x?xi8>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 1 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %c = tensor.dim %x, %c4 : tensor<?x?x?x?x?xi8>
  %f_out = tensor.dim %f, %c4 : tensor<?x?x?x?x?xi8>
  %empty = tensor.empty(%n, %d_out, %h_out, %w_out, %f_out) : tensor<?x?x?x?x?xi32>
  %init = linalg.fill ins(%init_value : i32) outs(%empty : tensor<?x?x?x?x?xi32>) -> tensor<?x?x?x?x?xi32>
  %y = linalg.conv_3d_ndhwc_dhwcf {strides = dense<1> : tensor<3xi64>, dilations = dense<1> : tensor<3xi64>}
      ins(%p, %f : tensor<?x?x?x?x?xi8>, tensor<?x?x?x?x?xi8>) outs(%init : tensor<?x?x?x?x?xi32>) -> tensor<?x?x?x?x?xi32>
  return %y : tensor<?x?x?x?x?xi32>
}

// Few channels that are known: columns of the window fill the groups of an instruction.
func.func @conv2d_pad_s2_few_i8(%x: tensor<?x?x?x3xi8>, %f: tensor<?x5x3x?xi8> {vortex.weight}) -> tensor<?x?x?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0 : i32
  %padding = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 3, 3, 0] high[0, 3, 3, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : i8
  } : tensor<?x?x?x3xi8> to tensor<?x?x?x3xi8>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x3xi8>
  %h_in = tensor.dim %p, %c1 : tensor<?x?x?x3xi8>
  %h_taps = tensor.dim %f, %c0 : tensor<?x5x3x?xi8>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 2 : index
  %h_dilation = arith.constant 1 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %p, %c2 : tensor<?x?x?x3xi8>
  %w_taps = tensor.dim %f, %c1 : tensor<?x5x3x?xi8>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 2 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %c = tensor.dim %x, %c3 : tensor<?x?x?x3xi8>
  %f_out = tensor.dim %f, %c3 : tensor<?x5x3x?xi8>
  %empty = tensor.empty(%n, %h_out, %w_out, %f_out) : tensor<?x?x?x?xi32>
  %init = linalg.fill ins(%init_value : i32) outs(%empty : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x3xi8>, tensor<?x5x3x?xi8>) outs(%init : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}

// One of bf16, of which the last group is cut.
func.func @conv2d_pad_one_bf16(%x: tensor<?x?x?x1xbf16>, %f: tensor<?x3x1x?xbf16> {vortex.weight}) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : bf16
  } : tensor<?x?x?x1xbf16> to tensor<?x?x?x1xbf16>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x1xbf16>
  %h_in = tensor.dim %p, %c1 : tensor<?x?x?x1xbf16>
  %h_taps = tensor.dim %f, %c0 : tensor<?x3x1x?xbf16>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 1 : index
  %h_dilation = arith.constant 1 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %p, %c2 : tensor<?x?x?x1xbf16>
  %w_taps = tensor.dim %f, %c1 : tensor<?x3x1x?xbf16>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 1 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %c = tensor.dim %x, %c3 : tensor<?x?x?x1xbf16>
  %f_out = tensor.dim %f, %c3 : tensor<?x3x1x?xbf16>
  %empty = tensor.empty(%n, %h_out, %w_out, %f_out) : tensor<?x?x?x?xf32>
  %init = linalg.fill ins(%init_value : f32) outs(%empty : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x1xbf16>, tensor<?x3x1x?xbf16>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// Stride 2 without padding.
func.func @conv2d_s2_all_dynamic(%x: tensor<?x?x?x?xf32>, %f: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %h_in = tensor.dim %x, %c1 : tensor<?x?x?x?xf32>
  %h_taps = tensor.dim %f, %c0 : tensor<?x?x?x?xf32>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 2 : index
  %h_dilation = arith.constant 1 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %x, %c2 : tensor<?x?x?x?xf32>
  %w_taps = tensor.dim %f, %c1 : tensor<?x?x?x?xf32>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 2 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %c = tensor.dim %x, %c3 : tensor<?x?x?x?xf32>
  %f_out = tensor.dim %f, %c3 : tensor<?x?x?x?xf32>
  %empty = tensor.empty(%n, %h_out, %w_out, %f_out) : tensor<?x?x?x?xf32>
  %init = linalg.fill ins(%init_value : f32) outs(%empty : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// One dimension.
func.func @conv1d_pad(%x: tensor<?x?x?xf32>, %f: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 2, 0] high[0, 2, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index):
    tensor.yield %padding : f32
  } : tensor<?x?x?xf32> to tensor<?x?x?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %w_in = tensor.dim %p, %c1 : tensor<?x?x?xf32>
  %w_taps = tensor.dim %f, %c0 : tensor<?x?x?xf32>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 1 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %c = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %f_out = tensor.dim %f, %c2 : tensor<?x?x?xf32>
  %empty = tensor.empty(%n, %w_out, %f_out) : tensor<?x?x?xf32>
  %init = linalg.fill ins(%init_value : f32) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %y = linalg.conv_1d_nwc_wcf {strides = dense<1> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
      ins(%p, %f : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%init : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// Three dimensions.
func.func @conv3d_pad(%x: tensor<?x?x?x?x?xf32>, %f: tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 1, 0] high[0, 1, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index, %i4: index):
    tensor.yield %padding : f32
  } : tensor<?x?x?x?x?xf32> to tensor<?x?x?x?x?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?x?xf32>
  %d_in = tensor.dim %p, %c1 : tensor<?x?x?x?x?xf32>
  %d_taps = tensor.dim %f, %c0 : tensor<?x?x?x?x?xf32>
  %d_steps = arith.subi %d_taps, %c1 : index
  %d_stride = arith.constant 1 : index
  %d_dilation = arith.constant 1 : index
  %d_reach = arith.muli %d_steps, %d_dilation : index
  %d_last = arith.subi %d_in, %d_reach : index
  %d_room = arith.subi %d_last, %c1 : index
  %d_whole = arith.divui %d_room, %d_stride : index
  %d_out = arith.addi %d_whole, %c1 : index
  %h_in = tensor.dim %p, %c2 : tensor<?x?x?x?x?xf32>
  %h_taps = tensor.dim %f, %c1 : tensor<?x?x?x?x?xf32>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 1 : index
  %h_dilation = arith.constant 1 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %p, %c3 : tensor<?x?x?x?x?xf32>
  %w_taps = tensor.dim %f, %c2 : tensor<?x?x?x?x?xf32>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 1 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %c = tensor.dim %x, %c4 : tensor<?x?x?x?x?xf32>
  %f_out = tensor.dim %f, %c4 : tensor<?x?x?x?x?xf32>
  %empty = tensor.empty(%n, %d_out, %h_out, %w_out, %f_out) : tensor<?x?x?x?x?xf32>
  %init = linalg.fill ins(%init_value : f32) outs(%empty : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32>
  %y = linalg.conv_3d_ndhwc_dhwcf {strides = dense<1> : tensor<3xi64>, dilations = dense<1> : tensor<3xi64>}
      ins(%p, %f : tensor<?x?x?x?x?xf32>, tensor<?x?x?x?x?xf32>) outs(%init : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32>
  return %y : tensor<?x?x?x?x?xf32>
}

// Every other pixel of every other row, by windows of one.
func.func @conv2d_1x1_s2_bf16(%x: tensor<?x?x?x?xbf16>, %f: tensor<1x1x?x?xbf16>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %init_value = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xbf16>
  %h = tensor.dim %x, %c1 : tensor<?x?x?x?xbf16>
  %w = tensor.dim %x, %c2 : tensor<?x?x?x?xbf16>
  %h_out = arith.ceildivui %h, %c2 : index
  %w_out = arith.ceildivui %w, %c2 : index
  %f_out = tensor.dim %f, %c3 : tensor<1x1x?x?xbf16>
  %empty = tensor.empty(%n, %h_out, %w_out, %f_out) : tensor<?x?x?x?xf32>
  %init = linalg.fill ins(%init_value : f32) outs(%empty : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<?x?x?x?xbf16>, tensor<1x1x?x?xbf16>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}
