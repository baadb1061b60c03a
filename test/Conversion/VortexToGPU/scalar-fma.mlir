// RUN: vortex-opt %s --target=sm_80 --vortex-decompose-ops --vortex-hierarchize --vortex-select-kernels --vortex-lower-to-ptx \
// RUN:   | FileCheck %s --implicit-check-not=mul.rn.f32 --implicit-check-not=mul.rn.f64 --implicit-check-not=mul.f32
// RUN: vortex-opt %s --target=sm_80 --vortex-decompose-ops --vortex-hierarchize | sed 's/unroll = 4>/unroll = 4, contract = false>/' \
// RUN:   | vortex-opt --target=sm_80 --vortex-select-kernels --vortex-split-reductions --vortex-convert-to-nvvm \
// RUN:   | FileCheck %s --check-prefix=KEPT

// A product and its sum are one instruction of scalar units, in a ring and in
// place. Where LLVM is not to choose, they are one operation from the start,
// and nothing else is joined.

// CHECK: gpu.binary @product_matmul_0{{.*}}fma.rn.f32
// KEPT-LABEL: llvm.func @product_matmul_0_simt_ring_16x64x32_s4(
// KEPT-NOT: arith.mulf
// KEPT: math.fma {{.*}} : f32
func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK: gpu.binary @planes_conv{{.*}}fma.rn.f32
// KEPT-LABEL: llvm.func @planes_conv_2d_nchw_fchw_0_direct_1x128(
// KEPT-NOT: arith.mulf
// KEPT: math.fma {{.*}} : f32
func.func @planes(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// CHECK: gpu.binary @distance_contraction_0{{.*}}fma.rn.f64
// KEPT-LABEL: llvm.func @distance_contraction_0_simt_ring_16x64x16_s4(
// KEPT: arith.subf {{.*}} : f64
// KEPT-NOT: arith.mulf
// KEPT: math.fma {{.*}} : f64
func.func @distance(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %o: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf64>, tensor<?x?xf64>) outs(%o : tensor<?x?xf64>) {
  ^bb0(%x: f64, %y: f64, %z: f64):
    %d = arith.subf %x, %y : f64
    %m = arith.mulf %d, %d : f64
    %s = arith.addf %z, %m : f64
    linalg.yield %s : f64
  } -> tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}
