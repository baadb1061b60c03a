// RUN: vortex-opt %s --target=x86-avx512 --vortex-plan-kernels --vortex-expand --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s
// RUN: vortex-opt %s --target=x86-avx512 --vortex-plan-kernels --vortex-expand --canonicalize --cse | FileCheck %s --check-prefix=COPY

// A copy reads no more than the image has: of a result without pixels the window may be larger.
// COPY-LABEL: func.func @conv.conv_2d_nhwc_hwcf.0.window_6x64(
// COPY: %[[PIXELS:.*]] = memref.dim %arg1, %c2
// COPY: %[[READ:.*]] = affine.min #{{.*}}()[%{{.*}}, %[[PIXELS]]]
// COPY: %[[COUNT:.*]] = affine.max #{{.*}}()[%[[READ]]]
// COPY: %[[PART:.*]] = tensor.extract_slice %{{.*}}[%{{.*}}, %{{.*}}, 0, 0] [%{{.*}}, %{{.*}}, %[[COUNT]], %{{.*}}]
// COPY: tensor.pad %[[PART]] nofold low[0, 0, 0, 0] high[0, 0, 0, 0]

// A filter that was packed beforehand has no gaps, however many channels it turns out to have: columns of the window and channels are one
// reduction, as where they are known or packed by the kernel.
// CHECK-LABEL: func.func @conv.conv_2d_nhwc_hwcf.0.window_6x64(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %[[X:.*]]: memref<?x?x?x?xf32, {{.*}}>, %[[F:.*]]: memref<?x?x?x?x64xf32>,
// CHECK: scf.index_switch
// CHECK: case 65
// CHECK: %[[STEPS:.*]] = arith.muli
// CHECK: scf.for
// CHECK: %[[REST:.*]] = arith.remui %[[STEPS]], %c4
// CHECK: %[[WHOLE:.*]] = arith.subi %[[STEPS]], %[[REST]]
// CHECK: scf.for %{{.*}} = %c0 to %[[WHOLE]]
// CHECK-NOT: scf.for %{{.*}} = %c0 to
// CHECK: scf.for %{{.*}} = %[[WHOLE]] to %[[STEPS]]
// CHECK: case 66
func.func @conv(%x: tensor<?x?x?x?xf32>, %f: tensor<?x?x?x?xf32> {vortex.weight}, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}
