// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-select-kernels --canonicalize --cse --vortex-bind-weights | FileCheck %s

// Candidates share one packed form; another of the columns one behind the other, for fewer of them than lanes.
// CHECK-LABEL: func.func @mm
// CHECK: %[[FEW:.*]] = arith.cmpi ult, %[[N:.*]], %c16
// CHECK: %[[COLUMNS:.*]] = arith.select %[[FEW]], %[[N]], %c0
// CHECK: %[[PART:.*]] = tensor.extract_slice %{{.*}}[0, 0] [%{{.*}}, %[[COLUMNS]]] [1, 1]
// CHECK: %[[Q:.*]] = linalg.pack %[[PART]] outer_dims_perm = [1, 0] inner_dims_pos = [] inner_tiles = [] into %{{.*}} {vortex.bind}
// CHECK: %[[P:.*]] = linalg.pack %{{.*}} outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] into %{{.*}} {vortex.bind}
// CHECK-NOT: linalg.pack
// CHECK: vortex.kernel
// CHECK-SAME: %[[P]]
// CHECK: linalg.unpack
// CHECK: vortex.kernel {{.*}}%[[Q]],
// CHECK: linalg.unpack %{{.*}} outer_dims_perm = [1, 0] inner_dims_pos = [] inner_tiles = []
// CHECK: vortex.kernel {{.*}}%[[P]],
// CHECK: linalg.unpack %{{.*}} outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32]
// CHECK: vortex.candidate @strip_4
func.func @mm(%a: tensor<?x?xf32>, %b: tensor<?x?xf32> {vortex.weight}, %bias: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// One of several weights, which one is known when it runs: all are packed, and the kernel takes its part.
// CHECK-LABEL: func.func @picked
// CHECK: %[[P:.*]] = linalg.pack %arg1 {{.*}}outer_dims_perm = [0, 2, 1] inner_dims_pos = [2] inner_tiles = [32] into %{{.*}} {vortex.bind} : tensor<4x64x96xf32> -> tensor<4x3x64x32xf32>
// CHECK-NOT: linalg.pack
// CHECK: %[[S:.*]] = tensor.extract_slice %[[P]][%arg2, 0, 0, 0] [1, 3, 64, 32] [1, 1, 1, 1] : tensor<4x3x64x32xf32> to tensor<3x64x32xf32>
// CHECK: vortex.kernel
// CHECK-SAME: %[[S]]
func.func @picked(%a: tensor<?x64xf32>, %w: tensor<4x64x96xf32> {vortex.weight}, %i: index) -> tensor<?x96xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x64xf32>
  %b = tensor.extract_slice %w[%i, 0, 0] [1, 64, 96] [1, 1, 1] {vortex.bind} : tensor<4x64x96xf32> to tensor<64x96xf32>
  %e = tensor.empty(%m) : tensor<?x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x96xf32>) outs(%f : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %p : tensor<?x96xf32>
}

// A filter is laid out as its tiles read it: by rows and columns of the window, then by channels of the image, wherever those lie in the weight.
// CHECK-LABEL: func.func @filter
// CHECK: linalg.pack %arg1 {{.*}}outer_dims_perm = [0, 2, 3, 1] inner_dims_pos = [0] inner_tiles = [32] into %{{.*}} {vortex.bind} : tensor<128x64x3x3xf32> -> tensor<4x3x3x64x32xf32>
// CHECK: linalg.unpack %{{.*}} outer_dims_perm = [0, 2, 3, 1] inner_dims_pos = [0] inner_tiles = [32] into %{{.*}} : tensor<4x3x3x64x32xf32> -> tensor<128x64x3x3xf32>
func.func @filter(%x: tensor<?x?x?x64xf32>, %f: tensor<128x64x3x3xf32> {vortex.weight}, %o: tensor<?x?x?x128xf32>) -> tensor<?x?x?x128xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, f, y, x, c) -> (n, h + y, w + x, c)>, affine_map<(n, h, w, f, y, x, c) -> (f, c, y, x)>,
      affine_map<(n, h, w, f, y, x, c) -> (n, h, w, f)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %f : tensor<?x?x?x64xf32>, tensor<128x64x3x3xf32>) outs(%o : tensor<?x?x?x128xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x128xf32>
  return %y : tensor<?x?x?x128xf32>
}
