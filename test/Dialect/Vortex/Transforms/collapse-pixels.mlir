// A convolution by windows of one pixel is a product of all pixels, and what shares its kernel follows.
// RUN: vortex-opt %s --vortex-collapse-pixels --canonicalize --cse --split-input-file --mlir-print-local-scope | FileCheck %s

// The whole kernel walks rows; the weight's view is made when it is bound.
// CHECK-LABEL: @bottleneck
// CHECK-DAG:     %[[W:.*]] = tensor.collapse_shape %arg1 {{\[}}[0, 1, 2], [3]] {vortex.bind} : tensor<1x1x64x256xf32> into tensor<64x256xf32>
// CHECK-DAG:     %[[X:.*]] = tensor.collapse_shape %arg0 {{\[}}[0, 1, 2], [3]] : tensor<?x?x?x64xf32> into tensor<?x64xf32>
// CHECK:         %[[Z:.*]] = linalg.fill {{.*}} -> tensor<?x256xf32>
// CHECK:         %[[Y:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%[[X]], %[[W]] : {{.*}}) outs(%[[Z]] :
// CHECK:         %[[S:.*]] = tensor.collapse_shape %arg3 {{\[}}[0, 1, 2], [3]]
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[Y]], %arg2, %[[S]] :
// CHECK:         %[[E:.*]] = tensor.expand_shape %[[R]] {{\[}}[0, 1, 2], [3]]
// CHECK:         return %[[E]]
func.func @bottleneck(%x: tensor<?x?x?x64xf32>, %w: tensor<1x1x64x256xf32> {vortex.weight}, %b: tensor<256xf32>, %s: tensor<?x?x?x256xf32>) -> tensor<?x?x?x256xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?x?x64xf32>
  %h = tensor.dim %x, %c1 : tensor<?x?x?x64xf32>
  %v = tensor.dim %x, %c2 : tensor<?x?x?x64xf32>
  %e = tensor.empty(%n, %h, %v) : tensor<?x?x?x256xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x256xf32>) -> tensor<?x?x?x256xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x?x?x64xf32>, tensor<1x1x64x256xf32>) outs(%z : tensor<?x?x?x256xf32>) -> tensor<?x?x?x256xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, f) -> (n, h, w, f)>, affine_map<(n, h, w, f) -> (f)>, affine_map<(n, h, w, f) -> (n, h, w, f)>, affine_map<(n, h, w, f) -> (n, h, w, f)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %b, %s : tensor<?x?x?x256xf32>, tensor<256xf32>, tensor<?x?x?x256xf32>) outs(%e : tensor<?x?x?x256xf32>) {
  ^bb0(%a: f32, %bias: f32, %shortcut: f32, %o: f32):
    %t = arith.addf %a, %bias : f32
    %u = arith.addf %t, %shortcut : f32
    linalg.yield %u : f32
  } -> tensor<?x?x?x256xf32>
  return %r : tensor<?x?x?x256xf32>
}

// -----

// A gate for each image keeps images apart; the extents of windows are known by the filter, that of the image by its result.
// CHECK-LABEL: @gate
// CHECK-DAG:     tensor.collapse_shape %arg0 {{\[}}[0], [1, 2], [3]]
// CHECK-DAG:     tensor.collapse_shape %arg1 {{\[}}[0, 1, 2], [3]] : tensor<1x1x?x?xf32>
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>]
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
func.func @gate(%x: tensor<?x9x12x?xf32>, %w: tensor<1x1x?x?xf32>, %g: tensor<?x?xf32>, %n: index, %f: index) -> tensor<?x9x12x?xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n, %f) : tensor<?x9x12x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x9x12x?xf32>) -> tensor<?x9x12x?xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x9x12x?xf32>, tensor<1x1x?x?xf32>) outs(%z : tensor<?x9x12x?xf32>) -> tensor<?x9x12x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, f) -> (n, h, w, f)>, affine_map<(n, h, w, f) -> (n, f)>, affine_map<(n, h, w, f) -> (n, h, w, f)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %g : tensor<?x9x12x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x9x12x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x9x12x?xf32>
  return %r : tensor<?x9x12x?xf32>
}

// -----

// Pixels innermost.
// CHECK-LABEL: @channels_first
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>]
func.func @channels_first(%x: tensor<?x8x9x12xf32>, %w: tensor<16x8x1x1xf32>, %n: index) -> tensor<?x16x9x12xf32> {
  %e = tensor.empty(%n) : tensor<?x16x9x12xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<?x8x9x12xf32>, tensor<16x8x1x1xf32>) outs(%e : tensor<?x16x9x12xf32>) -> tensor<?x16x9x12xf32>
  return %y : tensor<?x16x9x12xf32>
}

// -----

