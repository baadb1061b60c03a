// RUN: vortex-opt %s --target=x86-avx512 --vortex-form-kernels --vortex-hierarchize --canonicalize --cse | FileCheck %s

// Threads share rows where there are four for each or they divide evenly; else columns of what has nothing but elements, in whole steps of four vectors,
// if there are so many.
// CHECK-LABEL: func.func @elements
// CHECK: ^bb0(%[[M:.*]]: index, %[[N:.*]]: index):
// CHECK-DAG: %[[STEP:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: %[[STEPS:.*]] = arith.ceildivui %[[N]], %[[STEP]] : index
// CHECK: %[[THREADS:.*]] = arith.select %{{.*}}, %[[ONE]], %{{.*}} : index
// CHECK: %[[ENOUGH:.*]] = arith.muli %[[THREADS]], %[[FOUR]] : index
// CHECK: %[[EVEN:.*]] = arith.ceildivui %[[M]], %[[THREADS]] : index
// CHECK: %[[FEW:.*]] = arith.cmpi ult, %[[M]], %[[ENOUGH]] : index
// CHECK: %[[ALL:.*]] = arith.muli %[[EVEN]], %[[THREADS]] : index
// CHECK: %[[UNEVEN:.*]] = arith.cmpi ult, %[[M]], %[[ALL]] : index
// CHECK: %[[BOTH:.*]] = arith.andi %[[FEW]], %[[UNEVEN]] : i1
// CHECK: %[[MANY:.*]] = arith.cmpi ule, %[[ENOUGH]], %[[STEPS]] : index
// CHECK: %[[LATER:.*]] = arith.andi %[[BOTH]], %[[MANY]] : i1
// CHECK: %[[FEWEST:.*]] = arith.select %[[LATER]], %[[M]], %[[EVEN]] : index
// CHECK: %[[ROWS:.*]] = arith.maxui %[[FEWEST]], %[[ONE]] : index
// CHECK: %[[SHARES:.*]] = arith.ceildivui %[[M]], %[[ROWS]] : index
// CHECK: %[[SOME:.*]] = arith.maxui %[[SHARES]], %[[ONE]] : index
// CHECK: %[[LEFT:.*]] = arith.ceildivui %[[THREADS]], %[[SOME]] : index
// CHECK: %[[EACH:.*]] = arith.ceildivui %[[STEPS]], %[[LEFT]] : index
// CHECK: %[[MOST:.*]] = arith.maxui %[[EACH]], %[[ONE]] : index
// CHECK: %[[COLUMNS:.*]] = arith.muli %[[MOST]], %[[STEP]] : index
// CHECK: vortex.level "core" forall (PL 0 by %[[ROWS]], PL 1 by %[[COLUMNS]]) {
func.func @elements(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%x : tensor<?x?xf32>) {
  ^bb0(%o: f32):
    %s = arith.addf %o, %o : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Rows of batches, outermost first; a sum along a row has one thread.
// CHECK-LABEL: func.func @rows_of_batches
// CHECK: vortex.level "core" forall (PL 0 by %{{.*}}, PL 1 by %{{.*}}) {
// CHECK-NEXT: vortex.level "register" for (TSL 0 by %{{.*}}, TSL 1 by %{{.*}}) {
func.func @rows_of_batches(%x: tensor<?x?x?xf32>, %room: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%room : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// One row: its columns.
// CHECK-LABEL: func.func @one_row
// CHECK: vortex.level "core" forall (PL 0 by %{{.*}}) {
// CHECK-NEXT: vortex.stage ["p0"] micro <instruction = "vector", rows = 1, vectors = 1, lanes = 8, unroll = 4, lane_axis = 0>
func.func @one_row(%x: tensor<?xf64>) -> tensor<?xf64> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<?xf64>) {
  ^bb0(%o: f64):
    %s = math.exp %o : f64
    linalg.yield %s : f64
  } -> tensor<?xf64>
  return %r : tensor<?xf64>
}

// What else is one of a row keeps the columns with one thread.
// CHECK-LABEL: func.func @scaled_rows
// CHECK: vortex.level "core" forall (PL 0 by %{{[^,]*}}) {
func.func @scaled_rows(%x: tensor<?x?xf32>, %s: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %room = tensor.empty(%m) : tensor<?xf32>
  %roots = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s : tensor<?xf32>) outs(%room : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.sqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%roots : tensor<?xf32>) outs(%x : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.mulf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
