// RUN: vortex-opt %s --vortex-apply-precision --cse | FileCheck %s
// RUN: vortex-opt %s --target=x86-avx512 --vortex-apply-precision --remarks-filter=vortex-apply-precision --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=LACKS
// RUN: vortex-opt %s --target=x86-avx512-amx --vortex-apply-precision --remarks-filter=vortex-apply-precision --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=SLOW
// RUN: vortex-opt %s --vortex-apply-precision --remarks-filter=vortex-apply-precision --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID

// SAID: product matmul of @weight, bf16{{.*}}first factor {{.*}}narrowed at each call{{.*}}second factor {{.*}}a weight, narrowed when it is bound
// CHECK-LABEL: func.func @weight
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<?x?xf32>) {{.*}} attrs = {vortex.bind}
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.truncf %{{.*}} : f32 to bf16
// CHECK: %[[X:.*]] = linalg.generic
// CHECK-SAME: ins(%arg0 : tensor<?x?xf32>) outs({{.*}} : tensor<?x?xbf16>) {
// CHECK: linalg.matmul ins(%[[X]], %[[W]] : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%arg2 : tensor<?x?xf32>)
// Twice with one conversion.
// CHECK-NOT: arith.truncf
// CHECK: linalg.matmul ins(%[[X]], %[[W]]
func.func @weight(%x: tensor<?x?xf32>, %w: tensor<?x?xf32> {vortex.weight}, %c: tensor<?x?xf32>, %d: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) attributes {vortex.precision = "bf16"} {
  %r = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%d : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r, %s : tensor<?x?xf32>, tensor<?x?xf32>
}

