// RUN: vortex-opt %s --vortex-outline-loops --split-input-file --verify-diagnostics

func.func @nowhere(%c: !llvm.ptr {vortex.context}, %x: memref<?xf32>) {
  // expected-error @below {{is to run on a GPU, and none is among the module's targets}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : memref<?xf32>) {
  ^bb0(%o: f32):
    %s = arith.addf %o, %o : f32
    linalg.yield %s : f32
  }
  return
}

// -----

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
  func.func @erfc(%c: !llvm.ptr {vortex.context}, %x: memref<?xf64>) {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : memref<?xf64>) {
    ^bb0(%o: f64):
      // expected-error @below {{of 'f64' has no device code}}
      %s = math.erfc %o : f64
      linalg.yield %s : f64
    }
    return
  }
}
