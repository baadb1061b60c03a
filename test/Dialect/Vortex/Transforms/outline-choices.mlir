// RUN: vortex-opt %s --vortex-hierarchize --target=x86-avx512 --vortex-outline-choices --canonicalize --cse | FileCheck %s
// Twice is once.
// RUN: vortex-opt %s --vortex-hierarchize --target=x86-avx512 --vortex-outline-choices --vortex-outline-choices | FileCheck %s --check-prefix=ONCE
// ONCE-COUNT-7: func.func private @{{.*}}.choices
// ONCE-NOT: func.func private

// The sizes are the arguments'; nothing is computed but the choice, and the
// function itself is left alone.
// CHECK-LABEL: func.func @mm
// CHECK-SAME: attributes {vortex.chooser = @mm.choices}
// CHECK: vortex.kernel "mm.matmul.0"
// CHECK-LABEL: func.func private @mm.choices(
// CHECK-SAME: %[[A:.*]]: tensor<?x?xf32>, %[[B:.*]]: tensor<?x?xf32>)
// CHECK-NOT: linalg
// CHECK-DAG: %[[M:.*]] = tensor.dim %[[A]], %c0
// CHECK-DAG: tensor.dim %[[B]], %c1
// CHECK-DAG: %[[K:.*]] = tensor.dim %[[A]], %c1
// The arithmetic is that of the choice itself: it folds no better.
// CHECK-DAG: vortex.choice_input 0 of %[[M]]
// CHECK-DAG: vortex.choice_input 2 of %[[K]]
// CHECK-DAG: vortex.choice_input {{[0-9]+}} of %c64
// CHECK: vortex.report "mm.matmul.0" [{{.*}}, {{.*}}] choice %{{.*}} allowed({{.*}}) costs({{.*}})
// CHECK-NEXT: return
func.func @mm(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Through reshapes and earlier kernels; a loop that keeps the shape of what it
// carries; a branch both of whose ways give one size.
// CHECK-LABEL: func.func private @through.choices(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x?xf32>, %{{.*}}: index, %{{.*}}: i1)
// CHECK-DAG: tensor.dim %[[X]], %c0
// CHECK-DAG: tensor.dim %[[X]], %c1
// CHECK: vortex.report "through.exp.0" ["rows"] choice %c0 allowed(%true) costs(%[[T:.*]])
// CHECK-NEXT: vortex.report "through.log.2" ["rows"] choice %c0 allowed(%true) costs(%[[T]])
// CHECK-NEXT: vortex.report "through.sqrt.1" ["rows"] choice %c0 allowed(%true) costs(%[[T]])
// CHECK-NEXT: return
func.func @through(%x: tensor<?x?xf32>, %times: index, %way: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %n = tensor.dim %flat, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.exp ins(%flat : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %b = scf.for %i = %c0 to %times step %c1 iter_args(%it = %a) -> tensor<?xf32> {
    %d = tensor.dim %it, %c0 : tensor<?xf32>
    %f = tensor.empty(%d) : tensor<?xf32>
    %r = linalg.log ins(%it : tensor<?xf32>) outs(%f : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %r : tensor<?xf32>
  }
  %c = scf.if %way -> tensor<?xf32> {
    scf.yield %a : tensor<?xf32>
  } else {
    scf.yield %b : tensor<?xf32>
  }
  %m = tensor.dim %c, %c0 : tensor<?xf32>
  %g = tensor.empty(%m) : tensor<?xf32>
  %r = linalg.sqrt ins(%c : tensor<?xf32>) outs(%g : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// A scalar argument may be a size; an element of a tensor is data.
// CHECK-LABEL: func.func private @data.choices(
// CHECK: vortex.report "data.exp.0" ["rows"] choice %c0 allowed
// CHECK: vortex.report "data.exp.1" ["rows"]{{$}}
func.func @data(%n: index, %sizes: tensor<4xindex>, %v: f32) -> (tensor<?xf32>, tensor<?xf32>) {
  %c2 = arith.constant 2 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %i = linalg.fill ins(%v : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %a = linalg.exp ins(%i : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %m = tensor.extract %sizes[%c2] : tensor<4xindex>
  %f = tensor.empty(%m) : tensor<?xf32>
  %j = linalg.fill ins(%v : f32) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  %b = linalg.exp ins(%j : tensor<?xf32>) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}

// The shape of what a loop carries changes: the size is not the first one's.
// CHECK-LABEL: func.func private @growing.choices(
// CHECK: vortex.report "growing.exp.0" ["rows"]{{$}}
func.func @growing(%x: tensor<?xf32>, %times: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = scf.for %i = %c0 to %times step %c1 iter_args(%it = %x) -> tensor<?xf32> {
    %n = tensor.dim %it, %c0 : tensor<?xf32>
    %e = tensor.empty(%n) : tensor<?xf32>
    %y = linalg.exp ins(%it : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %r = tensor.pad %y low[0] high[1] {
    ^bb0(%j: index):
      %zero = arith.constant 0.0 : f32
      tensor.yield %zero : f32
    } : tensor<?xf32> to tensor<?xf32>
    scf.yield %r : tensor<?xf32>
  }
  return %b : tensor<?xf32>
}

// A division that the program guards is not done without its guard.
// CHECK-LABEL: func.func private @guarded.choices(
// CHECK-NOT: divui
// CHECK: vortex.report "guarded.exp.0" ["rows"]{{$}}
func.func @guarded(%n: index, %v: f32) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  %some = arith.cmpi ne, %n, %c0 : index
  %r = scf.if %some -> tensor<?xf32> {
    %m = arith.divui %c100, %n : index
    %e = tensor.empty(%m) : tensor<?xf32>
    %i = linalg.fill ins(%v : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %a = linalg.exp ins(%i : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %a : tensor<?xf32>
  } else {
    %e = tensor.empty(%c0) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// A name that is taken; a function without kernels needs none.
// CHECK-LABEL: func.func @taken
// CHECK-SAME: vortex.chooser = @taken.choices_
// CHECK-NOT: @plain.choices
func.func @taken(%v: f32) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %i = linalg.fill ins(%v : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %a = linalg.exp ins(%i : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}
func.func private @taken.choices(f32)
func.func @plain(%v: f32) -> f32 {
  return %v : f32
}
