// Rows of a recurrence may run in threads of their own.
// RUN: vortex-opt --target=x86-avx512 --vortex-share-recurrences --canonicalize --cse --split-input-file --mlir-print-local-scope %s | FileCheck %s
// RUN: vortex-opt --target=x86-avx512 --vortex-share-recurrences --split-input-file --remarks-filter=vortex-share-recurrences --remark-format=emitRemark %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The state starts from its rows, the step's input is cut, results go where they belong; the bound stays.
// CHECK-LABEL: @recurrence
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x?x64xf32>, %[[H:[a-z0-9]+]]: tensor<?x64xf32>, %[[W:[a-z0-9]+]]: tensor<64x64xf32>
// CHECK-DAG:     %[[ROWS:.*]] = tensor.dim %[[X]], %c1
// CHECK-DAG:     %[[HROWS:.*]] = tensor.dim %[[H]], %c0
// CHECK-DAG:     %[[STEPS:.*]] = tensor.dim %[[X]], %c0
// CHECK-DAG:     vortex.machine_param "threads"
// CHECK-DAG:     %[[SAME:.*]] = arith.cmpi eq, %[[ROWS]], %[[HROWS]]
// CHECK:         %[[I:.*]] = vortex.select "recurrence.recurrence.0" ["together", "apart"] %{{.*}} allowed(%true, %{{.*}})
// CHECK:         scf.index_switch %[[I]]
// CHECK:         case 0 {
// CHECK-NOT:       scf.forall
// CHECK:           scf.for %{{.*}} = %c0 to %[[STEPS]]
// CHECK:         default {
// CHECK:           scf.forall (%[[AT:.*]]) = (0) to (%[[ROWS]]) step (%{{.*}}) shared_outs(%[[OY:.*]] = %{{.*}}, %[[OH:.*]] = %[[H]])
// CHECK:             %[[SIZE:.*]] = affine.min
// CHECK:             %[[MX:.*]] = tensor.extract_slice %[[X]][0, %[[AT]], 0] [%{{.*}}, %[[SIZE]], 64] [1, 1, 1]
// CHECK:             %[[MH:.*]] = tensor.extract_slice %[[OH]][%[[AT]], 0] [%[[SIZE]], 64] [1, 1]
// CHECK:             %[[PART:.*]]:2 = scf.for %[[T:.*]] = %c0 to %[[STEPS]] {{.*}} iter_args(%[[Y:.*]] = %{{.*}}, %[[C:.*]] = %[[MH]])
// CHECK:               tensor.extract_slice %[[MX]][%[[T]], 0, 0] [1, %[[SIZE]], 64] [1, 1, 1]
// CHECK:               linalg.matmul ins(%[[C]], %[[W]] :
// CHECK:               tensor.insert_slice %{{.*}} into %[[Y]][%[[T]], 0, 0] [1, %[[SIZE]], 64] [1, 1, 1]
// CHECK:             scf.forall.in_parallel {
// CHECK:               tensor.parallel_insert_slice %[[PART]]#0 into %[[OY]][0, %[[AT]], 0] [%{{.*}}, %[[SIZE]], 64] [1, 1, 1]
// CHECK:               tensor.parallel_insert_slice %[[PART]]#1 into %[[OH]][%[[AT]], 0] [%[[SIZE]], 64] [1, 1]
// REMARK: rows of the loop may run apart, in threads of their own
func.func @recurrence(%x: tensor<?x?x64xf32>, %h0: tensor<?x64xf32>, %w: tensor<64x64xf32>) -> (tensor<?x?x64xf32>, tensor<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?x64xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?x64xf32>
  %y0 = tensor.empty(%n, %m) : tensor<?x?x64xf32>
  %y, %r = scf.for %i = %c0 to %n step %c1 iter_args(%ys = %y0, %h = %h0) -> (tensor<?x?x64xf32>, tensor<?x64xf32>) {
    %mh = tensor.dim %h, %c0 : tensor<?x64xf32>
    %fits = arith.cmpi eq, %m, %mh : index
    cf.assert %fits, "another batch"
    %s = tensor.extract_slice %x[%i, 0, 0] [1, %m, 64] [1, 1, 1] : tensor<?x?x64xf32> to tensor<?x64xf32>
    %e = tensor.empty(%m) : tensor<?x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    %p = linalg.matmul ins(%h, %w : tensor<?x64xf32>, tensor<64x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
    %a = linalg.add ins(%p, %s : tensor<?x64xf32>, tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    %next = tensor.insert_slice %a into %ys[%i, 0, 0] [1, %m, 64] [1, 1, 1] : tensor<?x64xf32> into tensor<?x?x64xf32>
    scf.yield %next, %a : tensor<?x?x64xf32>, tensor<?x64xf32>
  }
  return %y, %r : tensor<?x?x64xf32>, tensor<?x64xf32>
}

// -----

// Not shared: rows are summed up, the number of rows is a factor, rows are transposed, a number is carried along.
// CHECK-LABEL: @summed
// CHECK-NOT:     scf.forall
// REMARK-NOT:    rows of the loop
func.func @summed(%h0: tensor<?x64xf32>, %w: tensor<64x64xf32>, %n: index) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %h0, %c0 : tensor<?x64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %h0) -> tensor<?x64xf32> {
    %e = tensor.empty(%m) : tensor<?x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    %p = linalg.matmul ins(%h, %w : tensor<?x64xf32>, tensor<64x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
    %es = tensor.empty() : tensor<64xf32>
    %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<64xf32>) -> tensor<64xf32>
    %sum = linalg.reduce ins(%p : tensor<?x64xf32>) outs(%fs : tensor<64xf32>) dimensions = [0]
      (%a: f32, %b: f32) {
        %v = arith.addf %a, %b : f32
        linalg.yield %v : f32
      }
    %y = linalg.broadcast ins(%sum : tensor<64xf32>) outs(%e : tensor<?x64xf32>) dimensions = [0]
    scf.yield %y : tensor<?x64xf32>
  }
  return %r : tensor<?x64xf32>
}

