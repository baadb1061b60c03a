// RUN: vortex-opt %s --vortex-inline-fallbacks --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @gpu
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[O:.*]]: tensor<?xf32>)
// CHECK-NOT: vortex.kernel
// CHECK: %[[R:.*]] = linalg.exp ins(%[[X]] : tensor<?xf32>) outs(%[[O]] : tensor<?xf32>)
// CHECK: return %[[R]]
module attributes {vortex.targets = [#vortex.hw<
  isa = "sm_80", chip = "t", triple = "nvptx64-nvidia-cuda", cpu = "sm_80", features = "+ptx80",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1000000000, bandwidth = 1000, stream = 10, latency = 300, granularity = 32, alignment = 128>,
    <"l2", units = 1, memory = cache, capacity = 1000000, bandwidth = 1000, stream = 10, latency = 300, granularity = 32, alignment = 128>,
    <"block", units = 4>,
    <"smem", units = 1, memory = shared, capacity = 160000, bandwidth = 100, latency = 20, granularity = 128, alignment = 16>,
    <"warp", units = 4, memory = register, capacity = 65536, granularity = 128>,
    <"register", units = 1, memory = register, capacity = 32640, granularity = 128>],
  instructions = [<"fma", kind = simt, type = f32 x f32 -> f32, shape = 1x32x1, rate = 100>]>]} {
  func.func @gpu(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
    %y = vortex.kernel "e" axes ["i"] ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
    ^bb0(%p: tensor<?xf32>, %q: tensor<?xf32>):
      %r = linalg.exp {vortex.anchor, vortex.id = "p0"} ins(%p : tensor<?xf32>) outs(%q : tensor<?xf32>) -> tensor<?xf32>
      vortex.yield %r : tensor<?xf32>
    } : tensor<?xf32>
    return %y : tensor<?xf32>
  }
}

// -----

// On a CPU a fallback has loops of its own.
// CHECK-LABEL: func.func @cpu
// CHECK: vortex.kernel "e"
func.func @cpu(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %y = vortex.kernel "e" axes ["i"] ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%p: tensor<?xf32>, %q: tensor<?xf32>):
    %r = linalg.exp {vortex.anchor, vortex.id = "p0"} ins(%p : tensor<?xf32>) outs(%q : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %r : tensor<?xf32>
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}
