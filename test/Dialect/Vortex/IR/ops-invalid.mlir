// RUN: vortex-opt %s --split-input-file --verify-diagnostics

// Kernels.
func.func @f(%O: tensor<?xf32>) {
  // expected-error @+1 {{has 0 results for 1 inits}}
  vortex.kernel "k" axes [] outs(%O : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>):
    vortex.yield
  }
  return
}

// -----

func.func @f(%O: tensor<?xf32>) {
  // expected-error @+1 {{result 0 has type 'tensor<4xf32>', its init 'tensor<?xf32>'}}
  %r = vortex.kernel "k" axes [] outs(%O : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>):
    %c = tensor.cast %o : tensor<?xf32> to tensor<4xf32>
    vortex.yield %c : tensor<4xf32>
  } : tensor<4xf32>
  return
}

// -----

func.func @f(%A: tensor<4xf32>, %O: tensor<?xf32>) {
  // expected-error @+1 {{payload arguments must have the types of the operands, inputs first}}
  %r = vortex.kernel "k" axes [] ins(%A : tensor<4xf32>) outs(%O : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>, %a: tensor<4xf32>):
    vortex.yield %o : tensor<?xf32>
  } : tensor<?xf32>
  return
}

// -----

func.func @f(%O: tensor<?xf32>) {
  // expected-error @+1 {{payload must end in a vortex.yield of the results}}
  %r = vortex.kernel "k" axes [] outs(%O : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>):
    vortex.yield
  } : tensor<?xf32>
  return
}

// -----

func.func @f(%O: tensor<?xf32>) {
  // expected-error @+1 {{payload must end in a vortex.yield of the results}}
  %r = vortex.kernel "k" axes [] outs(%O : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>):
    %c0 = arith.constant 0 : index
  } : tensor<?xf32>
  return
}

// -----

func.func @f(%O: tensor<?xf32>) {
  // expected-error @+1 {{payload has 2 anchors; a kernel has one at most}}
  %r = vortex.kernel "k" axes ["d0"] outs(%O : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>):
    %x = linalg.exp {vortex.anchor} ins(%o : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %y = linalg.exp {vortex.anchor} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %y : tensor<?xf32>
  } : tensor<?xf32>
  return
}

// -----

func.func @f(%O: tensor<?xf32>) {
  %r = vortex.kernel "k" axes ["d0"] outs(%O : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>):
    // expected-error @+1 {{is marked vortex.anchor but cannot be tiled}}
    %c0 = arith.constant {vortex.anchor} 0 : index
    vortex.yield %o : tensor<?xf32>
  } : tensor<?xf32>
  return
}

// -----

func.func @f(%O: tensor<?xf32>) {
  // expected-error @+1 {{names 2 axes, but its anchor has 1 loops}}
  %r = vortex.kernel "k" axes ["d0", "d1"] outs(%O : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>):
    %x = linalg.exp {vortex.anchor} ins(%o : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %x : tensor<?xf32>
  } : tensor<?xf32>
  return
}

// -----

func.func @f(%O: tensor<?xf32>) {
  // expected-error @+1 {{names axes, but no payload op is marked vortex.anchor}}
  %r = vortex.kernel "k" axes ["d0"] outs(%O : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>):
    vortex.yield %o : tensor<?xf32>
  } : tensor<?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  // expected-error @+1 {{candidates region needs one index argument for each of the 3 axes}}
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index):
    vortex.candidate @c schedule {
      vortex.stage ["p"]
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  // expected-error @+1 {{candidates region needs one index argument for each of the 3 axes}}
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: i64):
    vortex.candidate @c schedule {
      vortex.stage ["p"]
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      vortex.stage ["p"]
    }
    // expected-error @+1 {{has the name of an earlier candidate, @c}}
    vortex.candidate @c schedule {
      vortex.stage ["p"]
    }
  } : tensor<?x?xf32>
  return
}

// -----