// -----

// CHECK-LABEL: @scaled
// CHECK-NOT:     scf.forall
func.func @scaled(%h0: tensor<?x64xf32>, %w: tensor<64x64xf32>, %n: index) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %h0) -> tensor<?x64xf32> {
    %m = tensor.dim %h, %c0 : tensor<?x64xf32>
    %e = tensor.empty(%m) : tensor<?x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    %p = linalg.matmul ins(%h, %w : tensor<?x64xf32>, tensor<64x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
    %i32 = arith.index_cast %m : index to i32
    %scale = arith.sitofp %i32 : i32 to f32
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%p : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) {
    ^bb0(%a: f32, %out: f32):
      %v = arith.mulf %a, %scale : f32
      linalg.yield %v : f32
    } -> tensor<?x64xf32>
    scf.yield %y : tensor<?x64xf32>
  }
  return %r : tensor<?x64xf32>
}

// -----

// CHECK-LABEL: @transposed
// CHECK-NOT:     scf.forall
func.func @transposed(%h0: tensor<?x?xf32>, %w: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %h0, %c0 : tensor<?x?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %h0) -> tensor<?x?xf32> {
    %e = tensor.empty(%m, %m) : tensor<?x?xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul ins(%h, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
    %t = linalg.transpose ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) permutation = [1, 0]
    scf.yield %t : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: @counted
// CHECK-NOT:     scf.forall
func.func @counted(%h0: tensor<?x64xf32>, %w: tensor<64x64xf32>, %n: index) -> (tensor<?x64xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %h0, %c0 : tensor<?x64xf32>
  %r, %k = scf.for %i = %c0 to %n step %c1 iter_args(%h = %h0, %count = %c0) -> (tensor<?x64xf32>, index) {
    %e = tensor.empty(%m) : tensor<?x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    %p = linalg.matmul ins(%h, %w : tensor<?x64xf32>, tensor<64x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
    %more = arith.addi %count, %i : index
    scf.yield %p, %more : tensor<?x64xf32>, index
  }
  return %r, %k : tensor<?x64xf32>, index
}
