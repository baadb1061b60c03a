// Sums that may not fit are refused where there are sums: a result without rows or columns has none.
// REQUIRES: vortex-compile, vortex-run
// RUN: vortex-compile %s --target=x86-avx2 -o %t.so
// RUN: vortex-run %t.so --input=0x133145xf32= --input=133145x3xf32=1 --expected-output=0x3xf32=
// RUN: vortex-run %t.so --input=2x133145xf32=1 --input=133145x0xf32= --expected-output=2x0xf32=
// RUN: vortex-run %t.so --input=2x133144xf32=1 --input=133144x3xf32=1 --expected-output=2x3xf32=133144 --rtol=1e-5
// RUN: not vortex-run %t.so --input=2x133145xf32=1 --input=133145x3xf32=1 2>&1 | FileCheck %s
// CHECK: int8-dynamic: a sum of more than 133144 products may not fit an i32
func.func @checked(%x: tensor<?x?xf32>, %w: tensor<?x?xf32> {vortex.weight}) -> tensor<?x?xf32> attributes {vortex.precision = "int8-dynamic"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %w, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