// SAID: product matmul of @integers, int8-dynamic{{.*}}first factor {{.*}}narrowed at each call{{.*}}second factor {{.*}}a weight, narrowed when it is bound
// CHECK-LABEL: func.func @integers
// The weight, by column.
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%arg1 : tensor<768x32xf32>) {{.*}} attrs = {vortex.bind}
// CHECK: %[[SW:.*]] = linalg.generic {{.*}} attrs = {vortex.bind}
// CHECK: %[[W:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<768x32xi8>) attrs = {vortex.bind}
// The activation, by row.
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<?x768xf32>)
// CHECK-NOT: vortex.bind
// CHECK: math.absf
// CHECK: arith.maximumf
// CHECK: %[[SX:.*]] = linalg.generic
// CHECK: arith.cmpf olt
// CHECK: arith.divf
// CHECK: arith.select
// CHECK: %[[X:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<?x768xi8>)
// CHECK: math.roundeven
// CHECK: arith.maxnumf
// CHECK: arith.minnumf
// CHECK: arith.fptosi
// 768 products fit.
// CHECK-NOT: cf.assert
// CHECK: %[[SUMS:.*]] = linalg.matmul ins(%[[X]], %[[W]] : tensor<?x768xi8>, tensor<768x32xi8>) outs({{.*}} : tensor<?x32xi32>)
// The bias is read as it is.
// CHECK: linalg.generic {{.*}} ins(%[[SUMS]], %[[SX]], %[[SW]], %arg2 : tensor<?x32xi32>, tensor<?xf32>, tensor<32xf32>, tensor<32xf32>)
// CHECK: arith.sitofp
// CHECK: arith.addf
func.func @integers(%x: tensor<?x768xf32>, %w: tensor<768x32xf32> {vortex.weight}, %bias: tensor<32xf32>) -> tensor<?x32xf32> attributes {vortex.precision = "int8-dynamic"} {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x768xf32>
  %e = tensor.empty(%m) : tensor<?x32xf32>
  %init = linalg.broadcast ins(%bias : tensor<32xf32>) outs(%e : tensor<?x32xf32>) dimensions = [0]
  %r = linalg.matmul ins(%x, %w : tensor<?x768xf32>, tensor<768x32xf32>) outs(%init : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// CHECK-LABEL: func.func @checked
// CHECK: %[[MOST:.*]] = arith.constant 133144 : index
// CHECK: %[[FITS:.*]] = arith.cmpi ule, %{{.*}}, %[[MOST]] : index
// A result without rows or columns has no sums.
// CHECK: %[[ROWS:.*]] = arith.cmpi eq
// CHECK: %[[ANY:.*]] = arith.ori %[[FITS]], %[[ROWS]] : i1
// CHECK: %[[COLUMNS:.*]] = arith.cmpi eq
// CHECK: %[[OK:.*]] = arith.ori %[[ANY]], %[[COLUMNS]] : i1
// CHECK: cf.assert %[[OK]], "int8-dynamic: a sum of more than 133144 products may not fit an i32"
func.func @checked(%x: tensor<?x?xf32>, %w: tensor<?x?xf32> {vortex.weight}, %c: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {vortex.precision = "int8-dynamic"} {
  %r = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @declared
// CHECK-NOT: cf.assert
func.func @declared(%x: tensor<?x?xf32> {vortex.dims = ["m", "k"]}, %w: tensor<?x?xf32> {vortex.weight, vortex.dims = ["k", "n"]}, %c: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {vortex.precision = "int8-dynamic", vortex.where = ["k <= 100000"]} {
  %r = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// SAID: product matmul of @activations, int8-dynamic{{.*}}stays f32, {{.*}}both factors are activations
// CHECK-LABEL: func.func @activations
// CHECK-NEXT: linalg.matmul ins(%arg0, %arg1 : tensor<?x?xf32>, tensor<?x?xf32>)
func.func @activations(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {vortex.precision = "int8-dynamic"} {
  %r = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A product's own precision is heard first.
// CHECK-LABEL: func.func @own
// CHECK-NEXT: linalg.matmul ins(%arg0, %arg1 : tensor<?x?xf32>
func.func @own(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {vortex.precision = "bf16"} {
  %r = linalg.matmul {vortex.precision = "f32"} ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Of a convolution the image is rounded before it is padded, with what padding is in bf16.
// LACKS: product conv_2d_nhwc_hwcf of @window, bf16{{.*}}stays f32, {{.*}}a convolution, and target x86-avx512 has no instruction that sums products of bf16
// SLOW: product conv_2d_nhwc_hwcf of @window, bf16{{.*}}stays f32, {{.*}}a convolution, and target x86-avx512-amx sums products of bf16 more slowly than those of f32
// SAID: product conv_2d_nhwc_hwcf of @window, bf16{{.*}}first factor {{.*}}narrowed at each call{{.*}}second factor {{.*}}a weight, narrowed when it is bound
// SAID: product matvec of @window, bf16{{.*}}stays f32, {{.*}}not a product with rows and columns
// CHECK-LABEL: func.func @window
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<3x3x8x16xf32>) outs({{.*}} : tensor<3x3x8x16xbf16>) attrs = {vortex.bind}
// CHECK: %[[X:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<?x?x?x8xf32>) outs({{.*}} : tensor<?x?x?x8xbf16>) {
// CHECK: %[[PADDED:.*]] = tensor.pad %[[X]] low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK: tensor.yield %{{.*}} : bf16
// CHECK: linalg.conv_2d_nhwc_hwcf {{.*}}ins(%[[PADDED]], %[[W]] : tensor<?x?x?x8xbf16>, tensor<3x3x8x16xbf16>) outs(%arg2 : tensor<?x?x?x16xf32>)
// CHECK-NEXT: linalg.matvec ins(%arg3, %arg4 : tensor<?x?xf32>
func.func @window(%x: tensor<?x?x?x8xf32>, %w: tensor<3x3x8x16xf32> {vortex.weight}, %c: tensor<?x?x?x16xf32>, %a: tensor<?x?xf32>, %v: tensor<?xf32>, %o: tensor<?xf32>) -> (tensor<?x?x?x16xf32>, tensor<?xf32>) attributes {vortex.precision = "bf16"} {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?x8xf32> to tensor<?x?x?x8xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<?x?x?x8xf32>, tensor<3x3x8x16xf32>) outs(%c : tensor<?x?x?x16xf32>) -> tensor<?x?x?x16xf32>
  %s = linalg.matvec ins(%a, %v : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r, %s : tensor<?x?x?x16xf32>, tensor<?xf32>
}

// SAID: product conv_2d_nhwc_hwcf of @window_integers, int8-dynamic{{.*}}stays f32, {{.*}}a convolution
// CHECK-LABEL: func.func @window_integers
// CHECK-NEXT: linalg.conv_2d_nhwc_hwcf ins(%arg0, %arg1 : tensor<?x?x?x8xf32>
func.func @window_integers(%x: tensor<?x?x?x8xf32>, %w: tensor<3x3x8x16xf32> {vortex.weight}, %c: tensor<?x?x?x16xf32>) -> tensor<?x?x?x16xf32> attributes {vortex.precision = "int8-dynamic"} {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x?x?x8xf32>, tensor<3x3x8x16xf32>) outs(%c : tensor<?x?x?x16xf32>) -> tensor<?x?x?x16xf32>
  return %r : tensor<?x?x?x16xf32>
}

// What is not a product of f32 alone stays what it is.
// CHECK-LABEL: func.func @others
// CHECK-NEXT: linalg.matmul ins(%arg0, %arg1 : tensor<?x?xf16>, tensor<?x?xf16>)
// CHECK-NEXT: return
func.func @others(%x: tensor<?x?xf16>, %y: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {vortex.precision = "bf16"} {
  %r = linalg.matmul ins(%x, %y : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// What the first product gives is read by the conversion alone, so that it can join it.
// CHECK-LABEL: func.func @behind
// CHECK: %[[P:.*]] = linalg.matmul
// CHECK-NOT: tensor.dim %[[P]]
// CHECK: linalg.generic {{.*}} ins(%[[P]] : tensor<?x?xf32>)
// CHECK-NOT: tensor.dim %[[P]]
// CHECK: linalg.matmul
func.func @behind(%x: tensor<?x?xf32>, %w: tensor<?x?xf32> {vortex.weight}, %v: tensor<?x?xf32> {vortex.weight}, %c: tensor<?x?xf32>, %d: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {vortex.precision = "bf16"} {
  %r = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.matmul ins(%r, %v : tensor<?x?xf32>, tensor<?x?xf32>) outs(%d : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

// Rounded to nearest by the bits, ties away from zero, NaNs left; the product
// says what may be read of its factors.
// Where no target multiplies tf32 that is said; one does.
// RUN: vortex-opt %s --target=vulkan --vortex-apply-precision --remarks-filter=vortex-apply-precision --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: vortex-opt %s --target=gfx942 --vortex-apply-precision --remarks-filter=vortex-apply-precision --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=SOME
// NONE: product matmul of @single, tf32{{.*}}no instruction of target vulkan multiplies tf32: factors are rounded, and multiplied as f32
// SOME-NOT: multiplies tf32
// SAID: product matmul of @single, tf32{{.*}}first factor {{.*}}narrowed at each call{{.*}}second factor {{.*}}a weight, narrowed when it is bound
// CHECK-LABEL: func.func @single
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<?x?xf32>) {{.*}} attrs = {vortex.bind}
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[BITS:.*]] = arith.bitcast %[[IN]] : f32 to i32
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[BITS]], %c4096_i32
// CHECK-NEXT: %[[CUT:.*]] = arith.andi %[[SUM]], %c-8192_i32
// CHECK-NEXT: %[[ROUNDED:.*]] = arith.bitcast %[[CUT]] : i32 to f32
// CHECK-NEXT: %[[NAN:.*]] = arith.cmpf uno, %[[IN]], %[[IN]] : f32
// CHECK-NEXT: arith.select %[[NAN]], %{{.*}}, %[[ROUNDED]] : f32
// CHECK: %[[X:.*]] = linalg.generic
// CHECK-SAME: ins(%arg0 : tensor<?x?xf32>) outs({{.*}} : tensor<?x?xf32>) {
// CHECK: linalg.matmul {vortex.precision = "tf32"} ins(%[[X]], %[[W]] : tensor<?x?xf32>, tensor<?x?xf32>) outs(%arg2 : tensor<?x?xf32>)
func.func @single(%x: tensor<?x?xf32>, %w: tensor<?x?xf32> {vortex.weight}, %c: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {vortex.precision = "tf32"} {
  %r = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A convolution as a product: its factors are rounded, and it says so. One whose
// result has no columns of their own is none.
// SAID: product conv_2d_nhwc_hwcf of @image, tf32{{.*}}first factor {{.*}}narrowed at each call{{.*}}second factor {{.*}}a weight, narrowed when it is bound
// SAID: product depthwise_conv_2d_nhwc_hwc of @image, tf32{{.*}}stays f32, {{.*}}not a product with rows and columns
// CHECK-LABEL: func.func @image
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<3x3x8x16xf32>) {{.*}} attrs = {vortex.bind}
// CHECK: arith.andi
// CHECK: %[[X:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<?x?x?x8xf32>)
// CHECK: arith.andi
// CHECK: linalg.conv_2d_nhwc_hwcf {{{.*}}vortex.precision = "tf32"{{.*}}} ins(%[[X]], %[[W]] :
// CHECK: linalg.depthwise_conv_2d_nhwc_hwc
// CHECK-NOT: vortex.precision
// CHECK-SAME: ins(%arg0, %arg3 :
func.func @image(%x: tensor<?x?x?x8xf32>, %w: tensor<3x3x8x16xf32> {vortex.weight}, %c: tensor<?x?x?x16xf32>, %v: tensor<3x3x8xf32>, %d: tensor<?x?x?x8xf32>)
    -> (tensor<?x?x?x16xf32>, tensor<?x?x?x8xf32>) attributes {vortex.precision = "tf32"} {
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<?x?x?x8xf32>, tensor<3x3x8x16xf32>) outs(%c : tensor<?x?x?x16xf32>) -> tensor<?x?x?x16xf32>
  %s = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %v : tensor<?x?x?x8xf32>, tensor<3x3x8xf32>) outs(%d : tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32>
  return %r, %s : tensor<?x?x?x16xf32>, tensor<?x?x?x8xf32>
}
