// RUN: vortex-opt %s --target=sm_80 --vortex-hierarchize --canonicalize --cse | FileCheck %s
// RUN: vortex-opt %s --target=sm_80 --vortex-hierarchize --remarks-filter=vortex-hierarchize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: vortex-opt %s "--target=sm_80,smem.capacity=72KiB" --vortex-hierarchize | FileCheck %s --check-prefix=SMALL

// The largest tile, the smallest and the lowest share their reductions; shorter copies have the
// largest tile that registers hold, the smallest and the lowest.
// REMARK: ring_256x128x32_s4, ring_128x128x32_s4, ring_128x64x64_s4, ring_64x64x64_s4, ring_16x64x64_s4, ring8_128x128x32_s4, ring8_64x64x64_s4, ring8_16x64x64_s4, ring4_128x128x32_s4, ring4_64x64x64_s4, ring4_16x64x64_s4, split_ring_256x128x32_s4, split_ring_64x64x64_s4, split_ring_16x64x64_s4, any_64x64x32_s4
// REMARK-SAME: registers, shared memory or no whole number of warps; {{[0-9]+}} blocks: move more bytes than one of equal area; {{[0-9]+}} blocks: bound by shared memory
// REMARK: plain_f32
// REMARK-SAME: no matrix instruction for f32 x f32 -> f32

// Less shared memory: fewer stages.
// SMALL: vortex.candidate @ring_256x128x32_s3
// SMALL: vortex.candidate @ring_128x128x32_s4
// SMALL: vortex.candidate @ring_128x64x64_s3

// CHECK-LABEL: func @mm
// CHECK: vortex.candidate @ring_256x128x32_s4 guard {
// CHECK: arith.remui
// CHECK: vortex.yield %{{.*}} : i1
// CHECK: } cost {
// CHECK: vortex.machine_param "block.units" default 1.080000e+02
// CHECK: vortex.machine_param "mma_sync.f16.rate"
// CHECK: vortex.machine_param "l2.stream"
// CHECK: vortex.yield %{{.*}} : f64
// CHECK: vortex.level "block" grid (PL 0 by %c256{{.*}}, PL 1 by %c128{{.*}}) store(2)
// CHECK: vortex.level "smem" for (TRL 2 by %c32{{.*}}) load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8{{.*}}, <operand = 1, layout = swizzle, axis = 1, together = true> by %c8{{.*}}) stages(4) resident
// CHECK: vortex.level "warp" forall (PL 0 by %c64{{.*}}, PL 1 by %c64{{.*}})
// CHECK: vortex.stage ["p0", "p1"] micro <instruction = "mma_sync", rows = 64, vectors = 8, lanes = 8, unroll = 2>
// CHECK: vortex.stage ["p2"]
// CHECK: vortex.candidate @ring_16x64x64_s4
// As many parts as there are places for blocks, of whole steps of 64.
// CHECK: vortex.candidate @split_ring_16x64x64_s4 guard {
// CHECK: } cost {
// CHECK: vortex.machine_param "l2.capacity"
// CHECK: vortex.level "block" grid (PL 0 by %c16{{.*}}, PL 1 by %c64{{.*}}, PL 2 by %{{[0-9]+}}) combine("add") store(2)
// No alignment is asked of the operands, and stores are of single elements.
// CHECK: vortex.candidate @any_64x64x32_s4 guard {
// CHECK-NOT: arith.remui
// CHECK: } cost {
// CHECK: vortex.level "block" grid (PL 0 by %c64{{.*}}, PL 1 by %c64{{[^)]*}}) {
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

