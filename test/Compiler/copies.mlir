// Rows that are copied are copied by memcpy, not byte by byte.
// REQUIRES: vortex-compile
// RUN: vortex-compile %s --target=x86-avx2 -o %t.so
// RUN: %llvm_tools/llvm-nm -D --undefined-only %t.so | FileCheck %s
// CHECK: U memcpy
func.func @concat(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = tensor.concat dim(1) %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
