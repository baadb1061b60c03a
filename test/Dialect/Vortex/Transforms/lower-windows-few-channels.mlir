// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-expand=candidate=window_9x32 --vortex-lower-micro-kernels --resolve-ranked-shaped-type-result-dims --canonicalize --cse --split-input-file | FileCheck %s
// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --split-input-file | FileCheck %s --check-prefix=FAMILY

// Windows of rows of a tile share pixels: of one channel those of the next row begin two elements further, so that a trip takes two
// steps. Of four, LLVM would keep what both rows read in registers that the tile needs. Two vectors divide the channels: three are not
// tried.
// CHECK: #[[TWO:.*]] = #llvm.loop_unroll<count = 2 : i32>
// CHECK: #[[NOTE:.*]] = #llvm.loop_annotation<unroll = #[[TWO]]>
// CHECK-LABEL: func.func @two
// CHECK: scf.index_switch
// CHECK: case 2 
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c1
// CHECK-NOT: inline_asm
// CHECK: {loop_annotation = #[[NOTE]]
// FAMILY-LABEL: func.func @two
// FAMILY: vortex.candidate @window_9x32
// FAMILY: vortex.candidate @inplace_9x32
// FAMILY-NOT: vortex.candidate
// FAMILY-LABEL: func.func @one
func.func @two(%x: tensor<?x?x?x1xf32>, %f: tensor<5x?x1x32xf32> {vortex.weight}, %o: tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?x1xf32> to tensor<?x?x?x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x1xf32>, tensor<5x?x1x32xf32>) outs(%init : tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32>
  return %y : tensor<?x?x?x32xf32>
}

// -----

// One further: a step a trip, whatever LLVM knows of their number.
// CHECK: #[[ONE:.*]] = #llvm.loop_unroll<count = 1 : i32>
// CHECK: #[[NOTE1:.*]] = #llvm.loop_annotation<unroll = #[[ONE]]>
// CHECK-LABEL: func.func @one
// CHECK: scf.index_switch
// CHECK: case 2 
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c1
// CHECK: {loop_annotation = #[[NOTE1]]}
func.func @one(%x: tensor<?x?x?x1xf32>, %f: tensor<5x?x1x32xf32> {vortex.weight}, %o: tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?x1xf32> to tensor<?x?x?x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x1xf32>, tensor<5x?x1x32xf32>) outs(%init : tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32>
  return %y : tensor<?x?x?x32xf32>
}

// -----

// Of a window whose columns are known a trip takes as many steps as leave none over, five of five. What two rows read is read again:
// behind each step memory may have been written, for all that LLVM knows.
// CHECK: #[[FIVE:.*]] = #llvm.loop_unroll<count = 5 : i32>
// CHECK: #[[NOTE5:.*]] = #llvm.loop_annotation<unroll = #[[FIVE]]>
// CHECK-LABEL: func.func @known
// CHECK: scf.index_switch
// CHECK: case 2 
// CHECK: scf.for %{{.*}} = %c0 to %c5 step %c1
// CHECK-NEXT: llvm.inline_asm has_side_effects {{.*}}"~{memory}"
// CHECK: {loop_annotation = #[[NOTE5]]
// CHECK-NOT: scf.for
// CHECK: case 3 
func.func @known(%x: tensor<?x?x?x1xf32>, %f: tensor<5x5x1x32xf32> {vortex.weight}, %o: tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?x1xf32> to tensor<?x?x?x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x1xf32>, tensor<5x5x1x32xf32>) outs(%init : tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32>
  return %y : tensor<?x?x?x32xf32>
}
