func.func @conv(%x: tensor<?x?x?x16xf32>, %f: tensor<3x3x16x32xf32>, %o: tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32> {
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<?x?x?x16xf32>, tensor<3x3x16x32xf32>) outs(%o : tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32>
  return %r : tensor<?x?x?x32xf32>
}
