// RUN: vortex-opt %s --vortex-decompose-ops --split-input-file --verify-diagnostics

func.func @softmax_of_integers(%x: tensor<?x?xi64>, %init: tensor<?x?xi64>) -> tensor<?x?xi64> {
  // expected-error @below {{of 'i64'; floats alone have a softmax}}
  %0 = linalg.softmax dimension(1) ins(%x : tensor<?x?xi64>) outs(%init : tensor<?x?xi64>) -> tensor<?x?xi64>
  return %0 : tensor<?x?xi64>
}

// -----

func.func @softmax_of_complex(%x: tensor<?xcomplex<f32>>, %init: tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>> {
  // expected-error @below {{of 'complex<f32>'; floats alone have a softmax}}
  %0 = linalg.softmax dimension(0) ins(%x : tensor<?xcomplex<f32>>) outs(%init : tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>>
  return %0 : tensor<?xcomplex<f32>>
}
