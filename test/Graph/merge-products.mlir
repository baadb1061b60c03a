// Products that share a factor are one product, with the elementwise ops that do the same to each.
// RUN: vortex-opt --target=x86-avx512 --vortex-merge-products --canonicalize --cse --split-input-file --mlir-print-local-scope %s | FileCheck %s
// RUN: vortex-opt --target=x86-avx512 --vortex-merge-products --split-input-file --remarks-filter=vortex-merge-products --remark-format=emitRemark %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Two gates: the bias is added to both at once, then they differ.
// CHECK-LABEL: @gates
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x128xf32>, %[[U:[a-z0-9]+]]: tensor<128x128xf32>
// CHECK-DAG:     %[[E:.*]] = tensor.empty() : tensor<128x192xf32>
// CHECK:         %[[L:.*]] = tensor.insert_slice %[[U]] into %[[E]][0, 0] [128, 128] [1, 1]
// CHECK:         %[[W:.*]] = tensor.insert_slice %{{.*}} into %[[L]][0, 128] [128, 64] [1, 1]
// CHECK:         %[[P:.*]] = linalg.matmul ins(%[[X]], %[[W]] : tensor<?x128xf32>, tensor<128x192xf32>)
// CHECK-NOT:     linalg.matmul
// CHECK:         tensor.insert_slice %{{.*}} into %{{.*}}[0] [128] [1] : tensor<128xf32> into tensor<192xf32>
// CHECK:         %[[B:.*]] = linalg.generic {{.*}} ins(%[[P]], %{{.*}} : tensor<?x192xf32>, tensor<192xf32>)
// CHECK:         arith.addf
// CHECK-DAG:     %[[PU:.*]] = tensor.extract_slice %[[B]][0, 0] [%{{.*}}, 128] [1, 1] : tensor<?x192xf32> to tensor<?x128xf32>
// CHECK-DAG:     %[[PW:.*]] = tensor.extract_slice %[[B]][0, 128] [%{{.*}}, 64] [1, 1] : tensor<?x192xf32> to tensor<?x64xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[PU]] : tensor<?x128xf32>)
// CHECK:         math.exp
// CHECK:         linalg.generic {{.*}} ins(%[[PW]] : tensor<?x64xf32>)
// CHECK:         math.tanh
// CHECK:         return
// REMARK: 2 products of one factor are one
func.func @gates(%x: tensor<?x128xf32>, %u: tensor<128x128xf32> {vortex.weight}, %w: tensor<128x64xf32> {vortex.weight},
                 %bu: tensor<128xf32> {vortex.weight}, %bw: tensor<64xf32> {vortex.weight}) -> (tensor<?x128xf32>, tensor<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x128xf32>
  %eu = tensor.empty(%m) : tensor<?x128xf32>
  %fu = linalg.fill ins(%zero : f32) outs(%eu : tensor<?x128xf32>) -> tensor<?x128xf32>
  %pu = linalg.matmul ins(%x, %u : tensor<?x128xf32>, tensor<128x128xf32>) outs(%fu : tensor<?x128xf32>) -> tensor<?x128xf32>
  %au = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%pu, %bu : tensor<?x128xf32>, tensor<128xf32>) outs(%eu : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<?x128xf32>
  %su = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%au : tensor<?x128xf32>) outs(%eu : tensor<?x128xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = math.exp %a : f32
    linalg.yield %v : f32
  } -> tensor<?x128xf32>
  %ew = tensor.empty(%m) : tensor<?x64xf32>
  %fw = linalg.fill ins(%zero : f32) outs(%ew : tensor<?x64xf32>) -> tensor<?x64xf32>
  %pw = linalg.matmul ins(%x, %w : tensor<?x128xf32>, tensor<128x64xf32>) outs(%fw : tensor<?x64xf32>) -> tensor<?x64xf32>
  %aw = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%pw, %bw : tensor<?x64xf32>, tensor<64xf32>) outs(%ew : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<?x64xf32>
  %tw = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%aw : tensor<?x64xf32>) outs(%ew : tensor<?x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = math.tanh %a : f32
    linalg.yield %v : f32
  } -> tensor<?x64xf32>
  return %su, %tw : tensor<?x128xf32>, tensor<?x64xf32>
}

// -----

