// RUN: vortex-opt %s --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s

// CHECK-DAG: #[[FOUR:.*]] = #llvm.loop_unroll<count = 4 : i32>
// CHECK-DAG: #[[UNROLL:.*]] = #llvm.loop_annotation<unroll = #[[FOUR]]>

// Exact rows, a mask register a vector, made of bits, accumulators through the reduction, nothing read from C in it.
// CHECK-LABEL: func.func @tile
// CHECK: %[[BITS:.*]] = arith.shli %c1_i64
// CHECK: arith.subi %[[BITS]], %c1_i64
// CHECK: %[[M0:.*]] = vector.bitcast {{.*}} : vector<1xi16> to vector<16xi1>
// CHECK: %[[M1:.*]] = vector.bitcast {{.*}} : vector<1xi16> to vector<16xi1>
// CHECK: scf.index_switch
// CHECK: case 1 {
// CHECK: scf.for {{.*}} step %c1 iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<16xf32>, vector<16xf32>)
// CHECK: vector.transfer_read {{.*}} %[[M0]]
// CHECK: vector.broadcast
// CHECK: {loop_annotation = #[[UNROLL]],
// CHECK: scf.for
// CHECK-NOT: loop_annotation
// CHECK: case 2 {
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-NOT: transfer_read %arg2
// CHECK: vortex.store_tile {{.*}} masks(%{{.*}}, %[[M1]] :
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

// A reduction in lanes: one vector for each element of the tile, a tail under a mask, halves joined with halves until two columns are in two lanes. Past the last column
// the last one is read again.
// CHECK-LABEL: func.func @inner
// CHECK-SAME: (%[[A:.*]]: tensor<?x?xf32>, %[[B:.*]]: tensor<?x?xf32>, %[[C:.*]]: tensor<?x?xf32>)
// CHECK: case 1 {
// CHECK: %[[SECOND:.*]] = arith.minui %{{.*}}, %c1
// CHECK: scf.for %[[K:[^ ]*]] = {{.*}} step %c4 iter_args(%[[S:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<4xf32>, vector<4xf32>)
// CHECK-DAG: vector.transfer_read %[[A]][%c0, %[[K]]]
// CHECK-DAG: vector.transfer_read %[[B]][%c0, %[[K]]]
// CHECK-DAG: vector.transfer_read %[[B]][%[[SECOND]], %[[K]]]
// CHECK: scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>)
// CHECK: %[[LEFT:.*]] = vector.create_mask
// CHECK: arith.select %[[LEFT]]
// CHECK: vector.shuffle %[[X:.*]], %[[Y:.*]] [0, 1, 4, 5] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT: vector.shuffle %[[X]], %[[Y]] [2, 3, 6, 7] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT: %[[PAIRS:.*]] = arith.addf
// CHECK-NEXT: vector.shuffle %[[PAIRS]], %[[PAIRS]] [1, 0, 3, 2]
// CHECK-NEXT: %[[SUMS:.*]] = arith.addf
// CHECK-NEXT: vector.shuffle %[[SUMS]], %[[SUMS]] [0, 2, 0, 0]
// CHECK: case 2 {
// CHECK: scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK-NOT: case 3
func.func @inner(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %r = vortex.micro_kernel <instruction = "fma", rows = 2, vectors = 2, lanes = 4, lane_axis = 2>
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
        ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Few columns, one case for each number of them and of rows: as many rows as the sums of the widest tile, at most three. Rows are joined together: three sums
// of one column end up in three lanes, from which each row takes its own.
// CHECK-LABEL: func.func @few_columns
// CHECK: case 65 {
// CHECK-NOT: arith.minui
// CHECK: case 67 {
// CHECK: scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK: scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK-COUNT-6: vector.shuffle
// CHECK: vector.shuffle %[[SUMS:[^,]*]], %[[SUMS]] [0, 0, 0, 0]
// CHECK-NEXT: vector.shuffle %[[SUMS]], %[[SUMS]] [1, 1, 1, 1]
// CHECK-NEXT: vector.shuffle %[[SUMS]], %[[SUMS]] [2, 2, 2, 2]
// CHECK-NOT: case 68
// CHECK: case 129 {
// CHECK: case 130 {
// CHECK-NOT: case 131
func.func @few_columns(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %r = vortex.micro_kernel <instruction = "fma", rows = 2, vectors = 2, lanes = 4, narrow_rows = 3, lane_axis = 2>
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
        ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Groups of rows touch a line of one of the next columns each, in turns, in whole steps alone.
// CHECK-LABEL: func.func @inner_touches_next
// CHECK-SAME: (%{{.*}}: tensor<?x?xf32>, %[[B:.*]]: tensor<?x?xf32>, %{{.*}}: tensor<?x?xf32>, %{{.*}}: index, %[[BY:.*]]: index)
// CHECK: scf.for %[[ROW:.*]] = %c0 to %{{.*}} step %[[BY]]
// CHECK: case 1 {
// CHECK: %[[GROUP:.*]] = arith.divui %[[ROW]], %[[BY]]
// CHECK: %[[MEMORY:.*]] = bufferization.to_buffer %[[B]] read_only
// CHECK: %[[TURN:.*]] = arith.remui %[[GROUP]], %c2
// CHECK: %[[NEXT:.*]] = arith.addi %[[TURN]], %c2
// CHECK: scf.for %[[K:[^ ]*]] =
// CHECK: memref.prefetch %[[MEMORY]][%[[NEXT]], %[[K]]], read, locality<2>, data
// CHECK: scf.for
// CHECK-NOT: memref.prefetch
// CHECK: case 2 {
func.func @inner_touches_next(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>, %rows: index, %by: index) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %all = scf.for %i = %c0 to %rows step %by iter_args(%to = %c) -> (tensor<?x?xf32>) {
    %r = vortex.micro_kernel <instruction = "fma", rows = 2, vectors = 2, lanes = 4, lane_axis = 2, prefetch = 1>
        ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%to : tensor<?x?xf32>) {
    ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %o: tensor<?x?xf32>):
      %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
      %p = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
          ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
      vortex.yield %p : tensor<?x?xf32>
    } : tensor<?x?xf32>
    scf.yield %r : tensor<?x?xf32>
  }
  return %all : tensor<?x?xf32>
}

