// One size, many spellings; assertions that cannot fail; what must stay.
// RUN: vortex-opt --allow-unregistered-dialect --vortex-simplify-sizes --canonicalize --cse --split-input-file %s | FileCheck %s

// As an importer writes the batch behind a product with heads: (12 b) / 12, the maximum of both, 64-bit copies.
// CHECK-LABEL: @heads
// CHECK:         %[[B:.*]] = tensor.dim %arg0
// CHECK-NOT:     divsi
// CHECK-NOT:     maxui
// CHECK-NOT:     cf.assert
// CHECK:         %[[M:.*]] = tensor.dim %arg1
// CHECK:         %[[EQ:.*]] = arith.cmpi eq, %[[B]], %[[M]]
// CHECK-NEXT:    cf.assert %[[EQ]], "mismatched size for broadcast"
// CHECK-NOT:     cf.assert
// CHECK:         %[[E:.*]] = tensor.empty(%[[B]]) : tensor<?x12xf32>
// CHECK-NEXT:    return %[[E]], %[[E]], %[[E]]
func.func @heads(%x: tensor<?x12xf32>, %mask: tensor<?xf32>) -> (tensor<?x12xf32>, tensor<?x12xf32>, tensor<?x12xf32>) {
  %c0 = arith.constant 0 : index
  %c0_i64 = arith.constant 0 : i64
  %c12 = arith.constant 12 : index
  %b = tensor.dim %x, %c0 : tensor<?x12xf32>
  %b_i64 = arith.index_cast %b : index to i64
  %whole = arith.cmpi sge, %b_i64, %c0_i64 : i64
  cf.assert %whole, "negative values not allowed in new dimensions"
  %rows = arith.muli %b, %c12 : index
  %again = arith.divsi %rows, %c12 : index
  %m = tensor.dim %mask, %c0 : tensor<?xf32>
  %eq = arith.cmpi eq, %again, %m : index
  cf.assert %eq, "mismatched size for broadcast"
  // The first assertion is what the second one needs.
  %max = arith.maxui %again, %m : index
  %eq2 = arith.cmpi eq, %max, %b : index
  cf.assert %eq2, "mismatched size for broadcast"
  %e0 = tensor.empty(%again) : tensor<?x12xf32>
  %e1 = tensor.empty(%max) : tensor<?x12xf32>
  %e2 = tensor.empty(%m) : tensor<?x12xf32>
  return %e0, %e1, %e2 : tensor<?x12xf32>, tensor<?x12xf32>, tensor<?x12xf32>
}

// -----

