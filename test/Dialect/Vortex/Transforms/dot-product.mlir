// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --canonicalize --cse | FileCheck %s --check-prefix=PLAN
// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-expand=candidate=pack_both_dot_13x32 --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s --check-prefix=BOTH
// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-expand=candidate=pack_b_dot_8x32 --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s --check-prefix=IN_PLACE
// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-expand=candidate=pack_both_dot_13x32 --vortex-lower-micro-kernels=inline --canonicalize --cse | FileCheck %s --check-prefix=INLINE
// RUN: vortex-opt %s --target=x86-avx2 --vortex-hierarchize | FileCheck %s --check-prefix=AVX2

// The description has vpdpbusd, which takes the first factor as unsigned: a row of sums less than without, so that one is left for what
// A is too large by. AVX2 alone has no such instruction.
// PLAN: vortex.machine_param "dot.ui8.rate"
// PLAN: vortex.candidate @pack_both_dot_13x32 cost
// PLAN: vortex.machine_param "dot.ui8.latency"
// PLAN: load (<operand = 0, layout = pack, axis = 0, group = 4>
// PLAN: load (<operand = 1, layout = panel, axis = 1, group = 4>
// PLAN: micro <instruction = "dot", rows = 13, vectors = 2, lanes = 16, unroll = 4, {{.*}}opcode = "vpdpbusd", group = 4>
// PLAN: vortex.candidate @pack_both_dot_13x32_kblock
// PLAN: vortex.candidate @pack_b_dot_8x32
// PLAN: micro <instruction = "dot", rows = 8
// PLAN-NOT: @pack_both_14x32
// AVX2-NOT: instruction = "dot"

// Groups of four steps lie beside each other in both.
// BOTH: linalg.pack %{{.*}} inner_dims_pos = [0, 1] inner_tiles = [%{{.*}}, 4] into %{{.*}} {vortex.tight} : tensor<?x?xi8> -> tensor<?x?x?x4xi8>
// BOTH: linalg.pack %{{.*}} outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 4] into %{{.*}} : tensor<?x?xi8> -> tensor<?x?x32x4xi8>
// What the sign bit adds is summed apart and taken off.
// BOTH: scf.index_switch
// BOTH: case 2
// BOTH: %[[FLIP:.*]] = vortex.opaque
// BOTH: scf.for %{{.*}} step %c4
// BOTH: %[[B0:.*]] = vector.transfer_read {{.*}} tensor<?x128xi8>, vector<64xi8>
// BOTH: %[[WORD:.*]] = vector.transfer_read {{.*}} tensor<?xi8>, vector<4xi8>
// BOTH: vector.broadcast %{{.*}} : i32 to vector<16xi32>
// BOTH: arith.xori %{{.*}}, %[[FLIP]]
// BOTH: vortex.dot_product "vpdpbusd" %{{.*}}, %{{.*}}, %[[B0]] : vector<64xi8>, vector<64xi8> -> vector<16xi32>
// BOTH: arith.subi %{{.*}}, %{{.*}} : vector<16xi32>

// A in place: its last group may be cut.
// IN_PLACE: scf.index_switch
// IN_PLACE: case 1
// IN_PLACE: vector.transfer_read {{.*}} tensor<?x?xi8>, vector<4xi8>
// IN_PLACE: vector.create_mask %{{.*}} : vector<4xi1>
// IN_PLACE: vortex.dot_product
// IN_PLACE: case 2

// Without the instruction, too, the tile says what is computed.
// INLINE-DAG: #[[A:.*]] = affine_map<(d0, d1, d2) -> (d2 floordiv 4, d0, d2 mod 4)>
// INLINE-DAG: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d2 floordiv 4, d1, d2 mod 4)>
// INLINE-DAG: #[[K:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// INLINE: linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[K]], #{{.*}}], iterator_types = ["parallel", "parallel", "reduction"]}
// INLINE: arith.extsi
func.func @mm(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %p = linalg.matmul ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %p : tensor<?x?xi32>
}
