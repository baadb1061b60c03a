// RUN: vortex-opt %s --target=sm_80 --vortex-hierarchize --vortex-select-kernels --vortex-split-reductions | FileCheck %s

// A contraction that starts with an operand, and has something behind it: the kernel that adds the parts starts with the operand.
// CHECK-LABEL: func.func @onto
// CHECK: %[[PARTS:.*]] = vortex.kernel "onto.matmul.0" axes ["part", "m", "n", "k"] ins(%arg0, %arg1,
// CHECK: vortex.kernel {{.*}} axes ["part", "m", "n"] ins(%[[PARTS]], %arg2 :
// CHECK: ^bb0(%[[P:.*]]: tensor<?x?x?xf32>, %[[START:.*]]: tensor<?x?xf32>,
// CHECK: linalg.generic {{.*}} ins(%[[P]] : tensor<?x?x?xf32>) outs(%[[START]] :
func.func @onto(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %onto: tensor<?x?xf32>) -> tensor<?x?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf16>
  %n = tensor.dim %w, %c1 : tensor<?x?xf16>
  %p = linalg.matmul ins(%x, %w : tensor<?x?xf16>, tensor<?x?xf16>) outs(%onto : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf16>) {
  ^bb0(%a: f32, %o: f16):
    %t = arith.truncf %a : f32 to f16
    linalg.yield %t : f16
  } -> tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}
