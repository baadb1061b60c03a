// RUN: vortex-opt %s --target=x86-avx512-amx --vortex-hierarchize --canonicalize --cse | FileCheck %s --check-prefix=PLAN
// RUN: vortex-opt %s --target=x86-avx512-amx --vortex-hierarchize --vortex-expand=candidate=pack_both_tile_32x32 --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s --check-prefix=CODE
// RUN: vortex-opt %s --target=x86-avx512-amx --vortex-hierarchize --vortex-expand=candidate=pack_both_tile_32x32_kblock --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s --check-prefix=BLOCK
// RUN: vortex-opt %s --target=x86-avx512-amx --vortex-hierarchize --vortex-expand=candidate=pack_b_tile_32x32 --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s --check-prefix=ROWS
// RUN: vortex-opt %s --target=x86-avx512-amx --vortex-hierarchize --vortex-expand=candidate=pack_both_tile_32x32 --vortex-lower-packs | FileCheck %s --check-prefix=PACK

// Two by two tiles of sums fill eight registers, with two of each factor. Panels are those of the dot products.
// PLAN-LABEL: @mm
// PLAN: vortex.machine_param "tile.ui8.rate"
// PLAN: vortex.candidate @pack_both_tile_32x32 cost
// PLAN: vortex.machine_param "tile.ui8.latency"
// PLAN: load (<operand = 0, layout = tile, axis = 0, group = 64> by %c32)
// PLAN: load (<operand = 1, layout = panel, axis = 1, group = 4> by %c32)
// PLAN: vortex.level "register" for (TSL 0 by %c32)
// PLAN: micro <instruction = "tile", rows = 32, vectors = 2, lanes = 16, unroll = 16, {{.*}}opcode = "tdpbusd", group = 4, turns = true>
// Rows of A in place: there must be enough of them for a tile.
// PLAN: vortex.candidate @pack_b_tile_32x32 guard
// PLAN: arith.cmpi uge, %{{.*}}, %c16
// PLAN: vortex.candidate @pack_both_tile_32x32_kblock guard
// PLAN: vortex.candidate @pack_both_dot_14x32

