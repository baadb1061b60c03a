// RUN: vortex-opt %s --vortex-form-kernels --vortex-bufferize --verify-diagnostics
// What should have come before is named, not only that an op is left.

func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+2 {{'f.exp.0' cannot be bufferized; --vortex-select-kernels lowers one without candidates}}
  // expected-error @+1 {{failed to bufferize op}}
  %a = linalg.exp ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %a : tensor<?xf32>
}
