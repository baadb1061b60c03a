// Products of the steps of a tensor leave the loop over them.
// RUN: vortex-opt --target=x86-avx512 --vortex-hoist-products --canonicalize --cse --split-input-file --mlir-print-local-scope %s | FileCheck %s
// RUN: vortex-opt --target=x86-avx512 --vortex-hoist-products --split-input-file --remarks-filter=vortex-hoist-products --remark-format=emitRemark %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// What is added to each row leaves it, too; what reads the state stays.
// CHECK-LABEL: @steps
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x?x128xf32>
// CHECK:         %[[P:.*]] = linalg.generic
// CHECK-SAME:      affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-SAME:      iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK-SAME:      ins(%[[X]], %{{.*}} : tensor<?x?x128xf32>, tensor<128x64xf32>)
// CHECK:         %[[B:.*]] = linalg.generic {{.*}} ins(%[[P]], %{{.*}} : tensor<?x?x64xf32>, tensor<64xf32>)
// CHECK:         scf.for %[[I:.*]] = %{{.*}} iter_args(%[[H:.*]] =
// CHECK-NEXT:      %[[S:.*]] = tensor.extract_slice %[[B]][%[[I]], 0, 0] [1, %{{.*}}, 64] [1, 1, 1] : tensor<?x?x64xf32> to tensor<?x64xf32>
// CHECK-NEXT:      linalg.generic {{.*}} ins(%[[S]], %[[H]] : tensor<?x64xf32>, tensor<?x64xf32>)
// CHECK-NOT:     linalg.matmul
// CHECK:         return
// REMARK: the products of all steps are one in front of the loop
func.func @steps(%x: tensor<?x?x128xf32>, %h0: tensor<?x64xf32>, %w: tensor<128x64xf32>, %b: tensor<64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?x128xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?x128xf32>
  %e = tensor.empty(%m) : tensor<?x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %h0) -> tensor<?x64xf32> {
    %s = tensor.extract_slice %x[%i, 0, 0] [1, %m, 128] [1, 1, 1] : tensor<?x?x128xf32> to tensor<?x128xf32>
    %p = linalg.matmul ins(%s, %w : tensor<?x128xf32>, tensor<128x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
    %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%p, %b : tensor<?x64xf32>, tensor<64xf32>) outs(%e : tensor<?x64xf32>) {
    ^bb0(%u: f32, %v: f32, %out: f32):
      %t = arith.addf %u, %v : f32
      linalg.yield %t : f32
    } -> tensor<?x64xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a, %h : tensor<?x64xf32>, tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) {
    ^bb0(%u: f32, %v: f32, %out: f32):
      %t = arith.addf %u, %v : f32
      linalg.yield %t : f32
    } -> tensor<?x64xf32>
    scf.yield %y : tensor<?x64xf32>
  }
  return %r : tensor<?x64xf32>
}

// -----

// Importers clamp the index and slice before they drop the dimension.
// CHECK-LABEL: @imported
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<?x4x128xf32>, tensor<128x64xf32>)
// CHECK:         scf.for
// CHECK-NOT:     linalg.matmul
// CHECK:         return
func.func @imported(%x: tensor<?x4x128xf32>, %h0: tensor<4x64xf32>, %w: tensor<128x64xf32>) -> tensor<4x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4x128xf32>
  %e = tensor.empty() : tensor<4x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %h0) -> tensor<4x64xf32> {
    %least = arith.maxsi %i, %c0 : index
    %at = arith.minsi %least, %n : index
    %s = tensor.extract_slice %x[%at, 0, 0] [1, 4, 128] [1, 1, 1] : tensor<?x4x128xf32> to tensor<1x4x128xf32>
    %c = tensor.collapse_shape %s [[0, 1], [2]] : tensor<1x4x128xf32> into tensor<4x128xf32>
    %p = linalg.matmul ins(%c, %w : tensor<4x128xf32>, tensor<128x64xf32>) outs(%f : tensor<4x64xf32>) -> tensor<4x64xf32>
    %y = linalg.add ins(%p, %h : tensor<4x64xf32>, tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>
    scf.yield %y : tensor<4x64xf32>
  }
  return %r : tensor<4x64xf32>
}

// -----

// They stay: fewer steps than elements, another element than the step's, a product that starts from the state, a short reduction.
// CHECK-LABEL: @stay
// CHECK:         scf.for
// CHECK-COUNT-4:   linalg.matmul
// CHECK-NOT: REMARK
func.func @stay(%x: tensor<?x?x128xf32>, %z: tensor<?x?x8xf32>, %h0: tensor<?x64xf32>, %k: index, %w: tensor<128x64xf32>, %v: tensor<8x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c1 : tensor<?x?x128xf32>
  %n = tensor.dim %z, %c0 : tensor<?x?x8xf32>
  %mz = tensor.dim %z, %c1 : tensor<?x?x8xf32>
  %e = tensor.empty(%m) : tensor<?x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %h0) -> tensor<?x64xf32> {
    %s = tensor.extract_slice %x[%i, 0, 0] [1, %m, 128] [1, 1, 1] : tensor<?x?x128xf32> to tensor<?x128xf32>
    %p = linalg.matmul ins(%s, %w : tensor<?x128xf32>, tensor<128x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
    %s1 = tensor.extract_slice %x[%k, 0, 0] [1, %m, 128] [1, 1, 1] : tensor<?x?x128xf32> to tensor<?x128xf32>
    %p1 = linalg.matmul ins(%s1, %w : tensor<?x128xf32>, tensor<128x64xf32>) outs(%p : tensor<?x64xf32>) -> tensor<?x64xf32>
    %s2 = tensor.extract_slice %x[%i, 0, 0] [1, %m, 128] [1, 1, 1] : tensor<?x?x128xf32> to tensor<?x128xf32>
    %p2 = linalg.matmul ins(%s2, %w : tensor<?x128xf32>, tensor<128x64xf32>) outs(%p1 : tensor<?x64xf32>) -> tensor<?x64xf32>
    %s3 = tensor.extract_slice %z[%i, 0, 0] [1, %mz, 8] [1, 1, 1] : tensor<?x?x8xf32> to tensor<?x8xf32>
    %p3 = linalg.matmul ins(%s3, %v : tensor<?x8xf32>, tensor<8x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
    %y = linalg.add ins(%p2, %p3 : tensor<?x64xf32>, tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    scf.yield %y : tensor<?x64xf32>
  }
  return %r : tensor<?x64xf32>
}

// -----

// A product on memrefs has no result to hoist.
// CHECK-LABEL: @memrefs
// CHECK:         scf.for
// CHECK-NEXT:      linalg.matmul
func.func @memrefs(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %y: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    linalg.matmul ins(%x, %w : memref<?x?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  }
  return
}
