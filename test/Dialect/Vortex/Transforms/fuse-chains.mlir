// RUN: vortex-opt %s --vortex-fuse-chains=target=x86-avx512 | FileCheck %s
// RUN: vortex-opt %s --vortex-fuse-chains=target=x86-avx512 --remarks-filter=vortex-fuse-chains --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: vortex-opt %s --vortex-fuse-chains=target=sm_80 | FileCheck %s --check-prefix=GPU

// A GPU has chains where matrix instructions do both products; of f32 it has none (fuse-chains-gpu.mlir).
// GPU-NOT: vortex.select

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#id3 = affine_map<(b, i, j) -> (b, i, j)>

// Scores, weights and result of attention share batch and query; a tile has all keys.
// CHECK-LABEL: func.func @attention
// CHECK: %[[I:.*]] = vortex.select "attention.chain.0" ["parts", "fused"]
// CHECK: scf.index_switch %[[I]] -> tensor<?x?x64xf32>
// CHECK: case 0 {
// CHECK:   linalg.batch_matmul
// CHECK:   linalg.generic
// CHECK:   linalg.batch_matmul
// CHECK: default {
// CHECK:   scf.forall (%[[B:.*]], %[[M:.*]]) = (0, 0) to (%{{.*}}, %{{.*}}) step (%[[TB:.*]], %[[TM:.*]]) shared_outs(%[[OUT:.*]] = %{{.*}})
// CHECK-DAG: %[[NB:.*]] = affine.min {{.*}}(%[[B]])[%[[TB]]
// CHECK-DAG: %[[NM:.*]] = affine.min {{.*}}(%[[M]])[%[[TM]]
// CHECK:     %[[Q:.*]] = tensor.extract_slice %arg0[%[[B]], %[[M]], 0] [%[[NB]], %[[NM]], 64]
// CHECK:     %[[K:.*]] = tensor.extract_slice %arg1[%[[B]], 0, 0] [%[[NB]], %{{.*}}, 64]
// What starts from one tensor in the whole does so in a tile.
// CHECK:     %[[ROOM:.*]] = tensor.empty(%[[NB]], %[[NM]], %{{.*}}) : tensor<?x?x?xf32>
// CHECK:     %[[S:.*]] = linalg.batch_matmul {{.*}} ins(%[[Q]], %[[K]]
// CHECK:     linalg.generic {{.*}} ins(%[[S]], %{{.*}} : {{.*}} outs(%[[ROOM]] :
// An index of the query counts from the start of the tile.
// CHECK:       linalg.index 1
// CHECK-NEXT:  affine.apply {{.*}}(%[[M]])
// CHECK:     tensor.extract_slice %[[OUT]][%[[B]], %[[M]], 0]
// CHECK:     linalg.batch_matmul ins(%{{.*}}, %{{.*}} :
// CHECK:     tensor.parallel_insert_slice
// REMARK: what 'linalg.batch_matmul' hands on may stay in a tile of rows: saves writing and reading 4 bytes an element
func.func @attention(%q: tensor<?x?x64xf32>, %k: tensor<?x?x64xf32>, %v: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %q, %c0 : tensor<?x?x64xf32>
  %m = tensor.dim %q, %c1 : tensor<?x?x64xf32>
  %n = tensor.dim %k, %c1 : tensor<?x?x64xf32>
  %room = tensor.empty(%b, %m, %n) : tensor<?x?x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%room : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul
      indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, i, j)>]
      ins(%q, %k : tensor<?x?x64xf32>, tensor<?x?x64xf32>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  // Two readers, so that it is no epilogue of the product.
  %max0 = linalg.fill ins(%zero : f32) outs(%room : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %rows = tensor.empty(%b, %m) : tensor<?x?xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#id3, affine_map<(b, i, j) -> (b, i)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<?x?x?xf32>) outs(%sum0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %u = arith.addf %acc, %x : f32
    linalg.yield %u : f32
  } -> tensor<?x?xf32>
  %p = linalg.generic {indexing_maps = [#id3, affine_map<(b, i, j) -> (b, i)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %sum : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%room : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %seen = arith.cmpi sle, %j, %i : index
    %t = arith.divf %x, %y : f32
    %u = arith.select %seen, %t, %zero : f32
    linalg.yield %u : f32
  } -> tensor<?x?x?xf32>
  %out = tensor.empty(%b, %m) : tensor<?x?x64xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%out : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf32>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %o : tensor<?x?x64xf32>
}

// Two products of few steps; the weights are whole in every tile.
// CHECK-LABEL: func.func @mlp
// CHECK: vortex.select "mlp.chain.0"
// CHECK: scf.forall (%[[M:.*]]) =
// CHECK:   linalg.matmul ins(%{{.*}}, %arg1 :
// CHECK:   linalg.matmul ins(%{{.*}}, %arg2 :
func.func @mlp(%x: tensor<?x16xf32>, %w: tensor<16x32xf32>, %w2: tensor<32x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%m) : tensor<?x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x16xf32>, tensor<16x32xf32>) outs(%f : tensor<?x32xf32>) -> tensor<?x32xf32>
  %e2 = tensor.empty(%m) : tensor<?x16xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y = linalg.matmul ins(%h, %w2 : tensor<?x32xf32>, tensor<32x16xf32>) outs(%f2 : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// What is read behind the chain is a result of the loop, too.
// CHECK-LABEL: func.func @two_results
// CHECK: scf.index_switch %{{.*}} -> tensor<?x32xf32>, tensor<?x16xf32>
// CHECK: scf.forall {{.*}} shared_outs(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<?x32xf32>, tensor<?x16xf32>)
func.func @two_results(%x: tensor<?x16xf32>, %w: tensor<16x32xf32>, %w2: tensor<32x16xf32>) -> (tensor<?x32xf32>, tensor<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%m) : tensor<?x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x16xf32>, tensor<16x32xf32>) outs(%f : tensor<?x32xf32>) -> tensor<?x32xf32>
  %e2 = tensor.empty(%m) : tensor<?x16xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y = linalg.matmul ins(%h, %w2 : tensor<?x32xf32>, tensor<32x16xf32>) outs(%f2 : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %h, %y : tensor<?x32xf32>, tensor<?x16xf32>
}

