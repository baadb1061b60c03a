// RUN: vortex-opt %s --target=x86-avx512-amx --vortex-hierarchize | FileCheck %s
// RUN: vortex-opt %s --target=x86-avx512-amx --vortex-hierarchize --remarks-filter=vortex-hierarchize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// WHY: odd{{.*}}tdpbf16ps: few of its steps are channels of a pixel or of a row of the window

// Three channels are no whole words: pixels follow each other in memory, and a tile would read of the next one.
// CHECK-LABEL: func.func @odd
// CHECK-NOT: window_tile
// CHECK: return
func.func @odd(%x: tensor<?x?x?x3xbf16>, %f: tensor<3x3x3x?xbf16>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<?x?x?x3xbf16>, tensor<3x3x3x?xbf16>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}
