// RUN: vortex-opt %s --target=sm_90a --vortex-hierarchize --vortex-select-kernels --vortex-lower-to-ptx \
// RUN:   | FileCheck %s --implicit-check-not='{{mbarrier[.][a-z_.]+[.](acquire|release)[.]cluster}}'

// Blocks of a cluster arrive at each other's barriers, none of which is of the
// cluster's scope: `ptxas` makes a fence of all memory of that in each step.
// CHECK: mbarrier.arrive{{[a-z.]*}}.shared::cluster.b64 _
// CHECK: mbarrier.try_wait
func.func @product(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf16>
  %n = tensor.dim %b, %c1 : tensor<?x?xf16>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
