// RUN: vortex-opt %s --vortex-set-precision=precision=bf16 | FileCheck %s
// RUN: vortex-opt %s --vortex-set-precision | FileCheck %s --check-prefix=NONE
// NONE-NOT: vortex.precision = "bf16"

// CHECK: func.func @plain{{.*}} attributes {vortex.precision = "bf16"}
// CHECK: linalg.matmul ins
func.func @plain(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Its own is heard first; the inliner keeps what ops have.
// CHECK: func.func private @head{{.*}} attributes {vortex.precision = "f32"}
// CHECK: linalg.matmul {vortex.precision = "f32"} ins
func.func private @head(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {vortex.precision = "f32"} {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK: func.func @caller{{.*}} attributes {vortex.precision = "int8-dynamic"}
// CHECK: linalg.matmul {vortex.precision = "f32"} ins
func.func @caller(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {vortex.precision = "int8-dynamic"} {
  %r = linalg.matmul {vortex.precision = "f32"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = call @head(%r, %b, %c) : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}
