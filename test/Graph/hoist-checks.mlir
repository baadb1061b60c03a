// Assertions of elements are made in front of the op.
// RUN: vortex-opt --vortex-hoist-checks --split-input-file %s | FileCheck %s

// CHECK-LABEL: @reciprocal
// CHECK:         %[[ALL:.*]] = linalg.generic
// CHECK-SAME:      iterator_types = ["reduction"]
// CHECK:           %[[OK:.*]] = arith.cmpf one
// CHECK:           %[[BIT:.*]] = arith.extui %[[OK]] : i1 to i32
// CHECK:           arith.andi %{{.*}}, %[[BIT]] : i32
// CHECK:         %[[EVERY:.*]] = arith.cmpi eq
// CHECK:         cf.assert %[[EVERY]], "zero element"
// CHECK:         linalg.generic
// CHECK-NOT:     cf.assert
func.func @reciprocal(%x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %ok = arith.cmpf one, %in, %zero : f32
    cf.assert %ok, "zero element"
    %r = arith.divf %one, %in : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// What is asserted of the element that is updated stays with it.
// CHECK-LABEL: @result
// CHECK:         linalg.generic
// CHECK:         ^bb0
// CHECK:           cf.assert
func.func @result(%x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %ok = arith.cmpf one, %out, %zero : f32
    cf.assert %ok, "zero element"
    linalg.yield %in : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
