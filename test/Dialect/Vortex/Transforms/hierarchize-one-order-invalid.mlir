// RUN: not vortex-opt %s --vortex-hierarchize="target=x86-avx512 deterministic=batch-invariant" 2>&1 | FileCheck %s
// RUN: not vortex-opt %s --vortex-hierarchize="target=sm_80 deterministic=batch-invariant" 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not vortex-opt %s --vortex-hierarchize="deterministic=always" 2>&1 | FileCheck %s --check-prefix=VALUE

// CHECK: error: 'vortex.kernel' op has no candidate that adds up in one order and runs at all sizes, as deterministic=batch-invariant asks: split: a reduction is divided among units
// GPU: error: deterministic=batch-invariant is for CPUs; the target is
// VALUE: Cannot find option named 'always'
func.func @other(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %e = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %e : tensor<?xf32>
}

func.func @divided(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = vortex.kernel "own" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>)
                                                         outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    vortex.candidate @split schedule {
      vortex.level "core" forall (PL 2 by %c64) combine("add") {
        vortex.level "l1" for (TSL 0 by %c4, TSL 1 by %c16) {
          vortex.stage ["mm"] micro <instruction = "fma", rows = 4, vectors = 1, lanes = 16>
        }
      }
    }
  } : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
