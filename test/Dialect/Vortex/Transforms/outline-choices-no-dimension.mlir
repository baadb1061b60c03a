// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-outline-choices | FileCheck %s

// A size of a dimension that there is not is known nowhere.
// CHECK-LABEL: func.func private @no_dimension.choices
// CHECK: vortex.report "no_dimension.log.0" ["rows"]
func.func @no_dimension(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c7 = arith.constant 7 : index
  %n = tensor.dim %x, %c7 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.log ins(%r : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %s : tensor<?xf32>
}
