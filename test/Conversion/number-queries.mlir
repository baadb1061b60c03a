// RUN: vortex-opt %s --vortex-number-queries | FileCheck %s

// Parameters by name, kernels by appearance; nested modules share the tables.
// CHECK: module attributes
// CHECK-SAME: vortex.kernels = [{candidates = ["a", "b"], name = "k1"}, {candidates = ["a"], name = "k0"}]
// CHECK-SAME: vortex.params = [{default = 2.000000e+00 : f64, name = "core.units"}, {default = 1.000000e+00 : f64, name = "threads"}]
// CHECK: vortex.machine_param "threads" default 1.000000e+00 {vortex.index = 1 : i64}
// CHECK: vortex.select "k1" {{.*}} {vortex.index = 0 : i64}
// CHECK: vortex.select "k0" {{.*}} {vortex.index = 1 : i64}
// CHECK: vortex.machine_param "core.units" default 2.000000e+00 {vortex.index = 0 : i64}
module {
  func.func @f(%i: index, %g: i1) -> (index, index, f64) {
    %0 = vortex.machine_param "threads" default 1.0
    %1 = vortex.select "k1" ["a", "b"] %i allowed(%g, %g) costs(%0, %0)
    %2 = vortex.select "k0" ["a"] %i allowed(%g) costs(%0)
    return %1, %2, %0 : index, index, f64
  }
  module {
    func.func @g() -> f64 {
      %0 = vortex.machine_param "core.units" default 2.0
      return %0 : f64
    }
  }
}
