// A product may be left to a library: a candidate with a guard that asks the run time, a cost from what was measured, and what
// follows the product in tiles of its own.
// RUN: vortex-opt %s --vortex-hierarchize="target=x86-avx512 libraries=openblas,mkl" | FileCheck %s
// RUN: vortex-opt %s --vortex-hierarchize="target=x86-avx512 libraries=openblas" --vortex-expand=position=99 -cse | FileCheck %s --check-prefix=EXPAND
// RUN: vortex-opt %s --vortex-hierarchize=target=x86-avx512 | FileCheck %s --check-prefix=OFF
// RUN: vortex-opt %s --vortex-hierarchize="target=sm_80 libraries=openblas,cublas" 2>&1 | FileCheck %s --check-prefix=GPU --implicit-check-not=openblas
// RUN: vortex-opt %s --vortex-hierarchize="target=x86-avx512 libraries=cublas" 2>&1 | FileCheck %s --check-prefix=OFF
// OFF-NOT: library

// CHECK-LABEL: @relu
// CHECK:      vortex.candidate @library_openblas guard {
// CHECK:        %[[FOUND:.*]] = vortex.machine_param "library.openblas" default 0.0
// CHECK:        arith.cmpf olt, %{{.*}}, %[[FOUND]]
// CHECK:      } cost {
// CHECK:        vortex.machine_param "library.openblas.f32.start" default 0.0
// CHECK:      } schedule {
// CHECK:        vortex.level "core" forall (PL 0 by %{{.*}}, PL 1 by %{{.*}}) {
// CHECK-NEXT:     vortex.stage ["p0", "p1"] library "openblas"
// CHECK-NEXT:     vortex.level "register" for (TSL 0 by %{{.*}}, TSL 1 by %{{.*}}) {
// CHECK-NEXT:       vortex.stage ["p2"] micro
// CHECK:      vortex.candidate @library_mkl
// EXPAND-LABEL: @relu
// EXPAND:       scf.forall
// EXPAND:         %[[P:.*]] = vortex.library_call "openblas" ins(%{{.*}} [0, 1], %{{.*}} [0, 1] :
// EXPAND-NOT:     linalg.fill
// EXPAND:         scf.for
// EXPAND:           vortex.micro_kernel
// On a GPU the whole product is a library's, in front of our own candidates, and what follows is a kernel behind.
// GPU-LABEL: @relu
// GPU:      vortex.candidate @library_cublas guard {
// GPU:        %[[FOUND:.*]] = vortex.machine_param "library.cublas" default 0.0
// GPU:        arith.cmpf olt, %{{.*}}, %[[FOUND]]
// GPU:        vortex.stride
// GPU:      } cost {
// GPU:        vortex.machine_param "library.cublas.f32.rate" default 0.0
// GPU:      } schedule {
// GPU-NEXT:   vortex.stage ["p0", "p1"] library "cublas"
// GPU-NEXT:   vortex.stage ["p2"]{{$}}
// GPU:      vortex.candidate @simt_ring
func.func @relu(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.maximumf %x, %zero : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A batch is walked one element a call; a start other than zeros is added to.
// CHECK-LABEL: @batch
// CHECK:      vortex.candidate @library_openblas
// CHECK:        vortex.level "core" forall (PL 0 by %{{.*}}, PL 1 by %{{.*}}, PL 2 by %{{.*}}) {
// CHECK-NEXT:     vortex.stage ["p0"] library "openblas"
// EXPAND-LABEL: @batch
// EXPAND:       vortex.library_call "openblas" accumulate ins(%{{.*}} [1, 2], %{{.*}} [1, 2] :
// GPU-LABEL: @batch
// GPU:      vortex.candidate @library_cublas
// GPU:        vortex.stage ["p0"] library "cublas"
func.func @batch(%a: tensor<?x?x?xf64>, %b: tensor<?x?x?xf64>, %c: tensor<?x?x?xf64>) -> tensor<?x?x?xf64> {
  %p = linalg.batch_matmul ins(%a, %b : tensor<?x?x?xf64>, tensor<?x?x?xf64>) outs(%c : tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
  return %p : tensor<?x?x?xf64>
}

// Widened factors, integers and sums of other things are not what libraries have.
// CHECK-LABEL: @others
// CHECK-NOT: library_
// On GPUs widened factors are.
// GPU-LABEL: @others
// GPU:      vortex.candidate @library_cublas
// GPU:        vortex.machine_param "library.cublas.bf16.rate" default 0.0
// GPU-NOT:  library_
func.func @others(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %c: tensor<?x?xf32>, %i: tensor<?x?xi32>)
    -> (tensor<?x?xf32>, tensor<?x?xi32>) {
  %p = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %q = linalg.matmul ins(%i, %i : tensor<?x?xi32>, tensor<?x?xi32>) outs(%i : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %p, %q : tensor<?x?xf32>, tensor<?x?xi32>
}