// Candidates.
func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    // expected-error @+1 {{guard region must yield one 'i1'}}
    vortex.candidate @c guard {
      vortex.yield %m : index
    } schedule {
      vortex.stage ["p"]
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    // expected-error @+1 {{cost region must yield one 'f64'}}
    vortex.candidate @c cost {
      %x = arith.constant 1.0 : f32
      vortex.yield %x : f32
    } schedule {
      vortex.stage ["p"]
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    // expected-error @+1 {{cost region must yield one 'f64'}}
    vortex.candidate @c cost {
      %x = arith.constant 1.0 : f64
    } schedule {
      vortex.stage ["p"]
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    // expected-error @+1 {{has a schedule without a vortex.stage}}
    vortex.candidate @c schedule {
      vortex.level "l1" for (TSL 0 by %m) {
      }
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'vortex.candidate' op expects parent op 'vortex.kernel'}}
  vortex.candidate @c schedule {
    %c0 = arith.constant 0 : index
  }
  return
}

// -----

// Levels.
func.func @f(%n: index) {
  // expected-error @+1 {{'vortex.level' op belongs in the schedule of a vortex.candidate}}
  vortex.level "l1" for (TSL 0 by %n) {
  }
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op needs one class and one size for each axis}}
      "vortex.level"(%m) <{level = "l1", kind = 0 : i32, axes = array<i64: 0, 1>, classes = array<i32: 1, 1>, operandSegmentSizes = array<i32: 1, 0>}> ({
        vortex.stage ["p"]
      }) : (index) -> ()
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op needs one class and one size for each axis}}
      "vortex.level"(%m) <{level = "l1", kind = 0 : i32, axes = array<i64: 0>, classes = array<i32>, operandSegmentSizes = array<i32: 1, 0>}> ({
        vortex.stage ["p"]
      }) : (index) -> ()
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op has 0 loads and 1 load sizes}}
      "vortex.level"(%m, %n) <{level = "l1", kind = 0 : i32, axes = array<i64: 0>, classes = array<i32: 1>, operandSegmentSizes = array<i32: 1, 1>}> ({
        vortex.stage ["p"]
      }) : (index, index) -> ()
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op has an unknown axis class 7}}
      "vortex.level"(%m) <{level = "l1", kind = 0 : i32, axes = array<i64: 0>, classes = array<i32: 7>, operandSegmentSizes = array<i32: 1, 0>}> ({
        vortex.stage ["p"]
      }) : (index) -> ()
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op tiles axis 3, but the kernel has 3 axes}}
      vortex.level "l1" for (TSL 3 by %m) {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op tiles axis -1, but the kernel has 3 axes}}
      vortex.level "l1" for (TSL -1 by %m) {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op tiles axis "m" twice}}
      vortex.level "l1" for (TSL 0 by %m, TSL 0 by %n) {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op walks reduction axis "k" as TSL; use TRL, or PL with combine}}
      vortex.level "l1" for (TSL 2 by %k) {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op splits reduction axis "k" among parallel units without a combine}}
      vortex.level "core" forall (PL 2 by %k) {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op walks parallel axis "n" as TRL}}
      vortex.level "l1" for (TRL 1 by %n) {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op gives axis "m" to parallel units in a sequential loop}}
      vortex.level "l1" for (PL 0 by %m) {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op loads input 2, but the kernel has 2}}
      vortex.level "l2" for (TSL 0 by %m) load (<operand = 2, layout = pack, axis = 0> by %m) {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op loads input -1, but the kernel has 2}}
      vortex.level "l2" for (TSL 0 by %m) load (<operand = -1, layout = pack, axis = 0> by %m) {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op lays out input 0 along axis 3, which the kernel does not have}}
      vortex.level "l2" for (TSL 0 by %m) load (<operand = 0, layout = pack, axis = 3> by %m) {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op needs at least one stage, got 0}}
      vortex.level "l2" for (TSL 0 by %m) stages(0) {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op has role "idler"; roles are producer and consumer}}
      vortex.level "l2" for (TSL 0 by %m) role("idler") {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op needs at least one warp, got 0}}
      vortex.level "l2" for (TSL 0 by %m) warps(0) {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op stores runs of 0 elements}}
      vortex.level "l2" for (TSL 0 by %m) store(0) {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{expected for, forall, grid or persistent, got 'while'}}
      vortex.level "l2" while (TSL 0 by %m) {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{expected PL, TSL or TRL, got 'SL'}}
      vortex.level "l2" for (SL 0 by %m) {
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.level' op holds a arith.constant; only vortex.level and vortex.stage belong here}}
      vortex.level "l2" for (TSL 0 by %m) {
        %c0 = arith.constant 0 : index
        vortex.stage ["p"]
      }
    }
  } : tensor<?x?xf32>
  return
}

