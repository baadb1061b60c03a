// RUN: split-file %s %t
// RUN: vortex-opt %t/product.mlir --target=x86-avx512 --vortex-hierarchize | FileCheck %s --check-prefix=TREE
// RUN: vortex-opt %t/product.mlir --target=x86-avx2 --vortex-hierarchize | FileCheck %s --check-prefix=NONE
// RUN: vortex-opt %t/wide.mlir --target=x86-avx512 --vortex-hierarchize | FileCheck %s --check-prefix=NONE
// RUN: vortex-opt %t/tile.mlir --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s --check-prefix=TILE
// RUN: not vortex-opt %t/crossed.mlir --vortex-lower-micro-kernels 2>&1 | FileCheck %s --check-prefix=CROSSED
// RUN: not vortex-opt %t/half.mlir --vortex-lower-micro-kernels 2>&1 | FileCheck %s --check-prefix=HALF

// Eight columns and steps at most of sixteen lanes. The strip goes through the rows itself.
// TREE: vortex.candidate @strip_4 guard {
// TREE: arith.cmpi ule, %arg{{.*}}, %c8
// TREE: arith.cmpi ule, %arg{{.*}}, %c8
// TREE: vortex.level "l1" for (TSL 1 by %{{.*}}) {
// TREE-NEXT: vortex.stage ["p0", "p1", "p2"] micro <instruction = "strip", rows = 4, vectors = 1, lanes = 16
// Nor is there one without permutations, or of more columns than can be.
// NONE: vortex.candidate
// NONE-NOT: strip

// How many rows a vector holds: of the result, and of A in two vectors.
// TILE-LABEL: func.func @tile
// TILE: %[[OUT:.*]] = memref.extract_strided_metadata
// TILE: memref.extract_strided_metadata
// TILE: %[[FLAT:.*]] = memref.reinterpret_cast
// TILE-COUNT-2: arith.divui
// TILE: %[[EACH:.*]] = arith.minui
// The bias is put in its lanes once.
// TILE: %[[READ:.*]] = vector.transfer_read
// TILE: %[[BIAS:.*]] = vortex.permute %[[READ]], %[[READ]] by
// A block reads the rows of two vectors, and its steps share a row of B.
// TILE: scf.for
// TILE-COUNT-4: vector.maskedload %[[FLAT]]
// TILE: scf.for
// TILE-COUNT-3: vortex.permute
// TILE-NOT: vortex.permute
// TILE: scf.yield
// TILE: arith.addf %{{.*}}, %[[BIAS]]
// TILE: vortex.store_tile %{{.*}} : vector<16xf32> masks(%{{.*}} : vector<16xi1>) from %{{.*}} into %{{.*}} : tensor<?x?xf32> {flat, row_dim = 2 : i64, vectors = 1 : i64}
// What is left is a vector at a time.
// TILE: scf.for %{{.*}} step %[[EACH]]
// TILE-COUNT-2: vector.maskedload %[[FLAT]]

// CROSSED: error: 'vortex.micro_kernel' op is no product of rows and columns with elements of 32 or 64 bits, and what follows it element by element
// HALF: error: 'vortex.micro_kernel' op is no product of rows and columns with elements of 32 or 64 bits

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

//--- wide.mlir
func.func @wide(%a: tensor<?x?xf32>, %b: tensor<?x9xf32>, %o: tensor<?x9xf32>) -> tensor<?x9xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?x9xf32>) -> tensor<?x9xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x9xf32>) outs(%f : tensor<?x9xf32>) -> tensor<?x9xf32>
  return %p : tensor<?x9xf32>
}

//--- tile.mlir
func.func @tile(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %bias: tensor<?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %r = vortex.micro_kernel <instruction = "strip", rows = 2, vectors = 1, lanes = 16, unroll = 1>
      ins(%a, %b, %bias : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?xf32>, %w: tensor<?x?xf32>):
    %f = linalg.fill ins(%zero : f32) outs(%w : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul {vortex.anchor} ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
        ins(%p, %z : tensor<?x?xf32>, tensor<?xf32>) outs(%w : tensor<?x?xf32>) {
    ^bb0(%u: f32, %v: f32, %out: f32):
      %t = arith.addf %u, %v : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    vortex.yield %s : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

//--- crossed.mlir
func.func @crossed(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.micro_kernel <instruction = "strip", rows = 2, vectors = 1, lanes = 16>
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %w: tensor<?x?xf32>):
    %p = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
        {vortex.anchor} ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%w : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

//--- half.mlir
func.func @half(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.micro_kernel <instruction = "strip", rows = 2, vectors = 1, lanes = 16>
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf16>, %y: tensor<?x?xf16>, %w: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor} ins(%x, %y : tensor<?x?xf16>, tensor<?x?xf16>) outs(%w : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
