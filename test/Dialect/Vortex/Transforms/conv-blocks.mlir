// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --canonicalize | FileCheck %s

// A panel of 32 columns of this filter takes 1.6 MB, more than half of L2: rows of the window are blocks of the reduction. The result is started before
// the first of them, and what is made of it behind the last.
// CHECK-LABEL: func.func @large
// CHECK: vortex.candidate @inplace_9x32 cost
// CHECK: vortex.candidate @inplace_9x32_kblock cost
// CHECK: vortex.level "device" for () load (<operand = 1, layout = panel, axis = 3, bound = true>
// CHECK-NEXT: vortex.level "core" forall
// CHECK-NEXT: vortex.stage ["p0"]
// CHECK-NEXT: vortex.level "l2" for (TRL 4 by %c1)
// CHECK-NEXT: vortex.level "l1" for (TSL 3 by %c32)
// CHECK-NEXT: vortex.level "register" for (TSL 0 by %c1, TSL 1 by %c1, TSL 2 by
// CHECK-NEXT: vortex.stage ["p1"] micro <instruction = "fma", rows = 9,
// CHECK: vortex.level "register" for (TSL 0 by %c1, TSL 1 by %c1, TSL 2 by %c1, TSL 3 by %c32)
// CHECK-NEXT: vortex.stage ["p2"]
func.func @large(%x: tensor<?x?x?x512xf32>, %f: tensor<5x5x512x48xf32> {vortex.weight}, %o: tensor<?x?x?x48xf32>) -> tensor<?x?x?x48xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x48xf32>) -> tensor<?x?x?x48xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %f : tensor<?x?x?x512xf32>, tensor<5x5x512x48xf32>) outs(%init : tensor<?x?x?x48xf32>) -> tensor<?x?x?x48xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(n, h, w, f) -> (n, h, w, f)>, affine_map<(n, h, w, f) -> (n, h, w, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%y : tensor<?x?x?x48xf32>) outs(%o : tensor<?x?x?x48xf32>) {
  ^bb0(%u: f32, %s: f32):
    %b = arith.maximumf %u, %zero : f32
    linalg.yield %b : f32
  } -> tensor<?x?x?x48xf32>
  return %z : tensor<?x?x?x48xf32>
}

// Panels that half of L2 holds stay there as they are; of sizes that are not known no more code is made.
// CHECK-LABEL: func.func @fits
// CHECK-NOT: kblock
func.func @fits(%x: tensor<?x?x?x256xf32>, %f: tensor<3x3x256x32xf32> {vortex.weight}, %g: tensor<5x5x?x?xf32> {vortex.weight}, %u: tensor<?x?x?x?xf32>,
                %o: tensor<?x?x?x32xf32>, %p: tensor<?x?x?x?xf32>) -> (tensor<?x?x?x32xf32>, tensor<?x?x?x?xf32>) {
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %f : tensor<?x?x?x256xf32>, tensor<3x3x256x32xf32>) outs(%o : tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32>
  %z = linalg.conv_2d_nhwc_hwcf ins(%u, %g : tensor<?x?x?x?xf32>, tensor<5x5x?x?xf32>) outs(%p : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y, %z : tensor<?x?x?x32xf32>, tensor<?x?x?x?xf32>
}
