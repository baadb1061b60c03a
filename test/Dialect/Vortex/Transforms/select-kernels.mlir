// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize --vortex-select-kernels --canonicalize --cse | FileCheck %s

// The cheapest that may run is found in a tree; of those that cost the same but for rounding the first is taken.
// CHECK-LABEL: func.func @mm
// CHECK: %[[MARGIN:.*]] = arith.constant 1.00000000{{[0-9]+}} : f64
// CHECK: %[[NEVER:.*]] = arith.constant 0x7FF0000000000000 : f64
// CHECK: %[[COST:.*]] = arith.select %{{.*}}, %{{.*}}, %[[NEVER]] : f64
// CHECK: %[[MORE:.*]] = arith.mulf %[[LEAST:.*]], %[[MARGIN]] : f64
// CHECK-NEXT: %[[LIMIT:.*]] = arith.maximumf %[[MORE]], %[[LEAST]] : f64
// CHECK-NEXT: %[[GOOD:.*]] = arith.cmpf ule, %{{.*}}, %[[LIMIT]] : f64
// CHECK-NEXT: arith.andi %{{.*}}, %[[GOOD]] : i1
// CHECK: arith.cmpf ule, %[[COST]], %[[LIMIT]] : f64
// CHECK: %[[I:.*]] = vortex.select "mm.matmul.0" ["packed_14x32_prefetch", "kblock_14x32", "panel_6x64", "panel_8x32_prefetch", "narrow_4x4", "strip_4", "outer_8x64", "direct_panel_6x64", "direct_narrow_4x4", "direct_strip_4"]
// CHECK: scf.index_switch %[[I]]
// CHECK: case 0
// CHECK: vortex.candidate @packed_14x32_prefetch schedule
// CHECK-NOT: vortex.candidate
// CHECK: case 1
// CHECK: vortex.candidate @kblock_14x32 schedule
// CHECK: default
// CHECK: vortex.candidate @direct_strip_4 schedule
func.func @mm(%a: tensor<?x?xf32>, %b: tensor<?x?xf32> {vortex.weight}, %bias: tensor<?xf32>) -> tensor<?x?xf32> {
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

// One candidate needs no choice.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: vortex.select
// CHECK: vortex.candidate @rows schedule
func.func @rows(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Guards may ask where operands are; the operands leave the kernel's choice
// with them.
// CHECK-LABEL: func.func @guards
// CHECK-SAME: %[[A:.*]]: tensor<8x16xf32>, %[[B:.*]]: tensor<16x?xf32>
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[B]], %c1
// CHECK-DAG: %[[ALIGNMENT:.*]] = vortex.alignment %[[B]]
// CHECK-DAG: vortex.stride %[[B]], 0
// CHECK: %[[WIDE:.*]] = arith.andi
// CHECK: %[[CHEAPER:.*]] = arith.cmpf
// CHECK: arith.andi %[[WIDE]], %[[CHEAPER]]
// CHECK: vortex.select "g" ["always", "wide"] %{{.*}} allowed(%[[TRUE]], %[[WIDE]])
// CHECK: case 0
// CHECK: vortex.candidate @always
// CHECK: default
// CHECK: vortex.candidate @wide
// CHECK-NOT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: tensor
func.func @guards(%A: tensor<8x16xf32>, %B: tensor<16x?xf32>, %O: tensor<8x?xf32>) -> tensor<8x?xf32> {
  %r = vortex.kernel "g" axes ["m", "n", "k"] ins(%A, %B : tensor<8x16xf32>, tensor<16x?xf32>) outs(%O : tensor<8x?xf32>) {
  ^bb0(%a: tensor<8x16xf32>, %b: tensor<16x?xf32>, %o: tensor<8x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "p"} ins(%a, %b : tensor<8x16xf32>, tensor<16x?xf32>)
        outs(%o : tensor<8x?xf32>) -> tensor<8x?xf32>
    vortex.yield %p : tensor<8x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index, %x: tensor<8x16xf32>, %y: tensor<16x?xf32>, %z: tensor<8x?xf32>):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    vortex.candidate @always cost {
      %0 = vortex.machine_param "core.call" default 60.0
      vortex.yield %0 : f64
    } schedule {
      vortex.stage ["p"]
    }
    vortex.candidate @wide guard {
      %0 = vortex.alignment %y : tensor<16x?xf32>
      %1 = arith.cmpi uge, %0, %c64 : index
      %2 = arith.remui %n, %c8 : index
      %3 = arith.cmpi eq, %2, %c0 : index
      %4 = arith.andi %1, %3 : i1
      %5 = vortex.stride %y, 0 : tensor<16x?xf32>
      %6 = arith.cmpi ult, %c2, %5 : index
      %7 = arith.andi %4, %6 : i1
      vortex.yield %7 : i1
    } schedule {
      vortex.stage ["p"]
    }
  } : tensor<8x?xf32>
  return %r : tensor<8x?xf32>
}

