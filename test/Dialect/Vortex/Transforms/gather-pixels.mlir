// RUN: vortex-opt %s --target=x86-avx512-amx --vortex-collapse-pixels | FileCheck %s
// RUN: vortex-opt %s --target=x86-avx512 --vortex-collapse-pixels | FileCheck %s --check-prefix=PLAIN

// Every other pixel of every other row is copied where matrix tiles make the product; elsewhere pixels are read in place.
// PLAIN-LABEL: func.func @strided
// PLAIN: linalg.conv_2d_nhwc_hwcf
// CHECK: #[[READ:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1 * 2, d2 * 2, d3)>
// CHECK-LABEL: func.func @strided
// CHECK: %[[COPY:.*]] = linalg.generic {indexing_maps = [#[[READ]], {{.*}} ins(%arg0 : tensor<?x?x?x64xbf16>)
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[COPY]] {{\[}}[0, 1, 2], [3]]
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]], %{{.*}} : tensor<?x64xbf16>, tensor<64x48xbf16>)
// CHECK-NOT: linalg.conv
func.func @strided(%x: tensor<?x?x?x64xbf16>, %f: tensor<1x1x64x48xbf16> {vortex.weight}, %n: index, %h: index, %w: index) -> tensor<?x?x?x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n, %h, %w) : tensor<?x?x?x48xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x48xf32>) -> tensor<?x?x?x48xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<?x?x?x64xbf16>, tensor<1x1x64x48xbf16>) outs(%init : tensor<?x?x?x48xf32>) -> tensor<?x?x?x48xf32>
  return %y : tensor<?x?x?x48xf32>
}