// A batch is one more parallel axis of the grid.
// CHECK-LABEL: func @batch
// CHECK: vortex.level "block" grid (PL 0 by %c1{{.*}}, PL 1 by %c256{{.*}}, PL 2 by %c128{{.*}}) store(2)
// CHECK: load (<operand = 0, layout = swizzle, axis = 3, together = true> by %{{.*}}, <operand = 1, layout = swizzle, axis = 2, together = true>
func.func @batch(%a: tensor<?x?x?xbf16>, %b: tensor<?x?x?xbf16>, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %p = linalg.batch_matmul ins(%a, %b : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) outs(%o : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %p : tensor<?x?x?xf32>
}

// Without a matrix instruction a ring feeds scalar units: lanes are rows and
// columns of a warp's tile, each with as many elements.
// CHECK-LABEL: func @plain_f32
// CHECK: vortex.candidate @simt_ring_{{[0-9]+}}x{{[0-9]+}}x{{[0-9]+}}_s{{[2-4]}} guard {
// CHECK: vortex.machine_param "simt.f32.rate"
// CHECK: vortex.level "block" grid
// CHECK: vortex.level "smem" for (TRL 2 by {{.*}} stages({{[2-4]}}) resident {
// CHECK: vortex.level "warp" forall
// CHECK: vortex.stage ["p0"] micro <instruction = "simt", rows = {{[0-9]+}}, vectors = {{[0-9]+}}, lanes = {{[0-9]+}}, unroll = 4>
// CHECK: vortex.candidate @simt_any_
func.func @plain_f32(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// The ring of a window walks all of its axes; rows are points of all images, one after the other. Behind it are tiles without a ring,
// with all of the payload.
// CHECK-LABEL: func @conv
// CHECK: vortex.candidate @simt_ring_{{[0-9]+}}x{{[0-9]+}}x{{[0-9]+}}_s{{[2-4]}} guard {
// CHECK: vortex.level "block" grid (PL 0 by %c1{{(_[0-9]+)?}}, PL 1 by %c1{{(_[0-9]+)?}}, PL 2 by %c{{.*}}, PL 3 by %c{{.*}}) joined(3) {
// CHECK: vortex.level "smem" for (TRL 4 by %c1{{(_[0-9]+)?}}, TRL 5 by %c1{{(_[0-9]+)?}}, TRL 6 by %c{{.*}}) load (<operand = 0, layout = swizzle, axis = 6, together = true> by %c4{{.*}}, <operand = 1, layout = swizzle, axis = 3, together = true> by %c4{{.*}}) stages({{[2-4]}}) resident {
// CHECK: vortex.level "warp" forall (PL 2 by {{.*}}, PL 3 by {{.*}}) {
// CHECK: vortex.stage ["p0", "p1"] micro <instruction = "simt"
// CHECK: vortex.candidate @simt_any_
// CHECK: vortex.candidate @direct_
// CHECK-NOT: "smem"
// CHECK: vortex.level "warp" forall
// CHECK: vortex.stage ["p0", "p1"] micro <instruction = "simt"
// CHECK: vortex.candidate @direct_1x
func.func @conv(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %p = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%z : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %p : tensor<?x?x?x?xf32>
}

// On matrix instructions, by precision as products.
// CHECK-LABEL: func @conv_tf32
// CHECK: vortex.candidate @ring_
// CHECK: vortex.stage ["p0"] micro <instruction = "mma_sync"
// CHECK: vortex.candidate @split_ring_
// CHECK: combine("add"){{.*}} joined(3)
func.func @conv_tf32(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %p = linalg.conv_2d_nhwc_fhwc {vortex.precision = "tf32"} ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %p : tensor<?x?x?x?xf32>
}

// Channels in front: no reduction is contiguous in the image.
// CHECK-LABEL: func @channels_first
// CHECK: vortex.candidate @direct_
// CHECK-NOT: "smem"
func.func @channels_first(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %p = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %p : tensor<?x?x?x?xf32>
}

// A row for each warp, or for all warps of a block together; where nothing reduces, also a run of a row.
// Rows that are read twice are held in registers where they fit; sixteen bytes at a time where rows are aligned to them.
// CHECK-LABEL: func @softmax
// CHECK: vortex.candidate @held_rows_128_x4 guard {
// CHECK: vortex.alignment
// CHECK: vortex.stride
// CHECK: cmpi ule, %{{.*}}, %c128
// CHECK: vortex.level "warp" forall (PL 0 by %c1{{[^)]*}}) {
// CHECK-NEXT: vortex.level "register" for () resident {
// CHECK-NEXT: vortex.stage [{{.*}}] micro <instruction = "vector", rows = 1, vectors = 4, lanes = 32, lane_axis = 1>
// CHECK: vortex.candidate @held_rows_512_x4
// CHECK: vortex.candidate @held_rows_1024_x4
// CHECK: vortex.candidate @held_rows_1024 guard {
// CHECK-NOT: vortex.alignment
// CHECK: vortex.candidate @held_block_rows_1024_x4
// CHECK: vortex.level "block" grid (PL 0 by %c1{{[^)]*}}) warps(8) {
// CHECK-NEXT: vortex.level "register" for () resident {
// CHECK: vortex.candidate @held_block_rows_4096_x4
// CHECK: vortex.candidate @held_block_rows_8192_x4
// CHECK: vortex.candidate @held_block_rows_8192 guard
// CHECK: vortex.candidate @rows_x4
// CHECK-NOT: vortex.level "register"
// CHECK: vortex.stage [{{.*}}] micro <instruction = "vector", rows = 1, vectors = 4, lanes = 32, unroll = 2, lane_axis = 1>
// CHECK: vortex.candidate @block_rows_x4
// CHECK: vortex.candidate @rows guard {
// CHECK: vortex.level "block" grid (PL 0 by %c8{{[^)]*}}) {
// CHECK: vortex.level "warp" forall (PL 0 by %c1{{[^)]*}}) {
// CHECK: vortex.stage [{{.*}}] micro <instruction = "vector", rows = 1, vectors = 1, lanes = 32, unroll = 4, lane_axis = 1>
// CHECK: vortex.candidate @block_rows guard {
// CHECK: vortex.level "block" grid (PL 0 by %c1{{[^)]*}}) warps(8) {
// CHECK-NEXT: vortex.stage [{{.*}}] micro <instruction = "vector", rows = 1, vectors = 1, lanes = 32, unroll = 4, lane_axis = 1>
// CHECK-NOT: vortex.candidate
// CHECK-LABEL: func @exp
// CHECK-NOT: vortex.candidate @held
// CHECK: vortex.candidate @runs_x4
// CHECK: vortex.level "block" grid (PL 0 by %c1{{.*}}, PL 1 by %c2048{{[^)]*}}) {
// CHECK: vortex.candidate @rows_x4
// CHECK: vortex.candidate @runs guard
// CHECK: vortex.level "block" grid (PL 0 by %c1{{.*}}, PL 1 by %c1024{{[^)]*}}) {
// CHECK: vortex.level "warp" forall (PL 1 by %c128{{[^)]*}}) {
// CHECK: vortex.candidate @rows guard
func.func @softmax(%x: tensor<?x?xf32>, %e: tensor<?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %s = linalg.reduce {arith.addf} ins(%x : tensor<?x?xf32>) outs(%e : tensor<?xf32>) dimensions = [1]
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @exp(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.exp ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Sums of columns: as many of them in a warp as it has lanes.
// CHECK-LABEL: func @columns
// CHECK: vortex.candidate @columns
// CHECK: vortex.level "block" grid (PL 1 by %c256{{[^)]*}}) {
// CHECK: vortex.level "warp" forall (PL 1 by %c32{{[^)]*}}) {
// CHECK: vortex.stage ["p0"] micro <instruction = "simt", rows = 1, vectors = 1, lanes = 32, unroll = 4>
// CHECK: %[[LONG:.*]] = arith.ceildivui %arg2,
// CHECK-NEXT: %[[PART:.*]] = arith.maxui %[[LONG]],
// CHECK-NEXT: vortex.candidate @split_columns guard
// CHECK: vortex.level "block" grid (PL 1 by %c256{{[^,]*}}, PL 0 by %[[PART]]) combine("add") {
// A largest one is no sum.
// CHECK-LABEL: func @largest
// CHECK: vortex.candidate @columns
// CHECK-NOT: vortex.candidate
// CHECK-LABEL: func
func.func @columns(%x: tensor<?x?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.reduce {arith.addf} ins(%x : tensor<?x?xf32>) outs(%o : tensor<?xf32>) dimensions = [0]
  return %r : tensor<?xf32>
}
func.func @largest(%x: tensor<?x?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.reduce {arith.maxnumf} ins(%x : tensor<?x?xf32>) outs(%o : tensor<?xf32>) dimensions = [0]
  return %r : tensor<?xf32>
}

// A factor that is negated first: upstream's contractions may have it, matrix instructions do not.
// REMARK: negated.contraction
// REMARK-SAME: "simt_ring_
// REMARK-SAME: no matrix instruction for f16 x f16 -> f32, computed from before they are multiplied
func.func @negated(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %n = arith.negf %x : f16
    %u = arith.extf %n : f16 to f32
    %v = arith.extf %y : f16 to f32
    %p = arith.mulf %u, %v : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
