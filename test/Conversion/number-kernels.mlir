// RUN: vortex-opt %s --vortex-number-queries | FileCheck %s

// What was described comes first and keeps what is known of it; a kernel that
// is called without a choice has been decided.
// CHECK: module attributes {vortex.kernels = [
// CHECK-SAME: {candidates = ["a", "b"], costs = ["m", "2 * m"], decided = 1 : i64, name = "folded"},
// CHECK-SAME: {candidates = [], fallback, name = "loops"},
// CHECK-SAME: {candidates = ["a", "b"], name = "open"},
// CHECK-SAME: {candidates = ["rows"], decided = 0 : i64, name = "single"}]
module attributes {vortex.kernels = [
    {candidates = ["a", "b"], costs = ["m", "2 * m"], name = "folded"},
    {candidates = [], fallback, name = "loops"}]} {
  func.func @f(%i: index, %g: i1, %c: f64, %x: memref<?xf32>) -> index {
    // CHECK: vortex.report "folded" {{.*}} {vortex.index = 0 : i64}
    vortex.report "folded" ["a", "b"] choice %i allowed(%g, %g) costs(%c, %c)
    // CHECK: vortex.select "open" {{.*}} {vortex.index = 2 : i64}
    %1 = vortex.select "open" ["a", "b"] %i allowed(%g, %g) costs(%c, %c)
    vortex.kernel_call @k outs(%x : memref<?xf32>) {vortex.kernel = "folded", vortex.candidate = "b"}
    vortex.kernel_call @k outs(%x : memref<?xf32>) {vortex.kernel = "open", vortex.candidate = "b"}
    vortex.kernel_call @k outs(%x : memref<?xf32>) {vortex.kernel = "single", vortex.candidate = "rows"}
    return %1 : index
  }
}
