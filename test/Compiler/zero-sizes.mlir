// Sizes that are 0 when a program is compiled are sizes like others.
// REQUIRES: vortex-compile, vortex-run
// RUN: vortex-compile %s --target=host -o %t.so
// RUN: vortex-run %t.so --function=nothing --input=0x0xf32= --input=0x0xf32= --input=0x0xf32= --expected-output=0x0xf32=
// RUN: vortex-run %t.so --function=no_steps --input=5x0xf32= --input=0x3xf32= --input=5x3xf32=2 --expected-output=5x3xf32=2
// RUN: vortex-run %t.so --function=no_rows --input=0x4xf32= --input=4x3xf32=1 --input=0x3xf32= --expected-output=0x3xf32=
// RUN: vortex-run %t.so --function=elementwise --input=0x7xf32= --expected-output=0x7xf32=
func.func @nothing(%a: tensor<0x0xf32>, %b: tensor<0x0xf32>, %c: tensor<0x0xf32>) -> tensor<0x0xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<0x0xf32>, tensor<0x0xf32>) outs(%c : tensor<0x0xf32>) -> tensor<0x0xf32>
  return %r : tensor<0x0xf32>
}
func.func @no_steps(%a: tensor<?x0xf32>, %b: tensor<0x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x0xf32>, tensor<0x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @no_rows(%a: tensor<0x?xf32>, %b: tensor<?x?xf32>, %c: tensor<0x?xf32>) -> tensor<0x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<0x?xf32>, tensor<?x?xf32>) outs(%c : tensor<0x?xf32>) -> tensor<0x?xf32>
  return %r : tensor<0x?xf32>
}
func.func @elementwise(%a: tensor<0x?xf32>) -> tensor<0x?xf32> {
  %r = math.exp %a : tensor<0x?xf32>
  return %r : tensor<0x?xf32>
}
