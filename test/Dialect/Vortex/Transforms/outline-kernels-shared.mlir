// RUN: vortex-opt %s --vortex-outline-kernels | FileCheck %s

// A kernel on packed memory and one on a part of rows, between which there are others, are the same op for op, but not
// the same code.
// CHECK-LABEL: func.func @both
// CHECK: vortex.kernel_call @k.rows ins({{.*}}) outs({{.*}}) dense [1] packed [0]
// CHECK: vortex.kernel_call @k.rows.1 ins({{.*}}) outs({{.*}}) dense [1]
func.func @both(%x: tensor<?xf32>, %rows: tensor<?x24xf32>, %count: index, %p: tensor<?x8xf32>, %o: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %y = tensor.extract_slice %rows[0, 8] [%count, 8] [1, 1] : tensor<?x24xf32> to tensor<?x8xf32>
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
