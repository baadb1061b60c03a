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
