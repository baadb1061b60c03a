// Functions may be called anything, also what the compiler would call its own.
// REQUIRES: vortex-compile, vortex-run
// RUN: vortex-compile %s --target=host --weights=a:b=c:1 -o %t.so
// RUN: vortex-run %t.so --function=f --input=2x3xf32=1 --input=3x4xf32=2 --expected-output=2x4xf32=6
// RUN: vortex-run %t.so --function=f.bind --input=3x4xf32=2 --expected-output=1x3x32xf32=5
// RUN: vortex-run %t.so --function=f.choices --input=f32=7 --expected-output=f32=7
// RUN: vortex-run %t.so --function=f.inner --input=2x3xf32=1 --input=3x4xf32=2 --expected-output=2x4xf32=6
// RUN: vortex-run %t.so --function=f.body --input=f32=8 --expected-output=f32=8
// RUN: vortex-run %t.so --function=vortex.fn.f --input=f32=9 --expected-output=f32=9
// RUN: vortex-run %t.so --function=vortex_artifact_query --input=f32=9 --expected-output=f32=9
// RUN: vortex-run %t.so --function=f.matmul.0 --input=2x3xf32=1 --input=3x4xf32=2 --expected-output=2x4xf32=6
// RUN: vortex-run %t.so --function=a:b=c --input=2x3xf32=1 --input=3x4xf32=2 --expected-output=2x4xf32=6
// RUN: vortex-run %t.so --list | FileCheck %s
// RUN: not vortex-run %t.so --function=a:b=c --input=2x3xf32=1 --input=3x4xf32=2 --force=a:b=c.matmul.0=none 2>&1 | FileCheck %s --check-prefix=FORCE

// CHECK: function a:b=c(tensor<?x?xf32>, tensor<?x?xf32> weight)
// FORCE: kernel 'a:b=c.matmul.0' has no candidate 'none'

// What packs the weights of @f takes the same arguments and gives the same
// types: only the name tells them apart.
func.func @f.bind(%w: tensor<?x?xf32>) -> tensor<?x?x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %five = arith.constant 5.0 : f32
  %k = tensor.dim %w, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%c1, %k) : tensor<?x?x32xf32>
  %r = linalg.fill ins(%five : f32) outs(%e : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  return %r : tensor<?x?x32xf32>
}
func.func @f(%x: tensor<?x?xf32>, %w: tensor<?x?xf32> {vortex.weight}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %w, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @f.choices(%x: f32) -> f32 { return %x : f32 }
func.func @f.body(%x: f32) -> f32 { return %x : f32 }
func.func @vortex.fn.f(%x: f32) -> f32 { return %x : f32 }
func.func @vortex_artifact_query(%x: f32) -> f32 { return %x : f32 }
// One that is called is kept twice.
func.func @f.matmul.0(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = call @f.inner(%x, %w) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @f.inner(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = call @f.inner.inner(%x, %w) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @f.inner.inner(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %w, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @"a:b=c"(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %w, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
