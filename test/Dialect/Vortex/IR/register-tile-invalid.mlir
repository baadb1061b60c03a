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

// -----

// Matrix tiles: 2 x 2 of sums with two rows and two columns fill eight registers.
#hw = #vortex.hw<isa = "x86-avx512-amx", chip = "test", triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v4", features = "+avx512f,+amx-int8",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 10, granularity = 64>,
    <"core", units = 2, startup = 300>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 100, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 2048, granularity = 64>],
  instructions = [<"tdpbssd", kind = tile, type = i8 x i8 -> i32, shape = 16x16x64, rate = 6500, registers = 8, feature = "amx-int8">]>
module attributes {vortex.targets = [#hw]} {
  func.func @f(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
    %r = vortex.kernel "k" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%c : tensor<?x?xi32>) {
    ^bb0(%x: tensor<?x?xi8>, %y: tensor<?x?xi8>, %o: tensor<?x?xi32>):
      %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%x, %y : tensor<?x?xi8>, tensor<?x?xi8>)
                                                           outs(%o : tensor<?x?xi32>) -> tensor<?x?xi32>
      vortex.yield %p : tensor<?x?xi32>
    } candidates {
    ^bb0(%m: index, %n: index, %k: index):
      vortex.candidate @fits schedule {
        vortex.level "register" for (TSL 0 by %m) {
          vortex.stage ["mm"] micro <instruction = "tile", rows = 32, vectors = 2, lanes = 16, unroll = 16, opcode = "tdpbssd", group = 4>
        }
      }
      vortex.candidate @large schedule {
        vortex.level "register" for (TSL 0 by %m) {
          // expected-error @+1 {{needs 2 x 3 + 2 + 3 = 11 tiles; instruction 'tdpbssd' of target x86-avx512-amx has 8}}
          vortex.stage ["mm"] micro <instruction = "tile", rows = 32, vectors = 3, lanes = 16, unroll = 16, opcode = "tdpbssd", group = 4>
        }
      }
    } : tensor<?x?xi32>
    return %r : tensor<?x?xi32>
  }
}

// -----

// Rows of tiles that the instruction has no whole ones of.
#hw = #vortex.hw<isa = "x86-avx512-amx", chip = "test", triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v4", features = "+avx512f,+amx-int8",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 10, granularity = 64>,
    <"core", units = 2, startup = 300>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 100, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 2048, granularity = 64>],
  instructions = [<"tdpbssd", kind = tile, type = i8 x i8 -> i32, shape = 16x16x64, rate = 6500, registers = 8, feature = "amx-int8">]>
module attributes {vortex.targets = [#hw]} {
  func.func @f(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
    %r = vortex.kernel "k" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%c : tensor<?x?xi32>) {
    ^bb0(%x: tensor<?x?xi8>, %y: tensor<?x?xi8>, %o: tensor<?x?xi32>):
      %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%x, %y : tensor<?x?xi8>, tensor<?x?xi8>)
                                                           outs(%o : tensor<?x?xi32>) -> tensor<?x?xi32>
      vortex.yield %p : tensor<?x?xi32>
    } candidates {
    ^bb0(%m: index, %n: index, %k: index):
      vortex.candidate @half schedule {
        vortex.level "register" for (TSL 0 by %m) {
          // expected-error @+1 {{has 24 rows of tiles with 16 columns and 16 x 4 steps in 'i32'; instruction 'tdpbssd' of target x86-avx512-amx has 16x16x64 in 'i32'}}
          vortex.stage ["mm"] micro <instruction = "tile", rows = 24, vectors = 2, lanes = 16, unroll = 16, opcode = "tdpbssd", group = 4>
        }
      }
    } : tensor<?x?xi32>
    return %r : tensor<?x?xi32>
  }
}

// -----

// No such instruction.
#hw = #vortex.hw<isa = "x86-avx512-amx", chip = "test", triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v4", features = "+avx512f,+amx-int8",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 10, granularity = 64>,
    <"core", units = 2, startup = 300>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 100, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 2048, granularity = 64>],
  instructions = [<"tdpbssd", kind = tile, type = i8 x i8 -> i32, shape = 16x16x64, rate = 6500, registers = 8, feature = "amx-int8">]>
module attributes {vortex.targets = [#hw]} {
  func.func @f(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
    %r = vortex.kernel "k" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%c : tensor<?x?xi32>) {
    ^bb0(%x: tensor<?x?xi8>, %y: tensor<?x?xi8>, %o: tensor<?x?xi32>):
      %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%x, %y : tensor<?x?xi8>, tensor<?x?xi8>)
                                                           outs(%o : tensor<?x?xi32>) -> tensor<?x?xi32>
      vortex.yield %p : tensor<?x?xi32>
    } candidates {
    ^bb0(%m: index, %n: index, %k: index):
      vortex.candidate @other schedule {
        vortex.level "register" for (TSL 0 by %m) {
          // expected-error @+1 {{uses 'tdpbuud', which target x86-avx512-amx does not have}}
          vortex.stage ["mm"] micro <instruction = "tile", rows = 32, vectors = 2, lanes = 16, unroll = 16, opcode = "tdpbuud", group = 4>
        }
      }
    } : tensor<?x?xi32>
    return %r : tensor<?x?xi32>
  }
}
