// Loops that are in no kernel are shared among threads where the work pays for waking them, and walked row by row.
// RUN: vortex-opt --vortex-attach-target=target=x86-avx2 %s | vortex-opt --vortex-share-loops --canonicalize --cse --mlir-print-local-scope | FileCheck %s
// RUN: vortex-opt --vortex-attach-target=target=sm_80 %s | vortex-opt --vortex-share-loops --mlir-print-local-scope | FileCheck %s --check-prefix=GPU
// RUN: vortex-opt --vortex-share-loops --mlir-print-local-scope %s | FileCheck %s --check-prefix=GPU

// GPU-NOT: scf.forall

// CHECK-LABEL: @rows
// CHECK-DAG:     %[[RATE:.*]] = vortex.machine_param "fma.f32.rate"
// CHECK-DAG:     %[[STARTUP:.*]] = vortex.machine_param "core.startup"
// CHECK-DAG:     %[[THREADS:.*]] = vortex.machine_param "threads"
// CHECK:         %[[SHARE:.*]] = arith.ceildivui
// CHECK:         %[[PART:.*]] = arith.maxui %[[SHARE]]
// CHECK:         scf.forall (%[[FROM:.*]]) = (0) to (%{{.*}}) step (%[[PART]]) shared_outs(%{{.*}} = %{{.*}}) -> (tensor<?x64xf32>)
// A number of the index is read in front of the row's loop.
// CHECK:           scf.for
// CHECK:             %[[ID:.*]] = tensor.extract %{{.*}} : tensor<{{.*}}xi64>
// CHECK:             linalg.generic
// CHECK:               arith.index_cast %[[ID]] : i64 to index
// CHECK:               tensor.extract %arg1
func.func @rows(%ids: tensor<?xi64>, %table: tensor<?x64xf32>, %e: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %rows = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<?xi64>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%i: i64, %o: f32):
    %r = arith.index_cast %i : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%r, %j] : tensor<?x64xf32>
    linalg.yield %v : f32
  } -> tensor<?x64xf32>
  return %rows : tensor<?x64xf32>
}

// The first loop reduces: columns are shared, and the order of a sum stays.
// CHECK-LABEL: @columns
// CHECK:         scf.forall {{.*}} -> (tensor<?xi64>, tensor<?xf32>)
// CHECK:           linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]
func.func @columns(%x: tensor<?x?xf32>, %at: tensor<?xi64>, %most: tensor<?xf32>) -> (tensor<?xi64>, tensor<?xf32>) {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%at, %most : tensor<?xi64>, tensor<?xf32>) {
  ^bb0(%in: f32, %a: i64, %m: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %more = arith.cmpf ogt, %in, %m : f32
    %p = arith.select %more, %n, %a : i64
    %q = arith.select %more, %in, %m : f32
    linalg.yield %p, %q : i64, f32
  } -> (tensor<?xi64>, tensor<?xf32>)
  return %r#0, %r#1 : tensor<?xi64>, tensor<?xf32>
}

// No loop walks all results, or what runs once binds weights: as it was.
// CHECK-LABEL: @alone
// CHECK-NOT:     scf.forall
func.func @alone(%x: tensor<?x?xf32>, %s: tensor<f32>, %w: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> (tensor<f32>, tensor<?x?xf32>) {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%s : tensor<f32>) {
  ^bb0(%in: f32, %o: f32):
    %a = arith.addf %in, %o : f32
    linalg.yield %a : f32
  } -> tensor<f32>
  %c = linalg.copy {vortex.bind} ins(%w : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r, %c : tensor<f32>, tensor<?x?xf32>
}

// Nothing to share.
// CHECK-LABEL: @none
// CHECK-NOT:     scf.forall
// CHECK:         return
func.func @none(%x: tensor<0x64xf32>, %e: tensor<0x64xf32>, %f: tensor<0x64xf64>) -> (tensor<0x64xf32>, tensor<0x64xf64>) {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<0x64xf32>) outs(%e, %f : tensor<0x64xf32>, tensor<0x64xf64>) {
  ^bb0(%a: f32, %o: f32, %p: f64):
    %u = arith.extf %a : f32 to f64
    linalg.yield %a, %u : f32, f64
  } -> (tensor<0x64xf32>, tensor<0x64xf64>)
  return %r#0, %r#1 : tensor<0x64xf32>, tensor<0x64xf64>
}
