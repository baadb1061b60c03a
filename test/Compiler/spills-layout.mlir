// Registers that spill where a filter is laid out, in loops that run once for many tiles, say nothing against the tiles.
// REQUIRES: vortex-compile
// RUN: vortex-compile %s --target=x86-avx512 --no-cache --explain -o %t.so | FileCheck %s --implicit-check-not=spills
// CHECK: kernel f.contraction.0
// CHECK: candidate window_
func.func @f(%x: tensor<?x?x?x64xf32>, %w: tensor<?x64x3x3xf32>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?x64xf32> to tensor<?x?x?x64xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(n, h, w, f, c, i, j) -> (n, h * 2 + i, w * 2 + j, c)>,
                                        affine_map<(n, h, w, f, c, i, j) -> (f, c, i, j)>, affine_map<(n, h, w, f, c, i, j) -> (n, h, w, f)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %w : tensor<?x?x?x64xf32>, tensor<?x64x3x3xf32>) outs(%o : tensor<?x?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %r = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %r : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?x?xf32>
  return %q : tensor<?x?x?x?xf32>
}
