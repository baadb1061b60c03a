// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --canonicalize --cse | FileCheck %s
// RUN: vortex-opt %s --target=x86-avx2 --vortex-hierarchize --canonicalize --cse | FileCheck %s --check-prefix=AVX2
// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --remarks-filter=vortex-hierarchize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Thirty-two registers hold 14 rows of two vectors, sixteen hold 6.
// REMARK: candidates
// REMARK-SAME: packed_14x32_prefetch, kblock_14x32, panel_6x64, panel_8x32_prefetch, narrow_4x4
// REMARK-SAME: streams more from L2
// REMARK-SAME: packed_14x32: no faster than packed_14x32_prefetch
// REMARK-SAME: panel_8x32: issues more instructions for each multiply-add than panel_6x64
// AVX2: vortex.candidate @packed_6x16
// AVX2: micro <instruction = "fma", rows = 6, vectors = 2, lanes = 8

// One thread where neither products nor reading take as long as four start-ups.
// CHECK: vortex.machine_param "core.startup"
// CHECK: %[[MOST:.*]] = arith.mulf %{{.*}}, %cst
// CHECK: %[[PRODUCTS:.*]] = arith.cmpf olt, %{{.*}}, %[[MOST]] : f64
// CHECK: %[[READING:.*]] = arith.cmpf olt, %{{.*}}, %[[MOST]] : f64
// CHECK: %[[ALONE:.*]] = arith.andi %[[PRODUCTS]], %[[READING]]
// What one panel alone reads is not laid out, and nothing is touched behind it.
// A step touches both lines of the next panel's columns.
// CHECK: vortex.candidate @packed_14x32_prefetch guard {
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi ugt, %{{.*}}, %c32{{.*}} : index
// CHECK-NEXT: vortex.yield %[[MORE]]
// CHECK: vortex.machine_param "register.startup"
// CHECK: vortex.yield %{{.*}} : f64
// CHECK: vortex.level "device" for () load (<operand = {{[0-9]+}}, layout = panel, axis = 1, bound = true>
// CHECK: vortex.level "core" forall (PL 0 by %{{.*}}, PL 1 by
// CHECK: vortex.level "l2" for (TSL 0 by %{{.*}}) load (<operand = {{[0-9]+}}, layout = pack, axis = 0>
// CHECK: vortex.level "l1" for (TSL 1 by %c32
// CHECK: vortex.level "register" for (TSL 0 by
// CHECK: vortex.stage ["p0", "p1", "p2"] micro <instruction = "fma", rows = 14, vectors = 2, lanes = 16, {{.*}}prefetch = 2
// Long reductions go in blocks whose panel takes a sixteenth of L2, once a
// panel of the whole would take half. The result is set before the first
// block and finished behind the last.
// CHECK: vortex.candidate @kblock_14x32 guard {
// CHECK-NEXT: %[[LONG:.*]] = arith.cmpi ugt, %{{.*}}, %c4096{{.*}} : index
// CHECK-NEXT: vortex.yield %[[LONG]]
// CHECK: vortex.level "core" forall
// CHECK-NEXT: vortex.stage ["p0"]{{$}}
// CHECK-NEXT: vortex.level "l2" for (TRL 2 by
// CHECK-NEXT: vortex.level "l2" for (TSL 0 by %{{.*}}) load (<operand = {{[0-9]+}}, layout = pack, axis = 0>
// CHECK: vortex.stage ["p1"] micro <instruction = "fma", rows = 14, vectors = 2, lanes = 16, {{.*}}prefetch = 2
// CHECK: vortex.level "register" for (TSL 0 by %c4{{.*}}, TSL 1 by %c32
// CHECK-NEXT: vortex.stage ["p2"] micro
// CHECK: vortex.candidate @panel_6x64 cost
// CHECK-NOT: layout = pack,
// CHECK: scheduler = false
// Fewer columns than lanes lie one behind the other, the reduction in lanes.
// CHECK: vortex.candidate @narrow_4x4 guard {
// CHECK-NEXT: %[[FEW:.*]] = arith.cmpi ult, %{{.*}}, %c16{{.*}} : index
// CHECK-NEXT: %[[SHARED:.*]] = arith.xori %[[ALONE]], %true
// CHECK-NEXT: %[[BOTH:.*]] = arith.andi %[[FEW]], %[[SHARED]]
// CHECK-NEXT: vortex.yield %[[BOTH]]
// CHECK: vortex.level "device" for () load (<operand = {{[0-9]+}}, layout = panel, axis = 1, bound = true> by %c1
// CHECK: vortex.stage ["p0", "p1", "p2"] micro <instruction = "fma", rows = 4, vectors = 4, lanes = 16, {{.*}}narrow_rows = 4, {{.*}}lane_axis = 2
// AVX2: vortex.candidate @narrow_2x4
// What one thread does alone has tiles without tasks, one beside the other.
// CHECK: vortex.candidate @direct_panel_6x64 guard {
// CHECK-NEXT: vortex.yield %[[ALONE]]
// CHECK: vortex.level "device" for () load (<operand = {{[0-9]+}}, layout = panel, axis = 1, bound = true> by %c32
// CHECK-NEXT: vortex.level "l1" for (TSL 0 by
// CHECK-NEXT: vortex.level "register" for (TSL 1 by %c64
// CHECK: vortex.candidate @direct_narrow_4x4 guard {
// CHECK-NEXT: %[[FEW:.*]] = arith.cmpi ult, %{{.*}}, %c16{{.*}} : index
// CHECK-NEXT: %[[BOTH:.*]] = arith.andi %[[FEW]], %[[ALONE]]
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

// A guard that can hold at no size takes its candidate with it.
// REMARK: candidates
// REMARK-SAME: "packed_14x32_prefetch, panel_6x64, panel_8x32_prefetch, narrow_4x4, direct_panel_6x64, direct_narrow_4x4, parts_panel_6x64"
// REMARK-SAME: kblock_14x32: its guard never holds: k > 4096
// CHECK-LABEL: func.func @short
// CHECK-NOT: vortex.candidate @kblock
func.func @short(%a: tensor<?x768xf32>, %b: tensor<768x?xf32> {vortex.weight}, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = linalg.matmul ins(%a, %b : tensor<?x768xf32>, tensor<768x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// What a function declares of its sizes, or an assertion before it, decides a guard as well; one behind the kernel does not.
// REMARK: candidates
// REMARK-SAME: kblock_14x32: its guard never holds: k > 4096
// REMARK-SAME: parts_panel_6x64: its guard never holds
// CHECK-LABEL: func.func @declared_short
// CHECK-NOT: vortex.candidate @kblock
func.func @declared_short(%a: tensor<?x?xf32> {vortex.dims = ["m", "k"]}, %b: tensor<?x?xf32> {vortex.dims = ["k", "n"], vortex.weight},
                          %o: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {vortex.where = ["k <= 2*m", "m < 2048"]} {
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// REMARK-NOT: never holds
// CHECK-LABEL: func.func @short_too_late
// CHECK: vortex.candidate @kblock
func.func @short_too_late(%a: tensor<?x?xf32>, %b: tensor<?x?xf32> {vortex.weight}, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %k = tensor.dim %b, %c0 : tensor<?x?xf32>
  %short = arith.cmpi ule, %k, %c4096 : index
  cf.assert %short, "short"
  return %p : tensor<?x?xf32>
}
