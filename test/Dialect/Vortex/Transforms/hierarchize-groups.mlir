// RUN: vortex-opt %s --target=sm_90a --vortex-hierarchize --canonicalize --cse | FileCheck %s
// RUN: vortex-opt %s --target=sm_90a --vortex-hierarchize --remarks-filter=vortex-hierarchize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: vortex-opt %s "--target=sm_90a,smem.capacity=99KiB" --vortex-hierarchize | FileCheck %s --check-prefix=SMALL

// Groups of warps, whose blocks walk all tiles and store results in boxes, for what is aligned; single ones for few rows, and for what is not.
// REMARK: wgmma_128x256x64_s4_boxes, wgmma_128x128x64_s6_boxes, wgmma_64x128x64_s4_boxes, wgmma_64x64x64_s6_boxes, wgmma_16x128x64_s6, wgmma_128x256x64_s4_c2x1_boxes, wgmma_128x128x64_s6_c2x1_boxes, ring_16x64x64_s4, ring8_128x128x32_s4, ring8_128x64x64_s4, ring8_16x64x64_s4, ring4_128x128x32_s4, ring4_128x64x64_s4, ring4_16x64x64_s4, split_wgmma_128x256x64_s4, split_wgmma_64x64x64_s7, split_wgmma_16x128x64_s6, any_64x64x32_s4
// REMARK-SAME: blocks of groups of warps: registers or shared memory;

// Less shared memory: fewer stages, no boxes beside the largest tile, and blocks that have a multiprocessor for themselves.
// SMALL: vortex.candidate @wgmma_128x256x64_s2
// SMALL: vortex.candidate @wgmma_128x128x64_s2_boxes

// CHECK-LABEL: func @mm
// CHECK: vortex.candidate @wgmma_128x256x64_s4_boxes guard {
// The reduction is not empty.
// CHECK: arith.cmpi {{ne|ugt|ult}}
// CHECK: } cost {
// CHECK: vortex.machine_param "wgmma.f16.rate" default 7.495
// CHECK: vortex.level "block" persistent (PL 0 by %c128{{.*}}, PL 1 by %c256{{.*}}) store(32)
// CHECK: vortex.level "smem" for (TRL 2 by %c64{{.*}}) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c64{{.*}}, <operand = 1, layout = swizzle, axis = 1, together = true> by %c64{{.*}}) stages(4) resident
// CHECK-NEXT: vortex.level "warp" forall () role("producer") warps(4) {
// CHECK-NEXT: }
// CHECK-NEXT: vortex.level "warp" forall (PL 0 by %c64{{.*}}) role("consumer") warps(8) {
// CHECK-NEXT: vortex.stage ["p0", "p1"] micro <instruction = "wgmma", rows = 64, vectors = 1, lanes = 256, unroll = 4>
// CHECK: vortex.stage ["p2"]
// Few rows: groups divide the columns, stores are of single elements.
// CHECK: vortex.candidate @wgmma_16x128x64_s6 guard {
// CHECK: vortex.level "block" persistent (PL 0 by %c16{{.*}}, PL 1 by %c128{{[^)]*}}) {
// CHECK: vortex.level "warp" forall (PL 1 by %c64{{.*}}) role("consumer") warps(8) {
// CHECK-NEXT: vortex.stage ["p0", "p1"] micro <instruction = "wgmma", rows = 16, vectors = 1, lanes = 64, unroll = 4>
// Two blocks with the same columns share B: half of it counts for L2.
// CHECK: vortex.candidate @wgmma_128x256x64_s4_c2x1_boxes guard {
// CHECK: } cost {
// CHECK: vortex.level "block" persistent (PL 0 by %c128{{.*}}, PL 1 by %c256{{.*}}) store(32) cluster(2, 1)
func.func @mm(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf16>
  %n = tensor.dim %b, %c1 : tensor<?x?xf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Rows of a batch are far apart: the guard keeps strides below 2^40 bytes.
// CHECK-LABEL: func @batch
// CHECK: vortex.candidate @wgmma_128x256x64_s4_boxes guard {
// CHECK: arith.cmpi ult, %{{.*}}, %c1099511627776
// CHECK: vortex.level "block" persistent (PL 0 by %c1{{.*}}, PL 1 by %c128{{.*}}, PL 2 by %c256{{.*}}) store(32)
func.func @batch(%a: tensor<?x?x?xbf16>, %b: tensor<?x?x?xbf16>, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %p = linalg.batch_matmul ins(%a, %b : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) outs(%o : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %p : tensor<?x?x?xf32>
}
