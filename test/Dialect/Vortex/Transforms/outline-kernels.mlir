// RUN: vortex-opt %s --target=x86-avx512 --vortex-plan-kernels | FileCheck %s
// RUN: %python %S/Inputs/large_constants.py | vortex-opt --vortex-outline-kernels --mlir-elide-elementsattrs-if-larger=16 | FileCheck %s --check-prefix=LARGE

// Kernels that differ in the last of many elements of a constant are not equal.
// LARGE: vortex.kernel_call @[[A:.*]] ins
// LARGE: vortex.kernel_call @[[B:.*]] ins
// LARGE: vortex.kernel_call @[[A]] ins
// LARGE: module @[[A]] {{.*}}"f.0=rows", "f.2=rows"
// LARGE: module @[[B]] {{.*}}"f.1=rows"

// Equal kernels share one module; each kernel takes the context first.
// CHECK-LABEL: func.func @twice
// CHECK: vortex.kernel_call @[[K:.*]] ins
// CHECK: vortex.kernel_call @[[K]] ins
// CHECK: module @[[K]] attributes {vortex.implements = ["twice.exp.0=rows", "twice.exp.1=rows"], vortex.kernel_module
// CHECK: func.func @[[K]](%{{.*}}: !llvm.ptr, %{{.*}}: memref<?xf32, strided<[1], offset: ?>>
// CHECK: bufferization.to_tensor %{{.*}} restrict :
// CHECK: bufferization.to_tensor %{{.*}} restrict writable
// CHECK: bufferization.materialize_in_destination
// CHECK-NOT: vortex.kernel_module
func.func @twice(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %a, %r : tensor<?xf32>, tensor<?xf32>
}
