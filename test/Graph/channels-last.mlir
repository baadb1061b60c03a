// Convolutions, and what follows them, walk images with channels innermost.
// RUN: vortex-opt --vortex-channels-last --canonicalize --cse --split-input-file --mlir-print-local-scope %s | FileCheck %s

// A convolution, its padding and bias, pooling behind it, and a reader that wants pixels.
// CHECK-LABEL: @chain
// CHECK:         %[[IN:.*]] = linalg.transpose ins(%arg0 : tensor<?x3x?x?xf32>) outs(%{{.*}} : tensor<?x?x?x3xf32>) permutation = [0, 2, 3, 1]
// CHECK-NOT:     linalg.transpose
// CHECK:         tensor.pad %[[IN]] low[0, 1, 1, 0] high[0, 1, 2, 0]
// CHECK:         %[[BIAS:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3)>
// CHECK-SAME:      -> (d0, d1, d2, d3)>]
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 2 + d4, d2 + d5, d6)>,
// CHECK-SAME:      affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d3, d6, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>]
// CHECK-SAME:      "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"
// CHECK-SAME:      outs(%[[BIAS]]
// CHECK:         %[[POOLED:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d4, d2 + d5, d3)>
// CHECK:         linalg.transpose ins(%[[POOLED]] : tensor<?x?x?x8xf32>) outs(%{{.*}} : tensor<?x8x?x?xf32>) permutation = [0, 3, 1, 2]
// CHECK-NOT:     linalg.transpose
// CHECK:         return
func.func @chain(%x: tensor<?x3x?x?xf32>, %f: tensor<8x3x3x3xf32>, %b: tensor<8xf32>, %w: tensor<2x2xf32>, %n: index, %h: index, %v: index) -> tensor<?x8x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 2] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x3x?x?xf32> to tensor<?x3x?x?xf32>
  %e = tensor.empty(%n, %h, %v) : tensor<?x8x?x?xf32>
  %bias = linalg.broadcast ins(%b : tensor<8xf32>) outs(%e : tensor<?x8x?x?xf32>) dimensions = [0, 2, 3]
  %c = linalg.conv_2d_nchw_fchw {strides = dense<[2, 1]> : vector<2xi64>} ins(%p, %f : tensor<?x3x?x?xf32>, tensor<8x3x3x3xf32>)
         outs(%bias : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  %y = linalg.pooling_nchw_max ins(%c, %w : tensor<?x8x?x?xf32>, tensor<2x2xf32>) outs(%z : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  return %y : tensor<?x8x?x?xf32>
}

// -----

// Two branches, added: nothing between them is transposed. What is read twice is transposed once.
// CHECK-LABEL: @residual
// CHECK-COUNT-1: linalg.transpose ins(%arg0
// CHECK-NOT:     linalg.transpose
// CHECK:         arith.addf
// CHECK:         arith.addf
// CHECK:         %[[SUM:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
// CHECK:         linalg.transpose ins(%[[SUM]]
// CHECK-NOT:     linalg.transpose
// CHECK:         return
func.func @residual(%x: tensor<?x?x?xf32>, %f: tensor<?x?x1xf32>, %g: tensor<?x?x1xf32>, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %c = tensor.dim %f, %c0 : tensor<?x?x1xf32>
  %v = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %e = tensor.empty(%n, %c, %v) : tensor<?x?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %a = linalg.conv_1d_ncw_fcw ins(%x, %f : tensor<?x?x?xf32>, tensor<?x?x1xf32>) outs(%z : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %b = linalg.conv_1d_ncw_fcw ins(%x, %g : tensor<?x?x?xf32>, tensor<?x?x1xf32>) outs(%z : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %y = linalg.add ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// -----

// A mean of all pixels, and dimensions of size 1, which change places without a copy.
// CHECK-LABEL: @pooled
// CHECK:         linalg.transpose ins(%arg0
// CHECK-NOT:     linalg.transpose
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]
// CHECK-NOT:     linalg.transpose
// CHECK:         return
func.func @pooled(%x: tensor<?x4x?x?xf32>, %f: tensor<8x4x1x1xf32>, %o: tensor<?x8x?x?xf32>, %s: tensor<?x8xf32>, %g: tensor<8x4x?x?xf32>, %t: tensor<?x8x1x1xf32>) -> (tensor<?x8xf32>, tensor<?x8x1x1xf32>) {
  %c = linalg.conv_2d_nchw_fchw ins(%x, %f : tensor<?x4x?x?xf32>, tensor<8x4x1x1xf32>) outs(%o : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  %r = linalg.reduce { arith.addf } ins(%c : tensor<?x8x?x?xf32>) outs(%s : tensor<?x8xf32>) dimensions = [2, 3]
  %u = linalg.conv_2d_nchw_fchw ins(%x, %g : tensor<?x4x?x?xf32>, tensor<8x4x?x?xf32>) outs(%t : tensor<?x8x1x1xf32>) -> tensor<?x8x1x1xf32>
  return %r, %u : tensor<?x8xf32>, tensor<?x8x1x1xf32>
}

// -----

// Left as they are: channels innermost, a channel's own filter, an image read with a body that knows its place, no convolution at all.
// CHECK-LABEL: @others
// CHECK-NOT:     linalg.transpose
// CHECK:         linalg.conv_2d_nhwc_hwcf
// CHECK:         linalg.depthwise_conv_2d_nchw_chw
// CHECK:         linalg.pooling_nchw_max
// CHECK-NOT:     linalg.transpose
// CHECK:         return
func.func @others(%x: tensor<?x?x?x4xf32>, %f: tensor<3x3x4x8xf32>, %o: tensor<?x?x?x8xf32>, %i: tensor<?x4x?x?xf32>, %d: tensor<4x3x3xf32>,
                  %q: tensor<?x4x?x?xf32>, %w: tensor<2x2xf32>) -> (tensor<?x?x?x8xf32>, tensor<?x4x?x?xf32>, tensor<?x4x?x?xf32>) {
  %a = linalg.conv_2d_nhwc_hwcf ins(%x, %f : tensor<?x?x?x4xf32>, tensor<3x3x4x8xf32>) outs(%o : tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32>
  %b = linalg.depthwise_conv_2d_nchw_chw ins(%i, %d : tensor<?x4x?x?xf32>, tensor<4x3x3xf32>) outs(%q : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %c = linalg.pooling_nchw_max ins(%i, %w : tensor<?x4x?x?xf32>, tensor<2x2xf32>) outs(%q : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  return %a, %b, %c : tensor<?x?x?x8xf32>, tensor<?x4x?x?xf32>, tensor<?x4x?x?xf32>
}

// -----

// An op behind a convolution that mixes channels reads them as they were.
// CHECK-LABEL: @mixed
// CHECK:         %[[SAME:.*]] = linalg.transpose ins(%{{.*}} : tensor<?x?x8xf32>) outs(%{{.*}} : tensor<?x8x?xf32>) permutation = [0, 2, 1]
// CHECK:         linalg.reduce { arith.addf } ins(%[[SAME]] : tensor<?x8x?xf32>) outs(%arg3 : tensor<?x?xf32>) dimensions = [1]
func.func @mixed(%x: tensor<?x4x?xf32>, %f: tensor<8x4x3xf32>, %o: tensor<?x8x?xf32>, %s: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = linalg.conv_1d_ncw_fcw ins(%x, %f : tensor<?x4x?xf32>, tensor<8x4x3xf32>) outs(%o : tensor<?x8x?xf32>) -> tensor<?x8x?xf32>
  %r = linalg.reduce { arith.addf } ins(%c : tensor<?x8x?xf32>) outs(%s : tensor<?x?xf32>) dimensions = [1]
  return %r : tensor<?x?xf32>
}

// -----

// Images of another origin keep their layout, and so does what is made of both.
// CHECK-LABEL: @mixture
// CHECK:         %[[SAME:.*]] = linalg.transpose ins(%{{.*}} : tensor<?x?x8xf32>) outs(%{{.*}} : tensor<?x8x?xf32>) permutation = [0, 2, 1]
// CHECK:         linalg.mul ins(%[[SAME]], %arg3
// CHECK-NOT:     linalg.transpose
// CHECK:         return
func.func @mixture(%x: tensor<?x4x?xf32>, %f: tensor<8x4x3xf32>, %o: tensor<?x8x?xf32>, %m: tensor<?x8x?xf32>) -> tensor<?x8x?xf32> {
  %c = linalg.conv_1d_ncw_fcw ins(%x, %f : tensor<?x4x?xf32>, tensor<8x4x3xf32>) outs(%o : tensor<?x8x?xf32>) -> tensor<?x8x?xf32>
  %y = linalg.mul ins(%c, %m : tensor<?x8x?xf32>, tensor<?x8x?xf32>) outs(%o : tensor<?x8x?xf32>) -> tensor<?x8x?xf32>
  return %y : tensor<?x8x?xf32>
}

// -----

// A pad whose constant is in its region, behind and in front of a convolution.
// CHECK-LABEL: func.func @constant_inside
// CHECK: %[[P:.*]] = tensor.pad %{{.*}} low[0, 1, 1, 0] high[0, 1, 2, 0]
// CHECK: linalg.generic
// CHECK: tensor.pad %{{.*}} low[0, 0, 1, 0] high[0, 1, 0, 0]
func.func @constant_inside(%x: tensor<?x3x?x?xf32>, %g: tensor<8x3x1x1xf32>, %o: tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32> {
  %q = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 2] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<?x3x?x?xf32> to tensor<?x3x?x?xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%q, %g : tensor<?x3x?x?xf32>, tensor<8x3x1x1xf32>) outs(%o : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  %p = tensor.pad %c low[0, 0, 0, 1] high[0, 0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    %one = arith.constant 1.0 : f32
    tensor.yield %one : f32
  } : tensor<?x8x?x?xf32> to tensor<?x8x?x?xf32>
  return %p : tensor<?x8x?x?xf32>
}
