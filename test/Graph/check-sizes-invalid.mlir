// RUN: vortex-opt %s --split-input-file --verify-diagnostics --vortex-check-sizes

// Verifiers do not compare static sizes beside dynamic ones.
func.func @steps(%a: tensor<?x4xf32>, %b: tensor<5x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{'4 == 5', which linalg.matmul needs, does not hold}}
  %0 = linalg.matmul ins(%a, %b : tensor<?x4xf32>, tensor<5x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @rows(%a: tensor<4x?xf32>, %b: tensor<?x?xf32>, %c: tensor<7x?xf32>) -> tensor<7x?xf32> {
  // expected-error @+1 {{'4 == 7', which linalg.matmul needs, does not hold}}
  %0 = linalg.matmul ins(%a, %b : tensor<4x?xf32>, tensor<?x?xf32>) outs(%c : tensor<7x?xf32>) -> tensor<7x?xf32>
  return %0 : tensor<7x?xf32>
}
