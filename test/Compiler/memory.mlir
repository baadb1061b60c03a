// RUN: vortex-compile %s --target=x86-avx2 --explain -o %t.so > %t.txt
// RUN: grep '^memory of' %t.txt | FileCheck %s
// RUN: %if avx2 %{ vortex-run %t.so --function=chain --input=3x5xf32=1 --input=5x7xf32=1 --input=7x11xf32=1 --input=11x2xf32=1 --input=2x13xf32=1 --explain | FileCheck %s --check-prefix=NUMBER %}
// RUN: vortex-run %t.so --list | FileCheck %s --check-prefix=LIST

// Two products exist beside each other, the last is the caller's. Which two are larger is up to the sizes.
// CHECK: memory of chain: intermediates take at most max(4*m*h + 4*m*n, 4*m*n + 4*m*p) bytes at once
// NUMBER: memory: intermediates take at most 216 bytes at once = max(4*m*h + 4*m*n, 4*m*n + 4*m*p)
// NUMBER-NEXT: memory: the context holds {{[1-9][0-9]*}} bytes of scratch
// LIST: intermediates of at most max(4*m*h + 4*m*n, 4*m*n + 4*m*p) bytes
func.func @chain(%x: tensor<?x?xf32> {vortex.dims = ["m", "k"]}, %a: tensor<?x?xf32> {vortex.dims = ["k", "h"]},
                 %b: tensor<?x?xf32> {vortex.dims = ["h", "n"]}, %c: tensor<?x?xf32> {vortex.dims = ["n", "p"]},
                 %d: tensor<?x?xf32> {vortex.dims = ["p", "q"]}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %h = tensor.dim %a, %c1 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %p = tensor.dim %c, %c1 : tensor<?x?xf32>
  %e0 = tensor.empty(%m, %h) : tensor<?x?xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y0 = linalg.matmul ins(%x, %a : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e1 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y1 = linalg.matmul ins(%y0, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z1 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e2 = tensor.empty(%m, %p) : tensor<?x?xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y2 = linalg.matmul ins(%y1, %c : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %q = tensor.dim %d, %c1 : tensor<?x?xf32>
  %e3 = tensor.empty(%m, %q) : tensor<?x?xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y3 = linalg.matmul ins(%y2, %d : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z3 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y3 : tensor<?x?xf32>
}

// Four products, of which two exist at once: the wide ones are the most. Rows are named by the argument where they have no name.
// CHECK: memory of known: intermediates take at most 1280*m bytes at once, no more than 163840 at the sizes declared
func.func @known(%x: tensor<?x64xf32> {vortex.dims = ["m", ""]}, %a: tensor<64x256xf32>, %b: tensor<256x64xf32>, %c: tensor<64x16xf32>, %d: tensor<16x8xf32>)
    -> tensor<?x8xf32> attributes {vortex.where = ["m <= 128"]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e0 = tensor.empty(%m) : tensor<?x256xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x256xf32>) -> tensor<?x256xf32>
  %y0 = linalg.matmul ins(%x, %a : tensor<?x64xf32>, tensor<64x256xf32>) outs(%z0 : tensor<?x256xf32>) -> tensor<?x256xf32>
  %e1 = tensor.empty(%m) : tensor<?x64xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y1 = linalg.matmul ins(%y0, %b : tensor<?x256xf32>, tensor<256x64xf32>) outs(%z1 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %e2 = tensor.empty(%m) : tensor<?x16xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y2 = linalg.matmul ins(%y1, %c : tensor<?x64xf32>, tensor<64x16xf32>) outs(%z2 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %e3 = tensor.empty(%m) : tensor<?x8xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y3 = linalg.matmul ins(%y2, %d : tensor<?x16xf32>, tensor<16x8xf32>) outs(%z3 : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y3 : tensor<?x8xf32>
}

// CHECK: memory of none: intermediates take at most 0 bytes at once
func.func @none(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Sizes of two arguments may multiply to more than 64 bits hold: such products are in no formula.
// CHECK: memory of flat: intermediates take what data decides
// LIST-NOT: wrap
func.func @flat(%x: tensor<?xf32> {vortex.dims = ["a"]}, %y: tensor<?xf32> {vortex.dims = ["b"]}, %w: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %a = tensor.dim %x, %c0 : tensor<?xf32>
  %b = tensor.dim %y, %c0 : tensor<?xf32>
  %e0 = tensor.empty(%a, %b) : tensor<?x?xf32>
  %outer = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e0 : tensor<?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.mulf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %flat = tensor.collapse_shape %outer [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %n = arith.muli %a, %b : index
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %s = linalg.softmax dimension(0) ins(%flat : tensor<?xf32>) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %k = tensor.dim %w, %c1 : tensor<?x?xf32>
  %e2 = tensor.empty(%k) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?xf32>) -> tensor<?xf32>
  %v = linalg.vecmat ins(%s, %w : tensor<?xf32>, tensor<?x?xf32>) outs(%z : tensor<?xf32>) -> tensor<?xf32>
  return %v : tensor<?xf32>
}
