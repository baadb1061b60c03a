// RUN: not vortex-opt %s --vortex-assign-results 2>&1 | FileCheck %s

// CHECK: error: 'func.return' op result 0 of type 'tensor<*xf32>' is not supported: results are scalars and tensors of known rank
func.func @unranked(%a: tensor<*xf32>) -> tensor<*xf32> {
  return %a : tensor<*xf32>
}
