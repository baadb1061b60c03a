// RUN: vortex-opt %s --target=x86-avx512 --vortex-form-kernels --vortex-hierarchize --canonicalize --cse --split-input-file \
// RUN:   --remarks-filter=vortex-hierarchize --remark-format=emitRemark 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// Threads have parts of the reduction where there are several, their tiles of
// the result are fewer than eight each, and the steps more than four for each
// row. A part is whole lines of a row of A, 16 steps; what starts the result
// is in front of them.
// CHECK-LABEL: func.func @plain
// CHECK: %[[STEPS:[0-9]+]] = arith.muli %{{[0-9]+}}, %c16{{(_[0-9]+)?}} : index{{[[:space:]]+}}%{{[0-9]+}} = arith.minui %[[K:[^,]+]], %[[STEPS]] : index{{[[:space:]]+}}vortex.candidate @parts_6x64 guard {
// CHECK: arith.ceildivui %{{.*}}, %c6
// CHECK: %[[MOST:.*]] = arith.muli %{{.*}}, %c8{{.*}} : index
// CHECK: arith.cmpi ult, %{{.*}}, %[[MOST]] : index
// CHECK: arith.cmpi ult, %{{.*}}, %[[K]] : index
// CHECK-NEXT: arith.andi
// CHECK-NEXT: arith.andi
// CHECK-NEXT: vortex.yield
// CHECK: schedule {
// CHECK-NEXT: vortex.stage ["p0"]
// CHECK-NEXT: vortex.level "core" forall (PL 2 by %[[STEPS]]) combine("add") {
// CHECK-NEXT: vortex.level "l1" for (TSL 0 by %{{.*}}) {
// CHECK-NEXT: vortex.level "register" for (TSL 1 by %c64{{.*}}) {
// CHECK-NEXT: vortex.stage ["p1"] micro <instruction = "fma", rows = 6, vectors = 4, lanes = 16, unroll = 4, narrow_rows = 8
func.func @plain(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// The panels of a weight are those of the others.
// CHECK-LABEL: func.func @bound
// CHECK: vortex.candidate @parts_panel_6x64 guard
// CHECK: vortex.level "device" for () load (<operand = 1, layout = panel, axis = 1, bound = true> by %c32
// CHECK-NEXT: vortex.level "core" forall (PL 2 by %{{.*}}) combine("add") {
func.func @bound(%a: tensor<?x?xf32>, %b: tensor<?x?xf32> {vortex.weight}, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Sums of 64 bits: a line of A is eight steps.
// CHECK-LABEL: func.func @doubles
// CHECK: arith.muli %{{[0-9]+}}, %c8{{(_[0-9]+)?}} : index{{[[:space:]]+}}%{{[0-9]+}} = arith.minui %{{[^,]+}}, %{{[0-9]+}} : index{{[[:space:]]+}}vortex.candidate @parts_6x32 guard {
func.func @doubles(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %c: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf64>, tensor<?x?xf64>) outs(%c : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}

// -----

// Inner products touch the next columns.
// CHECK-LABEL: func.func @transposed
// CHECK: vortex.candidate @parts_inner_5x4 guard
// CHECK: forall (PL 2 by %{{.*}}) combine("add") {
// CHECK-NEXT: vortex.level "l1" for (TSL 1 by %c4{{.*}}) {
// CHECK-NEXT: vortex.level "register" for (TSL 0 by %{{.*}}) {
// CHECK-NEXT: micro <instruction = "fma", rows = 5, vectors = 4, lanes = 16, unroll = 4, prefetch = 2, {{.*}}lane_axis = 2, in_flight = 4
func.func @transposed(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// What follows would be done by one thread.
// CHECK-LABEL: func.func @followed
// CHECK: vortex.candidate @direct_6x64
// CHECK-NOT: combine
func.func @followed(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.exp ins(%0 : tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// Elements of a batch are for threads.
// CHECK-LABEL: func.func @batch
// CHECK: vortex.candidate @direct_6x64
// CHECK-NOT: combine
func.func @batch(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// -----

// In a loop that threads share, there is one.
// CHECK-LABEL: func.func @alone
// CHECK: vortex.candidate @direct_6x64
// CHECK-NOT: combine
func.func @alone(%a: tensor<?x?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?x?xf32>, %n: index) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %a, %c1 : tensor<?x?x?xf32>
  %k = tensor.dim %a, %c2 : tensor<?x?x?xf32>
  %w = tensor.dim %b, %c1 : tensor<?x?xf32>
  %r = scf.forall (%i) in (%n) shared_outs(%o = %c) -> (tensor<?x?x?xf32>) {
    %x = tensor.extract_slice %a[%i, 0, 0] [1, %m, %k] [1, 1, 1] : tensor<?x?x?xf32> to tensor<?x?xf32>
    %y = tensor.extract_slice %o[%i, 0, 0] [1, %m, %w] [1, 1, 1] : tensor<?x?x?xf32> to tensor<?x?xf32>
    %0 = linalg.matmul ins(%x, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %0 into %o[%i, 0, 0] [1, %m, %w] [1, 1, 1] : tensor<?x?xf32> into tensor<?x?x?xf32>
    }
  }
  return %r : tensor<?x?x?xf32>
}

// -----

// 1024 known columns are sixteen tiles for each row of them.
// REMARK: Remark=wide.matmul.0
// REMARK-SAME: parts_6x64: the columns feed two threads
// CHECK-LABEL: func.func @wide
// CHECK: vortex.candidate @direct_6x64
// CHECK-NOT: combine
func.func @wide(%a: tensor<?x?xf32>, %b: tensor<?x1024xf32>, %c: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x1024xf32>) outs(%c : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  return %0 : tensor<?x1024xf32>
}

// -----

// What is no sum is not added, nor is what an operand has by its diagonals.
// CHECK-LABEL: func.func @largest
// CHECK: vortex.candidate @direct_6x64
// CHECK-NOT: combine
func.func @largest(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.addf %x, %y : f32
    %s = arith.maximumf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @diagonals
// CHECK: vortex.candidate @direct_6x64
// CHECK-NOT: combine
func.func @diagonals(%a: tensor<?x?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
