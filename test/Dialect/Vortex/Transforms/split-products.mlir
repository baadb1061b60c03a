// A product that a library computes, and a kernel for what follows: with one candidate, under the same names.
// RUN: vortex-opt %s --vortex-split-products | FileCheck %s

#hw = #vortex.hw<isa = "sm_80", chip = "test", triple = "nvptx64-nvidia-cuda", cpu = "sm_80",
  levels = [
    <"device", units = 1, memory = dram, capacity = 40 GiB, bandwidth = 1555, granularity = 32>,
    <"l2", units = 1, memory = cache, capacity = 40 MiB, bandwidth = 5000, granularity = 32>,
    <"block", units = 108, startup = 3000>,
    <"smem", units = 1, memory = shared, capacity = 163 KiB, bandwidth = 180, granularity = 128>,
    <"warp", units = 4, memory = register, capacity = 64 KiB, granularity = 128>,
    <"register", units = 1, memory = register, capacity = 32640, granularity = 128>
  ]>
module attributes {vortex.targets = [#hw]} {

// CHECK-LABEL: @bias(
// CHECK-SAME: %[[A:.*]]: tensor<?x?xf16>, %[[B:.*]]: tensor<?x?xf16>, %[[BIAS:.*]]: tensor<?xf32>, %[[O:.*]]: tensor<?x?xf32>
// CHECK-DAG: %[[M:.*]] = tensor.dim %[[A]], %c0
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[B]], %c1
// CHECK: %[[E:.*]] = tensor.empty(%[[M]], %[[N]]) : tensor<?x?xf32>
// CHECK: %[[P:.*]] = vortex.library_call "cublas" ins(%[[A]] [0, 1], %[[B]] [0, 1] : tensor<?x?xf16>, tensor<?x?xf16>) outs(%[[E]] [0, 1] : tensor<?x?xf32>)
// CHECK: %[[R:.*]] = vortex.kernel "mm" axes ["m", "n"] ins(%[[P]], %[[BIAS]] : tensor<?x?xf32>, tensor<?xf32>) outs(%[[O]] : tensor<?x?xf32>)
// CHECK-NOT: linalg.matmul
// CHECK: vortex.anchor
// CHECK: vortex.candidate @library_cublas schedule {
// CHECK-NEXT: vortex.level "block" grid
// CHECK: vortex.stage ["relu"] micro
// CHECK-NOT: vortex.candidate
// CHECK: return %[[R]]
func.func @bias(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b, %bias : tensor<?x?xf16>, tensor<?x?xf16>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%pa: tensor<?x?xf16>, %pb: tensor<?x?xf16>, %pbias: tensor<?xf32>, %po: tensor<?x?xf32>):
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill {vortex.id = "fill"} ins(%zero : f32) outs(%po : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<?x?xf16>, tensor<?x?xf16>)
        outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%p, %pbias : tensor<?x?xf32>, tensor<?xf32>) outs(%po : tensor<?x?xf32>) attrs = {vortex.id = "relu"} {
    ^bb0(%x: f32, %w: f32, %out: f32):
      %s = arith.addf %x, %w : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    vortex.yield %y : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    vortex.candidate @library_cublas schedule {
      vortex.stage ["fill", "mm"] library "cublas"
      vortex.stage ["relu"]
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// The product alone goes where the result is, and is added to what is there.
// CHECK-LABEL: @added(
// CHECK-SAME: %[[A:.*]]: tensor<?x?x?xf32>, %[[B:.*]]: tensor<?x?xf32>, %[[O:.*]]: tensor<?x?x?xf32>
// CHECK-NEXT: %[[P:.*]] = vortex.library_call "cublas" accumulate ins(%[[A]] [0, 1, 2], %[[B]] [-1, 1, 0] : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%[[O]] [0, 1, 2] : tensor<?x?x?xf32>)
// CHECK-NEXT: return %[[P]]
func.func @added(%a: tensor<?x?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %r = vortex.kernel "mm" axes ["g", "m", "n", "k"] ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?x?xf32>) {
  ^bb0(%pa: tensor<?x?x?xf32>, %pb: tensor<?x?xf32>, %po: tensor<?x?x?xf32>):
    %p = linalg.generic {indexing_maps = [affine_map<(g, i, j, k) -> (g, i, k)>, affine_map<(g, i, j, k) -> (j, k)>, affine_map<(g, i, j, k) -> (g, i, j)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%pa, %pb : tensor<?x?x?xf32>, tensor<?x?xf32>)
        outs(%po : tensor<?x?x?xf32>) attrs = {vortex.anchor, vortex.id = "mm"} {
    ^bb0(%x: f32, %w: f32, %out: f32):
      %q = arith.mulf %x, %w : f32
      %s = arith.addf %out, %q : f32
      linalg.yield %s : f32
    } -> tensor<?x?x?xf32>
    vortex.yield %p : tensor<?x?x?xf32>
  } candidates {
  ^bb0(%g: index, %m: index, %n: index, %k: index):
    vortex.candidate @library_cublas schedule {
      vortex.stage ["mm"] library "cublas"
    }
  } : tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// A batch that is known to have one point for one factor alone is the call's.
// CHECK-LABEL: @one(
// CHECK: vortex.library_call "cublas" accumulate ins(%{{.*}} [0, 1, 2], %{{.*}} [0, 1, 2] : tensor<1x?x?xf32>, tensor<?x?x?xf32>) outs(%{{.*}} [0, 1, 2] : tensor<?x?x?xf32>)
func.func @one(%a: tensor<1x?x?xf32>, %b: tensor<?x?x?xf32>, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %r = vortex.kernel "mm" axes ["g", "m", "n", "k"] ins(%a, %b : tensor<1x?x?xf32>, tensor<?x?x?xf32>) outs(%o : tensor<?x?x?xf32>) {
  ^bb0(%pa: tensor<1x?x?xf32>, %pb: tensor<?x?x?xf32>, %po: tensor<?x?x?xf32>):
    %p = linalg.batch_matmul {vortex.anchor, vortex.id = "mm"} ins(%pa, %pb : tensor<1x?x?xf32>, tensor<?x?x?xf32>) outs(%po : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    vortex.yield %p : tensor<?x?x?xf32>
  } candidates {
  ^bb0(%g: index, %m: index, %n: index, %k: index):
    vortex.candidate @library_cublas schedule {
      vortex.stage ["mm"] library "cublas"
    }
  } : tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
}
