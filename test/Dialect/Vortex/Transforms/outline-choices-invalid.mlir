// RUN: vortex-opt %s --vortex-outline-choices --verify-diagnostics

// The size of the axis is nowhere outside of the kernel.
func.func @f(%O: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'vortex.kernel' op has an axis whose size no operand of the kernel gives}}
  %r = vortex.kernel "k" axes ["d0"] outs(%O : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>):
    %c8 = arith.constant 8 : index
    %n = arith.addi %c8, %c8 : index
    %e = tensor.empty(%n) : tensor<?xf32>
    %p = linalg.exp {vortex.anchor, vortex.id = "p"} ins(%e : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } candidates {
  ^bb0(%n: index):
    vortex.candidate @a schedule {
      vortex.stage ["p"]
    }
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}