// A bias that the sums begin with is copied to rows; a constant filter is a view, too.
// CHECK-LABEL: @bias
// CHECK:         %[[W:.*]] = arith.constant dense<5.000000e-01> : tensor<8x16xf32>
// CHECK:         %[[B:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<16xf32>)
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[W]] : tensor<?x8xf32>, tensor<8x16xf32>) outs(%[[B]] : tensor<?x16xf32>)
func.func @bias(%x: tensor<?x9x12x8xf32>, %b: tensor<16xf32>, %n: index) -> tensor<?x9x12x16xf32> {
  %w = arith.constant dense<0.5> : tensor<1x1x8x16xf32>
  %e = tensor.empty(%n) : tensor<?x9x12x16xf32>
  %z = linalg.broadcast ins(%b : tensor<16xf32>) outs(%e : tensor<?x9x12x16xf32>) dimensions = [0, 1, 2]
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x9x12x8xf32>, tensor<1x1x8x16xf32>) outs(%z : tensor<?x9x12x16xf32>) -> tensor<?x9x12x16xf32>
  return %y : tensor<?x9x12x16xf32>
}

// -----

// A weight's view is where the weight is, not in a loop, and marked as what products pack, whatever it was before.
// CHECK-LABEL: @loop
// CHECK-DAG:     tensor.collapse_shape %arg1 {{\[}}[0, 1, 2], [3]] {vortex.bind}
// CHECK-DAG:     %[[V:.*]] = tensor.extract_slice %arg2[8, 0] [8, 8] [1, 1] {vortex.bind}
// CHECK:         scf.for
// CHECK-NOT:     vortex.bind
// CHECK:         linalg.generic
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[V]] :
func.func @loop(%x: tensor<?x9x12x8xf32>, %w: tensor<1x1x8x8xf32> {vortex.weight}, %v: tensor<16x8xf32> {vortex.weight}, %n: index) -> tensor<?x9x12x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %half = tensor.extract_slice %v[8, 0] [8, 8] [1, 1] : tensor<16x8xf32> to tensor<8x8xf32>
  %filter = tensor.expand_shape %half [[0, 1, 2], [3]] output_shape [1, 1, 8, 8] {vortex.bind} : tensor<8x8xf32> into tensor<1x1x8x8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?x9x12x8xf32> {
    %e = tensor.empty(%n) : tensor<?x9x12x8xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x9x12x8xf32>) -> tensor<?x9x12x8xf32>
    %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x9x12x8xf32>, tensor<1x1x8x8xf32>) outs(%z : tensor<?x9x12x8xf32>) -> tensor<?x9x12x8xf32>
    %u = linalg.conv_2d_nhwc_hwcf ins(%y, %filter : tensor<?x9x12x8xf32>, tensor<1x1x8x8xf32>) outs(%z : tensor<?x9x12x8xf32>) -> tensor<?x9x12x8xf32>
    scf.yield %u : tensor<?x9x12x8xf32>
  }
  return %r : tensor<?x9x12x8xf32>
}

// -----

// Steps of two, windows of three, windows of any size, and images that may be larger than their results are no products; nor is what
// is done for each channel by itself.
// CHECK-LABEL: @others
// CHECK-COUNT-4: linalg.conv_2d_nhwc_hwcf
// CHECK:         linalg.depthwise_conv_2d_nhwc_hwc
// CHECK-NOT:     _shape
func.func @others(%x: tensor<1x9x9x8xf32>, %w: tensor<1x1x8x16xf32>, %three: tensor<3x3x8x16xf32>, %any: tensor<?x?x8x16xf32>, %each: tensor<1x1x8xf32>, %open: tensor<1x?x?x8xf32>)
    -> (tensor<1x5x5x16xf32>, tensor<1x7x7x16xf32>, tensor<1x9x9x16xf32>, tensor<1x9x9x16xf32>, tensor<1x9x9x8xf32>) {
  %a = tensor.empty() : tensor<1x5x5x16xf32>
  %b = tensor.empty() : tensor<1x7x7x16xf32>
  %c = tensor.empty() : tensor<1x9x9x16xf32>
  %d = tensor.empty() : tensor<1x9x9x8xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x9x9x8xf32>, tensor<1x1x8x16xf32>) outs(%a : tensor<1x5x5x16xf32>) -> tensor<1x5x5x16xf32>
  %1 = linalg.conv_2d_nhwc_hwcf ins(%x, %three : tensor<1x9x9x8xf32>, tensor<3x3x8x16xf32>) outs(%b : tensor<1x7x7x16xf32>) -> tensor<1x7x7x16xf32>
  %2 = linalg.conv_2d_nhwc_hwcf ins(%x, %any : tensor<1x9x9x8xf32>, tensor<?x?x8x16xf32>) outs(%c : tensor<1x9x9x16xf32>) -> tensor<1x9x9x16xf32>
  %3 = linalg.conv_2d_nhwc_hwcf ins(%open, %w : tensor<1x?x?x8xf32>, tensor<1x1x8x16xf32>) outs(%c : tensor<1x9x9x16xf32>) -> tensor<1x9x9x16xf32>
  %4 = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %each : tensor<1x9x9x8xf32>, tensor<1x1x8xf32>) outs(%d : tensor<1x9x9x8xf32>) -> tensor<1x9x9x8xf32>
  return %0, %1, %2, %3, %4 : tensor<1x5x5x16xf32>, tensor<1x7x7x16xf32>, tensor<1x9x9x16xf32>, tensor<1x9x9x16xf32>, tensor<1x9x9x8xf32>
}

