// RUN: vortex-opt %s --canonicalize | FileCheck %s

// A choice made at compile time is the choice, and its costs go with it.
// CHECK-LABEL: func.func @known
// CHECK-NOT: vortex.select
// CHECK: %[[I:.*]] = arith.constant 1 : index
// CHECK: return %[[I]]
func.func @known(%ok: i1, %x: f64) -> index {
  %c1 = arith.constant 1 : index
  %p = vortex.machine_param "l2.bandwidth" default 90.0
  %0 = vortex.select "mm" ["a", "b"] %c1 allowed(%ok, %ok) costs(%x, %p)
  return %0 : index
}

// Any other one may be forced by the caller at run time.
// CHECK-LABEL: func.func @unknown
// CHECK: vortex.select
func.func @unknown(%choice: index, %ok: i1, %x: f64) -> index {
  %0 = vortex.select "mm" ["a", "b"] %choice allowed(%ok, %ok) costs(%x, %x)
  return %0 : index
}

// A number of the machine that nothing asks for is not looked up.
// CHECK-LABEL: func.func @unused
// CHECK-NOT: vortex.machine_param
func.func @unused() {
  %p = vortex.machine_param "l2.bandwidth" default 90.0
  return
}

// A stride that the layout says is known; one that it does not, and those of a
// tensor, which has no memory yet, are not.
// CHECK-LABEL: func.func @strides
// CHECK-SAME: (%[[M:.*]]: memref<{{.*}}>, %[[T:.*]]: tensor<
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[R:.*]] = vortex.stride %[[M]], 0
// CHECK-DAG: %[[S:.*]] = vortex.stride %[[T]], 1
// CHECK: return %[[R]], %[[C1]], %[[S]]
func.func @strides(%m: memref<?x?xf32, strided<[?, 1], offset: ?>>, %t: tensor<?x?xf32>) -> (index, index, index) {
  %0 = vortex.stride %m, 0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %1 = vortex.stride %m, 1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %2 = vortex.stride %t, 1 : tensor<?x?xf32>
  return %0, %1, %2 : index, index, index
}
