// A convolution whose result's sizes follow from those of its operands.
func.func @window(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xf16>
  %h = tensor.dim %x, %c1 : tensor<?x?x?x?xf16>
  %v = tensor.dim %x, %c2 : tensor<?x?x?x?xf16>
  %kh = tensor.dim %w, %c0 : tensor<?x?x?x?xf16>
  %kw = tensor.dim %w, %c1 : tensor<?x?x?x?xf16>
  %f = tensor.dim %w, %c3 : tensor<?x?x?x?xf16>
  %h1 = arith.addi %h, %c1 : index
  %oh = arith.subi %h1, %kh : index
  %v1 = arith.addi %v, %c1 : index
  %ow = arith.subi %v1, %kw : index
  %empty = tensor.empty(%n, %oh, %ow, %f) : tensor<?x?x?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}
