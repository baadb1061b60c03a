// Rows that are copied are copied by memcpy, not byte by byte.
// REQUIRES: vortex-compile
// RUN: vortex-compile %s --target=x86-avx2 -o %t.so
// RUN: %llvm_tools/llvm-nm -D --undefined-only %t.so | FileCheck %s
// CHECK: U memcpy
func.func @gather(%table: tensor<?x?xf32>, %at: tensor<?xi64>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %at, %c0 : tensor<?xi64>
  %c1 = arith.constant 1 : index
  %m = tensor.dim %table, %c1 : tensor<?x?xf32>
  %room = tensor.empty(%n, %m) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%at : tensor<?xi64>) outs(%room : tensor<?x?xf32>) {
  ^bb0(%i: i64, %o: f32):
    %row = arith.index_cast %i : i64 to index
    %column = linalg.index 1 : index
    %v = tensor.extract %table[%row, %column] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
