// RUN: vortex-opt %s --target=x86-avx512-amx --vortex-hierarchize | FileCheck %s --check-prefix=PLAN
// RUN: vortex-opt %s --target=x86-avx512-amx --vortex-hierarchize --vortex-expand=candidate=packed_tile_32x32 --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s --check-prefix=WHOLE
// RUN: vortex-opt %s --target=x86-avx512-amx --vortex-hierarchize --vortex-expand=candidate=panel_tile_1x32 --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s --check-prefix=ROW
// RUN: vortex-opt %s --target=x86-avx512-amx --vortex-hierarchize=deterministic=batch-invariant | FileCheck %s --check-prefix=ORDER
// RUN: sed -e 's/+amx-int8"/+amx-int8,+amx-fp16"/' %vortex_src_root/hwdesc/x86-avx512-amx.mlir > %t.mlir
// RUN: vortex-opt %s --target-file=%t.mlir --vortex-hierarchize --vortex-expand=candidate=packed_tile_32x32 --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s --check-prefix=PACED

// Few rows have tiles of their own, of a row in place and of half as many rows.
// PLAN: vortex.candidate @panel_tile_1x32 guard
// PLAN: micro <instruction = "tile", rows = 1, vectors = 2, lanes = 16,
// PLAN: vortex.candidate @packed_tile_8x32 guard
// PLAN: micro <instruction = "tile", rows = 8, vectors = 2, lanes = 16,

// Sums that are the result go there at once where the tile is a whole one, and
// row by row where it is not.
// WHOLE-LABEL: @mm
// WHOLE: %[[SUMS:.*]] = memref.alloca() {alignment = 128 : i64} : memref<32x32xf32>
// WHOLE: %[[RESULT:.*]] = memref.reinterpret_cast {{.*}} strides: [%[[STRIDE:[^,]*]], 1]
// WHOLE-DAG: %[[ROWS:.*]] = arith.cmpi eq, %{{.*}}, %c32
// WHOLE-DAG: %[[COLUMNS:.*]] = arith.cmpi eq, %{{.*}}, %c32
// WHOLE: %[[IS:.*]] = arith.andi
// WHOLE: %[[CAST:.*]] = memref.cast %[[SUMS]]
// WHOLE: %[[MEMORY:.*]] = arith.select %[[IS]], %[[RESULT]], %[[CAST]]
// WHOLE: %[[APART:.*]] = arith.select %[[IS]], %{{.*}}, %c32
// WHOLE: default
// WHOLE-COUNT-4: amx.tile_store %[[MEMORY]][{{.*}}], %{{.*}}, %[[APART]]
// A row of it is stored once more, as a tensor, so that the write shows.
// WHOLE: scf.if %[[IS]]
// WHOLE: vector.load %[[RESULT]][%c0, %c0]
// WHOLE: vortex.store_tile
// WHOLE: else
// WHOLE: vector.load %[[SUMS]]

// A row is a tile of one.
// ROW-LABEL: @mm
// ROW-COUNT-2: amx.tile_zero : !amx.tile<1x16xf32>
// ROW: amx.tile_load %{{.*}} into !amx.tile<1x32xbf16>
// ROW: amx.tile_load %{{.*}} into !amx.tile<16x32xbf16>
// ROW: amx.tile_mulf

// Groups that turn add up in another order than those before.
// ORDER: instruction = "tile"
// ORDER-NOT: turns = true

// Of cores with AMX-FP16 a store in each step keeps loads near their products.
// PACED-LABEL: @mm
// PACED: {{^ *}}default {
// PACED: scf.for
// PACED-NOT: amx.tile_load
// PACED: amx.tile_store
// PACED: amx.tile_load
func.func @mm(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16> {vortex.weight}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %b, %c1 : tensor<?x?xbf16>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}
