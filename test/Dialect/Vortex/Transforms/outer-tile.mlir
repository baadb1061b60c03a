// RUN: split-file %s %t
// RUN: vortex-opt %t/product.mlir --target=x86-avx512 --vortex-hierarchize | FileCheck %s --check-prefix=TREE
// RUN: vortex-opt %t/weight.mlir --target=x86-avx2 --vortex-hierarchize | FileCheck %s --check-prefix=WEIGHT
// RUN: vortex-opt %t/long.mlir --target=x86-avx512 --vortex-hierarchize | FileCheck %s --check-prefix=NONE
// RUN: vortex-opt %t/function.mlir --target=x86-avx512 --vortex-hierarchize | FileCheck %s --check-prefix=NONE
// RUN: vortex-opt %t/integers.mlir --target=x86-avx512 --vortex-hierarchize | FileCheck %s --check-prefix=NONE
// RUN: vortex-opt %t/tile.mlir --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s --check-prefix=TILE
// RUN: not vortex-opt %t/half.mlir --vortex-lower-micro-kernels 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: not vortex-opt %t/more.mlir --vortex-lower-micro-kernels 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: not vortex-opt %t/wide.mlir --vortex-lower-micro-kernels 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not vortex-opt %t/crossed.mlir --vortex-lower-micro-kernels 2>&1 | FileCheck %s --check-prefix=CROSSED

// Half of 32 registers hold four vectors of four steps and two of eight. Rows are divided so that the result of a block of them rests in L2.
// Threads share rows if there are as many for each as a tile has.
// TREE: arith.muli %c4{{[_0-9]*}}, %{{[0-9]+}} : index{{[[:space:]]+}}%[[ENOUGH:[0-9]+]] = arith.cmpi ule, %{{[0-9]+}}, %{{[a-z0-9]+}} : index{{[[:space:]]+}}%[[ROWS:[0-9]+]] = arith.ori %{{[0-9]+}}, %[[ENOUGH]] : i1
// TREE-NEXT: arith.ceildivui
// TREE-NEXT: arith.select %[[ROWS]]
// Rows of 960 bytes and more are streams of their own: of them as many as prefetchers follow.
// TREE: %[[BLOCK:.*]] = arith.maxui %{{.*}}, %c16{{.*}} : index
// TREE: %[[APART:.*]] = arith.cmpi ule, %c240{{.*}}, %{{.*}} : index
// TREE-NEXT: %[[STREAMS:.*]] = arith.constant 8 : index
// TREE-NEXT: arith.select %[[APART]], %[[STREAMS]], %[[BLOCK]] : index
// TREE: %[[FEW:.*]] = arith.cmpi ule, %{{.*}}, %c4{{.*}} : index
// TREE: %[[COLUMNS:.*]] = arith.select %[[FEW]], %c64{{.*}}, %c32{{.*}} : index
// TREE: vortex.candidate @outer_8x64 guard {
// TREE: arith.cmpi ule, %arg{{.*}}, %c8
// TREE: vortex.level "l2" for (TSL 0 by %{{.*}}) {
// TREE-NEXT: vortex.level "l1" for (TSL 1 by %[[COLUMNS]]) {
// TREE-NEXT: vortex.stage ["p0", "p1", "p2"] micro <instruction = "outer", rows = 4, vectors = 4, lanes = 16, unroll = 8
// Panels are those of the other candidates.
// WEIGHT: vortex.candidate @outer_4x32 guard {
// WEIGHT: vortex.level "device" for () load (<operand = 1, layout = panel, axis = 1, bound = true> by %c16
// WEIGHT: micro <instruction = "outer", rows = 4, vectors = 4, lanes = 8, unroll = 4
// Nor is there one of more steps than can be, or with a function of many instructions behind it.
// NONE: vortex.candidate
// NONE-NOT: outer

