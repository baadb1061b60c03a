// RUN: sed -e '/kind = tile/,+2d' -e 's/feature = "avx512vnni">,/feature = "avx512vnni">/' -e 's/rate = 113 /rate = 100 /' %vortex_src_root/hwdesc/x86-avx512-amx.mlir > %t.mlir
// RUN: vortex-opt %s --target-file=%t.mlir --vortex-hierarchize --remarks-filter=vortex-hierarchize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: sed -e 's/rate = 100 /rate = 113 /' %t.mlir > %t.half.mlir
// RUN: vortex-opt %s --target-file=%t.half.mlir --vortex-hierarchize -o - | FileCheck %s --check-prefix=FAST
// RUN: vortex-opt %s --target=x86-avx512-amx,dot.bf16.rate=500 --vortex-hierarchize -o - | FileCheck %s --check-prefix=FAST
// RUN: vortex-opt %s --target=x86-avx512-amx --vortex-hierarchize --remarks-filter=vortex-hierarchize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: vortex-opt %s --target=x86-avx512-amx --vortex-hierarchize | FileCheck %s --check-prefix=BESIDE

// An instruction that is slower than what it would replace is not used: less than 0.45 of the rate of multiply-adds, beside which elements are widened.
// CHECK: slow.matmul.0
// CHECK-SAME: vdpbf16ps: slower than multiply-adds of widened elements
// Beside matrix tiles, whose panels are its own, it is.
// BESIDE: @slow
// BESIDE: vortex.candidate @packed_tile_32x32 cost
// BESIDE: vortex.candidate @packed_dot_14x32 cost
// BESIDE-NOT: instruction = "fma"
// BESIDE: vortex.candidate @narrow_4x4 guard
// BESIDE: instruction = "fma", {{.*}}lane_axis = 2
// BESIDE-NOT: instruction = "fma"
// BESIDE: vortex.candidate @direct_panel_dot_8x32 guard
// BESIDE-NOT: instruction = "fma"
// BESIDE: vortex.candidate @direct_narrow_4x4 guard
// BESIDE: instruction = "fma", {{.*}}lane_axis = 2
// BESIDE-NOT: instruction = "fma"
// BESIDE: @transposed
// FAST: @slow
// FAST: vortex.candidate @packed_dot_14x32 cost
// FAST: load (<operand = 1, layout = panel, axis = 1, bound = true, group = 2>
// FAST: opcode = "vdpbf16ps", group = 2>
func.func @slow(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16> {vortex.weight}, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// Columns of A lie apart: their steps would have to be gathered.
// CHECK: transposed.matmul.0
// CHECK-SAME: vpdpbusd: operands are not read in groups of 4
// TILE: transposed.matmul.0
// TILE-SAME: tdpbssd: operands are not rows along one reduction that can be packed
// FAST: @transposed
// FAST-NOT: instruction = "dot"
func.func @transposed(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %p = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %p : tensor<?x?xi32>
}

// Both unsigned: no instruction has these signs.
// FAST: @unsigned
// FAST-NOT: instruction = "dot"
func.func @unsigned(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %p = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %p : tensor<?x?xi32>
}
