// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --canonicalize --cse | FileCheck %s
// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-expand=candidate=window_6x64 --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s --check-prefix=WINDOW
// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-expand=candidate=window_6x64 --vortex-lower-micro-kernels --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s --check-prefix=TILE
// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-expand=candidate=inplace_9x32 --vortex-lower-micro-kernels --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s --check-prefix=SKIP
// RUN: vortex-opt %s --target=x86-avx2 --vortex-hierarchize --canonicalize --cse | FileCheck %s --check-prefix=FEW
// RUN: vortex-opt %s --target=x86-avx2 --vortex-hierarchize --vortex-expand=candidate=inplace_6x16 --vortex-lower-micro-kernels --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s --check-prefix=ALL

// The padding becomes part of the kernel. A task copies its part of the images, as many as fit, padded; a panel serves all pixels of the task.
// CHECK-LABEL: func.func @conv
// CHECK: vortex.kernel {{.*}} ins(%arg0, %arg1
// CHECK: tensor.pad
// CHECK: vortex.candidate @inplace_9x32
// CHECK-NOT: load (<operand = 0
// CHECK: vortex.candidate @window_6x64
// CHECK: level "device" for () load (<operand = 1, layout = panel, axis = 3, bound = true>
// CHECK-NEXT: level "core" forall (PL 0 by %{{[0-9]+}}, PL 1 by %[[STRIP:[a-z0-9]*]], PL 3 by %{{.*}}) load (<operand = 0, layout = copy, axis = 1> by %[[STRIP]])
// CHECK-NEXT: level "l1" for (TSL 3 by %c64)
// CHECK-NEXT: level "register" for (TSL 0 by %c1, TSL 1 by %c1, TSL 2 by %{{.*}})
// CHECK-NEXT: stage ["p0", "p1"] micro <instruction = "fma", rows = 6, vectors = 4
// CHECK: vortex.candidate @inplace_6x64
// CHECK-NOT: load (<operand = 0
// CHECK-NOT: vortex.candidate

// Nothing pads the whole image.
// WINDOW-LABEL: func.func @conv
// WINDOW-NOT: tensor.pad
// WINDOW: scf.forall
// WINDOW: %[[PART:.*]] = tensor.extract_slice %arg0
// WINDOW: tensor.pad %[[PART]] nofold
// WINDOW: scf.for
// WINDOW: vortex.micro_kernel
// WINDOW-NOT: tensor.pad
// WINDOW: return

// Rows of the window outside the image are left out, columns of the window and channels are one reduction.
// TILE-LABEL: func.func @conv
// TILE: scf.index_switch
// TILE: case 65
// TILE: %[[STEPS:.*]] = arith.muli %{{.*}}, %c3
// TILE: %[[FROM:.*]] = arith.maxsi
// TILE: %[[TO:.*]] = arith.minui %{{.*}}, %c3
// TILE-NEXT: scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %c1
// TILE-NEXT: %[[REST:.*]] = arith.remui %[[STEPS]], %c4
// TILE-NEXT: %[[WHOLE:.*]] = arith.subi %[[STEPS]], %[[REST]]
// TILE-NEXT: scf.for %{{.*}} = %c0 to %[[WHOLE]] step %c1
// TILE: {loop_annotation =
// TILE-NOT: scf.for %{{.*}} = %c0 to
// TILE: scf.for %{{.*}} = %[[WHOLE]] to %[[STEPS]] step %c1
// TILE: scf.yield
// TILE: scf.yield
// TILE-NEXT: } {vortex.prefetch_result}
func.func @conv(%x: tensor<?x?x?x?xf32>, %f: tensor<3x3x?x?xf32> {vortex.weight}, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<?x?x?x?xf32>, tensor<3x3x?x?xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// In place, pixels in the padding are left out: a bit for each row of the tile, known at each column of the window, says whether its
// pixel lies in the image. A row takes four channels at once, its address found in front of the loop.
// SKIP-LABEL: func.func @conv
// SKIP-NOT: tensor.pad
// SKIP: case 66
// SKIP: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c1
// SKIP: scf.for %[[COLUMN:.*]] = %c0 to %c3 step %c1
// SKIP: %[[BEHIND:.*]] = arith.xori
// SKIP: %[[ANY:.*]] = arith.cmpi ne, %[[BEHIND]], %c0_i64
// SKIP-NEXT: %[[CHANNELS:.*]] = arith.select %[[ANY]], %{{.*}}, %c0
// SKIP-COUNT-2: tensor.extract_slice %arg0{{.*}} [1, 1, 1, %{{.*}}]
// SKIP: %[[REST:.*]] = arith.remui %[[CHANNELS]], %c4
// SKIP: scf.for %{{.*}} = %c0 to %{{.*}} step %c4
// SKIP-COUNT-4: vector.transfer_read
// SKIP: %[[BIT:.*]] = arith.andi %[[BEHIND]], %c1_i64
// SKIP: %[[IN:.*]] = arith.cmpi ne, %[[BIT]], %c0_i64
// SKIP: scf.if %[[IN]]
// SKIP-COUNT-4: tensor.extract
// SKIP: } else {
// SKIP: %[[BIT2:.*]] = arith.andi %[[BEHIND]], %c2_i64
// SKIP: scf.if
// SKIP: scf.for %{{.*}} to %[[CHANNELS]] step %c1

// With sixteen registers there are none for four vectors; three serve rows of few pixels.
// FEW-LABEL: func.func @conv
// FEW: vortex.candidate @window_6x16
// FEW: vortex.candidate @inplace_6x16
// FEW: vortex.candidate @inplace_4x24
// FEW-NOT: vortex.candidate

// Nor for the columns of four steps behind a branch: where all six rows lie in the image there is none and LLVM repeats the step; the steps that leaves, and
// elsewhere all of them, have a branch for each row.
// ALL-LABEL: func.func @conv
// ALL: case 134 {
// ALL: %[[REST:.*]] = arith.remui %[[CHANNELS:.*]], %c4
// ALL: %[[MULTIPLE:.*]] = arith.subi %[[CHANNELS]], %[[REST]]
// ALL: %[[WHOLE:.*]] = arith.cmpi eq, %{{.*}}, %c63_i64
// ALL-NEXT: scf.if %[[WHOLE]]
// ALL: scf.for %{{.*}} = %c0 to %[[MULTIPLE]] step %c1
// ALL-NOT: arith.andi
// ALL-COUNT-6: tensor.extract
// ALL-NOT: arith.andi
// ALL: } {loop_annotation = #{{.*}}}
// ALL: } else {
// ALL-NEXT: scf.yield
// ALL: %[[FROM:.*]] = arith.select %[[WHOLE]], %[[MULTIPLE]], %c0
// ALL: scf.for %{{.*}} = %[[FROM]] to %[[CHANNELS]] step %c1
// ALL: arith.andi %{{.*}}, %c1_i64
