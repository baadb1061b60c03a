// RUN: vortex-opt %s | vortex-opt | FileCheck %s
// RUN: vortex-opt %s --emit-bytecode | vortex-opt | FileCheck %s
// RUN: vortex-opt %s --mlir-print-op-generic | vortex-opt | FileCheck %s

// A kernel with two candidates that share arithmetic: guards, costs, levels with every
// class and loop kind of the CPU, loads with every layout, and defaults left out.
// CHECK-LABEL: func.func @kernel
// CHECK: vortex.kernel "mm" axes ["m", "n", "k"] ins(%{{.*}}, %{{.*}} : tensor<?x?xf32>, tensor<?x?xf32>) outs(%{{.*}} : tensor<?x?xf32>) {
// CHECK: vortex.yield %{{.*}} : tensor<?x?xf32>
// CHECK: } candidates {
// CHECK-NEXT: ^bb0(%[[M:.*]]: index, %[[N:.*]]: index, %[[K:.*]]: index):
// CHECK: vortex.candidate @packed guard {
// CHECK: vortex.yield %{{.*}} : i1
// CHECK: } cost {
// CHECK: vortex.machine_param "l2.bandwidth" default 9.000000e+01
// CHECK: vortex.yield %{{.*}} : f64
// CHECK: } schedule {
// CHECK: vortex.level "device" for () load (<operand = 1, layout = panel, axis = 1, bound = true> by %c32) {
// CHECK: vortex.level "core" forall (PL 0 by %[[M]], PL 1 by %c32) {
// CHECK: vortex.level "l2" for (TSL 0 by %c14, TRL 2 by %[[K]]) load (<operand = 0, layout = pack, axis = 0, together = true> by %c14, <operand = 1, layout = copy, axis = 1, together = true> by %c32) stages(2) resident {
// CHECK: vortex.stage ["p0", "p1"] micro <instruction = "fma", rows = 14, vectors = 2, lanes = 16, unroll = 4, prefetch = 1, narrow_rows = 16, scheduler = false>
// CHECK: vortex.candidate @library schedule {
// CHECK-NEXT: vortex.level "core" forall (PL 2 by %c32) combine("add") {
// CHECK-NEXT: vortex.stage ["p0"]{{$}}
// CHECK-NEXT: vortex.stage ["p1"] library "cblas_sgemm"
// CHECK: } : tensor<?x?xf32>
func.func @kernel(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %O: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.kernel "mm" axes ["m", "n", "k"]
      ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%O : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill {vortex.id = "p0"} ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul {vortex.anchor, vortex.id = "p1"} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
        outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c14 = arith.constant 14 : index
    %c32 = arith.constant 32 : index
    vortex.candidate @packed guard {
      %0 = arith.cmpi ule, %c14, %m : index
      vortex.yield %0 : i1
    } cost {
      %0 = vortex.machine_param "l2.bandwidth" default 90.0
      vortex.yield %0 : f64
    } schedule {
      vortex.level "device" for () load (<operand = 1, layout = panel, axis = 1, bound = true> by %c32) {
        vortex.level "core" forall (PL 0 by %m, PL 1 by %c32) {
          vortex.level "l2" for (TSL 0 by %c14, TRL 2 by %k)
              load (<operand = 0, layout = pack, axis = 0, together = true> by %c14, <operand = 1, layout = copy, axis = 1, together = true> by %c32)
              stages(2) resident {
            vortex.stage ["p0", "p1"] micro <instruction = "fma", rows = 14, vectors = 2, lanes = 16, unroll = 4,
                                             prefetch = 1, narrow_rows = 16, scheduler = false>
          }
        }
      }
    }
    vortex.candidate @library schedule {
      vortex.level "core" forall (PL 2 by %c32) combine("add") {
        vortex.stage ["p0"]
        vortex.stage ["p1"] library "cblas_sgemm"
      }
    }
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A fallback names no axes and has no candidates; no inputs, two results.
// CHECK-LABEL: func.func @fallback
// CHECK: %{{.*}}:2 = vortex.kernel "swap" axes [] outs(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<?xi8>) {
// CHECK-NOT: candidates
// CHECK: } : tensor<4xf32>, tensor<?xi8>
func.func @fallback(%A: tensor<4xf32>, %B: tensor<?xi8>) -> (tensor<4xf32>, tensor<?xi8>) {
  %r:2 = vortex.kernel "swap" axes [] outs(%A, %B : tensor<4xf32>, tensor<?xi8>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<?xi8>):
    vortex.yield %a, %b : tensor<4xf32>, tensor<?xi8>
  } : tensor<4xf32>, tensor<?xi8>
  return %r#0, %r#1 : tensor<4xf32>, tensor<?xi8>
}

