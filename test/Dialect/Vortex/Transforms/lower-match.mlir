// RUN: vortex-opt %s --vortex-lower-match | FileCheck %s

// The example of the documentation: a new name is bound, a relation asserted.
// CHECK-LABEL: func.func @example
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>
// CHECK: %[[ROWS:.*]] = tensor.dim %[[X]], %c0
// CHECK: %[[OK:.*]] = arith.cmpi sle, %[[ROWS]], %c4096
// CHECK: cf.assert %[[OK]], "'rows <= 4096' does not hold"
// CHECK-NOT: vortex.match
// CHECK: return %[[X]]
func.func @example(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %t = vortex.match %x ["rows", ""] where ["rows <= 4096"] : tensor<?x?xf32>
  return %t : tensor<?x?xf32>
}

// A name is the argument's that has it, or an earlier match's.
// CHECK-LABEL: func.func @names
// CHECK-SAME: %[[A:.*]]: tensor<?xf32> {vortex.dims = ["n"]}, %[[B:.*]]: memref<?xf32>
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>, %[[Y:.*]]: tensor<?xf32>
// CHECK: %[[X0:.*]] = tensor.dim %[[X]], %c0
// CHECK: %[[N:.*]] = tensor.dim %[[A]], %c0
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[X0]], %[[N]]
// CHECK: cf.assert %[[SAME]], "dimension 0 is not 'n'"
// CHECK: memref.dim %[[B]]
// CHECK: cf.assert %{{.*}}, "'k == n + old' does not hold"
// CHECK: tensor.dim %[[Y]]
// CHECK: tensor.dim %[[X]], %c1
// CHECK: cf.assert %{{.*}}, "dimension 0 is not 'k'"
// CHECK: return
func.func @names(%a: tensor<?xf32> {vortex.dims = ["n"]}, %b: memref<?xf32> {vortex.dims = ["old"]}, %x: tensor<?x?xf32>,
                 %y: tensor<?xf32>) {
  %0 = vortex.match %x ["n", "k"] where ["k == n + old"] : tensor<?x?xf32>
  %1 = vortex.match %y ["k"] : tensor<?xf32>
  return
}

// A divisor may be zero; a constant one may not and is not checked.
// CHECK-LABEL: func.func @divisors
// CHECK: cf.assert %{{.*}}, "'n // k >= 1' has no value: division by zero"
// CHECK: arith.floordivsi
// CHECK: cf.assert %{{.*}}, "'n // k >= 1' does not hold"
// CHECK-NOT: division by zero
// CHECK: cf.assert %{{.*}}, "'n % 8 == 0' does not hold"
func.func @divisors(%x: tensor<?x?xf32>) {
  %0 = vortex.match %x ["n", "k"] where ["n // k >= 1", "n % 8 == 0"] : tensor<?x?xf32>
  return
}

// What the types say needs no check.
// CHECK-LABEL: func.func @known
// CHECK-NOT: cf.assert
func.func @known(%x: tensor<4x24xf32>, %y: tensor<24xf32>) {
  %0 = vortex.match %x ["m", "n"] where ["n % 8 == 0", "m * 6 == n", "max(m, 7) != min(m, n)", "-(m) < n ceildiv 5 - 4"] : tensor<4x24xf32>
  %1 = vortex.match %y ["n"] : tensor<24xf32>
  return
}

// The branches of a choice bind names of their own.
// CHECK-LABEL: func.func @branches
// CHECK-NOT: cf.assert
func.func @branches(%c: i1, %x: tensor<?xf32>, %y: tensor<?xf32>) {
  scf.if %c {
    %0 = vortex.match %x ["n"] : tensor<?xf32>
  } else {
    %0 = vortex.match %y ["n"] : tensor<?xf32>
  }
  return
}
