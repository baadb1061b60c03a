func.func @window(%x: tensor<?x?x?x1xf32>, %f: tensor<5x5x1x64xf32> {vortex.weight}, %o: tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?x1xf32> to tensor<?x?x?x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x1xf32>, tensor<5x5x1x64xf32>) outs(%init : tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32>
  return %y : tensor<?x?x?x64xf32>
}
