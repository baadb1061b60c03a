// Three columns of three channels: three trips of three steps.
func.func @three(%x: tensor<?x?x?x3xf32>, %f: tensor<3x3x3x64xf32> {vortex.weight}, %o: tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?x3xf32> to tensor<?x?x?x3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x3xf32>, tensor<3x3x3x64xf32>) outs(%init : tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32>
  return %y : tensor<?x?x?x64xf32>
}

// Of one channel no loop is left but that over the window's rows.
func.func @one(%x: tensor<?x?x?x1xf32>, %f: tensor<3x3x1x16xf32> {vortex.weight}, %o: tensor<?x?x?x16xf32>) -> tensor<?x?x?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?x1xf32> to tensor<?x?x?x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x16xf32>) -> tensor<?x?x?x16xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x1xf32>, tensor<3x3x1x16xf32>) outs(%init : tensor<?x?x?x16xf32>) -> tensor<?x?x?x16xf32>
  return %y : tensor<?x?x?x16xf32>
}

// Twenty-one steps are three trips of seven.
func.func @seven(%x: tensor<?x?x?x3xf32>, %f: tensor<7x7x3x64xf32> {vortex.weight}, %o: tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 3, 3, 0] high[0, 3, 3, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?x3xf32> to tensor<?x?x?x3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x3xf32>, tensor<7x7x3x64xf32>) outs(%init : tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32>
  return %y : tensor<?x?x?x64xf32>
}
