// RUN: vortex-opt %s --split-input-file --verify-diagnostics

func.func @nameless(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{names no library}}
  %p = vortex.library_call "" ins(%a [0, 1], %a [0, 1] : tensor<?x?xf32>, tensor<?x?xf32>) outs(%a [0, 1] : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// -----

func.func @dims(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{takes dimensions [0, 2] of 'tensor<?x?xf32>'; a matrix has two of them}}
  %p = vortex.library_call "x" ins(%a [0, 2], %a [0, 1] : tensor<?x?xf32>, tensor<?x?xf32>) outs(%a [0, 1] : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// -----

func.func @twice(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{takes dimensions [1, 1] of 'tensor<?x?xf32>'; a matrix has two of them}}
  %p = vortex.library_call "x" ins(%a [0, 1], %a [0, 1] : tensor<?x?xf32>, tensor<?x?xf32>) outs(%a [1, 1] : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// -----

func.func @batch(%a: tensor<?x?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{takes one matrix of 'tensor<?x?x?xf32>', whose dimension 0 is not known to have extent 1}}
  %p = vortex.library_call "x" ins(%a [1, 2], %c [0, 1] : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%c [0, 1] : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// -----

func.func @integers(%a: tensor<?x?xi32>) -> tensor<?x?xi32> {
  // expected-error @below {{multiplies matrices of f32, f64, f16 or bf16, not of 'i32'}}
  %p = vortex.library_call "x" ins(%a [0, 1], %a [0, 1] : tensor<?x?xi32>, tensor<?x?xi32>) outs(%a [0, 1] : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %p : tensor<?x?xi32>
}

// -----

func.func @mixed(%a: tensor<?x?xf32>, %c: tensor<?x?xf64>) -> tensor<?x?xf64> {
  // expected-error @below {{has a factor of 'f32' and a result of 'f64'}}
  %p = vortex.library_call "x" ins(%a [0, 1], %a [0, 1] : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c [0, 1] : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %p : tensor<?x?xf64>
}

// -----

func.func @steps(%a: tensor<?x3xf32>, %b: tensor<4x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{has 3 and 4 steps}}
  %p = vortex.library_call "x" ins(%a [0, 1], %b [0, 1] : tensor<?x3xf32>, tensor<4x?xf32>) outs(%c [0, 1] : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// -----

func.func @columns(%a: tensor<?x?xf32>, %b: tensor<?x5xf32>, %c: tensor<?x6xf32>) -> tensor<?x6xf32> {
  // expected-error @below {{has 5 and 6 columns}}
  %p = vortex.library_call "x" ins(%a [0, 1], %b [0, 1] : tensor<?x?xf32>, tensor<?x5xf32>) outs(%c [0, 1] : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %p : tensor<?x6xf32>
}

// -----

func.func @no_result(%a: tensor<?x?xf32>) {
  // expected-error @below {{has a result of the type of its init on tensors, and none on memrefs}}
  vortex.library_call "x" ins(%a [0, 1], %a [0, 1] : tensor<?x?xf32>, tensor<?x?xf32>) outs(%a [0, 1] : tensor<?x?xf32>)
  return
}

// -----

func.func @memref_factor(%a: memref<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{mixes tensors and memrefs}}
  %p = vortex.library_call "x" ins(%a [0, 1], %c [0, 1] : memref<?x?xf32>, tensor<?x?xf32>) outs(%c [0, 1] : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// -----

func.func @factors(%a: tensor<?x?xf16>, %b: tensor<?x?xbf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{has factors of 'f16' and 'bf16'}}
  %p = vortex.library_call "x" ins(%a [0, 1], %b [0, 1] : tensor<?x?xf16>, tensor<?x?xbf16>) outs(%c [0, 1] : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// -----

func.func @absent(%a: tensor<?x?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{takes dimensions [-1, 0, 1] of 'tensor<?x?xf32>'; each is one of its own, and -1 only in the batch of a factor}}
  %p = vortex.library_call "x" ins(%a [0, 1, 2], %a [0, 1, 2] : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%c [-1, 0, 1] : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// -----

func.func @numbers(%a: tensor<?x?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  // expected-error @below {{takes a batch of its operands that has other numbers of dimensions}}
  %p = vortex.library_call "x" ins(%a [0, 1, 2], %b [0, 1] : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%c [0, 1, 2] : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %p : tensor<?x?x?xf32>
}

// -----

func.func @points(%a: tensor<2x?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<3x?x?xf32>) -> tensor<3x?x?xf32> {
  // expected-error @below {{has 2 and 3 points of a batch}}
  %p = vortex.library_call "x" ins(%a [0, 1, 2], %b [-1, 0, 1] : tensor<2x?x?xf32>, tensor<?x?xf32>) outs(%c [0, 1, 2] : tensor<3x?x?xf32>) -> tensor<3x?x?xf32>
  return %p : tensor<3x?x?xf32>
}

// -----

func.func @rounded(%a: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{takes factors of 'f16' for tf32}}
  %p = vortex.library_call "x" tf32 ins(%a [0, 1], %a [0, 1] : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c [0, 1] : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}
