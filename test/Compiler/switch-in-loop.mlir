// REQUIRES: vortex-compile, vortex-run
// RUN: vortex-compile %s -o %t.so
// RUN: vortex-run %t.so --input=2x2xf32="1 2 3 4" --input=i64=2 --input=i64=0 --expected-output=2x2xf32="1 2 3 4"
// RUN: vortex-run %t.so --input=2x2xf32="1 2 3 4" --input=i64=3 --input=i64=1 --expected-output=2x2xf32="8 24 16 32"

// A loop does not write into the memory that it carries, also where branches do the writing: the state is transposed in
// each step, and scaled or not. Upstream's bufferization alone gives one memory to both.
func.func @recurrence_switched(%x: tensor<?x?xf32>, %steps: index, %which: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = bufferization.alloc_tensor(%m, %m) : tensor<?x?xf32>
  %r = scf.for %i = %c0 to %steps step %c1 iter_args(%h = %x) -> tensor<?x?xf32> {
    %s = scf.index_switch %which -> tensor<?x?xf32>
    case 0 {
      %y = linalg.transpose ins(%h : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) permutation = [1, 0]
      scf.yield %y : tensor<?x?xf32>
    }
    default {
      %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          ins(%h : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %q = arith.mulf %a, %two : f32
        linalg.yield %q : f32
      } -> tensor<?x?xf32>
      scf.yield %y : tensor<?x?xf32>
    }
    scf.yield %s : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}
