// What follows a product that a library computes finds its result, and nothing of the product: memory that is freed is filled with a pattern here.
// REQUIRES: vortex-compile
// RUN: env GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.perturb=165 vortex-compile %s --target=x86-avx2 --library=fake --no-cache --threads=1 -o %t.so

func.func @residual(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %g = tensor.dim %a, %c0 : tensor<?x?x?xf32>
  %m = tensor.dim %a, %c1 : tensor<?x?x?xf32>
  %n = tensor.dim %b, %c2 : tensor<?x?x?xf32>
  %e = tensor.empty(%g, %m, %n) : tensor<?x?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(g, i, j, k) -> (g, i, k)>, affine_map<(g, i, j, k) -> (g, k, j)>, affine_map<(g, i, j, k) -> (g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%z : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.mulf %x, %y : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(g, i, j) -> (g, i, j)>, affine_map<(g, i, j) -> (g, i, j)>, affine_map<(g, i, j) -> (g, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
