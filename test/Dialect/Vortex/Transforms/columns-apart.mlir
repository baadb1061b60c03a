// Columns whose filters lie apart: lanes of a tile that reads in place take a
// transaction each, so that a ring is cheaper, whose blocks share the channels.
// RUN: vortex-opt %s --target=sm_90a --vortex-hierarchize --vortex-select-kernels=machine-defaults=true | FileCheck %s
// CHECK: vortex.candidate @split_simt_ring_16x64x32
func.func @conv(%x: tensor<1x7x7x832xf32>, %w: tensor<256x1x1x832xf32>, %o: tensor<1x7x7x256xf32>) -> tensor<1x7x7x256xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<1x7x7x256xf32>) -> tensor<1x7x7x256xf32>
  %y = linalg.conv_2d_nhwc_fhwc {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x7x7x832xf32>, tensor<256x1x1x832xf32>) outs(%z : tensor<1x7x7x256xf32>) -> tensor<1x7x7x256xf32>
  return %y : tensor<1x7x7x256xf32>
}
