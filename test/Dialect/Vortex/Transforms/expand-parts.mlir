// RUN: vortex-opt %s --target=x86-avx512 --vortex-expand --canonicalize --cse | FileCheck %s

// Parts of a reduction among threads: each adds up its own steps of both
// operands, from zero, into rows of whole lines that no other writes; the sums
// are added to what the contraction starts with, in their order.
// CHECK-LABEL: func @mm
// CHECK-SAME: %[[A:.*]]: tensor<?x?xf32>, %[[B:.*]]: tensor<?x?xf32>, %[[O:.*]]: tensor<?x?xf32>
// CHECK: %[[K:.*]] = tensor.dim %[[A]], %c1
// CHECK: %[[LENGTH:.*]] = arith.ceildivui %[[K]], %c3
// CHECK: %[[COUNT:.*]] = arith.ceildivui %[[K]], %[[LENGTH]]
// CHECK: %[[M:.*]] = tensor.dim %[[O]], %c0
// CHECK: %[[N:.*]] = tensor.dim %[[O]], %c1
// CHECK: %[[LINES:.*]] = arith.ceildivui %[[N]], %c16
// CHECK: %[[WHOLE:.*]] = arith.muli %[[LINES]], %c16
// CHECK: %[[E:.*]] = tensor.empty(%[[COUNT]], %[[M]], %[[WHOLE]]) : tensor<?x?x?xf32>
// CHECK: %[[PARTS:.*]] = scf.forall (%[[P:.*]]) in (%[[COUNT]]) shared_outs(%[[ALL:.*]] = %[[E]]) -> (tensor<?x?x?xf32>) {
// CHECK: %[[FIRST:.*]] = arith.muli %[[P]], %[[LENGTH]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[K]], %[[FIRST]]
// CHECK: %[[STEPS:.*]] = arith.minui %[[LENGTH]], %[[LEFT]]
// CHECK: tensor.extract_slice %[[A]][0, %[[FIRST]]] [%{{.*}}, %[[STEPS]]] [1, 1]
// CHECK: tensor.extract_slice %[[B]][%[[FIRST]], 0] [%[[STEPS]], %{{.*}}] [1, 1]
// CHECK: %[[MINE:.*]] = tensor.extract_slice %[[ALL]][%[[P]], 0, 0] [1, %[[M]], %[[N]]] [1, 1, 1] : tensor<?x?x?xf32> to tensor<?x?xf32>
// CHECK: linalg.fill ins(%cst : f32) outs(%[[MINE]]
// CHECK: vortex.micro_kernel
// CHECK: linalg.matmul
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[ALL]][%[[P]], 0, 0] [1, %[[M]], %[[N]]]
// CHECK: } {vortex.level = "core"}
// CHECK: %[[SUMS:.*]] = tensor.extract_slice %[[PARTS]][0, 0, 0] [%[[COUNT]], %[[M]], %[[N]]] [1, 1, 1]
// CHECK: %[[R:.*]] = linalg.generic
// CHECK-SAME: iterator_types = ["reduction", "parallel", "parallel"]
// CHECK-SAME: ins(%[[SUMS]] : tensor<?x?x?xf32>) outs(%[[O]] : tensor<?x?xf32>)
// CHECK: arith.addf
// CHECK: return %[[R]]
func.func @mm(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf32>, %pb: tensor<?x?xf32>, %po: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf32>, tensor<?x?xf32>)
        outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c3 = arith.constant 3 : index
    %c6 = arith.constant 6 : index
    %c64 = arith.constant 64 : index
    %part = arith.ceildivui %k, %c3 : index
    vortex.candidate @parts schedule {
      vortex.level "core" forall (PL 2 by %part) combine("add") {
        vortex.level "register" for (TSL 0 by %c6, TSL 1 by %c64) {
          vortex.stage ["mm"] micro <instruction = "fma", rows = 6, vectors = 4, lanes = 16>
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Integers, of a batch; what follows comes behind the sum.
// CHECK-LABEL: func @integers
// CHECK: %[[PARTS:.*]] = scf.forall
// CHECK: linalg.batch_matmul
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK-SAME: iterator_types = ["reduction", "parallel", "parallel", "parallel"]
// CHECK: arith.addi
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[SUM]] : tensor<?x?x?xi32>)
// CHECK: linalg.abs
func.func @integers(%a: tensor<?x?x?xi32>, %b: tensor<?x?x?xi32>, %c: tensor<?x?x?xi32>, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %r = vortex.kernel "mm" axes ["batch", "m", "n", "k"] ins(%a, %b, %c : tensor<?x?x?xi32>, tensor<?x?x?xi32>, tensor<?x?x?xi32>)
      outs(%o : tensor<?x?x?xf32>) {
  ^bb0(%pa: tensor<?x?x?xi32>, %pb: tensor<?x?x?xi32>, %pc: tensor<?x?x?xi32>, %po: tensor<?x?x?xf32>):
    %p = linalg.batch_matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?x?xi32>, tensor<?x?x?xi32>)
        outs(%pc : tensor<?x?x?xi32>) -> tensor<?x?x?xi32>
    %f = linalg.generic {vortex.id = "float", indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
        iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<?x?x?xi32>) outs(%po : tensor<?x?x?xf32>) {
    ^bb0(%x: i32, %out: f32):
      %y = arith.sitofp %x : i32 to f32
      linalg.yield %y : f32
    } -> tensor<?x?x?xf32>
    %s = linalg.abs {vortex.id = "abs"} ins(%f : tensor<?x?x?xf32>) outs(%po : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    vortex.yield %s : tensor<?x?x?xf32>
  } candidates {
  ^bb0(%batch: index, %m: index, %n: index, %k: index):
    %c100 = arith.constant 100 : index
    vortex.candidate @parts schedule {
      vortex.level "core" forall (PL 3 by %c100) combine("add") {
        vortex.stage ["mm"]
      }
      vortex.stage ["float", "abs"]
    }
  } : tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