// -----

// Rows of a slice would have to be copied, and a result that becomes a part of another is made there; padding is read around, and what is
// added to something that is there already stays there.
// CHECK-LABEL: @slices
// CHECK-COUNT-5: linalg.conv_2d_nhwc_hwcf
// CHECK-NOT:     collapse_shape
func.func @slices(%x: tensor<1x9x9x16xf32>, %w: tensor<1x1x8x16xf32>, %there: tensor<1x9x9x16xf32>, %v: tensor<1x9x9x8xf32>, %all: tensor<1x9x9x32xf32>, %flat: tensor<9x9x16xf32>)
    -> (tensor<1x9x9x16xf32>, tensor<1x9x9x32xf32>, tensor<1x9x9x16xf32>, tensor<1x9x9x16xf32>, tensor<1x9x9x16xf32>) {
  %e = tensor.empty() : tensor<1x9x9x16xf32>
  %zero = arith.constant 0.0 : f32
  %part = tensor.extract_slice %x[0, 0, 0, 8] [1, 9, 9, 8] [1, 1, 1, 1] : tensor<1x9x9x16xf32> to tensor<1x9x9x8xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%part, %w : tensor<1x9x9x8xf32>, tensor<1x1x8x16xf32>) outs(%e : tensor<1x9x9x16xf32>) -> tensor<1x9x9x16xf32>
  %1 = linalg.conv_2d_nhwc_hwcf ins(%v, %w : tensor<1x9x9x8xf32>, tensor<1x1x8x16xf32>) outs(%e : tensor<1x9x9x16xf32>) -> tensor<1x9x9x16xf32>
  %2 = tensor.insert_slice %1 into %all[0, 0, 0, 16] [1, 9, 9, 16] [1, 1, 1, 1] : tensor<1x9x9x16xf32> into tensor<1x9x9x32xf32>
  %rows = tensor.extract_slice %flat[0, 0, 8] [9, 9, 8] [1, 1, 1] : tensor<9x9x16xf32> to tensor<9x9x8xf32>
  %expanded = tensor.expand_shape %rows [[0, 1], [2], [3]] output_shape [1, 9, 9, 8] : tensor<9x9x8xf32> into tensor<1x9x9x8xf32>
  %3 = linalg.conv_2d_nhwc_hwcf ins(%expanded, %w : tensor<1x9x9x8xf32>, tensor<1x1x8x16xf32>) outs(%e : tensor<1x9x9x16xf32>) -> tensor<1x9x9x16xf32>
  %small = tensor.extract_slice %v[0, 1, 1, 0] [1, 7, 7, 8] [1, 1, 1, 1] : tensor<1x9x9x8xf32> to tensor<1x7x7x8xf32>
  %padded = tensor.pad %small low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x7x7x8xf32> to tensor<1x9x9x8xf32>
  %4 = linalg.conv_2d_nhwc_hwcf ins(%padded, %w : tensor<1x9x9x8xf32>, tensor<1x1x8x16xf32>) outs(%e : tensor<1x9x9x16xf32>) -> tensor<1x9x9x16xf32>
  %5 = linalg.conv_2d_nhwc_hwcf ins(%v, %w : tensor<1x9x9x8xf32>, tensor<1x1x8x16xf32>) outs(%there : tensor<1x9x9x16xf32>) -> tensor<1x9x9x16xf32>
  return %0, %2, %3, %4, %5 : tensor<1x9x9x16xf32>, tensor<1x9x9x32xf32>, tensor<1x9x9x16xf32>, tensor<1x9x9x16xf32>, tensor<1x9x9x16xf32>
}

// -----

// What is added to behind another convolution stays in that one's kernel.
// CHECK-LABEL: @sum
// CHECK:         %[[A:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[A]] :
// CHECK:         %[[E:.*]] = tensor.expand_shape %[[R]]
// CHECK:         linalg.conv_2d_nhwc_hwcf ins(%arg1, %arg2 : {{.*}}) outs(%[[E]] :
func.func @sum(%x: tensor<1x9x9x8xf32>, %v: tensor<1x9x9x8xf32>, %w: tensor<1x1x8x16xf32>) -> tensor<1x9x9x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x9x9x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x9x9x16xf32>) -> tensor<1x9x9x16xf32>
  %a = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x9x9x8xf32>, tensor<1x1x8x16xf32>) outs(%z : tensor<1x9x9x16xf32>) -> tensor<1x9x9x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, f) -> (n, h, w, f)>, affine_map<(n, h, w, f) -> (n, h, w, f)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a : tensor<1x9x9x16xf32>) outs(%e : tensor<1x9x9x16xf32>) {
  ^bb0(%in: f32, %o: f32):
    %t = arith.maximumf %in, %zero : f32
    linalg.yield %t : f32
  } -> tensor<1x9x9x16xf32>
  %b = linalg.conv_2d_nhwc_hwcf ins(%v, %w : tensor<1x9x9x8xf32>, tensor<1x1x8x16xf32>) outs(%r : tensor<1x9x9x16xf32>) -> tensor<1x9x9x16xf32>
  return %b : tensor<1x9x9x16xf32>
}
