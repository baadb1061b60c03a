// RUN: vortex-opt %s --vortex-describe-kernels | FileCheck %s

// Formulas are simplified; terms that occur twice have names; casts are not
// seen; parentheses only where they matter; each name is listed once.
// CHECK: module attributes {vortex.kernels = [
// CHECK-SAME: {axes = ["m"], candidates = ["a", "b"],
// CHECK-SAME: costs = ["t1 = m * 2 - (m - 3)\0At1 / (t1 + l2.bandwidth * 8)", "m < 5 ? ceildiv(m, 4) : max(m, 7)"]
// CHECK-SAME: guards = ["", "m % 2 == 0 and m // 3 >= 9"]
// CHECK-SAME: name = "k"}
// CHECK-SAME: {axes = ["m"], candidates = [], fallback, name = "loops"},
// In a parallel loop there is one thread, however much a kernel there is like one outside.
// CHECK-SAME: costs = ["threads"], guards = [""], name = "outside"}
// CHECK-SAME: costs = ["threads"], guards = [""], name = "after"}
// CHECK-SAME: costs = ["1"], guards = [""], name = "inside"}]}
func.func @f(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = vortex.kernel "k" axes ["m"] ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %p = linalg.exp {vortex.anchor, vortex.id = "p0"} ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } candidates {
  ^bb0(%m: index):
    %one = arith.constant 1 : index
    %same = arith.muli %m, %one : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %twice = arith.muli %same, %c2 : index
    %less = arith.subi %m, %c3 : index
    %d = arith.subi %twice, %less : index
    vortex.candidate @a cost {
      %i = arith.index_cast %d : index to i64
      %f = arith.sitofp %i : i64 to f64
      %b = vortex.machine_param "l2.bandwidth" default 1.0
      %eight = arith.constant 8.0 : f64
      %s = arith.mulf %b, %eight : f64
      %t = arith.addf %f, %s : f64
      %c = arith.divf %f, %t : f64
      vortex.yield %c : f64
    } schedule {
      vortex.stage ["p0"]
    }
    vortex.candidate @b guard {
      %zero = arith.constant 0 : index
      %c9 = arith.constant 9 : index
      %rest = arith.remui %m, %c2 : index
      %even = arith.cmpi eq, %rest, %zero : index
      %q = arith.divui %m, %c3 : index
      %large = arith.cmpi uge, %q, %c9 : index
      %both = arith.andi %even, %large : i1
      vortex.yield %both : i1
    } cost {
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %c7 = arith.constant 7 : index
      %small = arith.cmpi ult, %m, %c5 : index
      %up = arith.ceildivui %m, %c4 : index
      %max = arith.maxui %m, %c7 : index
      %s = arith.select %small, %up, %max : index
      %i = arith.index_cast %s : index to i64
      %f = arith.sitofp %i : i64 to f64
      vortex.yield %f : f64
    } schedule {
      vortex.stage ["p0"]
    }
  } : tensor<?xf32>
  %s = vortex.kernel "loops" axes ["m"] ins(%r : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %p = linalg.exp {vortex.anchor, vortex.id = "p0"} ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } : tensor<?xf32>
  %t = vortex.kernel "loops" axes ["m"] ins(%s : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %p = linalg.exp {vortex.anchor, vortex.id = "p0"} ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } : tensor<?xf32>
  return %r, %s, %t : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func @parallel(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = vortex.kernel "outside" axes ["m"] ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %p = linalg.exp {vortex.anchor, vortex.id = "p0"} ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } candidates {
  ^bb0(%m: index):
    vortex.candidate @a cost {
      %t = vortex.machine_param "threads" default 4.0
      vortex.yield %t : f64
    } schedule {
      vortex.stage ["p0"]
    }
  } : tensor<?xf32>
  %s = vortex.kernel "after" axes ["m"] ins(%r : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %p = linalg.exp {vortex.anchor, vortex.id = "p0"} ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } candidates {
  ^bb0(%m: index):
    vortex.candidate @a cost {
      %t = vortex.machine_param "threads" default 4.0
      vortex.yield %t : f64
    } schedule {
      vortex.stage ["p0"]
    }
  } : tensor<?xf32>
  %l = scf.forall (%i) in (%n) shared_outs(%all = %e) -> (tensor<?xf32>) {
    %slice = tensor.extract_slice %all[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
    %q = vortex.kernel "inside" axes ["m"] ins(%x : tensor<?xf32>) outs(%slice : tensor<?xf32>) {
    ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
      %p = linalg.exp {vortex.anchor, vortex.id = "p0"} ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
      vortex.yield %p : tensor<?xf32>
    } candidates {
    ^bb0(%m: index):
      vortex.candidate @a cost {
        %t = vortex.machine_param "threads" default 4.0
        vortex.yield %t : f64
      } schedule {
        vortex.stage ["p0"]
      }
    } : tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %q into %all[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
    }
  }
  return %r, %s, %l : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
