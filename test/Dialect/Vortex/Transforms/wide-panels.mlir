// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize | FileCheck %s
// RUN: vortex-opt %s --target=x86-zen4 --vortex-hierarchize | FileCheck %s --check-prefix=HALVES
// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-expand=candidate=panel_6x64 | FileCheck %s --check-prefix=EXPAND
// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-expand=candidate=panel_6x64 --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s --check-prefix=READ
// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-expand=candidate=outer_8x64 --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s --check-prefix=OUTER

// A tile without requests for the next panel reads two panels, which are as
// wide as those of the tiles with: weights are laid out once.
// CHECK-LABEL: func.func @product
// CHECK: vortex.candidate @packed_14x32_prefetch
// CHECK: vortex.level "device" for () load (<operand = 1, layout = panel, axis = 1, bound = true> by %c32
// CHECK: vortex.candidate @panel_6x64 cost
// CHECK: vortex.level "device" for () load (<operand = 1, layout = panel, axis = 1, bound = true> by %c32
// CHECK: vortex.level "l1" for (TSL 1 by %c64
// CHECK: vortex.stage ["p0"] micro <instruction = "fma", rows = 6, vectors = 4, lanes = 16, unroll = 4, narrow_rows = 8
// CHECK: vortex.candidate @panel_8x32_prefetch
// CHECK: vortex.level "l1" for (TSL 1 by %c32

// Halves of a vector one behind the other leave time for more instructions.
// HALVES-LABEL: func.func @product
// HALVES: vortex.candidate @panel_8x32 cost
// HALVES-NOT: @panel_6x64

// EXPAND-LABEL: func.func @product
// EXPAND: %[[FIRST:.*]] = arith.divui %{{.*}}, %c32
// EXPAND: %[[PAIR:.*]] = tensor.extract_slice %{{.*}}[%[[FIRST]], 0, 0] [%{{.*}}, %{{.*}}, 32] [1, 1, 1] : tensor<?x?x32xf32> to tensor<?x?x32xf32>
// EXPAND: vortex.micro_kernel

// Each panel is a part of its own; of up to two vectors the second is not
// touched, for there may be none.
// READ-LABEL: func.func @product
// READ: case 65 {
// READ-NOT: [1, 0, 0]
// READ: case 129 {
// READ-NOT: [1, 0, 0]
// READ: case 193 {
// READ: %[[LEFT:.*]] = tensor.extract_slice %[[BOTH:.*]][0, 0, 0] [1, %{{.*}}, 32]
// READ: %[[RIGHT:.*]] = tensor.extract_slice %[[BOTH]][1, 0, 0] [1, %{{.*}}, 32]
// READ: vector.transfer_read %[[LEFT]][%[[K:.*]], %c0]
// READ: vector.transfer_read %[[LEFT]][%[[K]], %c16]
// READ: vector.transfer_read %[[RIGHT]][%[[K]], %c0]

// Outer products of up to four steps read two panels, too; there is no code for
// more of them, whose tiles have the columns of one.
// OUTER-LABEL: func.func @product
// OUTER: case 26 {
// OUTER-NOT: case 32 {
// OUTER: case 40 {
// OUTER: %[[LEFT:.*]] = tensor.extract_slice %[[BOTH:.*]][0, 0, 0] [1, %{{.*}}, 32]
// OUTER: %[[RIGHT:.*]] = tensor.extract_slice %[[BOTH]][1, 0, 0] [1, %{{.*}}, 32]
// OUTER: vector.transfer_read %[[LEFT]][%c0, %c16]
// OUTER: vector.transfer_read %[[RIGHT]][%c0, %c0]
// OUTER-NOT: case 41 {
func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32> {vortex.weight}, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}
