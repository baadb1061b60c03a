// RUN: vortex-opt %s --split-input-file --target=x86-avx512 --vortex-plan-kernels | FileCheck %s

// A panel packed beforehand has no gaps, and its callee knows.
// CHECK-LABEL: func.func @weight
// CHECK: vortex.kernel_call {{.*}} packed [1]
// CHECK: func.func @{{.*}}(%{{.*}}: !llvm.ptr, %{{.*}}: memref<?x?xf32, strided<[?, 1], offset: ?>>, %{{.*}}: memref<?x?x{{[0-9]+}}xf32>,
func.func @weight(%x: tensor<?x?xf32>, %w: tensor<?x?xf32> {vortex.weight}, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Whole values and rows of them lie as far apart as rows are long where that is known: arguments, results that a branch
// chooses between candidates of, what is new.
// CHECK-LABEL: func.func @known
// The same kernels by parts and in tiles of rows have one code.
// CHECK: vortex.kernel_call @[[FIRST:known.matmul.2[^ ]*]] ins(%arg0, %arg1 : {{.*}} dense [0, 1, 2] {{.*}}vortex.kernel = "known.matmul.0"
// CHECK: vortex.kernel_call @known.matmul.3{{[^ ]*}} ins(%{{[^a].*}} dense [0, 1, 2] {{.*}}vortex.kernel = "known.matmul.1"
// CHECK: vortex.kernel_call @[[FIRST]] ins(%extracted_slice{{.*}} dense [0, 1, 2] {{.*}}vortex.kernel = "known.matmul.2"
// CHECK: vortex.kernel_call @known.matmul.3{{[^ ]*}} ins({{.*}} outs(%extracted_slice{{.*}} dense [0, 1, 2] {{.*}}vortex.kernel = "known.matmul.3"
// CHECK: func.func @[[FIRST]](%{{.*}}: !llvm.ptr, %{{.*}}: memref<?x24xf32, strided<[24, 1], offset: ?>>, %{{.*}}: memref<24x40xf32, strided<[40, 1], offset: ?>>, %{{.*}}: memref<?x40xf32, strided<[40, 1], offset: ?>>)
func.func @known(%x: tensor<?x24xf32>, %w: tensor<24x40xf32>, %v: tensor<40x24xf32>) -> tensor<?x24xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x24xf32>
  %e = tensor.empty(%m) : tensor<?x40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x40xf32>) -> tensor<?x40xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x24xf32>, tensor<24x40xf32>) outs(%z : tensor<?x40xf32>) -> tensor<?x40xf32>
  %f = tensor.empty(%m) : tensor<?x24xf32>
  %y = linalg.fill ins(%zero : f32) outs(%f : tensor<?x24xf32>) -> tensor<?x24xf32>
  %r = linalg.matmul ins(%h, %v : tensor<?x40xf32>, tensor<40x24xf32>) outs(%y : tensor<?x24xf32>) -> tensor<?x24xf32>
  return %r : tensor<?x24xf32>
}

// -----

// Parts of rows have gaps, read and written.
// CHECK-LABEL: func.func @parts
// CHECK: vortex.kernel_call @[[PART:[^ ]*]] ins(%{{.*}}, %arg1 : {{.*}} dense [1] {
// CHECK: func.func @[[PART]](%{{.*}}: !llvm.ptr, %{{.*}}: memref<?x24xf32, strided<[?, 1], offset: ?>>, %{{.*}}: memref<24x40xf32, strided<[40, 1], offset: ?>>, %{{.*}}: memref<?x40xf32, strided<[?, 1], offset: ?>>)
func.func @parts(%x: tensor<?x48xf32>, %w: tensor<24x40xf32>, %o: tensor<?x80xf32>, %m: index) -> tensor<?x80xf32> {
  %zero = arith.constant 0.0 : f32
  %a = tensor.extract_slice %x[0, 24] [%m, 24] [1, 1] : tensor<?x48xf32> to tensor<?x24xf32>
  %c = tensor.extract_slice %o[0, 40] [%m, 40] [1, 1] : tensor<?x80xf32> to tensor<?x40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<?x40xf32>) -> tensor<?x40xf32>
  %h = linalg.matmul ins(%a, %w : tensor<?x24xf32>, tensor<24x40xf32>) outs(%z : tensor<?x40xf32>) -> tensor<?x40xf32>
  %r = tensor.insert_slice %h into %o[0, 40] [%m, 40] [1, 1] : tensor<?x40xf32> into tensor<?x80xf32>
  return %r : tensor<?x80xf32>
}

// -----