// What is only known behind an assertion does not prove it, and does not change what is before.
// CHECK-LABEL: @before
// CHECK:         %[[A:.*]] = tensor.dim %arg0
// CHECK:         %[[B:.*]] = tensor.dim %arg1
// CHECK:         tensor.empty(%[[B]])
// CHECK:         cf.assert
// CHECK:         tensor.empty(%[[A]])
func.func @before(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %a = tensor.dim %x, %c0 : tensor<?xf32>
  %b = tensor.dim %y, %c0 : tensor<?xf32>
  %e0 = tensor.empty(%b) : tensor<?xf32>
  %eq = arith.cmpi eq, %a, %b : index
  cf.assert %eq, "not equal"
  %e1 = tensor.empty(%b) : tensor<?xf32>
  return %e0, %e1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// A product whose operands must fit is no proof that they do.
// CHECK-LABEL: @behind
// CHECK:         linalg.matmul
// CHECK:         cf.assert
func.func @behind(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %k = tensor.dim %x, %c1 : tensor<?x?xf32>
  %l = tensor.dim %y, %c0 : tensor<?x?xf32>
  %eq = arith.cmpi eq, %k, %l : index
  cf.assert %eq, "mismatching contracting dimension"
  return %r : tensor<?x?xf32>
}

// -----

// Declared relations hold; those of an index argument and of products that may not fit do not.
// CHECK-LABEL: @declared
// CHECK:         %[[TRUE:.*]] = arith.constant true
// CHECK:         %[[N:.*]] = tensor.dim %arg0
// CHECK:         cf.assert %{{.*}}, "may be negative"
// CHECK-NOT:     cf.assert
// CHECK:         cf.assert %{{.*}}, "may wrap"
// CHECK:         return %[[TRUE]], %[[N]]
func.func @declared(%x: tensor<?xf32> {vortex.dims = ["n"]}, %y: tensor<?xf32> {vortex.dims = ["n"]},
                    %z: tensor<?xf32> {vortex.dims = ["2*n"]}, %i: index) -> (i1, index)
    attributes {vortex.where = ["n % 8 == 0", "n <= 4096"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %d = tensor.dim %z, %c0 : tensor<?xf32>
  %positive = arith.cmpi sge, %i, %c0 : index
  cf.assert %positive, "may be negative"
  %left = arith.remui %m, %c4 : index
  %none = arith.cmpi eq, %left, %c0 : index
  cf.assert %none, "n is a multiple of 4"
  %twice = arith.muli %n, %c2 : index
  %same = arith.cmpi eq, %d, %twice : index
  cf.assert %same, "z has 2 n elements"
  %product = arith.muli %i, %n : index
  %fits = arith.cmpi sge, %product, %c0 : index
  cf.assert %fits, "may wrap"
  %half = arith.divui %d, %c2 : index
  %small = arith.cmpi ule, %half, %d : index
  %kept = arith.select %small, %half, %d : index
  return %small, %kept : i1, index
}

// -----

// Output sizes of convolutions: 64-bit chains that say the same in other words.
// CHECK-LABEL: @convolution
// CHECK:         arith.floordivsi
// CHECK-NOT:     arith.floordivsi
// CHECK-NOT:     arith.select
// CHECK:         %[[E:.*]] = tensor.empty
// CHECK:         return %[[E]], %[[E]], %[[E]]
func.func @convolution(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c0_i64 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %cm1 = arith.constant -1 : i64
  %c2 = arith.constant 2 : i64
  %h = tensor.dim %x, %c0 : tensor<?xf32>
  %h64 = arith.index_cast %h : index to i64
  %h1 = arith.addi %h64, %cm1 : i64
  %q = arith.floordivsi %h1, %c2 : i64
  %q1 = arith.addi %q, %c1 : i64
  %e0s = arith.index_cast %q1 : i64 to index
  // ceil(h / 2), towards zero and with the sign looked at
  %up = arith.addi %h64, %c1 : i64
  %d = arith.divsi %up, %c2 : i64
  %negative = arith.cmpi slt, %up, %c0_i64 : i64
  %down = arith.subi %d, %c1 : i64
  %chosen = arith.select %negative, %down, %d : i64
  %e1s = arith.index_cast %chosen : i64 to index
  %u = arith.ceildivsi %h64, %c2 : i64
  %e2s = arith.index_cast %u : i64 to index
  %e0 = tensor.empty(%e0s) : tensor<?xf32>
  %e1 = tensor.empty(%e1s) : tensor<?xf32>
  %e2 = tensor.empty(%e2s) : tensor<?xf32>
  return %e0, %e1, %e2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// A reshape to a computed shape, and a size of its result.
// CHECK-LABEL: @reshape
// CHECK:         %[[B:.*]] = tensor.dim %arg0, %c0
// CHECK-NOT:     tensor.dim %reshape
// CHECK:         return %{{.*}}, %[[B]]
func.func @reshape(%x: tensor<?x64xf32>, %s: tensor<?x?xi64>) -> (tensor<?x1x64xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %b = tensor.dim %x, %c0 : tensor<?x64xf32>
  %b64 = arith.index_cast %b : index to i64
  %shape = tensor.from_elements %b64, %c1, %c64 : tensor<3xi64>
  %reshape = tensor.reshape %x(%shape) : (tensor<?x64xf32>, tensor<3xi64>) -> tensor<?x1x64xf32>
  %again = tensor.dim %reshape, %c0 : tensor<?x1x64xf32>
  return %reshape, %again : tensor<?x1x64xf32>, index
}

// -----

// In a branch its condition is known, behind it no longer; in a loop its bounds are.
// CHECK-LABEL: @branches
// CHECK:         scf.if
// CHECK-NEXT:      "test.in"(%c4)
// CHECK-NEXT:    } else {
// CHECK-NEXT:      "test.else"(%dim)
// CHECK:         scf.for
// CHECK-NEXT:      "test.loop"(%true)
// CHECK:         scf.index_switch
// CHECK:         case 2 {
// CHECK-NEXT:      "test.case"(%c2)
// CHECK:         default {
// CHECK-NOT:       cf.assert
// CHECK:           "test.default"
// CHECK:         cf.assert %{{.*}}, "stays"
func.func @branches(%x: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %is = arith.cmpi eq, %n, %c4 : index
  scf.if %is {
    %here = tensor.dim %x, %c0 : tensor<?xf32>
    %eq = arith.cmpi eq, %n, %c4 : index
    cf.assert %eq, "goes"
    "test.in"(%here) : (index) -> ()
  } else {
    "test.else"(%n) : (index) -> ()
  }
  %true = arith.constant true
  %false = arith.constant false
  scf.for %i = %c0 to %n step %c1 {
    %less = arith.cmpi slt, %i, %n : index
    %inside = arith.select %less, %true, %false : i1
    "test.loop"(%inside) : (i1) -> ()
  }
  scf.index_switch %n
  case 2 {
    "test.case"(%n) : (index) -> ()
    scf.yield
  }
  default {
    %c2 = arith.constant 2 : index
    %two = arith.cmpi ne, %n, %c2 : index
    cf.assert %two, "goes"
    "test.default"(%n) : (index) -> ()
  }
  cf.assert %is, "stays"
  return
}

// -----

// Blocks: what a way has passed is known where every way has passed it.
// CHECK-LABEL: @blocks
// CHECK:         cf.assert %{{.*}}, "only one way"
// CHECK-NOT:     cf.assert
// CHECK:         "test.first"
// CHECK:         cf.assert %{{.*}}, "not on the other way"
func.func @blocks(%x: tensor<?xf32>, %i: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %eq = arith.cmpi eq, %n, %i : index
  cf.cond_br %c, ^first, ^second
^first:
  cf.assert %eq, "only one way"
  cf.br ^next
^next:
  %again = arith.cmpi sle, %i, %n : index
  cf.assert %again, "goes"
  "test.first"() : () -> ()
  cf.br ^end
^second:
  cf.br ^end
^end:
  %once = arith.cmpi sle, %i, %n : index
  cf.assert %once, "not on the other way"
  return
}

// -----

// A private function knows what all its calls give, and no more.
// CHECK-LABEL: func.func private @callee
// CHECK-NOT:     cf.assert
// CHECK:         cf.assert %{{.*}}, "not at the second call"
func.func private @callee(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %a = tensor.dim %x, %c0 : tensor<?xf32>
  %b = tensor.dim %y, %c0 : tensor<?xf32>
  %c = tensor.dim %z, %c0 : tensor<?xf32>
  %same = arith.cmpi eq, %a, %b : index
  cf.assert %same, "goes"
  %other = arith.cmpi eq, %a, %c : index
  cf.assert %other, "not at the second call"
  return
}
func.func @caller(%x: tensor<?xf32>, %y: tensor<?xf32>) {
  call @callee(%x, %x, %x) : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> ()
  call @callee(%y, %y, %x) : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> ()
  return
}

// -----

// A loop that carries a tensor: one that keeps its shape and one that does not.
// CHECK-LABEL: @carried
// CHECK:         cf.assert %{{.*}}, "grows"
// CHECK-NOT:     cf.assert
func.func @carried(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s = tensor.dim %x, %c0 : tensor<?xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (tensor<?xf32>, tensor<?xf32>) {
    %padded = tensor.pad %b low[1] high[0] {
    ^bb0(%j: index):
      tensor.yield %zero : f32
    } : tensor<?xf32> to tensor<?xf32>
    %f = linalg.fill ins(%zero : f32) outs(%a : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %f, %padded : tensor<?xf32>, tensor<?xf32>
  }
  %t = tensor.dim %r#1, %c0 : tensor<?xf32>
  %grown = arith.cmpi eq, %t, %s : index
  cf.assert %grown, "grows"
  %u = tensor.dim %r#0, %c0 : tensor<?xf32>
  %kept = arith.cmpi eq, %u, %s : index
  cf.assert %kept, "goes"
  return %r#0 : tensor<?xf32>
}

// -----

// Operands of affine ops come from where they may come from.
// CHECK-LABEL: @affine
// CHECK:         affine.for
// CHECK:           affine.apply
func.func @affine(%x: tensor<?xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %eq = arith.cmpi eq, %i, %n : index
  cf.assert %eq, "equal"
  affine.for %j = 0 to %n {
    %sum = arith.addi %j, %i : index
    %same = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%j)[%n]
    %use = affine.apply affine_map<(d0) -> (d0 + 1)>(%same)
    "test.use"(%sum, %same, %use) : (index, index, index) -> ()
  }
  return
}

// -----

// The run time checks the arguments of calls from outside. A public function that the program calls itself keeps its assertions.
// CHECK-LABEL: @called
// CHECK-COUNT-2: cf.assert
func.func @called(%a: tensor<?xf32> {vortex.dims = ["n"]}, %b: tensor<?xf32> {vortex.dims = ["n"]}, %k: i1) -> index attributes {vortex.where = ["n > 2"]} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %x = tensor.dim %a, %c0 : tensor<?xf32>
  %y = tensor.dim %b, %c0 : tensor<?xf32>
  %e = arith.cmpi eq, %x, %y : index
  cf.assert %e, "sizes differ"
  %g = arith.cmpi sgt, %x, %c2 : index
  cf.assert %g, "too small"
  cf.cond_br %k, ^l, ^r
^l:
  %r = arith.muli %x, %y : index
  return %r : index
^r:
  return %c0 : index
}
func.func @caller(%a: tensor<?xf32>, %b: tensor<?xf32>, %k: i1) -> index {
  %c0 = arith.constant 0 : index
  %q = scf.if %k -> index {
    %r = func.call @called(%a, %b, %k) : (tensor<?xf32>, tensor<?xf32>, i1) -> index
    scf.yield %r : index
  } else { scf.yield %c0 : index }
  return %q : index
}

// -----

// A name of a match is seen in its block and in those inside of it, not behind it.
// CHECK-LABEL: @names_end
// CHECK: cf.assert
func.func @names_end(%a: tensor<?xf32>, %b: tensor<?xf32>, %k: i1) -> index {
  %c0 = arith.constant 0 : index
  %a1 = vortex.match %a ["n"] : tensor<?xf32>
  cf.cond_br %k, ^l, ^r
^l:
  %b1 = vortex.match %b ["n"] : tensor<?xf32>
  %x = tensor.dim %a1, %c0 : tensor<?xf32>
  %y = tensor.dim %b1, %c0 : tensor<?xf32>
  %e = arith.cmpi eq, %x, %y : index
  cf.assert %e, "sizes differ"
  %r = arith.muli %x, %y : index
  return %r : index
^r:
  return %c0 : index
}

// -----

// A function that does not return has no sizes.
// CHECK-LABEL: @ends
// CHECK: tensor.dim
func.func @ends(%a: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %r = func.call @never(%a) : (tensor<?xf32>) -> tensor<?xf32>
  %d = tensor.dim %r, %c0 : tensor<?xf32>
  return %d : index
}
func.func private @never(%a: tensor<?xf32>) -> tensor<?xf32> { 
  ub.unreachable
}

// -----

// Only integers without a sign of their own are sizes.
// CHECK-LABEL: @unsigned
// CHECK: tensor.extract
func.func @unsigned() -> ui8 {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<[200, 3]> : tensor<2xui8>
  %x = tensor.extract %t[%c0] : tensor<2xui8>
  return %x : ui8
}
