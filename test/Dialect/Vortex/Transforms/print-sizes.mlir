// RUN: vortex-opt --allow-unregistered-dialect --vortex-print-sizes --split-input-file %s -o /dev/null 2>&1 | FileCheck %s
// RUN: vortex-opt --allow-unregistered-dialect --vortex-print-sizes=trust-ops --split-input-file %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPS

// CHECK-LABEL: sizes of @layer
// CHECK-NEXT:    symbols
// CHECK-NEXT:      m = dim 0 of %arg0, from 0 to 281474976710656
// CHECK-NEXT:      arg0.dim1 = dim 1 of %arg0, from 0 to 281474976710656
// CHECK-NEXT:      k = dim 0 of %arg1, from 0 to 281474976710656
// CHECK-NEXT:      n = dim 1 of %arg1, from 0 to 281474976710656
// CHECK-NEXT:    shapes
// CHECK-NEXT:      known here: m >= 1, k % 4 == 0
// CHECK-NEXT:      %arg0: [m, arg0.dim1]
// CHECK-NEXT:      %arg1: [k, n]
// CHECK-NEXT:      %0: [m, n]
// CHECK-NEXT:      %1: [m, n]
// CHECK-NEXT:      known here: k % 12 == 0, arg0.dim1 <= 99
// CHECK-NEXT:      %{{.*}}: [m*n, k - 12*(k // 24), 3]

// A product that has run had factors that fit each other.
// OPS-LABEL: sizes of @layer
// OPS:             %1: [m, n]
// OPS-NEXT:        known here: k == arg0.dim1, arg0.dim1 % 4 == 0
// OPS-NEXT:        known here: arg0.dim1 <= 96, arg0.dim1 % 12 == 0
// OPS-NEXT:        %{{.*}}: [m*n, arg0.dim1 - 12*(arg0.dim1 // 24), 3]
func.func @layer(%x: tensor<?x?xf32> {vortex.dims = ["m", ""]}, %w: tensor<?x?xf32> {vortex.dims = ["k", "n"]})
    -> (tensor<?x?xf32>, tensor<?x?x3xf32>) attributes {vortex.where = ["m > 0", "k % 4 == 0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %c24 = arith.constant 24 : index
  %c100 = arith.constant 100 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %w, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = tensor.dim %x, %c1 : tensor<?x?xf32>
  %few = arith.cmpi slt, %d, %c100 : index
  %k = tensor.dim %w, %c0 : tensor<?x?xf32>
  %left = arith.remsi %k, %c12 : index
  %none = arith.cmpi eq, %left, %c0 : index
  %both = arith.andi %few, %none : i1
  cf.assert %both, "few, and a multiple of 12"
  %mn = arith.muli %m, %n overflow<nsw> : index
  %q = arith.divui %k, %c24 : index
  %q12 = arith.muli %q, %c12 : index
  %s = arith.subi %k, %q12 : index
  %r = tensor.empty(%mn, %s) : tensor<?x?x3xf32>
  return %p, %r : tensor<?x?xf32>, tensor<?x?x3xf32>
}

// -----

// Sizes that data decide, and sizes that calls give.
// CHECK-LABEL: sizes of @callee
// CHECK-NEXT:    calls give arg0.dim0: rows, 64
// CHECK-NEXT:    symbols
// CHECK-NEXT:      arg0.dim0 = dim 0 of %arg0, from 0 to 281474976710656
// CHECK:           %arg0: [arg0.dim0]
// CHECK-LABEL: sizes of @caller
// CHECK:         symbols
// CHECK-NEXT:      rows = dim 0 of %arg0
// CHECK-NEXT:      s0 = dim 0 of %0, from 0
// CHECK:           %0: [s0]
// CHECK-NEXT:      %1: [s0]
// CHECK-NEXT:      known here: s0 <= 4, rows >= 3, rows - s0 - 3 >= 0
func.func private @callee(%x: tensor<?xf32>) {
  return
}
func.func @caller(%x: tensor<?xf32> {vortex.dims = ["rows"]}, %y: tensor<64xf32>) -> tensor<?xf32> {
  %wide = tensor.cast %y : tensor<64xf32> to tensor<?xf32>
  call @callee(%x) : (tensor<?xf32>) -> ()
  call @callee(%wide) : (tensor<?xf32>) -> ()
  %found = "test.find"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %few = vortex.match %found ["found"] where ["found < 5", "found + 3 <= rows"] : tensor<?xf32>
  return %few : tensor<?xf32>
}

// -----

// Dimensions that become one, of many groups.
// CHECK-LABEL: sizes of @groups
// CHECK:         shapes
// CHECK:           %{{.*}}: [arg0.dim0, arg0.dim1, arg0.dim2, arg0.dim3, arg0.dim4, 6*arg0.dim5]
func.func @groups(%a: tensor<?x?x?x?x?x?x2x3xf32>) -> tensor<?x?x?x?x?x?xf32> {
  %r = tensor.collapse_shape %a [[0], [1], [2], [3], [4], [5, 6, 7]] : tensor<?x?x?x?x?x?x2x3xf32> into tensor<?x?x?x?x?x?xf32>
  return %r : tensor<?x?x?x?x?x?xf32>
}
