// RUN: vortex-opt %s --target=x86-avx512 --vortex-merge-columns | FileCheck %s
// RUN: vortex-opt %s --target=x86-avx2 --vortex-merge-columns | FileCheck %s --check-prefix=NONE
// NONE-NOT: collapse_shape

// CHECK: #[[IMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d4, d2 * 6 + d5)>
// CHECK: #[[FILTER:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5, d3)>

// Three columns of three channels are nine elements, which take three groups of four, none cut, instead of three groups that are.
// CHECK-LABEL: func.func @few
// CHECK-SAME: %[[X:.*]]: tensor<?x?x?x3xi8>, %[[F:.*]]: tensor<3x3x3x?xi8>
// CHECK: %[[PIXELS:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0], [1], [2, 3]] : {{.*}} into tensor<?x?x?xi8>
// CHECK: %[[PADDED:.*]] = tensor.pad %[[PIXELS]] low[0, 1, 3] high[0, 1, 6]
// CHECK: %[[ONE:.*]] = tensor.collapse_shape %[[F]] {{\[}}[0], [1, 2], [3]] {vortex.bind} : {{.*}} into tensor<3x9x?xi8>
// CHECK: %[[WHOLE:.*]] = tensor.pad %[[ONE]] low[0, 0, 0] high[0, 3, 0]
// CHECK: linalg.generic {indexing_maps = [#[[IMAGE]], #[[FILTER]], {{.*}} ins(%[[PADDED]], %[[WHOLE]]
func.func @few(%x: tensor<?x?x?x3xi8>, %f: tensor<3x3x3x?xi8> {vortex.weight}, %o: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
  %padding = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %padding : i8
  } : tensor<?x?x?x3xi8> to tensor<?x?x?x3xi8>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<[1, 2]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x3xi8>, tensor<3x3x3x?xi8>) outs(%o : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}

// Channels that fill groups, columns that are not beside each other, and a filter that is no weight.
// CHECK-LABEL: func.func @others
// CHECK-NOT: collapse_shape
// CHECK: return
func.func @others(%x: tensor<?x?x?x4xi8>, %f: tensor<3x3x4x?xi8> {vortex.weight}, %x1: tensor<?x?x?x1xi8>, %f1: tensor<3x3x1x?xi8> {vortex.weight}, %g: tensor<3x3x1x?xi8>, %o: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<?x?x?x4xi8>, tensor<3x3x4x?xi8>) outs(%o : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  %1 = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<2> : tensor<2xi64>}
      ins(%x1, %f1 : tensor<?x?x?x1xi8>, tensor<3x3x1x?xi8>) outs(%0 : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  %2 = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x1, %g : tensor<?x?x?x1xi8>, tensor<3x3x1x?xi8>) outs(%1 : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
  return %2 : tensor<?x?x?x?xi32>
}
