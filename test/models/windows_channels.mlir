// Windows that slide over padded images, with a filter for each channel or group, and with pixels innermost.  Every size is unknown.  Tolerance: 1e-5, exact for maxima.

// Groups: each has filters of its own.
func.func @grouped_pad(%x: tensor<?x?x?x?x?xf32>, %f: tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0, 0] high[0, 1, 1, 0, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index, %i4: index):
    tensor.yield %padding : f32
  } : tensor<?x?x?x?x?xf32> to tensor<?x?x?x?x?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?x?xf32>
  %h_in = tensor.dim %p, %c1 : tensor<?x?x?x?x?xf32>
  %h_taps = tensor.dim %f, %c2 : tensor<?x?x?x?x?xf32>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 1 : index
  %h_dilation = arith.constant 1 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %p, %c2 : tensor<?x?x?x?x?xf32>
  %w_taps = tensor.dim %f, %c3 : tensor<?x?x?x?x?xf32>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 1 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %g = tensor.dim %x, %c3 : tensor<?x?x?x?x?xf32>
  %c = tensor.dim %x, %c4 : tensor<?x?x?x?x?xf32>
  %f_out = tensor.dim %f, %c1 : tensor<?x?x?x?x?xf32>
  %empty = tensor.empty(%n, %h_out, %w_out, %g, %f_out) : tensor<?x?x?x?x?xf32>
  %init = linalg.fill ins(%init_value : f32) outs(%empty : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32>
  %y = linalg.conv_2d_nhwgc_gfhwc {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x?x?xf32>, tensor<?x?x?x?x?xf32>) outs(%init : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32>
  return %y : tensor<?x?x?x?x?xf32>
}

// Groups, stride 2.
func.func @grouped_s2(%x: tensor<?x?x?x?x?xf32>, %f: tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?x?xf32>
  %h_in = tensor.dim %x, %c1 : tensor<?x?x?x?x?xf32>
  %h_taps = tensor.dim %f, %c2 : tensor<?x?x?x?x?xf32>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 2 : index
  %h_dilation = arith.constant 1 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %x, %c2 : tensor<?x?x?x?x?xf32>
  %w_taps = tensor.dim %f, %c3 : tensor<?x?x?x?x?xf32>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 2 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %g = tensor.dim %x, %c3 : tensor<?x?x?x?x?xf32>
  %c = tensor.dim %x, %c4 : tensor<?x?x?x?x?xf32>
  %f_out = tensor.dim %f, %c1 : tensor<?x?x?x?x?xf32>
  %empty = tensor.empty(%n, %h_out, %w_out, %g, %f_out) : tensor<?x?x?x?x?xf32>
  %init = linalg.fill ins(%init_value : f32) outs(%empty : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32>
  %y = linalg.conv_2d_nhwgc_gfhwc {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<?x?x?x?x?xf32>, tensor<?x?x?x?x?xf32>) outs(%init : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32>
  return %y : tensor<?x?x?x?x?xf32>
}

// One filter a channel, padding 1.
func.func @depthwise_pad(%x: tensor<?x?x?x?xf32>, %f: tensor<?x?x?xf32>) -> tensor<?x?x?x?xf32> {
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
  %h_taps = tensor.dim %f, %c0 : tensor<?x?x?xf32>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 1 : index
  %h_dilation = arith.constant 1 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %p, %c2 : tensor<?x?x?x?xf32>
  %w_taps = tensor.dim %f, %c1 : tensor<?x?x?xf32>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 1 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %c = tensor.dim %x, %c3 : tensor<?x?x?x?xf32>
  %empty = tensor.empty(%n, %h_out, %w_out, %c) : tensor<?x?x?x?xf32>
  %init = linalg.fill ins(%init_value : f32) outs(%empty : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x?xf32>, tensor<?x?x?xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// One filter a channel, stride 2, padding that differs from side to side.
func.func @depthwise_pad_s2(%x: tensor<?x?x?x?xf32>, %f: tensor<?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 2, 1, 0] high[0, 1, 3, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : f32
  } : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %h_in = tensor.dim %p, %c1 : tensor<?x?x?x?xf32>
  %h_taps = tensor.dim %f, %c0 : tensor<?x?x?xf32>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 2 : index
  %h_dilation = arith.constant 1 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %p, %c2 : tensor<?x?x?x?xf32>
  %w_taps = tensor.dim %f, %c1 : tensor<?x?x?xf32>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 2 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %c = tensor.dim %x, %c3 : tensor<?x?x?x?xf32>
  %empty = tensor.empty(%n, %h_out, %w_out, %c) : tensor<?x?x?x?xf32>
  %init = linalg.fill ins(%init_value : f32) outs(%empty : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x?xf32>, tensor<?x?x?xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// One filter a channel, padding 1, of rows of a known width that one tile holds.
func.func @depthwise_pad_w5(%x: tensor<?x?x5x?xf32>, %f: tensor<3x3x?xf32>) -> tensor<?x?x5x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<?x?x5x?xf32> to tensor<?x?x7x?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?x5x?xf32>
  %c = tensor.dim %x, %c3 : tensor<?x?x5x?xf32>
  %h_in = tensor.dim %p, %c1 : tensor<?x?x7x?xf32>
  %h_taps = arith.constant 3 : index
  %h_last = arith.subi %h_in, %h_taps : index
  %h_stride = arith.constant 1 : index
  %h_whole = arith.floordivsi %h_last, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %empty = tensor.empty(%n, %h_out, %c) : tensor<?x?x5x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x5x?xf32>) -> tensor<?x?x5x?xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x7x?xf32>, tensor<3x3x?xf32>) outs(%init : tensor<?x?x5x?xf32>) -> tensor<?x?x5x?xf32>
  return %y : tensor<?x?x5x?xf32>
}

// The same with stride 2.
func.func @depthwise_pad_s2_w14(%x: tensor<?x?x14x?xf32>, %f: tensor<3x3x?xf32>) -> tensor<?x?x7x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<?x?x14x?xf32> to tensor<?x?x16x?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?x14x?xf32>
  %c = tensor.dim %x, %c3 : tensor<?x?x14x?xf32>
  %h_in = tensor.dim %p, %c1 : tensor<?x?x16x?xf32>
  %h_taps = arith.constant 3 : index
  %h_last = arith.subi %h_in, %h_taps : index
  %h_stride = arith.constant 2 : index
  %h_whole = arith.floordivsi %h_last, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %empty = tensor.empty(%n, %h_out, %c) : tensor<?x?x7x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x7x?xf32>) -> tensor<?x?x7x?xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x16x?xf32>, tensor<3x3x?xf32>) outs(%init : tensor<?x?x7x?xf32>) -> tensor<?x?x7x?xf32>
  return %y : tensor<?x?x7x?xf32>
}

