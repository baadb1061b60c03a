// RUN: vortex-opt %s --target=gfx90a --vortex-hierarchize --canonicalize --cse | FileCheck %s
// RUN: vortex-opt %s --target=gfx90a --vortex-hierarchize --remarks-filter=vortex-hierarchize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Tiles of mfma, those that share reductions, two of scalar units, and the most
// general one. Two stages, as tiles go through registers; runs of four columns.

// CHECK-LABEL: func.func @half
// CHECK: vortex.candidate @ring_256x256x32_s2 guard
// CHECK: vortex.machine_param "mfma.f16.rate" default 1.740000e+03
// CHECK: vortex.level "block" grid (PL 0 by %c256, PL 1 by %c256) store(4) {
// CHECK: vortex.level "smem" for (TRL 2 by %c32) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8, <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(2) resident {
// CHECK: micro <instruction = "mfma", rows = 64, vectors = 8, lanes = 16, unroll = 2>
// CHECK: vortex.candidate @ring_256x128x32_s2
// CHECK: vortex.candidate @ring_128x128x64_s2
// CHECK: vortex.candidate @ring_128x64x64_s2
// CHECK: vortex.candidate @ring_16x64x64_s2
// CHECK: vortex.candidate @split_ring_256x256x32_s2
// CHECK: vortex.candidate @split_ring_128x64x64_s2
// CHECK: vortex.candidate @split_ring_16x64x64_s2
// CHECK: vortex.candidate @simt_ring_128x64
// CHECK: vortex.machine_param "simt.f32.rate"
// CHECK: vortex.candidate @simt_ring_16x64
// CHECK: vortex.candidate @any_64x64x32_s2
// CHECK-NOT: vortex.candidate
func.func @half(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Factors without a sign have no instruction.

// REMARK: no matrix instruction for i8 x i8 -> i32
// CHECK-LABEL: func.func @unsigned
// CHECK: vortex.candidate @simt_ring
// CHECK-NOT: "mfma"
func.func @unsigned(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %o: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, s) -> (i, s)>, affine_map<(i, j, s) -> (s, j)>, affine_map<(i, j, s) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%o : tensor<?x?xi32>) {
  ^bb0(%d: i8, %e: i8, %s: i32):
    %dw = arith.extui %d : i8 to i32
    %ew = arith.extui %e : i8 to i32
    %q = arith.muli %dw, %ew : i32
    %t = arith.addi %s, %q : i32
    linalg.yield %t : i32
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}
