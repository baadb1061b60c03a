// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize=candidates=all --remarks-filter=vortex-hierarchize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: vortex-opt %s --target=x86-avx2 --vortex-hierarchize=candidates=all --remarks-filter=vortex-hierarchize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=AVX2
// RUN: vortex-opt %s --target=x86-zen4 --vortex-hierarchize=candidates=all --remarks-filter=vortex-hierarchize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=DOT
// RUN: vortex-opt %s --target=x86-avx512-amx --vortex-hierarchize=candidates=all --remarks-filter=vortex-hierarchize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=AMX

// Every candidate that registers and alignment allow: those of a program first, then each width in three heights, once.
// CHECK: candidates
// CHECK-SAME: packed_14x32, packed_14x32_prefetch, kblock_14x32, panel_6x64, panel_8x32, panel_8x32_prefetch, packed_16x16, packed_16x16_prefetch, kblock_16x16, panel_16x16, panel_16x16_prefetch, packed_12x16,
// CHECK-SAME: packed_8x16,
// CHECK-SAME: kblock_8x16, panel_8x16, panel_8x16_prefetch, panel_14x32, panel_14x32_prefetch, packed_10x32,
// CHECK-SAME: packed_9x48,
// CHECK-SAME: packed_3x64, packed_3x64_prefetch, kblock_3x64, panel_3x64, panel_3x64_prefetch, narrow_4x4
// CHECK-NOT: streams more
// AVX2: candidates
// AVX2-SAME: packed_6x16, packed_6x16_prefetch,
// AVX2-SAME: packed_14x8,
// AVX2-SAME: packed_2x32,
func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32> {vortex.weight}, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// In place with nothing packed, the direct tiles of those shapes, and inner products of each number of columns.
// CHECK: candidates
// CHECK-SAME: direct_6x64, direct_8x48
// CHECK-SAME: direct_9x48, raw_9x48_kblock
func.func @plain(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}
// CHECK: candidates
// CHECK-SAME: inner_3x8, inner_5x4, inner_9x2, inner_14x1
func.func @transposed(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// Widths that do not divide the channels and copies of pixels for each tile.
// CHECK: candidates
// CHECK-SAME: inplace_9x16,
// CHECK-SAME: window_9x48, inplace_9x48,
// CHECK-SAME: window_3x64, inplace_3x64
func.func @window(%x: tensor<?x?x?x?xf32>, %f: tensor<3x3x?x32xf32> {vortex.weight}, %o: tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32> {
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %f : tensor<?x?x?x?xf32>, tensor<3x3x?x32xf32>) outs(%o : tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32>
  return %y : tensor<?x?x?x32xf32>
}

// Groups of dot products, and what matrix registers hold of tiles.
// DOT: packed_dot_14x32,
// DOT-SAME: packed_dot_9x48,
// AMX: "packed_tile_32x32, panel_tile_32x32, packed_tile_32x32_kblock, packed_tile_16x16,
// AMX-SAME: packed_tile_16x48,
// AMX-SAME: packed_tile_48x16,
func.func @narrow(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16> {vortex.weight}, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}