// CHECK-LABEL: func.func @micro_kernel
// CHECK: vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 8, lane_axis = 0> ins(%{{.*}} : tensor<?xf32>) outs(%{{.*}} : tensor<?xf32>) {
// CHECK: vortex.yield
// CHECK: } : tensor<?xf32>
func.func @micro_kernel(%a: tensor<?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %r = vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 8, lane_axis = 0>
      ins(%a : tensor<?xf32>) outs(%c : tensor<?xf32>) {
  ^bb0(%x: tensor<?xf32>, %o: tensor<?xf32>):
    %p = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @kernel_call
// CHECK: vortex.kernel_call @k ins(%{{.*}}, %{{.*}} : tensor<?xf32>, index) outs(%{{.*}} : tensor<?xf32>) : tensor<?xf32>
// CHECK: vortex.kernel_call @k ins(%{{.*}} : memref<?xf32>) outs(%{{.*}} : memref<?xf32>){{$}}
// CHECK: vortex.kernel_call @k{{$}}
// CHECK: vortex.kernel_call @k ins(%{{.*}}, %{{.*}} : tensor<?xf32>, index) outs(%{{.*}} : tensor<?xf32>) dense [0] packed [2] : tensor<?xf32>
func.func @kernel_call(%t: tensor<?xf32>, %m: memref<?xf32>, %n: index) -> tensor<?xf32> {
  %0 = vortex.kernel_call @k ins(%t, %n : tensor<?xf32>, index) outs(%t : tensor<?xf32>) : tensor<?xf32>
  vortex.kernel_call @k ins(%m : memref<?xf32>) outs(%m : memref<?xf32>)
  vortex.kernel_call @k
  %1 = vortex.kernel_call @k ins(%t, %n : tensor<?xf32>, index) outs(%t : tensor<?xf32>) dense [0] packed [2] : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @select
// CHECK: vortex.select "mm" ["a", "b"] %{{.*}} allowed(%{{.*}}, %{{.*}}) costs(%{{.*}}, %{{.*}})
func.func @select(%choice: index, %ok: i1, %x: f64, %y: f64) -> index {
  %0 = vortex.select "mm" ["a", "b"] %choice allowed(%ok, %ok) costs(%x, %y)
  return %0 : index
}

// CHECK-LABEL: func.func @result
// CHECK: vortex.result 0(%{{.*}}) : memref<?x4xf32>
// CHECK: vortex.result 1() : tensor<4xf32>
// CHECK: vortex.result 2() : memref<f64>
func.func @result(%n: index) {
  %0 = vortex.result 0(%n) : memref<?x4xf32>
  %1 = vortex.result 1() : tensor<4xf32>
  %2 = vortex.result 2() : memref<f64>
  return
}

// CHECK-LABEL: func.func @report(
// CHECK: vortex.report "mm" ["a", "b"] choice %{{.*}} allowed(%{{.*}}, %{{.*}}) costs(%{{.*}}, %{{.*}})
// CHECK: vortex.report "mm" ["a", "b"]{{$}}
// CHECK: arith.constant 1 : index
func.func @report(%choice: index, %ok: i1, %x: f64) -> index {
  vortex.report "mm" ["a", "b"] choice %choice allowed(%ok, %ok) costs(%x, %x)
  // A line that begins with a value is not the choice.
  vortex.report "mm" ["a", "b"]
  %next = arith.constant 1 : index
  return %next : index
}

// CHECK-LABEL: func.func @queries
// CHECK: vortex.alignment %{{.*}} : tensor<?x?xf32>
// CHECK: vortex.stride %{{.*}}, 1 : tensor<?x?xf32>
// CHECK: vortex.alignment %{{.*}} : memref<?xf64, strided<[?], offset: ?>>
// CHECK: vortex.stride %{{.*}}, 0 : memref<?xf64, strided<[?], offset: ?>>
func.func @queries(%t: tensor<?x?xf32>, %m: memref<?xf64, strided<[?], offset: ?>>) -> (index, index, index, index) {
  %0 = vortex.alignment %t : tensor<?x?xf32>
  %1 = vortex.stride %t, 1 : tensor<?x?xf32>
  %2 = vortex.alignment %m : memref<?xf64, strided<[?], offset: ?>>
  %3 = vortex.stride %m, 0 : memref<?xf64, strided<[?], offset: ?>>
  return %0, %1, %2, %3 : index, index, index, index
}

// Nothing is known of it, and numbers of other positions are others.
// CHECK-LABEL: func.func @choice_inputs
// CHECK: vortex.choice_input 0 of %{{.*}}
// CHECK: vortex.choice_input 3 of %{{.*}}
func.func @choice_inputs(%n: index) -> (index, index) {
  %0 = vortex.choice_input 0 of %n
  %1 = vortex.choice_input 3 of %n
  return %0, %1 : index, index
}

// Operands stand behind the axes for guards and costs that ask about them.
// CHECK-LABEL: func.func @kernel_queries
// CHECK: ^bb0(%[[N:.*]]: index, %[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>):
// CHECK: vortex.candidate @c guard {
// CHECK: vortex.alignment %[[X]] : tensor<?xf32>
// CHECK: vortex.stride %[[Y]], 0 : tensor<?xf32>
func.func @kernel_queries(%A: tensor<?xf32>, %O: tensor<?xf32>) -> tensor<?xf32> {
  %r = vortex.kernel "k" axes ["n"] ins(%A : tensor<?xf32>) outs(%O : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %p = linalg.exp {vortex.anchor, vortex.id = "p"} ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } candidates {
  ^bb0(%n: index, %x: tensor<?xf32>, %y: tensor<?xf32>):
    vortex.candidate @c guard {
      %0 = vortex.alignment %x : tensor<?xf32>
      %1 = vortex.stride %y, 0 : tensor<?xf32>
      %2 = arith.cmpi uge, %0, %1 : index
      vortex.yield %2 : i1
    } schedule {
      vortex.stage ["p"]
    }
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @match
// CHECK: vortex.match %{{.*}} ["rows", ""] where ["rows <= 4096", "rows % 8 == 0"] : tensor<?x?xf32>
// CHECK: vortex.match %{{.*}} ["rows", "columns"] : tensor<?x?xf32>
func.func @match(%t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = vortex.match %t ["rows", ""] where ["rows <= 4096", "rows % 8 == 0"] : tensor<?x?xf32>
  %1 = vortex.match %0 ["rows", "columns"] : tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @permute
// CHECK: vortex.permute %{{.*}}, %{{.*}} by %{{.*}} : vector<8xf64>, vector<8xi64>
func.func @permute(%a: vector<8xf64>, %i: vector<8xi64>) -> vector<8xf64> {
  %0 = vortex.permute %a, %a by %i : vector<8xf64>, vector<8xi64>
  return %0 : vector<8xf64>
}

// CHECK-LABEL: func.func @dot_product
// CHECK: vortex.opaque %{{.*}} : vector<64xi8>
// CHECK: vortex.dot_product "vpdpbusd" %{{.*}}, %{{.*}}, %{{.*}} : vector<64xi8>, vector<64xi8> -> vector<16xi32>
func.func @dot_product(%s: vector<16xi32>, %a: vector<64xi8>, %b: vector<64xi8>) -> vector<16xi32> {
  %0 = vortex.opaque %a : vector<64xi8>
  %1 = vortex.dot_product "vpdpbusd" %s, %0, %b : vector<64xi8>, vector<64xi8> -> vector<16xi32>
  return %1 : vector<16xi32>
}