// -----

// Stages.
func.func @f() {
  // expected-error @+1 {{'vortex.stage' op belongs in the schedule of a vortex.candidate}}
  vortex.stage ["p"]
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.stage' op names no payload op}}
      vortex.stage []
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.stage' op names payload op "q", which the kernel does not have}}
      vortex.stage ["q"]
    }
  } : tensor<?x?xf32>
  return
}

// -----

func.func @f(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @c schedule {
      // expected-error @+1 {{'vortex.stage' op is either a micro-kernel or a library call, not both}}
      vortex.stage ["p"] micro <instruction = "fma", rows = 1, vectors = 1, lanes = 16> library "gemm"
    }
  } : tensor<?x?xf32>
  return
}

// -----

// Register tiles.
// expected-error @+1 {{micro-kernel needs an instruction}}
#bad = #vortex.micro<instruction = "", rows = 1, vectors = 1, lanes = 16>

// -----

// expected-error @+1 {{micro-kernel field 'rows' must be at least 1, got 0}}
#bad = #vortex.micro<instruction = "fma", rows = 0, vectors = 1, lanes = 16, unroll = 1>

// -----

// expected-error @+1 {{micro-kernel field 'vectors' must be at least 1, got 0}}
#bad = #vortex.micro<instruction = "fma", rows = 1, vectors = 0, lanes = 16, unroll = 1>

// -----

// expected-error @+1 {{micro-kernel field 'lanes' must be at least 1, got 0}}
#bad = #vortex.micro<instruction = "fma", rows = 1, vectors = 1, lanes = 0, unroll = 1>

// -----

// expected-error @+1 {{micro-kernel field 'turns' is of instruction 'tile' alone}}
#bad = #vortex.micro<instruction = "fma", rows = 1, vectors = 1, lanes = 1, unroll = 1, turns = true>

// -----

// expected-error @+1 {{micro-kernel field 'unroll' must be at least 1, got 0}}
#bad = #vortex.micro<instruction = "fma", rows = 1, vectors = 1, lanes = 16, unroll = 0>

// -----

// expected-error @+1 {{micro-kernel field 'prefetch' must not be negative}}
#bad = #vortex.micro<instruction = "fma", rows = 1, vectors = 1, lanes = 16, prefetch = -1>

// -----

func.func @f(%a: tensor<4xf32>, %c: tensor<?xf32>) {
  // expected-error @+1 {{body arguments must have the types of the operands, inputs first}}
  %r = vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 8, lane_axis = 0> ins(%a : tensor<4xf32>) outs(%c : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>, %x: tensor<4xf32>):
    vortex.yield %o : tensor<?xf32>
  } : tensor<?xf32>
  return
}

// -----

func.func @f(%c: tensor<?xf32>) {
  // expected-error @+1 {{has 0 results for 1 inits}}
  vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 8, lane_axis = 0> outs(%c : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>):
    vortex.yield
  }
  return
}

// -----

func.func @f(%c: tensor<?xf32>) {
  // expected-error @+1 {{body must end in a vortex.yield of the results}}
  %r = vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 8, lane_axis = 0> outs(%c : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>):
    vortex.yield
  } : tensor<?xf32>
  return
}

// -----

// Calls of kernels.
func.func @f(%t: tensor<?xf32>) {
  // expected-error @+1 {{has 0 results for 1 inits}}
  vortex.kernel_call @k outs(%t : tensor<?xf32>)
  return
}

// -----

