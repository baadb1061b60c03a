// RUN: vortex-opt %s --split-input-file --verify-diagnostics

// A tile of 15 x 2 vectors and what feeds it do not fit in 32 registers; 14 x 2 do.
#hw = #vortex.hw<isa = "x86-avx512", chip = "test", triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v4", features = "+avx512f",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 10, granularity = 64>,
    <"core", units = 2, startup = 300>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 100, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 2048, granularity = 64>],
  instructions = []>
module attributes {vortex.targets = [#hw]} {
  func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %r = vortex.kernel "k" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
    ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %o: tensor<?x?xf32>):
      %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>)
                                                           outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
      vortex.yield %p : tensor<?x?xf32>
    } candidates {
    ^bb0(%m: index, %n: index, %k: index):
      vortex.candidate @fits schedule {
        vortex.level "register" for (TSL 0 by %m) {
          vortex.stage ["mm"] micro <instruction = "fma", rows = 14, vectors = 2, lanes = 16>
        }
      }
      vortex.candidate @large schedule {
        vortex.level "register" for (TSL 0 by %m) {
          // expected-error @+1 {{needs 15 rows x 2 + 2 + 1 = 33 vector registers; level 'register' of target x86-avx512 holds 32}}
          vortex.stage ["mm"] micro <instruction = "fma", rows = 15, vectors = 2, lanes = 16>
        }
      }
    } : tensor<?x?xf32>
    return %r : tensor<?x?xf32>
  }
}

// -----

// On registers of 32 bytes a vector of 16 floats is two.
#hw = #vortex.hw<isa = "x86-avx2", chip = "test", triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3", features = "+avx2,+fma",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 10, granularity = 64>,
    <"core", units = 2, startup = 300>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 100, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 512, granularity = 32>],
  instructions = []>
module attributes {vortex.targets = [#hw]} {
  func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %r = vortex.kernel "k" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
    ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %o: tensor<?x?xf32>):
      %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>)
                                                           outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
      vortex.yield %p : tensor<?x?xf32>
    } candidates {
    ^bb0(%m: index, %n: index, %k: index):
      vortex.candidate @wide schedule {
        vortex.level "register" for (TSL 0 by %m) {
          // expected-error @+1 {{needs 7 rows x 2 + 2 + 1 = 17 vector registers; level 'register' of target x86-avx2 holds 16}}
          vortex.stage ["mm"] micro <instruction = "fma", rows = 7, vectors = 1, lanes = 16>
        }
      }
    } : tensor<?x?xf32>
    return %r : tensor<?x?xf32>
  }
}