// A sum along the lanes: four accumulators, a masked tail, one reduction at the end, which starts from what changes no sum; the zero that the program
// starts from changes none of numbers added to zeros.
// CHECK-LABEL: func.func @row
// CHECK-DAG: %[[START:.*]] = arith.constant -0.000000e+00 : f32
// CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK: scf.for {{.*}} step %c64 iter_args(%{{.*}} = %[[ZEROS]], %{{.*}} = %[[ZEROS]], %{{.*}} = %[[ZEROS]], %{{.*}} = %[[ZEROS]])
// CHECK: scf.for {{.*}} step %c16
// CHECK: vector.create_mask
// CHECK: arith.select
// CHECK: %[[SUM:.*]] = vector.reduction <add>, %{{.*}}, %[[START]] fastmath<reassoc>
// CHECK-NEXT: tensor.insert %[[SUM]]
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

// A maximum of numbers: one comparison and selection a vector, as accumulators
// start at a number and are never NaN; the lanes are halved at the end.
// CHECK-LABEL: func.func @row_maximum(
// CHECK-DAG: %[[LEAST:.*]] = arith.constant dense<0xFF800000> : vector<16xf32>
// CHECK: scf.for {{.*}} iter_args(%[[BEST:.*]] = %[[LEAST]], %{{.*}} = %[[LEAST]], %{{.*}} = %[[LEAST]], %{{.*}} = %[[LEAST]])
// CHECK: %[[X:.*]] = vector.transfer_read
// CHECK: %[[MORE:.*]] = arith.cmpf ogt, %[[X]], %[[BEST]]
// CHECK: arith.select %[[MORE]], %[[X]], %[[BEST]]
// CHECK: vector.shuffle {{.*}} [8, 9, 10, 11, 12, 13, 14, 15]
// CHECK-NOT: maxnumf
// CHECK: vector.extract %{{.*}}[0] : f32 from vector<1xf32>
// CHECK: arith.cmpf ogt
func.func @row_maximum(%a: tensor<?x?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %start = arith.constant -7.0 : f32
  %r = vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 16, unroll = 4, lane_axis = 1>
      ins(%a : tensor<?x?xf32>) outs(%c : tensor<?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %o: tensor<?xf32>):
    %f = linalg.fill ins(%start : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) attrs = {vortex.anchor} {
    ^bb0(%v: f32, %w: f32):
      %s = arith.maxnumf %v, %w : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// Started from NaN, or from what memory holds, every step has to look for NaN.
// CHECK-LABEL: func.func @row_minimum(
// CHECK: arith.minnumf %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK-NOT: arith.cmpf
// CHECK: return
func.func @row_minimum(%a: tensor<?x?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %r = vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 16, unroll = 4, lane_axis = 1>
      ins(%a : tensor<?x?xf32>) outs(%c : tensor<?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %o: tensor<?xf32>):
    %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<?x?xf32>) outs(%o : tensor<?xf32>) attrs = {vortex.anchor} {
    ^bb0(%v: f32, %w: f32):
      %s = arith.minnumf %v, %w : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// Rows may be any dimension of the result: attention keeps the heads between
// rows and columns.
// CHECK-LABEL: func.func @heads(
// CHECK-SAME: %{{.*}}: tensor<1x1x?x?xf32>, %{{.*}}: tensor<1x?x1x?xf32>, %[[O:.*]]: tensor<1x?x1x?xf32>)
// CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[O]], %c1
// CHECK-DAG: tensor.dim %[[O]], %c3
// CHECK: %[[WHOLE:.*]] = arith.addi %[[ROWS]], %c128
// CHECK: arith.select %{{.*}}, %[[WHOLE]], %[[ROWS]]
// CHECK: scf.index_switch
// CHECK: case 2 {
// CHECK: vortex.store_tile %{{.*}}, %{{.*}} : {{.*}} masks({{.*}}) into %{{.*}} : tensor<1x?x1x?xf32> {row_dim = 3 : i64, vectors = 1 : i64}
// Where all lanes are columns there is no mask.
// CHECK: case 130 {
// CHECK: vector.transfer_read %arg1{{.*}} {in_bounds = [true]{{.*}}} : tensor<1x?x1x?xf32>, vector<16xf32>
// CHECK: vortex.store_tile %{{.*}}, %{{.*}} : vector<16xf32>, vector<16xf32> into %{{.*}} : tensor<1x?x1x?xf32> {row_dim = 3 : i64, vectors = 1 : i64}
func.func @heads(%p: tensor<1x1x?x?xf32>, %v: tensor<1x?x1x?xf32>, %o: tensor<1x?x1x?xf32>) -> tensor<1x?x1x?xf32> {
  %zero = arith.constant 0.0 : f32
  %r = vortex.micro_kernel <instruction = "fma", rows = 2, vectors = 1, lanes = 16, unroll = 4>
      ins(%p, %v : tensor<1x1x?x?xf32>, tensor<1x?x1x?xf32>) outs(%o : tensor<1x?x1x?xf32>) {
  ^bb0(%x: tensor<1x1x?x?xf32>, %y: tensor<1x?x1x?xf32>, %z: tensor<1x?x1x?xf32>):
    %f = linalg.fill ins(%zero : f32) outs(%z : tensor<1x?x1x?xf32>) -> tensor<1x?x1x?xf32>
    %q = linalg.generic {indexing_maps = [affine_map<(b, i, h, d, j) -> (b, h, i, j)>, affine_map<(b, i, h, d, j) -> (b, j, h, d)>,
                                          affine_map<(b, i, h, d, j) -> (b, i, h, d)>],
                         iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<1x1x?x?xf32>, tensor<1x?x1x?xf32>) outs(%f : tensor<1x?x1x?xf32>) {
    ^bb0(%s: f32, %t: f32, %acc: f32):
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %acc, %m : f32
      linalg.yield %a : f32
    } -> tensor<1x?x1x?xf32>
    vortex.yield %q : tensor<1x?x1x?xf32>
  } {row_dim = 3} : tensor<1x?x1x?xf32>
  return %r : tensor<1x?x1x?xf32>
}

// Lanes past the end hold zeros: they divide by one.
// CHECK-LABEL: func.func @divide(
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[D:.*]], %{{.*}} : vector<16xi32>
// CHECK: %[[TRAPS:.*]] = arith.ori %[[ZERO]], %{{.*}} : vector<16xi1>
// CHECK: %[[SAFE:.*]] = arith.select %[[TRAPS]], %{{.*}}, %[[D]]
// CHECK: arith.divsi %{{.*}}, %[[SAFE]] : vector<16xi32>
func.func @divide(%x: tensor<1x?xi32>, %y: tensor<1x?xi32>, %o: tensor<1x?xi32>) -> tensor<1x?xi32> {
  %r = vortex.micro_kernel <instruction = "fma", rows = 1, vectors = 1, lanes = 16>
      ins(%x, %y : tensor<1x?xi32>, tensor<1x?xi32>) outs(%o : tensor<1x?xi32>) {
  ^bb0(%p: tensor<1x?xi32>, %q: tensor<1x?xi32>, %z: tensor<1x?xi32>):
    %d = linalg.div ins(%p, %q : tensor<1x?xi32>, tensor<1x?xi32>) outs(%z : tensor<1x?xi32>) -> tensor<1x?xi32>
    vortex.yield %d : tensor<1x?xi32>
  } : tensor<1x?xi32>
  return %r : tensor<1x?xi32>
}

// Without contraction the product that the reduction adds is one with its sum, in every case; a product that rows share is rounded.
// CHECK-LABEL: func.func @rounded(
// CHECK-NOT: fastmath
// CHECK: case 1 {
// CHECK: math.fma {{.*}} : vector<16xf32>
// CHECK: arith.mulf {{.*}} : vector<16xf32>
// CHECK: arith.addf {{.*}} : vector<16xf32>
// CHECK: case 2 {
// CHECK: math.fma
// CHECK-NOT: fastmath
// CHECK: return
func.func @rounded(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %v: tensor<?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %r = vortex.micro_kernel <instruction = "fma", rows = 2, vectors = 1, lanes = 16, contract = false>
      ins(%a, %b, %v : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %w: tensor<?xf32>, %o: tensor<?x?xf32>):
    %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
    %e = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%p, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) {
    ^bb0(%s: f32, %t: f32, %u: f32):
      %square = arith.mulf %t, %t : f32
      %sum = arith.addf %s, %square : f32
      linalg.yield %sum : f32
    } -> tensor<?x?xf32>
    vortex.yield %e : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A function of the sums is emitted once for all cases: they leave sums in memory, and a loop over rows takes them from there.
// CHECK-LABEL: func.func @long_tail(
// CHECK: %[[SUMS:.*]] = memref.alloca() {{.*}} : memref<2x32xf32>
// CHECK: scf.index_switch
// CHECK: case 1 {
// CHECK-NOT: math.tanh
// CHECK-COUNT-2: vector.store %{{.*}}, %[[SUMS]]
// CHECK: case 2 {
// CHECK-NOT: math.tanh
// CHECK-COUNT-4: vector.store %{{.*}}, %[[SUMS]]
// CHECK: scf.for %[[ROW:[^ ]*]] = %c0
// CHECK-DAG: vector.load %[[SUMS]][%[[ROW]], %c0]
// CHECK-DAG: vector.load %[[SUMS]][%[[ROW]], %c16]
// CHECK-COUNT-2: math.tanh
// CHECK-NOT: math.tanh
// CHECK: vortex.store_tile
func.func @long_tail(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %r = vortex.micro_kernel <instruction = "fma", rows = 2, vectors = 2, lanes = 16, unroll = 4>
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
    %t = linalg.tanh ins(%p : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %t : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A sweep reads whole rows of the operand that has the columns, here four at
// once for one row of the result and two at once, half as wide, for three.
// CHECK-LABEL: func.func @sweep(
// CHECK: case 1 {
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c4
// CHECK-COUNT-4: tensor.extract %arg0
// CHECK: scf.for %[[AT:.*]] = %c0 to %{{.*}} step %c32
// CHECK-COUNT-8: vector.transfer_read %arg1
// CHECK-NOT: vector.transfer_read %arg1
// CHECK: vortex.store_tile %{{.*}}, %{{.*}} : vector<16xf32>, vector<16xf32> at %[[AT]] into
// CHECK: scf.for {{.*}} step %c16
// CHECK: vortex.store_tile %{{.*}} : vector<16xf32> masks({{.*}}) at
// CHECK: case 3 {
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c2
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c16
func.func @sweep(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.micro_kernel <instruction = "sweep", rows = 4, vectors = 2, lanes = 16, unroll = 4>
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Partial sums are of parts of a packed panel, read side by side, where vectors are shorter than a line, else of steps in turn.
// CHECK-LABEL: func.func @parts(
// CHECK: case 1 {
// CHECK: %[[PART:.*]] = arith.divui %{{.*}}, %c4
// CHECK: scf.for %[[K:[^ ]*]] = %c0 to %[[PART]] step %c1
// CHECK: vector.transfer_read %[[B:.*]][%[[K]], %c0]
// CHECK: %[[SECOND:.*]] = arith.addi %[[K]], %[[PART]]
// CHECK: vector.transfer_read %[[B]][%[[SECOND]], %c0]
// CHECK: %[[TWICE:.*]] = arith.muli %[[PART]], %c2
// CHECK: %[[THIRD:.*]] = arith.addi %[[K]], %[[TWICE]]
// CHECK: vector.transfer_read %[[B]][%[[THIRD]], %c0]
// CHECK: case 2 {
// CHECK: %[[HALF:.*]] = arith.divui %{{.*}}, %c2
// CHECK: scf.for %{{.*}} = %c0 to %[[HALF]] step %c2
// CHECK: case 3 {
// CHECK-NOT: arith.divui
func.func @parts(%a: tensor<?x?xf32>, %panels: tensor<?x?x16xf32>, %c: tensor<?x?xf32>, %k: index, %n: index) -> tensor<?x?xf32> {
  %b = tensor.extract_slice %panels[0, 0, 0] [1, %k, %n] [1, 1, 1] : tensor<?x?x16xf32> to tensor<?x?xf32>
  %r = vortex.micro_kernel <instruction = "fma", rows = 3, vectors = 2, lanes = 8, unroll = 4, in_flight = 8>
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @steps_in_turn(
// CHECK: case 1 {
// CHECK-NOT: arith.divui
// CHECK: scf.for %[[K:[^ ]*]] = %c0 to %{{.*}} step %c4
// CHECK: arith.addi %[[K]], %c1
func.func @steps_in_turn(%a: tensor<?x?xf32>, %panels: tensor<?x?x32xf32>, %c: tensor<?x?xf32>, %k: index, %n: index) -> tensor<?x?xf32> {
  %b = tensor.extract_slice %panels[0, 0, 0] [1, %k, %n] [1, 1, 1] : tensor<?x?x32xf32> to tensor<?x?xf32>
  %r = vortex.micro_kernel <instruction = "fma", rows = 3, vectors = 2, lanes = 16, unroll = 4, in_flight = 8>
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
