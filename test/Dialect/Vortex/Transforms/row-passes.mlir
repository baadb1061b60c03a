// RUN: vortex-opt %s --target=x86-avx512 --vortex-decompose-ops --canonicalize --vortex-hierarchize --vortex-expand --vortex-lower-micro-kernels --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s

// Of three passes the second, whose exponentials take as long as the next row from memory, touches that. The last reads what the second kept in the result, and
// so stores into caches.
// CHECK-LABEL: func.func @softmax(
// CHECK: scf.for
// CHECK: arith.cmpf ogt
// CHECK-NOT: vortex.prefetch_row
// CHECK: math.exp
// CHECK: } {vortex.prefetch_row}
// CHECK: arith.divf
// CHECK-NOT: vortex.nontemporal
// CHECK-NOT: vortex.prefetch_row
// CHECK: return
func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A root is of the row, not of its elements, and the last pass alone writes the result.
// CHECK-LABEL: func.func @root_mean_square(
// CHECK-NOT: vortex.prefetch_row
// What the sums of a row give is computed once, not in each lane.
// CHECK: math.rsqrt %{{.*}} : f32
// CHECK: } {vortex.nontemporal}
// CHECK-NOT: vortex.prefetch_row
// CHECK: return
func.func @root_mean_square(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %squares = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%start : tensor<?xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %square = arith.mulf %a, %a : f32
    %more = arith.addf %sum, %square : f32
    linalg.yield %more : f32
  } -> tensor<?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %squares : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %sum: f32, %o: f32):
    %shifted = arith.addf %sum, %epsilon : f32
    %scale = math.rsqrt %shifted : f32
    %scaled = arith.mulf %a, %scale : f32
    linalg.yield %scaled : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
