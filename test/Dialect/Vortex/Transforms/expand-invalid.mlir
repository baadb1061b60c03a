// RUN: vortex-opt %s --split-input-file --verify-diagnostics --vortex-expand=candidate=c

// The candidate that was asked for.
func.func @f(%X: tensor<?xf32>, %O: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'vortex.kernel' op has no candidate 'c'}}
  %r = vortex.kernel "k" axes ["d0"] ins(%X : tensor<?xf32>) outs(%O : tensor<?xf32>) {
  ^bb0(%x: tensor<?xf32>, %o: tensor<?xf32>):
    %p = linalg.exp {vortex.anchor, vortex.id = "p"} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } candidates {
  ^bb0(%n: index):
    vortex.candidate @rows schedule {
      vortex.stage ["p"]
    }
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// The tree names ops by id, the anchor among them.
func.func @f(%X: tensor<?xf32>, %O: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'vortex.kernel' op has an anchor without a vortex.id}}
  %r = vortex.kernel "k" axes ["d0"] ins(%X : tensor<?xf32>) outs(%O : tensor<?xf32>) {
  ^bb0(%x: tensor<?xf32>, %o: tensor<?xf32>):
    %p = linalg.exp {vortex.anchor} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %q = linalg.exp {vortex.id = "q"} ins(%p : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %q : tensor<?xf32>
  } candidates {
  ^bb0(%n: index):
    vortex.candidate @c schedule {
      vortex.stage ["q"]
    }
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A row is not an axis of the op behind a reduction of rows.
func.func @f(%X: tensor<?x?xf32>, %E: tensor<?xf32>, %O: tensor<?xf32>) -> tensor<?xf32> {
  %r = vortex.kernel "k" axes ["d0", "d1"] ins(%X, %E : tensor<?x?xf32>, tensor<?xf32>) outs(%O : tensor<?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %e: tensor<?xf32>, %o: tensor<?xf32>):
    %p = linalg.reduce {arith.addf} ins(%x : tensor<?x?xf32>) outs(%e : tensor<?xf32>) dimensions = [1] {vortex.anchor, vortex.id = "p"}
    %q = linalg.exp {vortex.id = "q"} ins(%p : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %q : tensor<?xf32>
  } candidates {
  ^bb0(%m: index, %n: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op tiles axis "d1", which the last op of its stages does not walk}}
      vortex.level "l1" for (TRL 1 by %n) {
        vortex.stage ["p", "q"]
      }
    }
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Loads of what the anchor does not read, and along what does not index it.
func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %X: tensor<?xf32>, %O: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{'vortex.kernel' op loads input 2, which its anchor does not read}}
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B, %X : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %x: tensor<?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      vortex.level "device" for () load (<operand = 2, layout = panel, axis = 1> by %n) {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{'vortex.kernel' op lays out input 1 along axis "m", which does not index it alone}}
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      vortex.level "device" for () load (<operand = 1, layout = panel, axis = 0> by %n) {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Register tiles of ops that different loops hold, unless all that is outside is a fill.
func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %C: tensor<?x?xf32>, %O: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B, %C : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %f = linalg.exp {vortex.id = "f"} ins(%c : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c8 = arith.constant 8 : index
    vortex.candidate @c schedule {
      vortex.level "l1" for (TRL 2 by %c8) {
        // expected-error @+1 {{'vortex.stage' op names payload ops at different levels}}
        vortex.stage ["f", "p"] micro <instruction = "fma", rows = 8, vectors = 2, lanes = 16>
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

func.func @f(%X: tensor<?xf32>, %O: tensor<?xf32>) -> tensor<?xf32> {
  %r = vortex.kernel "k" axes ["d0"] ins(%X : tensor<?xf32>) outs(%O : tensor<?xf32>) {
  ^bb0(%x: tensor<?xf32>, %o: tensor<?xf32>):
    %p = linalg.exp {vortex.anchor, vortex.id = "p"} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %o : tensor<?xf32>
  } candidates {
  ^bb0(%n: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.stage' op computes nothing that is used}}
      vortex.stage ["p"] micro <instruction = "vector", rows = 1, vectors = 1, lanes = 16, lane_axis = 0>
    }
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A size that no operand gives.
func.func @f(%O: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'vortex.kernel' op has an axis whose size no operand of the kernel gives}}
  %r = vortex.kernel "k" axes ["d0"] outs(%O : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>):
    %c8 = arith.constant 8 : index
    %c9 = arith.addi %c8, %c8 : index
    %e = tensor.empty(%c9) : tensor<?xf32>
    %p = linalg.exp {vortex.anchor, vortex.id = "p"} ins(%e : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } candidates {
  ^bb0(%n: index):
    vortex.candidate @c schedule {
      vortex.stage ["p"]
    }
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A register tile has code for its exact rows only,
func.func @f(%A: tensor<?x?x?xf32>, %B: tensor<?x?x?xf32>, %C: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %r = vortex.kernel "k" axes ["b", "m", "n", "k"] ins(%A, %B : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%C : tensor<?x?x?xf32>) {
  ^bb0(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %c: tensor<?x?x?xf32>):
    %p = linalg.batch_matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    vortex.yield %p : tensor<?x?x?xf32>
  } candidates {
  ^bb0(%batch: index, %m: index, %n: index, %k: index):
    %c1 = arith.constant 1 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %c16 = arith.constant 16 : index
    %c17 = arith.constant 17 : index
    vortex.candidate @c schedule {
      vortex.level "register" for (TSL 0 by %c1, TSL 1 by %c7, TSL 2 by %c16) {
        // expected-error @+1 {{'vortex.stage' op runs in a tile of 7 of axis m; its micro-kernel has code for at most 6}}
        vortex.stage ["p"] micro <instruction = "fma", rows = 6, vectors = 2, lanes = 8>
      }
    }
  } : tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// -----

// for its vectors,
func.func @f(%A: tensor<?x?x?xf32>, %B: tensor<?x?x?xf32>, %C: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %r = vortex.kernel "k" axes ["b", "m", "n", "k"] ins(%A, %B : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%C : tensor<?x?x?xf32>) {
  ^bb0(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %c: tensor<?x?x?xf32>):
    %p = linalg.batch_matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    vortex.yield %p : tensor<?x?x?xf32>
  } candidates {
  ^bb0(%batch: index, %m: index, %n: index, %k: index):
    %c1 = arith.constant 1 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %c16 = arith.constant 16 : index
    %c17 = arith.constant 17 : index
    vortex.candidate @c schedule {
      vortex.level "register" for (TSL 0 by %c1, TSL 1 by %c6, TSL 2 by %c17) {
        // expected-error @+1 {{'vortex.stage' op runs in a tile of 17 of axis n; its micro-kernel has code for at most 16}}
        vortex.stage ["p"] micro <instruction = "fma", rows = 6, vectors = 2, lanes = 8>
      }
    }
  } : tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// -----

// and for one element of what it does not walk.
func.func @f(%A: tensor<?x?x?xf32>, %B: tensor<?x?x?xf32>, %C: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %r = vortex.kernel "k" axes ["b", "m", "n", "k"] ins(%A, %B : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%C : tensor<?x?x?xf32>) {
  ^bb0(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %c: tensor<?x?x?xf32>):
    %p = linalg.batch_matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    vortex.yield %p : tensor<?x?x?xf32>
  } candidates {
  ^bb0(%batch: index, %m: index, %n: index, %k: index):
    %c1 = arith.constant 1 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %c16 = arith.constant 16 : index
    %c17 = arith.constant 17 : index
    vortex.candidate @c schedule {
      vortex.level "register" for (TSL 1 by %c6, TSL 2 by %c16) {
        // expected-error @+1 {{'vortex.stage' op runs in a tile of all of axis b; its micro-kernel has code for at most 1}}
        vortex.stage ["p"] micro <instruction = "fma", rows = 6, vectors = 2, lanes = 8>
      }
    }
  } : tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// -----

// Narrow tiles are taller only where they are narrow.
func.func @f(%A: tensor<?x?x?xf32>, %B: tensor<?x?x?xf32>, %C: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %r = vortex.kernel "k" axes ["b", "m", "n", "k"] ins(%A, %B : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%C : tensor<?x?x?xf32>) {
  ^bb0(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %c: tensor<?x?x?xf32>):
    %p = linalg.batch_matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    vortex.yield %p : tensor<?x?x?xf32>
  } candidates {
  ^bb0(%batch: index, %m: index, %n: index, %k: index):
    %c1 = arith.constant 1 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %c16 = arith.constant 16 : index
    %c17 = arith.constant 17 : index
    vortex.candidate @c schedule {
      vortex.level "register" for (TSL 0 by %c1, TSL 1 by %c7, TSL 2 by %c16) {
        // expected-error @+1 {{'vortex.stage' op runs in a tile of 7 of axis m; its micro-kernel has code for at most 6}}
        vortex.stage ["p"] micro <instruction = "fma", rows = 6, vectors = 2, lanes = 8, narrow_rows = 8>
      }
    }
  } : tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// -----

// Parts of a contraction alone have a nest on tensors.
func.func @f(%X: tensor<?x?xf32>, %O: tensor<?xf32>) -> tensor<?xf32> {
  %r = vortex.kernel "k" axes ["m", "n"] ins(%X : tensor<?x?xf32>) outs(%O : tensor<?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %o: tensor<?xf32>):
    %p = linalg.reduce {arith.addf} ins(%x : tensor<?x?xf32>) outs(%o : tensor<?xf32>) dimensions = [1] {vortex.anchor, vortex.id = "p"}
    vortex.yield %p : tensor<?xf32>
  } candidates {
  ^bb0(%m: index, %n: index):
    %c64 = arith.constant 64 : index
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op divides a reduction among units, and the anchor is no contraction with one result}}
      vortex.level "core" forall (PL 1 by %c64) combine("add") {
        vortex.stage ["p"]
      }
    }
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Parts of a contraction are added.
func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "k" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c64 = arith.constant 64 : index
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op combines by 'max'; parts of a contraction are added}}
      vortex.level "core" forall (PL 2 by %c64) combine("max") {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Rows and columns are divided by levels of their own.
func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "k" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c64 = arith.constant 64 : index
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op divides a reduction among units, and other loops with it}}
      vortex.level "core" forall (PL 0 by %c64, PL 2 by %c64) combine("add") {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// A step of a window reads what others read, too.
func.func @f(%A: tensor<?x?x?xf32>, %B: tensor<?x?x?xf32>, %O: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %r = vortex.kernel "k" axes ["n", "w", "f", "kw", "c"] ins(%A, %B : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%O : tensor<?x?x?xf32>) {
  ^bb0(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %o: tensor<?x?x?xf32>):
    %p = linalg.conv_1d_nwc_wcf {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%o : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    vortex.yield %p : tensor<?x?x?xf32>
  } candidates {
  ^bb0(%n: index, %w: index, %f: index, %kw: index, %c: index):
    %c64 = arith.constant 64 : index
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op divides a reduction that is no sum, or that an operand is not indexed by once and alone}}
      vortex.level "core" forall (PL 3 by %c64) combine("add") {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// -----

// The largest of products is no sum.
func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "k" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.generic {vortex.anchor, vortex.id = "p", indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
        affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %t = arith.mulf %x, %y : f32
      %u = arith.maximumf %s, %t : f32
      linalg.yield %u : f32
    } -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op divides a reduction that is no sum, or that an operand is not indexed by once and alone}}
      vortex.level "core" forall (PL 2 by %c64) combine("add") {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// A diagonal has each step in two dimensions.
func.func @f(%A: tensor<?x?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "k" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.generic {vortex.anchor, vortex.id = "p", indexing_maps = [affine_map<(m, n, k) -> (m, k, k)>, affine_map<(m, n, k) -> (k, n)>,
        affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %t = arith.mulf %x, %y : f32
      %u = arith.addf %s, %t : f32
      linalg.yield %u : f32
    } -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op divides a reduction that is no sum, or that an operand is not indexed by once and alone}}
      vortex.level "core" forall (PL 2 by %c64) combine("add") {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// A part is of the whole reduction.
func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "k" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    vortex.candidate @c schedule {
      vortex.level "l2" for (TRL 2 by %c256) {
        // expected-error @+1 {{'vortex.level' op divides a reduction that a level around it walks}}
        vortex.level "core" forall (PL 2 by %c64) combine("add") {
          vortex.stage ["p"]
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// What follows the product is behind the sum of its parts.
func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "k" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    %q = linalg.abs {vortex.id = "q"} ins(%p : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %q : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op divides a reduction among units, and holds payload op 'q', which is no part of it}}
      vortex.level "core" forall (PL 2 by %c64) combine("add") {
        vortex.level "register" for (TSL 0 by %c64) {
          vortex.stage ["p"]
          vortex.stage ["q"]
        }
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
