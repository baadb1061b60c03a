// RUN: vortex-opt %s --vortex-lower-micro-kernels | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Exponentials that the second pass over a row needs are kept where the result
// will be; where the result starts from something, in memory of their own.
// CHECK-LABEL: func.func @written
// CHECK-NOT: tensor.empty
// CHECK: return
// CHECK-LABEL: func.func @added_to
// CHECK: tensor.empty(%{{.*}}) : tensor<1x?xf32>
func.func @written(%x: tensor<1x?xf32>, %s: tensor<1xf32>, %c: tensor<1x?xf32>) -> tensor<1x?xf32> {
  %zero = arith.constant 0.0 : f32
  %t = vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 16, unroll = 1, lane_axis = 1> ins(%x, %s, %c : tensor<1x?xf32>, tensor<1xf32>, tensor<1x?xf32>) outs(%c : tensor<1x?xf32>) {
  ^bb0(%u: tensor<1x?xf32>, %v: tensor<1xf32>, %e: tensor<1x?xf32>, %o: tensor<1x?xf32>):
    %ex = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%u : tensor<1x?xf32>) outs(%e : tensor<1x?xf32>) attrs = {vortex.id = "p0"} {
    ^bb0(%a: f32, %b: f32):
      %y = math.exp %a : f32
      linalg.yield %y : f32
    } -> tensor<1x?xf32>
    %z = linalg.fill {vortex.id = "p1"} ins(%zero : f32) outs(%v : tensor<1xf32>) -> tensor<1xf32>
    %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%ex : tensor<1x?xf32>) outs(%z : tensor<1xf32>) attrs = {vortex.id = "p2"} {
    ^bb0(%a: f32, %b: f32):
      %y = arith.addf %a, %b : f32
      linalg.yield %y : f32
    } -> tensor<1xf32>
    %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%ex, %sum : tensor<1x?xf32>, tensor<1xf32>) outs(%o : tensor<1x?xf32>) attrs = {vortex.anchor, vortex.id = "p3"} {
    ^bb0(%a: f32, %b: f32, %q: f32):
      %y = arith.divf %a, %b : f32
      linalg.yield %y : f32
    } -> tensor<1x?xf32>
    vortex.yield %r : tensor<1x?xf32>
  } : tensor<1x?xf32>
  return %t : tensor<1x?xf32>
}

func.func @added_to(%x: tensor<1x?xf32>, %s: tensor<1xf32>, %c: tensor<1x?xf32>) -> tensor<1x?xf32> {
  %zero = arith.constant 0.0 : f32
  %t = vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 16, unroll = 1, lane_axis = 1> ins(%x, %s, %x : tensor<1x?xf32>, tensor<1xf32>, tensor<1x?xf32>) outs(%c : tensor<1x?xf32>) {
  ^bb0(%u: tensor<1x?xf32>, %v: tensor<1xf32>, %e: tensor<1x?xf32>, %o: tensor<1x?xf32>):
    %ex = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%u : tensor<1x?xf32>) outs(%e : tensor<1x?xf32>) attrs = {vortex.id = "p0"} {
    ^bb0(%a: f32, %b: f32):
      %y = math.exp %a : f32
      linalg.yield %y : f32
    } -> tensor<1x?xf32>
    %z = linalg.fill {vortex.id = "p1"} ins(%zero : f32) outs(%v : tensor<1xf32>) -> tensor<1xf32>
    %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%ex : tensor<1x?xf32>) outs(%z : tensor<1xf32>) attrs = {vortex.id = "p2"} {
    ^bb0(%a: f32, %b: f32):
      %y = arith.addf %a, %b : f32
      linalg.yield %y : f32
    } -> tensor<1xf32>
    %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%ex, %sum : tensor<1x?xf32>, tensor<1xf32>) outs(%o : tensor<1x?xf32>) attrs = {vortex.anchor, vortex.id = "p3"} {
    ^bb0(%a: f32, %b: f32, %q: f32):
      %y = arith.divf %a, %b : f32
      %w = arith.addf %y, %q : f32
      linalg.yield %w : f32
    } -> tensor<1x?xf32>
    vortex.yield %r : tensor<1x?xf32>
  } : tensor<1x?xf32>
  return %t : tensor<1x?xf32>
}