// A loop that carries rows, whole where it starts and in each step, one that starts with a part of rows, and one whose
// step hands such a part on.
// CHECK-LABEL: func.func @carried
// CHECK: vortex.kernel_call @carried.exp.0{{[^ ]*}} ins(%{{.*}}) outs({{.*}} dense [0, 1] {
// CHECK: vortex.kernel_call @carried.exp.1{{[^ ]*}} ins(%{{.*}}) outs({{.*}} dense [1] {
// CHECK: vortex.kernel_call @carried.exp.1{{[^ ]*}} ins(%{{.*}}) outs({{.*}} dense [1] {
func.func @carried(%x: tensor<?x8xf32>, %y: tensor<?x24xf32>, %n: index) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?x8xf32> {
    %e = tensor.empty(%m) : tensor<?x8xf32>
    %b = linalg.exp ins(%a : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %b : tensor<?x8xf32>
  }
  %part = tensor.extract_slice %y[0, 8] [%m, 8] [1, 1] : tensor<?x24xf32> to tensor<?x8xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %part) -> tensor<?x8xf32> {
    %e = tensor.empty(%m) : tensor<?x8xf32>
    %b = linalg.exp ins(%a : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %b : tensor<?x8xf32>
  }
  %t:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %last = %x) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
    %e = tensor.empty(%m) : tensor<?x8xf32>
    %b = linalg.exp ins(%a : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
    %next = tensor.extract_slice %y[0, %i] [%m, 8] [1, 1] : tensor<?x24xf32> to tensor<?x8xf32>
    scf.yield %next, %b : tensor<?x8xf32>, tensor<?x8xf32>
  }
  return %r, %s, %t#1 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// Slices that take all of the innermost known extents: heads of a batch, one of them, rows of it. Where the heads are cut
// themselves, their number tells nothing.
// CHECK-LABEL: func.func @heads
// CHECK: vortex.kernel_call @[[SOME:heads.exp.0[^ ]*]] ins(%extracted_slice : {{.*}} dense [0, 1] {
// CHECK: vortex.kernel_call @[[ONE:heads.exp.1[^ ]*]] ins(%{{.*}} dense [0, 1] {
// CHECK: vortex.kernel_call @heads.exp.2{{[^ ]*}} ins(%{{.*}} dense [1] {
// CHECK-DAG: func.func @[[SOME]](%{{.*}}: !llvm.ptr, %{{.*}}: memref<?x?x?x64xf32, strided<[?, ?, 64, 1], offset: ?>>,
// CHECK-DAG: func.func @[[ONE]](%{{.*}}: !llvm.ptr, %{{.*}}: memref<?x64xf32, strided<[64, 1], offset: ?>>,
func.func @heads(%x: tensor<?x12x?x64xf32>, %y: tensor<?x12x64xf32>, %i: index, %b: index, %h: index, %m: index)
    -> (tensor<?x?x?x64xf32>, tensor<?x64xf32>, tensor<?x6x64xf32>) {
  %s = tensor.extract_slice %x[0, %i, 0, 0] [%b, %h, %m, 64] [1, 1, 1, 1] : tensor<?x12x?x64xf32> to tensor<?x?x?x64xf32>
  %e0 = tensor.empty(%b, %h, %m) : tensor<?x?x?x64xf32>
  %r0 = linalg.exp ins(%s : tensor<?x?x?x64xf32>) outs(%e0 : tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32>
  %t = tensor.extract_slice %x[%i, 3, 0, 0] [1, 1, %m, 64] [1, 1, 1, 1] : tensor<?x12x?x64xf32> to tensor<?x64xf32>
  %e1 = tensor.empty(%m) : tensor<?x64xf32>
  %r1 = linalg.exp ins(%t : tensor<?x64xf32>) outs(%e1 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %u = tensor.extract_slice %y[0, 6, 0] [%b, 6, 64] [1, 1, 1] : tensor<?x12x64xf32> to tensor<?x6x64xf32>
  %e2 = tensor.empty(%b) : tensor<?x6x64xf32>
  %r2 = linalg.exp ins(%u : tensor<?x6x64xf32>) outs(%e2 : tensor<?x6x64xf32>) -> tensor<?x6x64xf32>
  return %r0, %r1, %r2 : tensor<?x?x?x64xf32>, tensor<?x64xf32>, tensor<?x6x64xf32>
}

// -----

// Rows of slices under another shape: what lies in a row is split, or rows of a slice are; a slice that drops rows between
// those that it takes has gaps.
// CHECK-LABEL: func.func @shapes
// CHECK: vortex.kernel_call @shapes.exp.0{{[^ ]*}} ins(%{{.*}} dense [0, 1] {
// CHECK: vortex.kernel_call @shapes.exp.1{{[^ ]*}} ins(%{{.*}} dense [1] {
func.func @shapes(%x: tensor<?x?x64xf32>, %i: index, %m: index) -> (tensor<?x?x4x16xf32>, tensor<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x64xf32>
  %s = tensor.extract_slice %x[0, %i, 0] [%n, %m, 64] [1, 1, 1] : tensor<?x?x64xf32> to tensor<?x?x64xf32>
  %f = tensor.expand_shape %s [[0], [1], [2, 3]] output_shape [%n, %m, 4, 16] : tensor<?x?x64xf32> into tensor<?x?x4x16xf32>
  %e0 = tensor.empty(%n, %m) : tensor<?x?x4x16xf32>
  %r0 = linalg.exp ins(%f : tensor<?x?x4x16xf32>) outs(%e0 : tensor<?x?x4x16xf32>) -> tensor<?x?x4x16xf32>
  %t = tensor.extract_slice %x[0, %i, 0] [%n, 1, 64] [1, 1, 1] : tensor<?x?x64xf32> to tensor<?x64xf32>
  %e1 = tensor.empty(%n) : tensor<?x64xf32>
  %r1 = linalg.exp ins(%t : tensor<?x64xf32>) outs(%e1 : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r0, %r1 : tensor<?x?x4x16xf32>, tensor<?x64xf32>
}