// CODE-LABEL: @mm
// CODE: scf.forall
// Memory for sums and for the last steps of B, once a task.
// CODE-DAG: %[[SUMS:.*]] = memref.alloca() {alignment = 128 : i64} : memref<32x32xi32>
// CODE-DAG: %[[ENDING:.*]] = memref.alloca() {alignment = 128 : i64} : memref<16x128xi8>
// CODE: linalg.pack %{{.*}} inner_dims_pos = [0, 1] inner_tiles = [32, 64] into %{{.*}} : tensor<?x?xi8> -> tensor<?x?x32x64xi8>
// CODE: linalg.pack %{{.*}} outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 4] into
// CODE: %[[A:.*]] = bufferization.to_buffer %{{.*}} read_only : tensor<?x32x64xi8> to memref<?x32x64xi8
// CODE: %[[B:.*]] = bufferization.to_buffer %{{.*}} read_only : tensor<?x128xi8> to memref<?x128xi8
// Up to sixteen rows are one tile high; two steps at once fill the registers.
// CODE: scf.index_switch
// CODE: case 1
// CODE-COUNT-2: amx.tile_zero
// CODE-NOT: amx.tile_zero
// CODE: scf.for {{.*}} step %c2 iter_args
// CODE-COUNT-6: amx.tile_load
// CODE-COUNT-4: amx.tile_muli
// CODE: scf.for {{.*}} step %c1 iter_args
// CODE: amx.tile_store
// CODE: default
// CODE-COUNT-4: amx.tile_zero
// Every other group starts with its last whole step.
// CODE: %[[ODD:.*]] = arith.andi %{{.*}}, %c1
// CODE: %[[BEFORE:.*]] = arith.subi %{{.*}}, %c1
// CODE: %[[FIRST:.*]] = arith.muli %[[ODD]], %[[BEFORE]]
// CODE: %[[TWICE:.*]] = arith.addi %[[ODD]], %[[ODD]]
// CODE: %[[WAY:.*]] = arith.subi %c1, %[[TWICE]]
// CODE: scf.for %[[COUNT:.*]] = %c0 to %{{.*}} step %c1 iter_args({{.*}}) -> (!amx.tile<16x16xi32>, !amx.tile<16x16xi32>, !amx.tile<16x16xi32>, !amx.tile<16x16xi32>)
// Two rows of the result are requested in each.
// CODE-COUNT-4: memref.prefetch %{{.*}}, write
// CODE: %[[ON:.*]] = arith.muli %[[COUNT]], %[[WAY]]
// CODE: %[[STEP:.*]] = arith.addi %[[FIRST]], %[[ON]]
// Cores without AMX-FP16 need no store that the result does not.
// CODE-NOT: amx.tile_store
// CODE: %[[A0:.*]] = amx.tile_load %[[A]][%[[STEP]], %c0, %c0], %c64 : {{.*}} into !amx.tile<16x64xi8>
// CODE: amx.tile_load %[[A]][%[[STEP]], %c16, %c0], %c64
// CODE: %[[B0:.*]] = amx.tile_load %[[B]][%{{.*}}, %c0], %c128
// CODE: %[[B1:.*]] = amx.tile_load %[[B]][%{{.*}}, %c64], %c128
// CODE: amx.tile_muli %[[A0]] zext, %[[B0]], %{{.*}} : !amx.tile<16x64xi8>, !amx.tile<16x64xi8>, !amx.tile<16x16xi32>
// CODE: amx.tile_muli %[[A0]] zext, %[[B1]]
// What is left of the steps has zeros behind it.
// CODE: scf.for
// CODE: scf.for
// CODE: vector.transfer_read %[[B]]
// CODE: vector.store %{{.*}}, %[[ENDING]]
// CODE: amx.tile_load %[[ENDING]]
// CODE-COUNT-4: amx.tile_store %[[SUMS]]
// The elementwise op runs on rows, masked past the last column.
// CODE: scf.for
// CODE: vector.load %[[SUMS]]
// CODE: arith.maxsi
// CODE: vortex.store_tile {{.*}} from %{{.*}} into %{{.*}} : tensor<?x?xi32>

// Of A in place the last tile ends with the rows: its sums may start in front of those of the group.
// ROWS-LABEL: @mm
// ROWS-DAG: %[[SUMS:.*]] = memref.alloca() {alignment = 128 : i64} : memref<48x32xi32>
// ROWS-DAG: memref.alloca() {alignment = 64 : i64} : memref<32x64xi8>
// ROWS: scf.index_switch
// ROWS: case 1
// ROWS: %[[LAST:.*]] = arith.subi %{{.*}}, %c16
// ROWS: %[[ROW:.*]] = arith.addi %{{.*}}, %[[LAST]]
// ROWS: amx.tile_load %{{.*}}[%[[ROW]], %{{.*}}] : memref<?x?xi8, strided<[?, 1], offset: ?>>  into !amx.tile<16x64xi8>

// A further block goes on with the sums of the one before.
// BLOCK-LABEL: @mm
// BLOCK: scf.index_switch
// BLOCK-NOT: amx.tile_zero
// BLOCK: amx.tile_load
// BLOCK: amx.tile_muli

// PACK-LABEL: @mm
// PACK: scf.for
// PACK: vector.create_mask %{{.*}} : vector<64xi1>
// PACK: vector.transfer_read {{.*}} : tensor<?x?xi8>, vector<64xi8>
// PACK: vector.transfer_write {{.*}} : vector<64xi8>, tensor<?x?x32x64xi8>
func.func @mm(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %zero = arith.constant 0 : i32
  %z = linalg.fill ins(%zero : i32) outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%z : tensor<?x?xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %xw = arith.extui %x : i8 to i32
    %yw = arith.extsi %y : i8 to i32
    %q = arith.muli %xw, %yw : i32
    %t = arith.addi %s, %q : i32
    linalg.yield %t : i32
  } -> tensor<?x?xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<?x?xi32>) outs(%c : tensor<?x?xi32>) {
  ^bb0(%x: i32, %o: i32):
    %t = arith.maxsi %x, %zero : i32
    linalg.yield %t : i32
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}
