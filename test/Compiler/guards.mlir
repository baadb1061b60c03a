// Guards travel as text from the candidates to whoever forces one.
// REQUIRES: vortex-compile, vortex-run
// RUN: vortex-compile %s --target=x86-avx2,l2.capacity=128KiB -o %t.so
// RUN: not vortex-run %t.so --function=product --input=4x100xf32=1 --input=100x8xf32=1 --force=product.matmul.0=pack_both_6x16_kblock 2>&1 | FileCheck %s
// RUN: vortex-run %t.so --function=product --input=7x65xf32=1 --input=65x8xf32=1 --force=product.matmul.0=pack_both_6x16_kblock --expected-output=7x8xf32=65

// CHECK: kernel 'product.matmul.0': candidate 'pack_both_6x16_kblock' is forced, but its guard does not hold: k > 64 and m > 6
func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}
