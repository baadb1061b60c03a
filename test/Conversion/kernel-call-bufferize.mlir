// RUN: vortex-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --vortex-densify-operands | FileCheck %s

// Columns that are not adjacent are copied for the kernel.
// CHECK-LABEL: func.func @f(
// CHECK-NOT: memref.copy
// CHECK: vortex.kernel_call @k ins(%{{.*}}, %{{.*}} : memref<?x?xf32, {{.*}}>, f32) outs(%{{.*}} : memref<?x?xf32>)
func.func @f(%a: tensor<?x?xf32>, %x: f32, %m: index, %n: index) -> tensor<?x?xf32> {
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %s = tensor.extract_slice %a[0, 4] [%m, %n] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %r = vortex.kernel_call @k ins(%s, %x : tensor<?x?xf32>, f32) outs(%e : tensor<?x?xf32>) : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @strided(
// CHECK: %[[V:.*]] = memref.subview
// CHECK: %[[COPY:.*]] = memref.alloc
// CHECK: memref.copy %[[V]], %[[COPY]]
// CHECK: vortex.kernel_call @k ins(%[[COPY]], %{{.*}} : memref<?xf32>, f32)
func.func @strided(%a: memref<?xf32>, %x: f32, %n: index) -> tensor<?xf32> {
  %t = bufferization.to_tensor %a restrict : memref<?xf32> to tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %s = tensor.extract_slice %t[0] [%n] [2] : tensor<?xf32> to tensor<?xf32>
  %r = vortex.kernel_call @k ins(%s, %x : tensor<?xf32>, f32) outs(%e : tensor<?xf32>) : tensor<?xf32>
  return %r : tensor<?xf32>
}