// Sums of two merged products, in a loop: the weights are put side by side in front of it, the sum is merged too.
// CHECK-LABEL: @sums
// CHECK-COUNT-4: tensor.insert_slice
// CHECK:         scf.for
// CHECK-COUNT-2:   linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<64x128xf32>)
// CHECK-NOT:       linalg.matmul
// CHECK:           linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<?x128xf32>, tensor<?x128xf32>)
// CHECK:           arith.addf
// CHECK:           linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<?x64xf32>)
// CHECK:           arith.mulf
// CHECK:           scf.yield
// REMARK: 2 products of one factor are one
// REMARK: 2 products of one factor are one
func.func @sums(%x: tensor<?x64xf32>, %h0: tensor<?x64xf32>, %n: index, %u0: tensor<64x64xf32> {vortex.weight}, %u1: tensor<64x64xf32> {vortex.weight},
                %w0: tensor<64x64xf32> {vortex.weight}, %w1: tensor<64x64xf32> {vortex.weight}) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %h0) -> tensor<?x64xf32> {
    %p0 = linalg.matmul ins(%x, %u0 : tensor<?x64xf32>, tensor<64x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
    %q0 = linalg.matmul ins(%h, %w0 : tensor<?x64xf32>, tensor<64x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
    %s0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%p0, %q0 : tensor<?x64xf32>, tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %v = arith.addf %a, %b : f32
      linalg.yield %v : f32
    } -> tensor<?x64xf32>
    %p1 = linalg.matmul ins(%x, %u1 : tensor<?x64xf32>, tensor<64x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
    %q1 = linalg.matmul ins(%h, %w1 : tensor<?x64xf32>, tensor<64x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
    %s1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%p1, %q1 : tensor<?x64xf32>, tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %v = arith.addf %a, %b : f32
      linalg.yield %v : f32
    } -> tensor<?x64xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%s0, %s1 : tensor<?x64xf32>, tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %v = arith.mulf %a, %b : f32
      linalg.yield %v : f32
    } -> tensor<?x64xf32>
    scf.yield %y : tensor<?x64xf32>
  }
  return %r : tensor<?x64xf32>
}

// -----

// A product starts from what is added to each row: so does the merged one.
// CHECK-LABEL: @starts
// CHECK:         linalg.broadcast ins(%{{.*}} : tensor<128xf32>) outs(%{{.*}} : tensor<?x128xf32>) dimensions = [0]
// CHECK:         linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<64x128xf32>) outs(%{{.*}} : tensor<?x128xf32>)
// CHECK-NOT:     linalg.matmul
// CHECK:         return
func.func @starts(%x: tensor<?x64xf32>, %u: tensor<64x64xf32> {vortex.weight}, %w: tensor<64x64xf32> {vortex.weight},
                  %bu: tensor<64xf32> {vortex.weight}, %bw: tensor<64xf32> {vortex.weight}) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x64xf32>
  %iu = linalg.broadcast ins(%bu : tensor<64xf32>) outs(%e : tensor<?x64xf32>) dimensions = [0]
  %pu = linalg.matmul ins(%x, %u : tensor<?x64xf32>, tensor<64x64xf32>) outs(%iu : tensor<?x64xf32>) -> tensor<?x64xf32>
  %iw = linalg.broadcast ins(%bw : tensor<64xf32>) outs(%e : tensor<?x64xf32>) dimensions = [0]
  %pw = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x64xf32>) outs(%iw : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %pu, %pw : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

// Apart: factors that are no weights, rows that are work enough by themselves, few steps, starts that are values.
// CHECK-LABEL: @apart
// CHECK-COUNT-8: linalg.matmul
// CHECK:         return
// REMARK: 2 products of one factor stay apart
// REMARK: 2 products of one factor stay apart
func.func @apart(%x: tensor<?x2048xf32>, %y: tensor<?x16xf32>, %z: tensor<?x64xf32>, %a: tensor<64x64xf32>, %s: tensor<?x64xf32>, %t: tensor<?x64xf32>,
                 %u: tensor<2048x64xf32> {vortex.weight}, %w: tensor<2048x2048xf32> {vortex.weight}, %v: tensor<16x64xf32> {vortex.weight},
                 %v1: tensor<16x64xf32> {vortex.weight}, %q: tensor<64x64xf32> {vortex.weight})
    -> (tensor<?x2048xf32>, tensor<?x2048xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x2048xf32>
  %el = tensor.empty(%m) : tensor<?x2048xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%el : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  %e = tensor.empty(%m) : tensor<?x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x2048xf32>, tensor<2048x2048xf32>) outs(%fl : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  %n = linalg.transpose ins(%w : tensor<2048x2048xf32>) outs(%w : tensor<2048x2048xf32>) permutation = [1, 0]
  %1 = linalg.matmul ins(%x, %n : tensor<?x2048xf32>, tensor<2048x2048xf32>) outs(%fl : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  %2 = linalg.matmul ins(%y, %v : tensor<?x16xf32>, tensor<16x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
  %3 = linalg.matmul ins(%y, %v1 : tensor<?x16xf32>, tensor<16x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
  %4 = linalg.matmul ins(%z, %a : tensor<?x64xf32>, tensor<64x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
  %5 = linalg.matmul ins(%z, %q : tensor<?x64xf32>, tensor<64x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
  %6 = linalg.matmul ins(%s, %q : tensor<?x64xf32>, tensor<64x64xf32>) outs(%s : tensor<?x64xf32>) -> tensor<?x64xf32>
  %7 = linalg.matmul ins(%s, %q : tensor<?x64xf32>, tensor<64x64xf32>) outs(%t : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<?x2048xf32>, tensor<?x2048xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>
}

// A product of two vectors has no columns of its own.
// CHECK-LABEL: func.func @dot
// CHECK: linalg.dot
func.func @dot(%a: tensor<?xf32>, %b: tensor<?xf32> {vortex.weight}, %c: tensor<f32>) -> tensor<f32> {
  %r = linalg.dot ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%c : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