func.func @f(%m: memref<?xf32>) {
  // expected-error @+1 {{says that operand 1 is dense, but has 1 operands}}
  vortex.kernel_call @k outs(%m : memref<?xf32>) dense [1]
  return
}

// -----

func.func @f(%m: memref<?xf32>) {
  // expected-error @+1 {{says that operand -1 is packed, but has 1 operands}}
  vortex.kernel_call @k outs(%m : memref<?xf32>) packed [-1]
  return
}

// -----

func.func @f(%m: memref<?xf32>) {
  // expected-error @+1 {{on memrefs has no results}}
  %r = vortex.kernel_call @k outs(%m : memref<?xf32>) : tensor<?xf32>
  return
}

// -----

func.func @f(%t: tensor<?xf32>) {
  // expected-error @+1 {{result 0 has type 'tensor<4xf32>', its init 'tensor<?xf32>'}}
  %r = vortex.kernel_call @k outs(%t : tensor<?xf32>) : tensor<4xf32>
  return
}

// -----

// Tensors and memrefs do not mix.
func.func @f(%t: tensor<?xf32>, %m: memref<?xf32>) {
  // expected-error @+1 {{result 1 has type 'tensor<?xf32>', its init 'memref<?xf32>'}}
  %r:2 = vortex.kernel_call @k outs(%t, %m : tensor<?xf32>, memref<?xf32>) : tensor<?xf32>, tensor<?xf32>
  return
}

// -----

// What selection asks.
func.func @f(%c: index, %ok: i1, %x: f64) {
  // expected-error @+1 {{needs a guard and a cost for each of its 2 candidates}}
  %0 = vortex.select "mm" ["a", "b"] %c allowed(%ok) costs(%x, %x)
  return
}

// -----

func.func @f(%c: index, %ok: i1, %x: f64) {
  // expected-error @+1 {{needs a guard and a cost for each of its 2 candidates}}
  %0 = vortex.select "mm" ["a", "b"] %c allowed(%ok, %ok) costs(%x)
  return
}

// -----

func.func @f(%c: index, %ok: i1, %x: f64) {
  // expected-error @+1 {{needs a guard and a cost for each of its 2 candidates, or none without a choice}}
  vortex.report "mm" ["a", "b"] choice %c allowed(%ok, %ok) costs(%x)
  return
}

// -----

func.func @f(%t: tensor<?x?xf32>) {
  // expected-error @+1 {{asks for dimension 2 of a value of rank 2}}
  %0 = vortex.stride %t, 2 : tensor<?x?xf32>
  return
}

// -----

func.func @f(%t: tensor<?x?xf32>) {
  // expected-error @+1 {{asks for dimension -1 of a value of rank 2}}
  %0 = vortex.stride %t, -1 : tensor<?x?xf32>
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error @+1 {{must be ranked tensor}}
  %0 = "vortex.alignment"(%x) : (f32) -> index
  return
}

// -----

func.func @f(%A: tensor<?xf32>, %O: tensor<?xf32>) {
  // expected-error @+1 {{candidates region has arguments behind the axes; they must have the types of the operands, inputs first}}
  %r = vortex.kernel "k" axes ["n"] ins(%A : tensor<?xf32>) outs(%O : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %p = linalg.exp {vortex.anchor, vortex.id = "p"} ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } candidates {
  ^bb0(%n: index, %x: tensor<?xf32>):
    vortex.candidate @c schedule {
      vortex.stage ["p"]
    }
  } : tensor<?xf32>
  return
}

// -----

func.func @f(%A: tensor<?xf32>, %O: tensor<?xf32>) {
  %r = vortex.kernel "k" axes ["n"] ins(%A : tensor<?xf32>) outs(%O : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %p = linalg.exp {vortex.anchor, vortex.id = "p"} ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } candidates {
  ^bb0(%n: index, %x: tensor<?xf32>, %y: tensor<?xf32>):
    // expected-error @+1 {{uses an operand in the candidates region, where only vortex.stride and vortex.alignment may ask about it}}
    %c = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
    vortex.candidate @c schedule {
      vortex.stage ["p"]
    }
  } : tensor<?xf32>
  return
}

