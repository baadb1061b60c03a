// RUN: vortex-opt %s --split-input-file --verify-diagnostics

// expected-error@below {{attribute 'vortex.precision' must be one of f32, bf16, int8-dynamic, tf32, bf16x2}}
func.func @unknown(%a: tensor<?xf32>) -> tensor<?xf32> attributes {vortex.precision = "f16"} {
  return %a : tensor<?xf32>
}

// -----

// expected-error@below {{attribute 'vortex.precision' must be one of f32, bf16, int8-dynamic, tf32, bf16x2}}
func.func @no_string(%a: tensor<?xf32>) -> tensor<?xf32> attributes {vortex.precision = 8} {
  return %a : tensor<?xf32>
}

// -----

func.func @elsewhere(%a: f32) -> f32 {
  // expected-error@below {{attribute 'vortex.precision' is for functions and linalg ops}}
  %r = arith.addf %a, %a {vortex.precision = "bf16"} : f32
  return %r : f32
}