// Each number of vectors and of steps, and a column alone.
// TILE-LABEL: func.func @tile
// TILE: scf.index_switch
// No step: what the sums start from.
// TILE: case 3 {
// TILE-NOT: arith.mulf
// TILE: case 4 {
// The row of B is read once, in front of the loops over two rows and what is left.
// TILE: vector.transfer_read %arg1
// TILE: scf.for {{.*}} step %c2
// TILE-NOT: vector.transfer_read %arg1
// TILE-COUNT-2: arith.mulf
// TILE: vortex.store_tile
// TILE: scf.for {{.*}} step %c1
// TILE: arith.mulf
// TILE-NOT: arith.mulf
// TILE: vortex.store_tile
// Two rows of B, half of the registers, leave them to the sums of one row.
// TILE: case 5 {
// TILE-COUNT-2: vector.transfer_read %arg1
// TILE: scf.for {{.*}} step %c1
// TILE-COUNT-2: arith.mulf
// TILE-NOT: arith.mulf
// TILE: vortex.store_tile
// TILE: case 6 {
// TILE: vector.constant_mask [1] : vector<16xi1>
// TILE: default {

// HALF: error: 'vortex.micro_kernel' op is no product of two operands of one type, with one reduction and no long function behind it
// MORE: error: 'vortex.micro_kernel' op multiplies 3 steps; it has code for at most 2
// WIDE: error: 'vortex.micro_kernel' op multiplies 3 steps by 64 columns; it has code for at most 32 columns of so many steps
// CROSSED: error: 'vortex.micro_kernel' op multiplies no elements of rows of one operand with rows of the other

//--- product.mlir
func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %bias: tensor<?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%u: f32, %v: f32, %out: f32):
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

//--- weight.mlir
func.func @weight(%a: tensor<?x?xf32>, %b: tensor<?x?xf32> {vortex.weight}, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

//--- long.mlir
func.func @long(%a: tensor<?x9xf32>, %b: tensor<9x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = linalg.matmul ins(%a, %b : tensor<?x9xf32>, tensor<9x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

//--- integers.mlir
// Products are one before they are added, for which no register is left.
func.func @integers(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

//--- function.mlir
func.func @function(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%u: f32, %out: f32):
    %t = math.tanh %u : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

//--- tile.mlir
func.func @tile(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.micro_kernel <instruction = "outer", rows = 2, vectors = 1, lanes = 16, unroll = 2>
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %w: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor} ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%w : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

//--- half.mlir
func.func @half(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.micro_kernel <instruction = "outer", rows = 2, vectors = 1, lanes = 16, unroll = 2>
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf16>, %y: tensor<?x?xf16>, %w: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor} ins(%x, %y : tensor<?x?xf16>, tensor<?x?xf16>) outs(%w : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

//--- more.mlir
func.func @more(%a: tensor<?x3xf32>, %b: tensor<3x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.micro_kernel <instruction = "outer", rows = 2, vectors = 1, lanes = 16, unroll = 2>
      ins(%a, %b : tensor<?x3xf32>, tensor<3x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x3xf32>, %y: tensor<3x?xf32>, %w: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor} ins(%x, %y : tensor<?x3xf32>, tensor<3x?xf32>) outs(%w : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

//--- wide.mlir
func.func @wide(%a: tensor<?x3xf32>, %b: tensor<3x64xf32>, %o: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %r = vortex.micro_kernel <instruction = "outer", rows = 2, vectors = 4, lanes = 16, unroll = 4>
      ins(%a, %b : tensor<?x3xf32>, tensor<3x64xf32>) outs(%o : tensor<?x64xf32>) {
  ^bb0(%x: tensor<?x3xf32>, %y: tensor<3x64xf32>, %w: tensor<?x64xf32>):
    %p = linalg.matmul {vortex.anchor} ins(%x, %y : tensor<?x3xf32>, tensor<3x64xf32>) outs(%w : tensor<?x64xf32>) -> tensor<?x64xf32>
    vortex.yield %p : tensor<?x64xf32>
  } : tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

//--- crossed.mlir
func.func @crossed(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.micro_kernel <instruction = "outer", rows = 2, vectors = 1, lanes = 16, unroll = 2>
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %w: tensor<?x?xf32>):
    %p = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
        {vortex.anchor} ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%w : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
