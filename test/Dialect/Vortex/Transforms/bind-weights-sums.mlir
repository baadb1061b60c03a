// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-bind-weights --canonicalize --cse | FileCheck %s --check-prefix=MANY
// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-select-kernels --canonicalize --cse --vortex-bind-weights | FileCheck %s

// A kernel with several candidates is left alone.
// MANY-NOT: vortex.column_sums

// Where an instruction takes A as unsigned, what that adds is taken off by sums of B's columns, which are made once for all kernels that
// run the whole reduction at once: those of blocks sum it in their tiles. Groups of four steps of B lie beside each other.
// CHECK-LABEL: func.func @mm
// CHECK-SAME: %[[A:.*]]: tensor<?x?xi8>, %[[B:.*]]: tensor<?x?xi8>
// CHECK: %[[PACKED:.*]] = linalg.pack %[[B]] {{.*}} outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 4] {{.*}}vortex.bind
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[B]] : tensor<?x?xi8>) {{.*}}vortex.bind
// CHECK: arith.extsi
// CHECK: vortex.kernel {{.*}} ins(%[[A]], %[[PACKED]], %[[SUMS]], {{.*}} : tensor<?x?xi8>, tensor<?x?x32x4xi8>, tensor<?xi32>
// CHECK: linalg.unpack {{.*}} inner_dims_pos = [1, 0] inner_tiles = [32, 4]
// CHECK: linalg.generic {{.*}} attrs = {vortex.anchor, vortex.column_sums = 2 : i64
// CHECK: vortex.candidate @packed_dot_14x32
// CHECK: vortex.kernel {{.*}} ins(%[[A]], %[[PACKED]], %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}} : tensor<?x?xi8>, tensor<?x?x32x4xi8>, index
// CHECK: vortex.candidate @kblock_dot_13x32
func.func @mm(%a: tensor<?x?xi8>, %b: tensor<?x?xi8> {vortex.weight}, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %p = linalg.matmul ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %p : tensor<?x?xi32>
}
