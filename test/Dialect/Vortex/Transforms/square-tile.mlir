// RUN: split-file %s %t
// RUN: vortex-opt %t/chain.mlir --target=x86-avx512 --vortex-hierarchize | FileCheck %s --check-prefix=TREE
// RUN: vortex-opt %t/tile.mlir --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s --check-prefix=TILE
// RUN: not vortex-opt %t/tall.mlir --vortex-lower-micro-kernels 2>&1 | FileCheck %s --check-prefix=TALL
// RUN: not vortex-opt %t/sum.mlir --vortex-lower-micro-kernels 2>&1 | FileCheck %s --check-prefix=SUM

// The operand has its neighbours along d0, the result along d2: squares of these two, in blocks of columns of which L1 holds a line each.
// Threads share d1, which is walked one by one, before rows and columns.
// TREE: vortex.candidate @squares
// TREE: vortex.level "core" forall (PL 1 by %{{.*}}, PL 0 by %{{.*}}, PL 2 by %{{.*}}) {
// TREE: vortex.level "l1" for (TSL 2 by %c512
// TREE: vortex.level "register" for (TSL 1 by %c1{{.*}}, TSL 0 by %[[S:c16.*]], TSL 2 by %[[S]]) {
// TREE: micro <instruction = "square", rows = 16, vectors = 1, lanes = 16, lane_axis = 2>
// TREE-NOT: vortex.candidate

// A whole square needs no masks. Of four rows at most the last steps of the transpose have one vector for each, and of four columns at most four vectors are read.
// TILE-LABEL: func.func @tile
// TILE: scf.if
// TILE-COUNT-4: vector.transfer_read %arg0[%{{.*}}, %{{.*}}], %{{.*}} {in_bounds = [true]} : tensor<?x?xf32>, vector<4xf32>
// TILE-COUNT-8: vector.shuffle
// TILE-NOT: vector.shuffle
// TILE-COUNT-4: vector.transfer_write {{.*}} {in_bounds = [true]} : vector<4xf32>, tensor<?x?xf32>
// TILE: } else {
// TILE: scf.if
// TILE-COUNT-4: vector.transfer_read %arg0[{{.*}}], %{{.*}}, %{{.*}} {in_bounds = [true]}
// TILE-COUNT-3: vector.shuffle
// TILE-NOT: vector.shuffle
// TILE-COUNT-1: vector.transfer_write
// TILE-NOT: vector.transfer_write
// TILE: scf.yield
// TILE: scf.if
// TILE-COUNT-1: vector.transfer_read
// TILE-NOT: vector.transfer_read
// TILE-COUNT-4: vector.transfer_write
// TILE: scf.yield
// TILE-COUNT-4: vector.transfer_read
// TILE-COUNT-4: vector.transfer_write

// TALL: error: 'vortex.micro_kernel' op squares have one vector a row and as many rows as lanes, a power of two
// RUN: not vortex-opt %t/across.mlir --vortex-lower-micro-kernels 2>&1 | FileCheck %s --check-prefix=ACROSS
// ACROSS: error: 'linalg.transpose' op reads what another op of the square makes, and not element by element
// SUM: error: 'linalg.reduce' op is not elementwise on rows and columns

//--- chain.mlir
#cba = affine_map<(a, b, c) -> (b, c, a)>
#abc = affine_map<(a, b, c) -> (a, b, c)>
func.func @chain(%x: tensor<?x?x?xf32>, %y: tensor<?x?x?xf32>, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %r = linalg.generic {indexing_maps = [#cba, #abc, #abc], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %y : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%o : tensor<?x?x?xf32>) {
  ^bb0(%u: f32, %v: f32, %out: f32):
    %s = arith.addf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

//--- tile.mlir
func.func @tile(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.micro_kernel <instruction = "square", rows = 4, vectors = 1, lanes = 4, unroll = 1, lane_axis = 1>
      ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%u: tensor<?x?xf32>, %v: tensor<?x?xf32>):
    %t = linalg.transpose ins(%u : tensor<?x?xf32>) outs(%v : tensor<?x?xf32>) permutation = [1, 0]
    vortex.yield %t : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

//--- tall.mlir
func.func @tall(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.micro_kernel <instruction = "square", rows = 8, vectors = 1, lanes = 4, unroll = 1, lane_axis = 1>
      ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%u: tensor<?x?xf32>, %v: tensor<?x?xf32>):
    %t = linalg.transpose ins(%u : tensor<?x?xf32>) outs(%v : tensor<?x?xf32>) permutation = [1, 0]
    vortex.yield %t : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

//--- sum.mlir
func.func @sum(%x: tensor<?x?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = vortex.micro_kernel <instruction = "square", rows = 4, vectors = 1, lanes = 4, unroll = 1, lane_axis = 1>
      ins(%x : tensor<?x?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%u: tensor<?x?xf32>, %v: tensor<?xf32>):
    %t = linalg.reduce ins(%u : tensor<?x?xf32>) outs(%v : tensor<?xf32>) dimensions = [1] (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
    vortex.yield %t : tensor<?xf32>
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

//--- across.mlir
func.func @across(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.micro_kernel <instruction = "square", rows = 4, vectors = 1, lanes = 4, unroll = 1, lane_axis = 1>
      ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%u: tensor<?x?xf32>, %v: tensor<?x?xf32>):
    %t = linalg.transpose ins(%u : tensor<?x?xf32>) outs(%v : tensor<?x?xf32>) permutation = [1, 0]
    %w = linalg.transpose ins(%t : tensor<?x?xf32>) outs(%v : tensor<?x?xf32>) permutation = [1, 0]
    vortex.yield %w : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
