// RUN: split-file %s %t
// RUN: vortex-opt %t/product.mlir --target=x86-zen4 --vortex-hierarchize | FileCheck %s --check-prefix=PLAIN
// RUN: vortex-opt %t/weight.mlir --target=x86-zen4 --vortex-hierarchize | FileCheck %s --check-prefix=WEIGHT
// RUN: vortex-opt %t/product.mlir --target=x86-avx512 --vortex-hierarchize | FileCheck %s --check-prefix=NONE
// RUN: vortex-opt %t/wide.mlir --target=x86-zen4 --vortex-hierarchize | FileCheck %s --check-prefix=NONE
// RUN: vortex-opt %t/whole.mlir --target=x86-zen4 --vortex-hierarchize | FileCheck %s --check-prefix=NONE
// RUN: vortex-opt %t/widened.mlir --target=x86-zen4 --vortex-hierarchize | FileCheck %s --check-prefix=NONE
// RUN: vortex-opt %t/batch.mlir --target=x86-zen4 --vortex-hierarchize | FileCheck %s --check-prefix=NONE
// RUN: vortex-opt %t/narrow.mlir --target=x86-zen4 --vortex-hierarchize | FileCheck %s --check-prefix=PLAIN

// Where the description says how fast vectors of half as many lanes are, a tile of them is for up to four vectors of columns, the last of
// which has half of its lanes at most.
// PLAIN: vortex.machine_param "fma.f32.half" default 1.180000e+02
// PLAIN: vortex.candidate @direct_half_6x32 guard {
// PLAIN: arith.remui
// PLAIN: arith.cmpi ule, %{{.*}}, %c64
// PLAIN: arith.cmpi ult, %{{.*}}, %c8
// PLAIN: micro <instruction = "fma", rows = 6, vectors = 4, lanes = 8, unroll = 4, narrow_rows = 8
// Panels are those of the other candidates. There is no other with tasks.
// WEIGHT-NOT: vortex.candidate @panel_half
// WEIGHT: vortex.candidate @direct_panel_half_6x32 guard {
// WEIGHT: layout = panel
// WEIGHT: micro <instruction = "fma", rows = 6, vectors = 4, lanes = 8
// WEIGHT: vortex.candidate @parts_panel_
// WEIGHT-NOT: lanes = 8
// NONE: vortex.candidate
// NONE-NOT: lanes = 8

//--- product.mlir
func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}
//--- weight.mlir
func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x?xf32> {vortex.weight}, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}
//--- wide.mlir
func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x100xf32>, %c: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x100xf32>) outs(%c : tensor<?x100xf32>) -> tensor<?x100xf32>
  return %d : tensor<?x100xf32>
}
//--- whole.mlir
func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x32xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %d : tensor<?x32xf32>
}
//--- narrow.mlir
func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x20xf32>, %c: tensor<?x20xf32>) -> tensor<?x20xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x20xf32>) outs(%c : tensor<?x20xf32>) -> tensor<?x20xf32>
  return %d : tensor<?x20xf32>
}
//--- widened.mlir
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}
//--- batch.mlir
func.func @f(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %d = linalg.batch_matmul ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %d : tensor<?x?x?xf32>
}
