// RUN: vortex-opt %s --vortex-fuse-chains=target=sm_80 | FileCheck %s
// RUN: vortex-opt %s --vortex-fuse-chains=target=sm_80 --remarks-filter=vortex-fuse-chains --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// On a GPU a chain is one kernel: scores, what is reduced over their rows, and a product with the weights.

#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#id3 = affine_map<(b, i, j) -> (b, i, j)>
#row3 = affine_map<(b, i, j) -> (b, i)>

// The kernel has one more axis than its second product: the reduction of the first. It may run where that fits a tile, and a row has columns.
// CHECK-LABEL: func.func @softmax
// CHECK-DAG: %[[FITS:.*]] = arith.cmpi ule, %{{.*}}, %{{.*}} : index
// CHECK: %[[I:.*]] = vortex.select "softmax.chain.0" ["parts", "fused"] %{{.*}} allowed(%true{{[_0-9]*}}, %{{.*}}) costs(
// CHECK: scf.index_switch %[[I]] -> tensor<?x?x?xf32>
// CHECK: case 0 {
// CHECK:   linalg.batch_matmul
// CHECK:   linalg.batch_matmul
// CHECK: default {
// CHECK:   %[[R:.*]] = vortex.kernel "softmax.chain.0.fused" axes ["d0", "m", "n", "k", "inner"]
// CHECK:     linalg.batch_matmul
// CHECK:     linalg.generic
// CHECK:     math.exp
// CHECK:     linalg.batch_matmul {{.*}}vortex.anchor
// CHECK:   scf.yield %[[R]]
// REMARK-COUNT-5: may stay in a tile of rows
func.func @softmax(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x?xf16>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %b = tensor.dim %q, %c0 : tensor<?x?x64xf16>
  %m = tensor.dim %q, %c1 : tensor<?x?x64xf16>
  %n = tensor.dim %k, %c1 : tensor<?x?x64xf16>
  %d = tensor.dim %v, %c2 : tensor<?x?x?xf16>
  %room = tensor.empty(%b, %m, %n) : tensor<?x?x?xf32>
  %rows = tensor.empty(%b, %m) : tensor<?x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%room : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%rows : tensor<?x?xf32>) -> tensor<?x?xf32>
  %max = linalg.generic {indexing_maps = [#id3, #row3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<?x?x?xf32>) outs(%max0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %u = arith.maximumf %x, %acc : f32
    linalg.yield %u : f32
  } -> tensor<?x?xf32>
  %e = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %max : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%room : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %w: f32):
    %t = arith.subf %x, %y : f32
    %u = math.exp %t : f32
    linalg.yield %u : f32
  } -> tensor<?x?x?xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #row3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<?x?x?xf32>) outs(%sum0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %u = arith.addf %x, %acc : f32
    linalg.yield %u : f32
  } -> tensor<?x?xf32>
  %half = tensor.empty(%b, %m, %n) : tensor<?x?x?xf16>
  %p = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %sum : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%half : tensor<?x?x?xf16>) {
  ^bb0(%x: f32, %y: f32, %w: f16):
    %t = arith.divf %x, %y : f32
    %h = arith.truncf %t : f32 to f16
    linalg.yield %h : f16
  } -> tensor<?x?x?xf16>
  %out = tensor.empty(%b, %m, %d) : tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%out : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%o0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %o : tensor<?x?x?xf32>
}

// A size that a body reads is a number: device code is passed no operands of index type.
// CHECK-LABEL: func.func @causal
// CHECK: default {
// CHECK:   %[[PAST:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK:   vortex.kernel "causal.chain.0.fused" {{.*}} ins({{.*}}%[[PAST]]
// CHECK:     arith.index_cast %{{.*}} : i64 to index
// CHECK:     linalg.index 2
func.func @causal(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x?xf16>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %b = tensor.dim %q, %c0 : tensor<?x?x64xf16>
  %m = tensor.dim %q, %c1 : tensor<?x?x64xf16>
  %n = tensor.dim %k, %c1 : tensor<?x?x64xf16>
  %d = tensor.dim %v, %c2 : tensor<?x?x?xf16>
  %past = arith.subi %n, %m : index
  %room = tensor.empty(%b, %m, %n) : tensor<?x?x?xf32>
  %rows = tensor.empty(%b, %m) : tensor<?x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%room : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %sm = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<?x?x?xf32>) outs(%room : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %w: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %last = arith.addi %i, %past : index
    %seen = arith.cmpi sle, %j, %last : index
    %u = arith.select %seen, %x, %lowest : f32
    linalg.yield %u : f32
  } -> tensor<?x?x?xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%rows : tensor<?x?xf32>) -> tensor<?x?xf32>
  %max = linalg.generic {indexing_maps = [#id3, #row3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%sm : tensor<?x?x?xf32>) outs(%max0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %u = arith.maximumf %x, %acc : f32
    linalg.yield %u : f32
  } -> tensor<?x?xf32>
  %e = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sm, %max : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%room : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %w: f32):
    %t = arith.subf %x, %y : f32
    %u = math.exp %t : f32
    linalg.yield %u : f32
  } -> tensor<?x?x?xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #row3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<?x?x?xf32>) outs(%sum0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %u = arith.addf %x, %acc : f32
    linalg.yield %u : f32
  } -> tensor<?x?xf32>
  %half = tensor.empty(%b, %m, %n) : tensor<?x?x?xf16>
  %p = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %sum : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%half : tensor<?x?x?xf16>) {
  ^bb0(%x: f32, %y: f32, %w: f16):
    %t = arith.divf %x, %y : f32
    %h = arith.truncf %t : f32 to f16
    linalg.yield %h : f16
  } -> tensor<?x?x?xf16>
  %out = tensor.empty(%b, %m, %d) : tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%out : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%o0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %o : tensor<?x?x?xf32>
}

