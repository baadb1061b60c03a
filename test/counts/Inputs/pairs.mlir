// Pairs of bf16 on a machine without an instruction for them.
func.func @weights(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16> {vortex.weight}, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @window(%x: tensor<?x?x?x16xbf16>, %f: tensor<3x3x16x32xbf16> {vortex.weight}, %o: tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32> {
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<?x?x?x16xbf16>, tensor<3x3x16x32xbf16>) outs(%o : tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32>
  return %r : tensor<?x?x?x32xf32>
}
