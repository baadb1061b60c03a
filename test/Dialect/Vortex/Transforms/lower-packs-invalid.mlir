// RUN: vortex-opt %s --verify-diagnostics --vortex-lower-packs

func.func @tight(%a: tensor<?x?xf32>, %d: tensor<?x?x?xf32>, %mr: index) -> tensor<?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{a tight pack may only be read through its flat form}}
  %p = linalg.pack %a padding_value(%zero : f32) outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [%mr] into %d {vortex.tight}
      : tensor<?x?xf32> -> tensor<?x?x?xf32>
  return %p : tensor<?x?x?xf32>
}
