// RUN: vortex-opt %s --vortex-form-kernels | FileCheck %s

// A product takes its fill and the elementwise op behind it.
// CHECK-LABEL: func.func @mm
// CHECK: vortex.kernel "mm.matmul.0" axes ["m", "n", "k"]
// CHECK: linalg.fill {vortex.id = "p0"}
// CHECK: linalg.matmul {vortex.anchor, vortex.id = "p1"}
// CHECK: linalg.generic
// CHECK-SAME: vortex.id = "p2"
// CHECK: vortex.yield
// CHECK-NOT: linalg
// CHECK: return
func.func @mm(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %bias: tensor<?xf32>) -> tensor<?x?xf32> {
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

// The passes of a softmax share rows and columns: one kernel.
// CHECK-LABEL: func.func @rows
// CHECK: vortex.kernel "rows.rows.0" axes ["d0", "d1"]
// CHECK-NOT: vortex.kernel
// CHECK: return
func.func @rows(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant 0xFF800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e1 = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.reduce ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
    (%i: f32, %o: f32) { %t = arith.maximumf %i, %o : f32 linalg.yield %t : f32 }
  %e2 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A dot product and a vector that uses it walk different extents: two kernels.
// CHECK-LABEL: func.func @extents
// CHECK-COUNT-2: vortex.kernel
func.func @extents(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce ins(%x : tensor<?xf32>) outs(%f : tensor<f32>) dimensions = [0]
    (%i: f32, %o: f32) { %t = arith.addf %i, %o : f32 linalg.yield %t : f32 }
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%y, %s : tensor<?xf32>, tensor<f32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// The same where both sizes have one name: one kernel.
// CHECK-LABEL: func.func @equal_extents
// CHECK-COUNT-1: vortex.kernel
// CHECK-NOT: vortex.kernel
func.func @equal_extents(%x: tensor<?xf32> {vortex.dims = ["n"]}, %y: tensor<?xf32> {vortex.dims = ["n"]}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce ins(%x : tensor<?xf32>) outs(%f : tensor<f32>) dimensions = [0]
    (%i: f32, %o: f32) { %t = arith.addf %i, %o : f32 linalg.yield %t : f32 }
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%y, %s : tensor<?xf32>, tensor<f32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// An assertion behind them says it too late: the kernel would read past the end before it.
// CHECK-LABEL: func.func @extents_asserted_later
// CHECK-COUNT-2: vortex.kernel
func.func @extents_asserted_later(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce ins(%x : tensor<?xf32>) outs(%f : tensor<f32>) dimensions = [0]
    (%i: f32, %o: f32) { %t = arith.addf %i, %o : f32 linalg.yield %t : f32 }
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%y, %s : tensor<?xf32>, tensor<f32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %eq = arith.cmpi eq, %m, %n : index
  cf.assert %eq, "other extents"
  return %r : tensor<?xf32>
}

// A size may be asked of a dimension that there is not, and of a tensor of unknown rank.
// CHECK-LABEL: func.func @no_dimension
// CHECK-COUNT-2: vortex.kernel
func.func @no_dimension(%x: tensor<?xf32>, %u: tensor<*xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c7 = arith.constant 7 : index
  %n = tensor.dim %x, %c7 : tensor<?xf32>
  %m = tensor.dim %u, %c7 : tensor<*xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = tensor.empty(%m) : tensor<?xf32>
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.exp ins(%x : tensor<?xf32>) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  return %r, %s : tensor<?xf32>, tensor<?xf32>
}