// Query heads in groups: the head stands in a division, so a tile has one.
// CHECK-LABEL: func.func @grouped
// CHECK: scf.forall (%[[H:.*]], %[[M:.*]]) = (0, 0) to (8, %{{.*}}) step (1, %
// CHECK: %[[G:.*]] = affine.apply {{.*}}(%[[H]])
// CHECK: tensor.extract_slice %arg1[%[[G]], 0, 0] [1, %{{.*}}, 64]
func.func @grouped(%q: tensor<8x?x64xf32>, %k: tensor<2x?x64xf32>, %v: tensor<8x?x64xf32>) -> tensor<8x?x64xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %q, %c1 : tensor<8x?x64xf32>
  %n = tensor.dim %k, %c1 : tensor<2x?x64xf32>
  %room = tensor.empty(%m, %n) : tensor<8x?x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%room : tensor<8x?x?xf32>) -> tensor<8x?x?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h floordiv 4, j, d)>,
                                        affine_map<(h, i, j, d) -> (h, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x?x64xf32>, tensor<2x?x64xf32>) outs(%s0 : tensor<8x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %t = arith.mulf %x, %y : f32
    %u = arith.addf %acc, %t : f32
    linalg.yield %u : f32
  } -> tensor<8x?x?xf32>
  %out = tensor.empty(%m) : tensor<8x?x64xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%out : tensor<8x?x64xf32>) -> tensor<8x?x64xf32>
  %o = linalg.batch_matmul ins(%s, %v : tensor<8x?x?xf32>, tensor<8x?x64xf32>) outs(%o0 : tensor<8x?x64xf32>) -> tensor<8x?x64xf32>
  return %o : tensor<8x?x64xf32>
}