// Sums of 5 x 5 pixels, stride 3, of rows of a known width.
func.func @sumpool_pad_s3_w13(%x: tensor<?x?x13x?xf32>) -> tensor<?x?x5x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 2, 2, 0] high[0, 2, 2, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<?x?x13x?xf32> to tensor<?x?x17x?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?x13x?xf32>
  %c = tensor.dim %x, %c3 : tensor<?x?x13x?xf32>
  %h_in = tensor.dim %p, %c1 : tensor<?x?x17x?xf32>
  %h_taps = arith.constant 5 : index
  %h_last = arith.subi %h_in, %h_taps : index
  %h_stride = arith.constant 3 : index
  %h_whole = arith.floordivsi %h_last, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %empty = tensor.empty(%n, %h_out, %c) : tensor<?x?x5x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x5x?xf32>) -> tensor<?x?x5x?xf32>
  %f = tensor.empty() : tensor<5x5xf32>
  %y = linalg.pooling_nhwc_sum {strides = dense<3> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x17x?xf32>, tensor<5x5xf32>) outs(%init : tensor<?x?x5x?xf32>) -> tensor<?x?x5x?xf32>
  return %y : tensor<?x?x5x?xf32>
}

// One filter a channel, dilation 2.
func.func @depthwise_pad_d2(%x: tensor<?x?x?x?xf32>, %f: tensor<?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 2, 2, 0] high[0, 2, 2, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : f32
  } : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %h_in = tensor.dim %p, %c1 : tensor<?x?x?x?xf32>
  %h_taps = tensor.dim %f, %c0 : tensor<?x?x?xf32>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 1 : index
  %h_dilation = arith.constant 2 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %p, %c2 : tensor<?x?x?x?xf32>
  %w_taps = tensor.dim %f, %c1 : tensor<?x?x?xf32>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 1 : index
  %w_dilation = arith.constant 2 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %c = tensor.dim %x, %c3 : tensor<?x?x?x?xf32>
  %empty = tensor.empty(%n, %h_out, %w_out, %c) : tensor<?x?x?x?xf32>
  %init = linalg.fill ins(%init_value : f32) outs(%empty : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>, dilations = dense<2> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x?xf32>, tensor<?x?x?xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// The largest of what a window has of the image.
func.func @maxpool_3x3_pad(%x: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0xFF800000 : f32
  %padding = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : f32
  } : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32>
  %f = tensor.empty() : tensor<3x3xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %h_in = tensor.dim %p, %c1 : tensor<?x?x?x?xf32>
  %h_taps = tensor.dim %f, %c0 : tensor<3x3xf32>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 2 : index
  %h_dilation = arith.constant 1 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %p, %c2 : tensor<?x?x?x?xf32>
  %w_taps = tensor.dim %f, %c1 : tensor<3x3xf32>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 2 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %c = tensor.dim %x, %c3 : tensor<?x?x?x?xf32>
  %empty = tensor.empty(%n, %h_out, %w_out, %c) : tensor<?x?x?x?xf32>
  %init = linalg.fill ins(%init_value : f32) outs(%empty : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x?xf32>, tensor<3x3xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// Pixels innermost, as importers have it.
func.func @nchw_pad(%x: tensor<?x?x?x?xf32>, %f: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : f32
  } : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %c = tensor.dim %x, %c1 : tensor<?x?x?x?xf32>
  %h_in = tensor.dim %p, %c2 : tensor<?x?x?x?xf32>
  %h_taps = tensor.dim %f, %c2 : tensor<?x?x?x?xf32>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 1 : index
  %h_dilation = arith.constant 1 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %p, %c3 : tensor<?x?x?x?xf32>
  %w_taps = tensor.dim %f, %c3 : tensor<?x?x?x?xf32>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 1 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %f_out = tensor.dim %f, %c0 : tensor<?x?x?x?xf32>
  %empty = tensor.empty(%n, %f_out, %h_out, %w_out) : tensor<?x?x?x?xf32>
  %init = linalg.fill ins(%init_value : f32) outs(%empty : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// Pixels innermost, stride 2.
func.func @nchw_pad_s2(%x: tensor<?x?x?x?xf32>, %f: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %init_value = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : f32
  } : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %c = tensor.dim %x, %c1 : tensor<?x?x?x?xf32>
  %h_in = tensor.dim %p, %c2 : tensor<?x?x?x?xf32>
  %h_taps = tensor.dim %f, %c2 : tensor<?x?x?x?xf32>
  %h_steps = arith.subi %h_taps, %c1 : index
  %h_stride = arith.constant 2 : index
  %h_dilation = arith.constant 1 : index
  %h_reach = arith.muli %h_steps, %h_dilation : index
  %h_last = arith.subi %h_in, %h_reach : index
  %h_room = arith.subi %h_last, %c1 : index
  %h_whole = arith.divui %h_room, %h_stride : index
  %h_out = arith.addi %h_whole, %c1 : index
  %w_in = tensor.dim %p, %c3 : tensor<?x?x?x?xf32>
  %w_taps = tensor.dim %f, %c3 : tensor<?x?x?x?xf32>
  %w_steps = arith.subi %w_taps, %c1 : index
  %w_stride = arith.constant 2 : index
  %w_dilation = arith.constant 1 : index
  %w_reach = arith.muli %w_steps, %w_dilation : index
  %w_last = arith.subi %w_in, %w_reach : index
  %w_room = arith.subi %w_last, %c1 : index
  %w_whole = arith.divui %w_room, %w_stride : index
  %w_out = arith.addi %w_whole, %c1 : index
  %f_out = tensor.dim %f, %c0 : tensor<?x?x?x?xf32>
  %empty = tensor.empty(%n, %f_out, %h_out, %w_out) : tensor<?x?x?x?xf32>
  %init = linalg.fill ins(%init_value : f32) outs(%empty : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}
