// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize | FileCheck %s

// Padding that changes sums is copied.
// CHECK-LABEL: func.func @padded_by_one
// CHECK: vortex.candidate @window_9x32
// CHECK: vortex.candidate @window_6x64
// CHECK-NOT: vortex.candidate
func.func @padded_by_one(%x: tensor<?x?x?x?xf32>, %f: tensor<3x3x?x?xf32> {vortex.weight}, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %one : f32
  } : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x?xf32>, tensor<3x3x?x?xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// Four vectors divide 64 channels, in place and of the one copy, and so do two:
// there are no cases for fewer.
// CHECK-LABEL: func.func @of_64_channels
// CHECK-NOT: narrow_rows
// CHECK: vortex.candidate @inplace_9x32
// CHECK-NOT: narrow_rows
// CHECK: vortex.candidate @window_6x64
// CHECK-NOT: narrow_rows
// CHECK: vortex.candidate @inplace_6x64
// CHECK-NOT: narrow_rows
// CHECK-NOT: vortex.candidate
func.func @of_64_channels(%x: tensor<?x?x?x64xf32>, %f: tensor<3x3x64x64xf32> {vortex.weight}, %o: tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<?x?x?x64xf32>, tensor<3x3x64x64xf32>) outs(%init : tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32>
  return %y : tensor<?x?x?x64xf32>
}

// Three divide 48 channels.
// CHECK-LABEL: func.func @of_48_channels
// CHECK: vortex.candidate @window_9x32
// CHECK: vortex.candidate @inplace_9x32
// CHECK: vortex.candidate @inplace_9x48
// CHECK-NOT: vortex.candidate
func.func @of_48_channels(%x: tensor<?x?x?x64xf32>, %f: tensor<3x3x64x48xf32> {vortex.weight}, %o: tensor<?x?x?x48xf32>) -> tensor<?x?x?x48xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x48xf32>) -> tensor<?x?x?x48xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<?x?x?x64xf32>, tensor<3x3x64x48xf32>) outs(%init : tensor<?x?x?x48xf32>) -> tensor<?x?x?x48xf32>
  return %y : tensor<?x?x?x48xf32>
}