// -----

func.func @f(%t: tensor<?x?xf32>) {
  // expected-error @+1 {{names 1 sizes of a value of rank 2}}
  %0 = vortex.match %t ["rows"] : tensor<?x?xf32>
  return
}

// -----

func.func @f(%t: tensor<?x?xf32>) {
  // expected-error @+1 {{binds '4 * rows', which is not a name; names are letters, digits, '_', '.' and '$'}}
  %0 = vortex.match %t ["rows", "4 * rows"] : tensor<?x?xf32>
  return
}

// -----

// Results.
func.func @f(%n: index) {
  // expected-error @+1 {{has 1 sizes for 2 unknown extents}}
  %0 = vortex.result 0(%n) : memref<?x?xf32>
  return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{has 1 sizes for 0 unknown extents}}
  %0 = vortex.result 0(%n) : tensor<4xf32>
  return
}

// -----

// Attributes on the ops of other dialects.
// expected-error @+1 {{attribute 'vortex.targets' must be a non-empty array of #vortex.hw}}
module attributes {vortex.targets = []} {
}

// -----

// expected-error @+1 {{attribute 'vortex.targets' must be a non-empty array of #vortex.hw}}
module attributes {vortex.targets = ["x86"]} {
}

// -----

// expected-error @+1 {{attribute 'vortex.where' must be an array of strings on a function}}
module attributes {vortex.where = ["M >= 1"]} {
}

// -----

// expected-error @+1 {{attribute 'vortex.where' must be an array of strings on a function}}
func.func private @f() attributes {vortex.where = [1]}

// -----

func.func @f() {
  // expected-error @+1 {{attribute 'vortex.anchor' must be a unit}}
  %c0 = arith.constant {vortex.anchor = 1} 0 : index
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{attribute 'vortex.id' must be a string}}
  %c0 = arith.constant {vortex.id = 1} 0 : index
  return
}

// -----

// expected-error @+1 {{micro-kernel field 'narrow_rows' must be 0 or at least 'rows', 14, got 8}}
#bad = #vortex.micro<instruction = "fma", rows = 14, vectors = 2, lanes = 16, narrow_rows = 8>

// -----

// expected-error @+1 {{micro-kernel fields 'opcode' and 'group' (at least 2) are those of instructions 'dot' and 'tile', which need both}}
#bad = #vortex.micro<instruction = "dot", rows = 14, vectors = 2, lanes = 16>

// -----

// expected-error @+1 {{micro-kernel fields 'opcode' and 'group' (at least 2) are those of instructions 'dot' and 'tile', which need both}}
#bad = #vortex.micro<instruction = "fma", rows = 14, vectors = 2, lanes = 16, group = 4>

// -----

// expected-error @+1 {{field 'group' of a load must be at least 1, got 0}}
#bad = #vortex.load<operand = 0, layout = panel, axis = 1, group = 0>

// -----

// expected-error @+1 {{a load in layout 'copy' has no groups; pack, panel and tile have}}
#bad = #vortex.load<operand = 0, layout = copy, axis = 1, group = 4>

// -----

// expected-error @+1 {{a load in layout 'tile' needs a 'group', the elements of a row of a tile}}
#bad = #vortex.load<operand = 0, layout = tile, axis = 0>

// -----

// expected-error @+1 {{micro-kernel fields 'opcode' and 'group' (at least 2) are those of instructions 'dot' and 'tile', which need both}}
#bad = #vortex.micro<instruction = "tile", rows = 32, vectors = 2, lanes = 16, opcode = "tdpbssd">

// -----

func.func @f(%s: vector<16xi32>, %a: vector<64xi8>) -> vector<16xi32> {
  // expected-error @+1 {{uses 'vpdpxyz' on vectors of 512 bits, for which no code is known}}
  %0 = vortex.dot_product "vpdpxyz" %s, %a, %a : vector<64xi8>, vector<64xi8> -> vector<16xi32>
  return %0 : vector<16xi32>
}

// -----

