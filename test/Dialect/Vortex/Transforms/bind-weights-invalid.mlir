// RUN: vortex-opt %s --split-input-file --verify-diagnostics --vortex-bind-weights

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{binds a weight to panels whose width is not a constant}}
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      vortex.level "device" for () load (<operand = 1, layout = panel, axis = 1, bound = true> by %n) {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %C: tensor<?x?xf32>, %O: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{binds input 2, which its anchor does not read}}
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B, %C : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c32 = arith.constant 32 : index
    vortex.candidate @c schedule {
      vortex.level "device" for () load (<operand = 2, layout = panel, axis = 1, bound = true> by %c32) {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{binds input 1 along an axis that does not index it}}
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c32 = arith.constant 32 : index
    vortex.candidate @c schedule {
      vortex.level "device" for () load (<operand = 1, layout = panel, axis = 0, bound = true> by %c32) {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
