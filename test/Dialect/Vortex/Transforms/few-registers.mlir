// Tiles of machines with few vector registers: none needs more than there are, and where three are missing loops remain.
// RUN: vortex-opt %s --target=x86-avx512,register.capacity=512 --vortex-hierarchize | FileCheck %s
// RUN: vortex-opt %s --target=x86-avx512,register.capacity=128 --vortex-hierarchize | FileCheck %s --check-prefix=LOOPS

// CHECK-LABEL: func.func @product
// CHECK-NOT: rows = 1, vectors = 4
// CHECK: vortex.candidate
// CHECK-NOT: rows = 1, vectors = 4
// LOOPS-LABEL: func.func @product
// LOOPS-NOT: vortex.candidate
func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @columns
// CHECK: vortex.candidate @columns
// LOOPS-LABEL: func.func @columns
// LOOPS-NOT: vortex.candidate
func.func @columns(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.reduce ins(%x : tensor<?x?xf32>) outs(%y : tensor<?xf32>) dimensions = [0]
    (%in: f32, %sum: f32) {
      %s = arith.addf %in, %sum : f32
      linalg.yield %s : f32
    }
  return %r : tensor<?xf32>
}
