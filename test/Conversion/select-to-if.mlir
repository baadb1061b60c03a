// One of two tensors by one bit is a branch where sizes are unknown; elements by a tensor of bits, tensors of one static shape and numbers stay.
// RUN: vortex-opt %s --vortex-select-to-if | FileCheck %s

// CHECK-LABEL: @one
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<?xf32>, %[[B:[a-z0-9]+]]: tensor<?xf32>, %[[C:[a-z0-9]+]]: i1
// CHECK:         %[[R:.*]] = scf.if %[[C]] -> (tensor<?xf32>)
// CHECK-NEXT:      scf.yield %[[A]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[B]]
// CHECK:         return %[[R]]
func.func @one(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %r = arith.select %c, %a, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: @others
// CHECK-COUNT-3: arith.select
// CHECK-NOT:     scf.if
func.func @others(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xi1>, %d: tensor<4xf32>, %e: i1, %f: index, %g: index)
    -> (tensor<?xf32>, tensor<4xf32>, index) {
  %0 = arith.select %c, %a, %b : tensor<?xi1>, tensor<?xf32>
  %1 = arith.select %e, %d, %d : tensor<4xf32>
  %2 = arith.select %e, %f, %g : index
  return %0, %1, %2 : tensor<?xf32>, tensor<4xf32>, index
}