func.func @f(%s: vector<16xi32>, %a: vector<32xi8>) -> vector<16xi32> {
  // expected-error @+1 {{has a sum of 512 bits and factors of 256 and 256 bits}}
  %0 = vortex.dot_product "vpdpbusd" %s, %a, %a : vector<32xi8>, vector<32xi8> -> vector<16xi32>
  return %0 : vector<16xi32>
}

// -----

func.func @f(%v: vector<16xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{has 3 vectors, which are not rows of 2}}
  %0 = vortex.store_tile %v, %v, %v : vector<16xf32>, vector<16xf32>, vector<16xf32> into %t : tensor<?x?xf32> {row_dim = 2 : i64, vectors = 2 : i64}
  return %0 : tensor<?x?xf32>
}

// -----

func.func @f(%v: vector<16xf32>, %m: vector<16xi1>, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{has 2 masks for 1 vectors of a row}}
  %0 = vortex.store_tile %v : vector<16xf32> masks(%m, %m : vector<16xi1>, vector<16xi1>) into %t : tensor<?x?xf32> {row_dim = 2 : i64, vectors = 1 : i64}
  return %0 : tensor<?x?xf32>
}

// -----

func.func @f(%v: vector<16xf32>, %m: vector<8xi1>, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{masks 'vector<16xf32>' by 'vector<8xi1>'}}
  %0 = vortex.store_tile %v : vector<16xf32> masks(%m : vector<8xi1>) into %t : tensor<?x?xf32> {row_dim = 2 : i64, vectors = 1 : i64}
  return %0 : tensor<?x?xf32>
}

// -----

func.func @f(%v: vector<16xf32>, %t: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{writes rows into a tensor without dimensions}}
  %0 = vortex.store_tile %v : vector<16xf32> into %t : tensor<f32> {row_dim = 0 : i64, vectors = 1 : i64}
  return %0 : tensor<f32>
}

// -----

func.func @f(%v: vector<16xf32>, %t: tensor<?x?xf64>) -> tensor<?x?xf64> {
  // expected-error @+1 {{writes 'vector<16xf32>' into 'tensor<?x?xf64>'}}
  %0 = vortex.store_tile %v : vector<16xf32> into %t : tensor<?x?xf64> {row_dim = 2 : i64, vectors = 1 : i64}
  return %0 : tensor<?x?xf64>
}

// -----

func.func @f(%v: vector<16xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{has its rows in dimension 3 from the end of 'tensor<?x?xf32>'}}
  %0 = vortex.store_tile %v : vector<16xf32> into %t : tensor<?x?xf32> {row_dim = 3 : i64, vectors = 1 : i64}
  return %0 : tensor<?x?xf32>
}

// -----

func.func @f(%v: vector<16xf32>, %t: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{has several rows and no dimension for them}}
  %0 = vortex.store_tile %v, %v : vector<16xf32>, vector<16xf32> into %t : tensor<?xf32> {row_dim = 0 : i64, vectors = 1 : i64}
  return %0 : tensor<?xf32>
}

// -----

func.func @f(%v: vector<16xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{writes flat lanes, which are one vector with a mask of whole rows of a tensor}}
  %0 = vortex.store_tile %v : vector<16xf32> into %t : tensor<?x?xf32> {row_dim = 2 : i64, vectors = 1 : i64, flat}
  return %0 : tensor<?x?xf32>
}

// -----

func.func @f(%v: vector<16xf32>, %i: vector<8xi32>) -> vector<16xf32> {
  // expected-error @+1 {{chooses lanes of 'vector<16xf32>' by 'vector<8xi32>'}}
  %0 = vortex.permute %v, %v by %i : vector<16xf32>, vector<8xi32>
  return %0 : vector<16xf32>
}

// -----

func.func @f(%v: vector<8xf32>, %i: vector<8xi32>) -> vector<8xf32> {
  // expected-error @+1 {{takes vectors of 512 bits, not of 256}}
  %0 = vortex.permute %v, %v by %i : vector<8xf32>, vector<8xi32>
  return %0 : vector<8xf32>
}
