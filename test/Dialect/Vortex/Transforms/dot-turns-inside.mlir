// RUN: vortex-opt %s --target=x86-avx2 --vortex-hierarchize --vortex-expand=candidate=inplace_dot_6x16 --vortex-lower-micro-kernels | FileCheck %s

// A window in padding, of pairs of bf16 that no instruction multiplies: steps of two turns. Where some of six rows are outside, each step is
// behind branches from the first on, for no register is left for what a rest of steps would keep up. What such steps start at stands
// before the choice, which the verifier sees.
// CHECK-LABEL: func.func @window(
// CHECK: :12 = scf.if
// CHECK: } else {
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT: :12 = scf.for %{{.*}} = %{{c0.*}} to %{{.*}} step %[[ONE]]
// CHECK: vortex.dot_product "vfmadd231ps_bf16_low"
// CHECK: vortex.dot_product "vfmadd231ps_bf16_high"
func.func @window(%x: tensor<?x?x?x32xbf16>, %f: tensor<3x3x32x40xbf16>, %o: tensor<?x?x?x40xf32>) -> tensor<?x?x?x40xf32> {
  %zero = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : bf16
  } : tensor<?x?x?x32xbf16> to tensor<?x?x?x32xbf16>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x40xf32>) -> tensor<?x?x?x40xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, f, i, j, c) -> (n, h + i, w + j, c)>,
      affine_map<(n, h, w, f, i, j, c) -> (i, j, c, f)>, affine_map<(n, h, w, f, i, j, c) -> (n, h, w, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %f : tensor<?x?x?x32xbf16>, tensor<3x3x32x40xbf16>) outs(%init : tensor<?x?x?x40xf32>) {
  ^bb0(%u: bf16, %v: bf16, %s: f32):
    %a = arith.extf %u : bf16 to f32
    %b = arith.extf %v : bf16 to f32
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x40xf32>
  return %y : tensor<?x?x?x40xf32>
}