// A difference from a sum is not known before the row is whole.
// REMARK: apart {{.*}}op 'arith.subf' does not let out what the elements of a row share
// CHECK-LABEL: func.func @centred
// CHECK-NOT: vortex.select
func.func @centred(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x?xf16>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %b = tensor.dim %q, %c0 : tensor<?x?x64xf16>
  %m = tensor.dim %q, %c1 : tensor<?x?x64xf16>
  %n = tensor.dim %k, %c1 : tensor<?x?x64xf16>
  %d = tensor.dim %v, %c2 : tensor<?x?x?xf16>
  %room = tensor.empty(%b, %m, %n) : tensor<?x?x?xf32>
  %rows = tensor.empty(%b, %m) : tensor<?x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%room : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #row3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<?x?x?xf32>) outs(%sum0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %u = arith.addf %x, %acc : f32
    linalg.yield %u : f32
  } -> tensor<?x?xf32>
  %half = tensor.empty(%b, %m, %n) : tensor<?x?x?xf16>
  %p = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %sum : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%half : tensor<?x?x?xf16>) {
  ^bb0(%x: f32, %y: f32, %w: f16):
    %t = arith.subf %x, %y : f32
    %h = arith.truncf %t : f32 to f16
    linalg.yield %h : f16
  } -> tensor<?x?x?xf16>
  %out = tensor.empty(%b, %m, %d) : tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%out : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%o0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %o : tensor<?x?x?xf32>
}

// Nor is an exponential of one.
// REMARK: apart {{.*}}an exponent is no difference from a largest value
// CHECK-LABEL: func.func @shifted_by_sum
// CHECK-NOT: vortex.select
func.func @shifted_by_sum(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x?xf16>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %b = tensor.dim %q, %c0 : tensor<?x?x64xf16>
  %m = tensor.dim %q, %c1 : tensor<?x?x64xf16>
  %n = tensor.dim %k, %c1 : tensor<?x?x64xf16>
  %d = tensor.dim %v, %c2 : tensor<?x?x?xf16>
  %room = tensor.empty(%b, %m, %n) : tensor<?x?x?xf32>
  %rows = tensor.empty(%b, %m) : tensor<?x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%room : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #row3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<?x?x?xf32>) outs(%sum0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %u = arith.addf %x, %acc : f32
    linalg.yield %u : f32
  } -> tensor<?x?xf32>
  %half = tensor.empty(%b, %m, %n) : tensor<?x?x?xf16>
  %p = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %sum : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%half : tensor<?x?x?xf16>) {
  ^bb0(%x: f32, %y: f32, %w: f16):
    %t = arith.subf %x, %y : f32
    %u = math.exp %t : f32
    %h = arith.truncf %u : f32 to f16
    linalg.yield %h : f16
  } -> tensor<?x?x?xf16>
  %out = tensor.empty(%b, %m, %d) : tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%out : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%o0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %o : tensor<?x?x?xf32>
}

// Rows of both products are one axis, whatever the order of the dimensions: queries, of which there are an unknown number, not the heads that
// share keys with others.
// CHECK-LABEL: func.func @heads_inside
// CHECK: vortex.kernel "heads_inside.chain.0.fused" axes ["m", "d1", "n", "k", "inner"]
func.func @heads_inside(%q: tensor<4x?x64xf16>, %k: tensor<?x64xf16>, %v: tensor<?x32xf16>) -> tensor<?x4x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %q, %c1 : tensor<4x?x64xf16>
  %n = tensor.dim %k, %c0 : tensor<?x64xf16>
  %room = tensor.empty(%m, %n) : tensor<4x?x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%room : tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x?x64xf16>, tensor<?x64xf16>) outs(%s0 : tensor<4x?x?xf32>) {
  ^bb0(%x: f16, %y: f16, %acc: f32):
    %xe = arith.extf %x : f16 to f32
    %ye = arith.extf %y : f16 to f32
    %t = arith.mulf %xe, %ye : f32
    %u = arith.addf %acc, %t : f32
    linalg.yield %u : f32
  } -> tensor<4x?x?xf32>
  %half = tensor.empty(%m, %n) : tensor<4x?x?xf16>
  %p = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<4x?x?xf32>) outs(%half : tensor<4x?x?xf16>) {
  ^bb0(%x: f32, %o: f16):
    %h = arith.truncf %x : f32 to f16
    linalg.yield %h : f16
  } -> tensor<4x?x?xf16>
  %out = tensor.empty(%m) : tensor<?x4x32xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%out : tensor<?x4x32xf32>) -> tensor<?x4x32xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(i, h, d, j) -> (h, i, j)>, affine_map<(i, h, d, j) -> (j, d)>, affine_map<(i, h, d, j) -> (i, h, d)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<4x?x?xf16>, tensor<?x32xf16>) outs(%o0 : tensor<?x4x32xf32>) {
  ^bb0(%x: f16, %y: f16, %acc: f32):
    %xe = arith.extf %x : f16 to f32
    %ye = arith.extf %y : f16 to f32
    %t = arith.mulf %xe, %ye : f32
    %u = arith.addf %acc, %t : f32
    linalg.yield %u : f32
  } -> tensor<?x4x32xf32>
  return %o : tensor<?x4x32xf32>
}
