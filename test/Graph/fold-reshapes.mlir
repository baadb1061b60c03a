// Reshapes to sizes that are elements of a tensor say their groups.
// RUN: vortex-opt --vortex-fold-reshapes --split-input-file %s | FileCheck %s

// CHECK-LABEL: @join
// CHECK:         tensor.collapse_shape %arg0 {{\[}}[0], [1, 2], [3]] : tensor<?x8x2x?xf32> into tensor<?x16x?xf32>
func.func @join(%x: tensor<?x8x2x?xf32>) -> tensor<?x16x?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : i64
  %b = tensor.dim %x, %c0 : tensor<?x8x2x?xf32>
  %s = tensor.dim %x, %c3 : tensor<?x8x2x?xf32>
  %b64 = arith.index_cast %b : index to i64
  %s64 = arith.index_cast %s : index to i64
  %shape = tensor.from_elements %b64, %c16, %s64 : tensor<3xi64>
  %y = tensor.reshape %x(%shape) : (tensor<?x8x2x?xf32>, tensor<3xi64>) -> tensor<?x16x?xf32>
  return %y : tensor<?x16x?xf32>
}

// CHECK-LABEL: @split
// CHECK-SAME:    %[[X:.*]]: tensor<?x24xf32>
// CHECK:         tensor.expand_shape %[[X]] {{\[}}[0], [1, 2]] output_shape [%{{.*}}, 4, 6] : tensor<?x24xf32> into tensor<?x4x6xf32>
func.func @split(%x: tensor<?x24xf32>) -> tensor<?x4x6xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %b = tensor.dim %x, %c0 : tensor<?x24xf32>
  %shape = tensor.from_elements %b, %c4, %c6 : tensor<3xindex>
  %y = tensor.reshape %x(%shape) : (tensor<?x24xf32>, tensor<3xindex>) -> tensor<?x4x6xf32>
  return %y : tensor<?x4x6xf32>
}

// -----

// Which dimensions are joined is not known.
// CHECK-LABEL: @unknown
// CHECK:         tensor.reshape
func.func @unknown(%x: tensor<?x?x?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
  %shape = tensor.from_elements %n, %m : tensor<2xindex>
  %y = tensor.reshape %x(%shape) : (tensor<?x?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
