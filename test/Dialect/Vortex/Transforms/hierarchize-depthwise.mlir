// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --canonicalize --cse | FileCheck %s
// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-expand=position=0 --vortex-lower-micro-kernels --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s --check-prefix=INPLACE

// Lanes are channels of the image: rows of the tile in the padding are masked off, and tiles inside the image check nothing. Nothing
// is copied, and channels of a pixel follow each other.
// CHECK-LABEL: func.func @depthwise
// CHECK: vortex.candidate @inplace_9x32
// CHECK: level "core"
// CHECK-NOT: load
// CHECK: level "l1" for (TSL 1 by %c1, TSL 2 by %{{.*}})
// CHECK-NEXT: level "register" for (TSL 3 by %c32)
// CHECK-NEXT: stage ["p0", "p1"] micro <instruction = "fma", rows = 9, vectors = 2, lanes = 16, unroll = 3
// CHECK-NOT: vortex.candidate

// Two rows read four pixels for three steps, each once, the first of them for one row and the next for both.
// INPLACE-LABEL: func.func @depthwise
// INPLACE-NOT: tensor.pad
// INPLACE: case 66
// INPLACE: %[[INSIDE:.*]] = arith.andi %{{.*}} : i1
// INPLACE: scf.if %[[INSIDE]]
// INPLACE-NOT: vector.broadcast {{.*}} : i1
// INPLACE-COUNT-4: tensor.extract_slice %arg0
// INPLACE: scf.for %{{.*}} iter_args(%[[FIRST:.*]] = %{{.*}}, %[[SECOND:.*]] = %{{.*}})
// INPLACE-NEXT: %[[TAP0:.*]] = vector.transfer_read
// INPLACE-NEXT: %[[TAP1:.*]] = vector.transfer_read
// INPLACE-NEXT: vector.transfer_read
// INPLACE: %[[PIXEL0:.*]] = vector.transfer_read
// INPLACE-NEXT: %[[TERM:.*]] = arith.mulf %[[PIXEL0]], %[[TAP0]]
// INPLACE-NEXT: %[[SUM:.*]] = arith.addf %[[FIRST]], %[[TERM]]
// INPLACE-NEXT: %[[PIXEL1:.*]] = vector.transfer_read
// INPLACE-NEXT: %[[TERM1:.*]] = arith.mulf %[[PIXEL1]], %[[TAP1]]
// INPLACE-NEXT: arith.addf %[[SUM]], %[[TERM1]]
// INPLACE-NEXT: %[[TERM2:.*]] = arith.mulf %[[PIXEL1]], %[[TAP0]]
// INPLACE-NEXT: arith.addf %[[SECOND]], %[[TERM2]]
// INPLACE-COUNT-2: vector.transfer_read
// INPLACE-NOT: vector.transfer_read
// INPLACE: } else {
// INPLACE: vector.broadcast {{.*}} : i1 to vector<16xi1>
func.func @depthwise(%x: tensor<?x?x?x?xf32>, %f: tensor<3x3x?xf32>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x?xf32>, tensor<3x3x?xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// Taps of a weight lie behind each other, a panel of channels after the other. What is left of unknown windows goes step by step.
// CHECK-LABEL: func.func @taps
// CHECK: level "device" for () load (<operand = 1, layout = panel, axis = 3, bound = true>

// INPLACE-LABEL: func.func @taps
// INPLACE: case 66
// INPLACE: scf.if
// INPLACE: scf.for
// INPLACE: %[[REST:.*]] = arith.remui %[[COLUMNS:.*]], %c3
// INPLACE: %[[WHOLE:.*]] = arith.subi %[[COLUMNS]], %[[REST]]
// INPLACE: scf.for %{{.*}} = %c0 to %[[WHOLE]] step %c3
// INPLACE-COUNT-7: vector.transfer_read
// INPLACE-NOT: vector.transfer_read
// INPLACE: scf.for %{{.*}} = %[[WHOLE]] to %[[COLUMNS]] step %c1
// INPLACE-COUNT-3: vector.transfer_read
// INPLACE-NOT: vector.transfer_read
// INPLACE: } else {
func.func @taps(%x: tensor<?x?x?x?xf32>, %f: tensor<?x?x?xf32> {vortex.weight}, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x?xf32>, tensor<?x?x?xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}
