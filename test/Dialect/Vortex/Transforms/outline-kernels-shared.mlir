// RUN: vortex-opt %s --vortex-outline-kernels | FileCheck %s

// A kernel on packed memory and one on the caller's, which may have gaps, are the same op for op, but not the same
// code.
// CHECK-LABEL: func.func @both
// CHECK: vortex.kernel_call @k.rows ins({{.*}}) outs({{.*}}) dense [0]
// CHECK: vortex.kernel_call @k.rows.1 ins
func.func @both(%x: tensor<?xf32>, %y: tensor<?x8xf32>, %p: tensor<?x8xf32>, %o: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %packed = linalg.pack %x padding_value(%zero : f32) inner_dims_pos = [0] inner_tiles = [8] into %p : tensor<?xf32> -> tensor<?x8xf32>
  %r = vortex.kernel "k" axes ["m", "n"] ins(%packed : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) {
  ^bb0(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>):
    %e = linalg.exp {vortex.anchor, vortex.id = "e"} ins(%a : tensor<?x8xf32>) outs(%b : tensor<?x8xf32>) -> tensor<?x8xf32>
    vortex.yield %e : tensor<?x8xf32>
  } candidates {
  ^bb0(%m: index, %n: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<?x8xf32>
  %s = vortex.kernel "k" axes ["m", "n"] ins(%y : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) {
  ^bb0(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>):
    %e = linalg.exp {vortex.anchor, vortex.id = "e"} ins(%a : tensor<?x8xf32>) outs(%b : tensor<?x8xf32>) -> tensor<?x8xf32>
    vortex.yield %e : tensor<?x8xf32>
  } candidates {
  ^bb0(%m: index, %n: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<?x8xf32>
  return %r, %s : tensor<?x8xf32>, tensor<?x8xf32>
}
