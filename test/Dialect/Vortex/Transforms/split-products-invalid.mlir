// RUN: vortex-opt %s --vortex-split-products --split-input-file --verify-diagnostics

// A library has no more than a product.
#hw = #vortex.hw<isa = "sm_80", chip = "test", triple = "nvptx64-nvidia-cuda", cpu = "sm_80",
  levels = [
    <"device", units = 1, memory = dram, capacity = 40 GiB, bandwidth = 1555, granularity = 32>,
    <"block", units = 108, startup = 3000>,
    <"smem", units = 1, memory = shared, capacity = 163 KiB, bandwidth = 180, granularity = 128>,
    <"warp", units = 4, memory = register, capacity = 64 KiB, granularity = 128>,
    <"register", units = 1, memory = register, capacity = 32640, granularity = 128>
  ]>
module attributes {vortex.targets = [#hw]} {
func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf32>, %pb: tensor<?x?xf32>, %po: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf32>, tensor<?x?xf32>)
        outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    %e = linalg.exp {vortex.id = "exp"} ins(%p : tensor<?x?xf32>) outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %e : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @library_cublas schedule {
      // expected-error @+1 {{leaves to library 'cublas' more than a product and the zeros that start it}}
      vortex.stage ["mm", "exp"] library "cublas"
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// What a library multiplies is there before the kernel.
#hw = #vortex.hw<isa = "sm_80", chip = "test", triple = "nvptx64-nvidia-cuda", cpu = "sm_80",
  levels = [
    <"device", units = 1, memory = dram, capacity = 40 GiB, bandwidth = 1555, granularity = 32>,
    <"block", units = 108, startup = 3000>,
    <"smem", units = 1, memory = shared, capacity = 163 KiB, bandwidth = 180, granularity = 128>,
    <"warp", units = 4, memory = register, capacity = 64 KiB, granularity = 128>,
    <"register", units = 1, memory = register, capacity = 32640, granularity = 128>
  ]>
module attributes {vortex.targets = [#hw]} {
func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf32>, %pb: tensor<?x?xf32>, %po: tensor<?x?xf32>):
    %e = linalg.exp {vortex.id = "exp"} ins(%pa : tensor<?x?xf32>) outs(%pa : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%e, %pb : tensor<?x?xf32>, tensor<?x?xf32>)
        outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @library_cublas schedule {
      // expected-error @+1 {{leaves to library 'cublas' a product of what is computed in its kernel}}
      vortex.stage ["mm"] library "cublas"
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}
