// RUN: vortex-opt %s --vortex-add-context | FileCheck %s

// CHECK-LABEL: func.func private @inner(
// CHECK-SAME: %{{.*}}: !llvm.ptr {vortex.context}, %{{.*}}: f32) -> f32
func.func private @inner(%a: f32) -> f32 {
  return %a : f32
}

// CHECK: func.func private @external(f32)
func.func private @external(f32)

// CHECK-LABEL: func.func @outer(
// CHECK-SAME: %[[C:.*]]: !llvm.ptr {vortex.context}, %[[A:.*]]: f32)
// CHECK: call @inner(%[[C]], %[[A]]) : (!llvm.ptr, f32) -> f32
// CHECK: call @external(%{{.*}}) : (f32) -> ()
func.func @outer(%a: f32) {
  %0 = call @inner(%a) : (f32) -> f32
  call @external(%0) : (f32) -> ()
  return
}

// A function that has its context is left alone.
// CHECK-LABEL: func.func @kernel(
// CHECK-SAME: %{{[a-z0-9]*}}: !llvm.ptr, %{{[a-z0-9]*}}: memref<?xf32>)
func.func @kernel(%c: !llvm.ptr, %m: memref<?xf32>) {
  return
}
