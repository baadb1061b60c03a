// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-expand=candidate=pack_both_14x32 --canonicalize --cse | FileCheck %s
// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-expand=candidate=pack_both_14x32_kblock --canonicalize --cse | FileCheck %s --check-prefix=BLOCKS
// RUN: vortex-opt %s --target=x86-avx2 --vortex-hierarchize --vortex-expand=candidate=pack_b_4x24_kblock --canonicalize --cse | FileCheck %s --check-prefix=CHUNKS
// RUN: not vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-expand=candidate=nope 2>&1 | FileCheck %s --check-prefix=NOPE

// NOPE: error: 'vortex.kernel' op has no candidate 'nope'

// A level that walks the reduction carries the result from block to block;
// what finishes it is a nest of its own behind the last one.
// BLOCKS-LABEL: func.func @mm
// BLOCKS: scf.forall
// BLOCKS: %[[START:.*]] = linalg.fill
// BLOCKS: %[[SUM:.*]] = scf.for %{{.*}} iter_args(%[[ACC:.*]] = %[[START]])
// BLOCKS: %[[TILE:.*]] = tensor.extract_slice %[[ACC]]
// BLOCKS: scf.for %{{.*}} iter_args(%{{.*}} = %[[TILE]])
// BLOCKS: linalg.pack %{{.*}} {vortex.tight}
// BLOCKS: scf.for %{{.*}} step %c32
// BLOCKS: linalg.pack %{{.*}} inner_tiles = [32]
// BLOCKS: vortex.micro_kernel <instruction = "fma", rows = 14
// BLOCKS-NOT: linalg.fill
// BLOCKS: linalg.generic
// BLOCKS: vortex.yield
// BLOCKS-NOT: linalg.generic
// BLOCKS: scf.for %{{.*}} step %c4
// BLOCKS: scf.for %{{.*}} step %c32
// BLOCKS: tensor.extract_slice %[[SUM]]
// BLOCKS: vortex.micro_kernel <instruction = "fma", rows = 4
// BLOCKS: linalg.generic
// BLOCKS: arith.addf

// Many panels of a block are packed at once, and A is read where it is.
// CHUNKS-LABEL: func.func @mm
// CHUNKS-DAG: %[[ALL:.*]] = arith.constant 32768 : index
// CHUNKS: arith.divui %[[ALL]], %{{.*}} : index
// CHUNKS: %[[STEPS:.*]] = arith.muli %{{.*}}, %c24 : index
// CHUNKS-NEXT: %[[MANY:.*]] = arith.divui %[[ALL]], %[[STEPS]] : index
// CHUNKS-NEXT: %[[FEW:.*]] = arith.maxui %[[MANY]], %c1 : index
// CHUNKS-NEXT: %[[CHUNK:.*]] = arith.muli %[[FEW]], %c24 : index
// CHUNKS-NEXT: scf.forall
// CHUNKS: linalg.fill
// CHUNKS-NOT: vortex.tight
// CHUNKS: scf.for %{{.*}} step %[[CHUNK]]
// CHUNKS: %[[PANELS:.*]] = tensor.empty(%{{.*}}, %{{.*}}) : tensor<?x?x24xf32>
// CHUNKS: %[[PACK:.*]] = linalg.pack %{{.*}} inner_tiles = [24] into %[[PANELS]]
// CHUNKS: scf.for %[[COLUMN:.*]] = %c0 to %{{.*}} step %c24
// CHUNKS: %[[PANEL:.*]] = arith.divui %[[COLUMN]], %c24
// CHUNKS: tensor.extract_slice %[[PACK]][%[[PANEL]], 0, 0]
// CHUNKS: vortex.micro_kernel <instruction = "fma", rows = 4

// CHECK-LABEL: func.func @mm
// CHECK: scf.forall
// CHECK: scf.for
// CHECK: linalg.pack %{{.*}} {vortex.tight}
// CHECK: scf.for %{{.*}} step %c32
// CHECK: linalg.pack %{{.*}} inner_tiles = [32]
// CHECK: scf.for
// CHECK: tensor.extract_slice %pack{{.*}} : tensor<?x?x?xf32> to tensor<?x?xf32>
// CHECK: tensor.extract_slice %pack{{.*}} : tensor<?x?x32xf32> to tensor<?x?xf32>
// CHECK: vortex.micro_kernel <instruction = "fma", rows = 14
// CHECK: linalg.fill
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: vortex.level = "register"
// CHECK: vortex.level = "l1"
// CHECK: vortex.level = "l2"
// CHECK: vortex.level = "core"
func.func @mm(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %bias: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
