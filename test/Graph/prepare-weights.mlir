// What weights alone decide is marked for the time when they are bound.
// RUN: vortex-opt --vortex-prepare-weights --split-input-file %s | FileCheck %s

// A transposition that products in a loop read, and a sum of columns.
// CHECK-LABEL: @loop
// CHECK:         tensor.extract_slice %arg1[0, 0]
// CHECK-NOT:     vortex.bind
// CHECK:         linalg.transpose
// CHECK-SAME:      {vortex.bind}
// CHECK:         linalg.reduce
// CHECK-SAME:      vortex.bind
// CHECK:         scf.for
// CHECK-NOT:     vortex.bind
// CHECK:         return
func.func @loop(%x: tensor<?x8xf32>, %w: tensor<32x8xf32> {vortex.weight}, %e: tensor<8x8xf32>, %n: index) -> (tensor<?x8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s = tensor.extract_slice %w[0, 0] [8, 8] [1, 1] : tensor<32x8xf32> to tensor<8x8xf32>
  %room = tensor.empty() : tensor<8x8xf32>
  %t = linalg.transpose ins(%s : tensor<8x8xf32>) outs(%room : tensor<8x8xf32>) permutation = [1, 0]
  %few = tensor.empty() : tensor<8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%few : tensor<8xf32>) -> tensor<8xf32>
  %sums = linalg.reduce { arith.addf } ins(%w : tensor<32x8xf32>) outs(%z : tensor<8xf32>) dimensions = [0]
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> (tensor<?x8xf32>) {
    %d = tensor.dim %h, %c0 : tensor<?x8xf32>
    %f = tensor.empty(%d) : tensor<?x8xf32>
    %g = linalg.fill ins(%zero : f32) outs(%f : tensor<?x8xf32>) -> tensor<?x8xf32>
    %p = linalg.matmul ins(%h, %t : tensor<?x8xf32>, tensor<8x8xf32>) outs(%g : tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %p : tensor<?x8xf32>
  }
  return %y, %sums : tensor<?x8xf32>, tensor<8xf32>
}

// -----

// A slice that a product reads is laid out for it, one that is only added stays a view.
// CHECK-LABEL: @views
// CHECK:         tensor.extract_slice %arg1[0, 0] {{.*}} {vortex.bind}
// CHECK:         tensor.extract_slice %arg2[4]
// CHECK-NOT:     vortex.bind
// CHECK:         return
func.func @views(%x: tensor<?x8xf32>, %w: tensor<32x8xf32> {vortex.weight}, %b: tensor<16xf32> {vortex.weight}, %o: tensor<?x8xf32>) -> (tensor<?x8xf32>) {
  %s = tensor.extract_slice %w[0, 0] [8, 8] [1, 1] : tensor<32x8xf32> to tensor<8x8xf32>
  %p = linalg.matmul ins(%x, %s : tensor<?x8xf32>, tensor<8x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  %c = tensor.extract_slice %b[4] [8] [1] : tensor<16xf32> to tensor<8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %c : tensor<?x8xf32>, tensor<8xf32>) outs(%o : tensor<?x8xf32>) {
  ^bb0(%u: f32, %v: f32, %out: f32):
    %r = arith.addf %u, %v : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// Not what takes more room than the weight, nor what an argument decides.
// CHECK-LABEL: @others
// CHECK-NOT:     vortex.bind
// CHECK:         return
func.func @others(%x: tensor<8x8xf32>, %w: tensor<8xf32> {vortex.weight}) -> (tensor<4x8xf32>, tensor<8x8xf32>) {
  %room = tensor.empty() : tensor<4x8xf32>
  %all = linalg.broadcast ins(%w : tensor<8xf32>) outs(%room : tensor<4x8xf32>) dimensions = [0]
  %square = tensor.empty() : tensor<8x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x8xf32>) outs(%square : tensor<8x8xf32>) permutation = [1, 0]
  return %all, %t : tensor<4x8xf32>, tensor<8x8xf32>
}

// -----

// Weights side by side are put there once: the last of the ops has all of them.
// CHECK-LABEL: @joined
// CHECK:         tensor.insert_slice %arg1
// CHECK-NOT:     vortex.bind
// CHECK:         tensor.insert_slice %arg2 {{.*}} {vortex.bind}
// CHECK:         return
func.func @joined(%x: tensor<?x8xf32>, %u: tensor<8x8xf32> {vortex.weight}, %w: tensor<8x8xf32> {vortex.weight}, %o: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %l = tensor.insert_slice %u into %e[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into tensor<8x16xf32>
  %r = tensor.insert_slice %w into %l[0, 8] [8, 8] [1, 1] : tensor<8x8xf32> into tensor<8x16xf32>
  %p = linalg.matmul ins(%x, %r : tensor<?x8xf32>, tensor<8x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %p : tensor<?x16xf32>
}

// -----

// One of several weights, picked in a loop, is laid out for its product; a part of one is not, nor one of an argument.
// CHECK-LABEL: @picked
// CHECK:         scf.for
// CHECK:           tensor.extract_slice %arg1[%{{.*}}, 0, 0] [1, 8, 8] [1, 1, 1] {vortex.bind}
// CHECK:           tensor.extract_slice %arg1[%{{.*}}, 0, 0] [1, 8, 4]
// CHECK-NOT:       vortex.bind
// CHECK:         return
func.func @picked(%x: tensor<?x8xf32>, %w: tensor<5x8x8xf32> {vortex.weight}, %v: tensor<5x8x8xf32>, %n: index, %o: tensor<?x4xf32>) -> (tensor<?x8xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y, %z = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x, %k = %o) -> (tensor<?x8xf32>, tensor<?x4xf32>) {
    %s = tensor.extract_slice %w[%i, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<5x8x8xf32> to tensor<8x8xf32>
    %p = linalg.matmul ins(%h, %s : tensor<?x8xf32>, tensor<8x8xf32>) outs(%h : tensor<?x8xf32>) -> tensor<?x8xf32>
    %t = tensor.extract_slice %w[%i, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<5x8x8xf32> to tensor<8x4xf32>
    %q = linalg.matmul ins(%p, %t : tensor<?x8xf32>, tensor<8x4xf32>) outs(%k : tensor<?x4xf32>) -> tensor<?x4xf32>
    %u = tensor.extract_slice %v[%i, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<5x8x8xf32> to tensor<8x8xf32>
    %r = linalg.matmul ins(%p, %u : tensor<?x8xf32>, tensor<8x8xf32>) outs(%p : tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %r, %q : tensor<?x8xf32>, tensor<?x4xf32>
  }
  return %y, %z : tensor<?x8xf32>, tensor<?x4xf32>
}