// Heads lie between queries and elements; tiles are made of queries all the same, which read the keys of one head.
// CHECK-LABEL: func.func @heads_inside
// CHECK: scf.forall (%[[H:.*]], %[[M:.*]]) = (0, 0) to (12, %{{.*}}) step
// CHECK: tensor.extract_slice %arg0[%[[M]], %[[H]], 0]
func.func @heads_inside(%q: tensor<?x12x64xf32>, %k: tensor<?x12x64xf32>, %v: tensor<?x12x64xf32>) -> tensor<?x12x64xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %q, %c0 : tensor<?x12x64xf32>
  %n = tensor.dim %k, %c0 : tensor<?x12x64xf32>
  %room = tensor.empty(%m, %n) : tensor<12x?x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%room : tensor<12x?x?xf32>) -> tensor<12x?x?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (i, h, d)>, affine_map<(h, i, j, d) -> (j, h, d)>,
                                        affine_map<(h, i, j, d) -> (h, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x12x64xf32>, tensor<?x12x64xf32>) outs(%s0 : tensor<12x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %t = arith.mulf %x, %y : f32
    %u = arith.addf %acc, %t : f32
    linalg.yield %u : f32
  } -> tensor<12x?x?xf32>
  %out = tensor.empty(%m) : tensor<?x12x64xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%out : tensor<?x12x64xf32>) -> tensor<?x12x64xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(i, h, d, j) -> (h, i, j)>, affine_map<(i, h, d, j) -> (j, h, d)>,
                                        affine_map<(i, h, d, j) -> (i, h, d)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%s, %v : tensor<12x?x?xf32>, tensor<?x12x64xf32>) outs(%o0 : tensor<?x12x64xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %t = arith.mulf %x, %y : f32
    %u = arith.addf %acc, %t : f32
    linalg.yield %u : f32
  } -> tensor<?x12x64xf32>
  return %o : tensor<?x12x64xf32>
}

// The second product reads all of the first for each of its rows.
// REMARK: batch_matmul' hands on is no part of a chain: each row would need all of it
// CHECK-LABEL: func.func @columns
// CHECK-NOT: vortex.select
func.func @columns(%x: tensor<?x?x16xf32>, %w: tensor<?x16x32xf32>, %a: tensor<?x?x?xf32>) -> tensor<?x?x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : tensor<?x?x16xf32>
  %k = tensor.dim %x, %c1 : tensor<?x?x16xf32>
  %m = tensor.dim %a, %c1 : tensor<?x?x?xf32>
  %e = tensor.empty(%b, %k) : tensor<?x?x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  %h = linalg.batch_matmul ins(%x, %w : tensor<?x?x16xf32>, tensor<?x16x32xf32>) outs(%f : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  %e2 = tensor.empty(%b, %m) : tensor<?x?x32xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  %y = linalg.batch_matmul ins(%a, %h : tensor<?x?x?xf32>, tensor<?x?x32xf32>) outs(%f2 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  return %y : tensor<?x?x32xf32>
}

// Products of many steps: what lies between takes too little of the time.
// REMARK: hands on is no part of a chain: writing and reading it takes {{[0-9]+}} % of the arithmetic, less than 10 %
// CHECK-LABEL: func.func @deep
// CHECK-NOT: vortex.select
func.func @deep(%x: tensor<?x768xf32>, %w: tensor<768x3072xf32>, %w2: tensor<3072x768xf32>) -> tensor<?x768xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x768xf32>
  %e = tensor.empty(%m) : tensor<?x3072xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x3072xf32>) -> tensor<?x3072xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x768xf32>, tensor<768x3072xf32>) outs(%f : tensor<?x3072xf32>) -> tensor<?x3072xf32>
  %e2 = tensor.empty(%m) : tensor<?x768xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x768xf32>) -> tensor<?x768xf32>
  %y = linalg.matmul ins(%h, %w2 : tensor<?x3072xf32>, tensor<3072x768xf32>) outs(%f2 : tensor<?x768xf32>) -> tensor<?x768xf32>
  return %y : tensor<?x768xf32>
}

// What another op reads in between has to be whole by then.
// REMARK: hands on is no part of a chain: it is read before the end of the chain
// CHECK-LABEL: func.func @read_between
// CHECK-NOT: vortex.select
func.func @read_between(%x: tensor<?x16xf32>, %w: tensor<16x32xf32>, %w2: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%m) : tensor<?x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x16xf32>, tensor<16x32xf32>) outs(%f : tensor<?x32xf32>) -> tensor<?x32xf32>
  %first = tensor.extract %h[%c0, %c0] : tensor<?x32xf32>
  %e2 = tensor.empty(%m) : tensor<?x16xf32>
  %f2 = linalg.fill ins(%first : f32) outs(%e2 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y = linalg.matmul ins(%h, %w2 : tensor<?x32xf32>, tensor<?x16xf32>) outs(%f2 : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
