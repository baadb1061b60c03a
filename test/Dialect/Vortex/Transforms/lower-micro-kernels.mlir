// RUN: vortex-opt %s --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s

// Exact rows, a mask register a vector, made of bits, accumulators through the reduction, nothing read from C in it.
// CHECK-LABEL: func.func @tile
// CHECK: %[[BITS:.*]] = arith.shli %c1_i64
// CHECK: arith.subi %[[BITS]], %c1_i64
// CHECK: %[[M0:.*]] = vector.bitcast {{.*}} : vector<1xi16> to vector<16xi1>
// CHECK: %[[M1:.*]] = vector.bitcast {{.*}} : vector<1xi16> to vector<16xi1>
// CHECK: scf.index_switch
// CHECK: case 1 {
// CHECK: scf.for {{.*}} step %c4 iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<16xf32>, vector<16xf32>)
// CHECK: vector.transfer_read {{.*}} %[[M0]]
// CHECK: vector.broadcast
// CHECK: case 2 {
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-NOT: transfer_read %arg2
// CHECK: vector.transfer_write {{.*}} %[[M1]]
// CHECK-NOT: case 3
func.func @tile(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %r = vortex.micro_kernel <instruction = "fma", rows = 2, vectors = 2, lanes = 16, unroll = 4>
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A sum along the lanes: four accumulators, a masked tail, one reduction at the end.
// CHECK-LABEL: func.func @row
// CHECK: scf.for {{.*}} step %c64 iter_args(%{{.*}} = %cst, %{{.*}} = %cst, %{{.*}} = %cst, %{{.*}} = %cst)
// CHECK: scf.for {{.*}} step %c16
// CHECK: vector.create_mask
// CHECK: arith.select
// CHECK: vector.reduction <add>
// CHECK: tensor.insert
func.func @row(%a: tensor<?x?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %r = vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 16, unroll = 4, lane_axis = 1>
      ins(%a : tensor<?x?xf32>) outs(%c : tensor<?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %o: tensor<?xf32>):
    %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) attrs = {vortex.anchor} {
    ^bb0(%v: f32, %w: f32):
      %s = arith.addf %w, %v : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}
