// RUN: vortex-opt %s --vortex-outline-choices --verify-diagnostics

func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  // expected-error @below {{has an axis whose size no operand of the kernel gives}}
  %r = vortex.kernel "k" axes ["m", "k"] ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %p = linalg.generic {vortex.anchor, vortex.id = "p0", indexing_maps = [affine_map<(m, k) -> (m + k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) {
    ^bb1(%u: f32, %s: f32):
      %v = arith.addf %u, %s : f32
      linalg.yield %v : f32
    } -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } candidates {
  ^bb0(%m: index, %k: index):
    vortex.candidate @c schedule {
      vortex.stage ["p0"]
    }
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}
