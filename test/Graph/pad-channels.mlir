// RUN: vortex-opt %s --target=x86-avx512-amx --vortex-pad-channels | FileCheck %s
// RUN: vortex-opt %s --target=x86-avx512 --vortex-pad-channels | FileCheck %s --check-prefix=NONE

// Without matrix tiles images stay as they are.
// NONE-NOT: 7x7x4x
// NONE-NOT: 3x3x8x

// Three channels are two words of two with a zero, which the padding that is there takes in.
// CHECK-LABEL: func.func @padded
// CHECK-DAG: tensor.dim %arg0, %c1
// CHECK-DAG: %[[IMAGE:.*]] = tensor.pad %arg0 low[0, 3, 3, 0] high[0, 3, 3, 1]
// CHECK-DAG: %[[FILTER:.*]] = tensor.pad %arg1 low[0, 0, 0, 0] high[0, 0, 1, 0]
// CHECK: vortex.bind
// CHECK-NOT: tensor.pad
// CHECK: linalg.conv_2d_nhwc_hwcf {{.*}}ins(%[[IMAGE]], %[[FILTER]] : tensor<?x?x?x4xbf16>, tensor<7x7x4x?xbf16>)
func.func @padded(%x: tensor<?x?x?x3xbf16>, %f: tensor<7x7x3x?xbf16> {vortex.weight}, %o: tensor<?x?x?x?xf32>) -> (tensor<?x?x?x?xf32>, index) {
  %c1 = arith.constant 1 : index
  %padding = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 3, 3, 0] high[0, 3, 3, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %padding : bf16
  } : tensor<?x?x?x3xbf16> to tensor<?x?x?x3xbf16>
  %h = tensor.dim %p, %c1 : tensor<?x?x?x3xbf16>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x3xbf16>, tensor<7x7x3x?xbf16>) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y, %h : tensor<?x?x?x?xf32>, index
}

// Bytes fill words of four.
// CHECK-LABEL: func.func @bytes
// CHECK: tensor.pad %arg0 low[0, 0, 0, 0] high[0, 0, 0, 3]
// CHECK: linalg.conv_2d_nhwc_hwcf {{.*}}tensor<?x?x?x8xi8>
func.func @bytes(%x: tensor<?x?x?x5xi8>, %f: tensor<3x3x5x?xi8> {vortex.weight}, %o: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<?x?x?x5xi8>, tensor<3x3x5x?xi8>) outs(%o : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}

// Whole words, numbers that are not known, filters that change, windows of one pixel, padding that is not zero.
// CHECK-LABEL: func.func @left
// CHECK-NOT: , 1] {
func.func @left(%x: tensor<?x?x?x4xbf16>, %f: tensor<3x3x4x?xbf16> {vortex.weight}, %u: tensor<?x?x?x?xbf16>, %g: tensor<3x3x?x?xbf16> {vortex.weight},
                %v: tensor<?x?x?x3xbf16>, %h: tensor<3x3x3x?xbf16>, %one: tensor<1x1x3x?xbf16> {vortex.weight}, %three: tensor<3x3x3x?xbf16> {vortex.weight},
                %o: tensor<?x?x?x?xf32>)
    -> (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) {
  %padding = arith.constant 1.0 : bf16
  %p = tensor.pad %v low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %padding : bf16
  } : tensor<?x?x?x3xbf16> to tensor<?x?x?x3xbf16>
  %a = linalg.conv_2d_nhwc_hwcf ins(%x, %f : tensor<?x?x?x4xbf16>, tensor<3x3x4x?xbf16>) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %b = linalg.conv_2d_nhwc_hwcf ins(%u, %g : tensor<?x?x?x?xbf16>, tensor<3x3x?x?xbf16>) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %c = linalg.conv_2d_nhwc_hwcf ins(%v, %h : tensor<?x?x?x3xbf16>, tensor<3x3x3x?xbf16>) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %d = linalg.conv_2d_nhwc_hwcf ins(%v, %one : tensor<?x?x?x3xbf16>, tensor<1x1x3x?xbf16>) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %e = linalg.conv_2d_nhwc_hwcf ins(%p, %three : tensor<?x?x?x3xbf16>, tensor<3x3x3x?xbf16>) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %a, %b, %c, %d, %e : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>
}
