// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-select-kernels --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @mm
// CHECK: arith.cmpf olt
// CHECK: %[[I:.*]] = vortex.select "mm.matmul.0" ["packed_14x32", "packed_14x32_prefetch", "panel_8x32", "panel_8x32_prefetch"]
// CHECK: scf.index_switch %[[I]]
// CHECK: case 0
// CHECK: vortex.candidate @packed_14x32 schedule
// CHECK-NOT: vortex.candidate
// CHECK: case 1
// CHECK: vortex.candidate @packed_14x32_prefetch schedule
// CHECK: default
// CHECK: vortex.candidate @panel_8x32_prefetch schedule
func.func @mm(%a: tensor<?x?xf32>, %b: tensor<?x?xf32> {vortex.weight}, %bias: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// One candidate needs no choice.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: vortex.select
// CHECK: vortex.candidate @rows schedule
func.func @rows(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
