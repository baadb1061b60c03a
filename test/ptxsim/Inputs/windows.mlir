#image = affine_map<(n, h, w, f) -> (n, h, w, f)>
#column = affine_map<(n, h, w, f) -> (f)>
#sample = affine_map<(n, h, w, f) -> (n, f)>

// Channels last, filters last; what is behind it reads a column, a row's sample and the result's own place.
func.func @conv_f16(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>, %b: tensor<?xf32>, %g: tensor<?x?xf32>, %y: tensor<?x?x?x?xf16>)
    -> tensor<?x?x?x?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %y, %c0 : tensor<?x?x?x?xf16>
  %h = tensor.dim %y, %c1 : tensor<?x?x?x?xf16>
  %v = tensor.dim %y, %c2 : tensor<?x?x?x?xf16>
  %f = tensor.dim %y, %c3 : tensor<?x?x?x?xf16>
  %e = tensor.empty(%n, %h, %v, %f) : tensor<?x?x?x?xf32>
  %o = tensor.empty(%n, %h, %v, %f) : tensor<?x?x?x?xf16>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>) outs(%z : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %r = linalg.generic {indexing_maps = [#image, #column, #sample, #image, #image],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %b, %g, %y : tensor<?x?x?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x?x?x?xf16>) outs(%o : tensor<?x?x?x?xf16>) {
  ^bb0(%p: f32, %bias: f32, %gain: f32, %residual: f16, %out: f16):
    %s = arith.addf %p, %bias : f32
    %t = arith.mulf %s, %gain : f32
    %wide = arith.extf %residual : f16 to f32
    %u = arith.addf %t, %wide : f32
    %a = arith.maximumf %u, %zero : f32
    %q = arith.truncf %a : f32 to f16
    linalg.yield %q : f16
  } -> tensor<?x?x?x?xf16>
  return %r : tensor<?x?x?x?xf16>
}

// Every other point; filters first, so that the reduction is innermost in both.
func.func @strided_bf16(%x: tensor<?x?x?x?xbf16>, %w: tensor<?x?x?x?xbf16>, %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%y : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %c = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<?x?x?x?xbf16>, tensor<?x?x?x?xbf16>) outs(%z : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %c : tensor<?x?x?x?xf32>
}

// A window with holes, integers, onto what there is.
func.func @dilated_i8(%x: tensor<?x?x?x?xi8>, %w: tensor<?x?x?x?xi8>, %y: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<2> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<?x?x?x?xi8>, tensor<?x?x?x?xi8>) outs(%y : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  return %c : tensor<?x?x?x?xi32>
}

// The same with the reduction innermost in both.
func.func @dilated_inner_i8(%x: tensor<?x?x?x?xi8>, %w: tensor<?x?x?x?xi8>, %y: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
  %c = linalg.conv_2d_nhwc_fhwc {dilations = dense<2> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<?x?x?x?xi8>, tensor<?x?x?x?xi8>) outs(%y : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  return %c : tensor<?x?x?x?xi32>
}

// Every other row, onto what there is.
func.func @onto_f32(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>}
      ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%y : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %c : tensor<?x?x?x?xf32>
}

// Scalar units.
func.func @conv_f32(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%y : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%z : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %c : tensor<?x?x?x?xf32>
}

// Windows of one dimension and of three.
func.func @line_f16(%x: tensor<?x?x?xf16>, %w: tensor<?x?x?xf16>, %y: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c = linalg.conv_1d_nwc_wcf {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>}
      ins(%x, %w : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%y : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %c : tensor<?x?x?xf32>
}

func.func @volume_f16(%x: tensor<?x?x?x?x?xf16>, %w: tensor<?x?x?x?x?xf16>, %y: tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32> {
  %c = linalg.conv_3d_ndhwc_dhwcf {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>}
      ins(%x, %w : tensor<?x?x?x?x?xf16>, tensor<?x?x?x?x?xf16>) outs(%y : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32>
  return %c : tensor<?x?x?x?x?xf32>
}

// Two reductions without a window.
func.func @twice_f16(%x: tensor<?x?x?xf16>, %w: tensor<?x?x?xf16>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = linalg.generic {indexing_maps = [affine_map<(m, n, i, k) -> (m, i, k)>, affine_map<(m, n, i, k) -> (i, k, n)>,
                                        affine_map<(m, n, i, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%a: f16, %b: f16, %s: f32):
    %p = arith.extf %a : f16 to f32
    %q = arith.extf %b : f16 to f32
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

// Factors of f32 that are rounded to tf32 in front, with holes; filters last and first.
func.func @conv_tf32(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    attributes {vortex.precision = "tf32"} {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%y : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<2> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%z : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %c : tensor<?x?x?x?xf32>
}

func.func @strided_tf32(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    attributes {vortex.precision = "tf32"} {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%y : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %c = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%z : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %c : tensor<?x?x?x?xf32>
}