// When it may be that no guard holds, the payload by itself is the default,
// and all there is when none ever does.
// CHECK-LABEL: func.func @maybe
// CHECK: vortex.select "maybe" ["a"] %{{.*}}
// CHECK: case 0
// CHECK: vortex.candidate @a
// CHECK: default
// CHECK: linalg.exp
// CHECK-NOT: vortex.candidate
func.func @maybe(%A: tensor<?xf32>, %O: tensor<?xf32>) -> tensor<?xf32> {
  %r = vortex.kernel "maybe" axes ["n"] ins(%A : tensor<?xf32>) outs(%O : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %p = linalg.exp {vortex.anchor, vortex.id = "p"} ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } candidates {
  ^bb0(%n: index):
    %c8 = arith.constant 8 : index
    vortex.candidate @a guard {
      %0 = arith.cmpi ugt, %n, %c8 : index
      vortex.yield %0 : i1
    } schedule {
      vortex.stage ["p"]
    }
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @none
// CHECK-NOT: vortex.select
// CHECK: linalg.exp
// CHECK-NOT: vortex.candidate
func.func @none(%A: tensor<4xf32>, %O: tensor<4xf32>) -> tensor<4xf32> {
  %r = vortex.kernel "none" axes ["n"] ins(%A : tensor<4xf32>) outs(%O : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %o: tensor<4xf32>):
    %p = linalg.exp {vortex.anchor, vortex.id = "p"} ins(%a : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
    vortex.yield %p : tensor<4xf32>
  } candidates {
  ^bb0(%n: index):
    %c8 = arith.constant 8 : index
    vortex.candidate @a guard {
      %0 = arith.cmpi ugt, %n, %c8 : index
      vortex.yield %0 : i1
    } schedule {
      vortex.stage ["p"]
    }
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// The choice of a kernel that a loop's threads run is made for one thread; its code asks when it runs, as that of the
// same kernel behind the loop does.
// CHECK-LABEL: func.func @inside
// CHECK: scf.forall
// CHECK-NOT: vortex.machine_param "threads"
// CHECK: vortex.select "inner" ["a", "b"]
// CHECK: vortex.kernel "inner"
// CHECK: vortex.machine_param "threads"
// CHECK: vortex.candidate @a schedule
// CHECK: vortex.machine_param "threads"
// CHECK: vortex.select "outer" ["a", "b"]
func.func @inside(%x: tensor<?x?xf32>, %n: index, %m: index) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %all = scf.forall (%i) in (%n) shared_outs(%o = %x) -> tensor<?x?xf32> {
    %row = tensor.extract_slice %o[%i, 0] [1, %m] [1, 1] : tensor<?x?xf32> to tensor<1x?xf32>
    %r = vortex.kernel "inner" axes ["m", "n"] outs(%row : tensor<1x?xf32>) {
    ^bb0(%y: tensor<1x?xf32>):
      %e = linalg.exp {vortex.anchor, vortex.id = "e"} ins(%y : tensor<1x?xf32>) outs(%y : tensor<1x?xf32>) -> tensor<1x?xf32>
      vortex.yield %e : tensor<1x?xf32>
    } candidates {
    ^bb0(%rows: index, %columns: index):
      %threads = vortex.machine_param "threads" default 1.0
      %whole = arith.fptoui %threads : f64 to i64
      %tile = arith.index_cast %whole : i64 to index
      vortex.candidate @a cost {
        vortex.yield %threads : f64
      } schedule {
        vortex.level "core" forall (PL 1 by %tile) {
          vortex.stage ["e"]
        }
      }
      vortex.candidate @b cost {
        %cost = vortex.machine_param "core.call" default 10.0
        vortex.yield %cost : f64
      } schedule {
        vortex.stage ["e"]
      }
    } : tensor<1x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %o[%i, 0] [1, %m] [1, 1] : tensor<1x?xf32> into tensor<?x?xf32>
    }
  }
  %behind = vortex.kernel "outer" axes ["m", "n"] outs(%all : tensor<?x?xf32>) {
  ^bb0(%y: tensor<?x?xf32>):
    %e = linalg.exp {vortex.anchor, vortex.id = "e"} ins(%y : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %e : tensor<?x?xf32>
  } candidates {
  ^bb0(%rows: index, %columns: index):
    %threads = vortex.machine_param "threads" default 1.0
    vortex.candidate @a cost {
      vortex.yield %threads : f64
    } schedule {
      vortex.stage ["e"]
    }
    vortex.candidate @b cost {
      %cost = vortex.machine_param "core.call" default 10.0
      vortex.yield %cost : f64
    } schedule {
      vortex.stage ["e"]
    }
  } : tensor<?x?xf32>
  return %all, %behind : tensor<?x?xf32>, tensor<?x?xf32>
}
