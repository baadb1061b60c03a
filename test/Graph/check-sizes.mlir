// Sizes that ops in bodies need to agree, and computed ones, are asserted: in front of the loop where it does not change them, else in front of the op.
// RUN: vortex-opt %s --vortex-check-sizes --split-input-file --allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: @loop
// CHECK-SAME:    %[[H:[a-z0-9]+]]: tensor<?x?xf32>, %[[W:[a-z0-9]+]]: tensor<?x?xf32>, %[[N:[a-z0-9]+]]: index
// CHECK-DAG:     %[[INNER:.*]] = tensor.dim %[[H]], %c1
// CHECK-DAG:     %[[OUTER:.*]] = tensor.dim %[[W]], %c0
// CHECK:         %[[SAME:.*]] = arith.cmpi eq, %[[INNER]], %[[OUTER]]
// CHECK:         %[[NONE:.*]] = arith.cmpi sge, %c0, %[[N]]
// CHECK:         %[[OK:.*]] = arith.ori %[[SAME]], %[[NONE]]
// CHECK:         cf.assert %[[OK]], "'arg0.dim1 == arg1.dim0', which linalg.matmul needs, does not hold"
// CHECK:         scf.for
// CHECK-NOT:       cf.assert
func.func @loop(%h: tensor<?x?xf32>, %w: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %h, %c0 : tensor<?x?xf32>
  %k = tensor.dim %w, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %k) : tensor<?x?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %e) -> (tensor<?x?xf32>) {
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %y = linalg.matmul ins(%h, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
    %s = linalg.add ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %s : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// -----

// What each step makes anew is checked in each step.
// CHECK-LABEL: @changing
// CHECK:         scf.for
// CHECK:           %[[S:.*]] = tensor.extract_slice
// CHECK:           cf.assert
// CHECK:           linalg.add
func.func @changing(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %y) -> (tensor<?xf32>) {
    %s = tensor.extract_slice %x[0] [%i] [1] : tensor<?xf32> to tensor<?xf32>
    %t = linalg.add ins(%s, %acc : tensor<?xf32>, tensor<?xf32>) outs(%acc : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %t : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// A branch may not be taken: its check stays in it, also within a loop.
// CHECK-LABEL: @branch
// CHECK-NOT:     cf.assert
// CHECK:         scf.for
// CHECK-NOT:       cf.assert
// CHECK:           scf.if
// CHECK:             cf.assert %{{.*}}, "'arg0.dim0 == arg1.dim0', which arith.addf needs, does not hold"
// CHECK-NEXT:        arith.addf
func.func @branch(%x: tensor<?xf32>, %y: tensor<?xf32>, %c: i1, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (tensor<?xf32>) {
    %s = scf.if %c -> (tensor<?xf32>) {
      %t = arith.addf %x, %y : tensor<?xf32>
      scf.yield %t : tensor<?xf32>
    } else {
      scf.yield %acc : tensor<?xf32>
    }
    scf.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// The first part of a while always runs, the second perhaps never.
// CHECK-LABEL: @while
// CHECK:         cf.assert %{{.*}}, "'arg0.dim0 == arg1.dim0'
// CHECK:         scf.while
// CHECK:         } do {
// CHECK:           cf.assert %{{.*}}, "'arg0.dim0 == arg2.dim0'
func.func @while(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.while (%i = %c0) : (index) -> index {
    %t = arith.addf %x, %y : tensor<?xf32>
    "test.use"(%t) : (tensor<?xf32>) -> ()
    %go = arith.cmpi ult, %i, %n : index
    scf.condition(%go) %i : index
  } do {
  ^bb0(%i: index):
    %t = arith.addf %x, %z : tensor<?xf32>
    "test.use"(%t) : (tensor<?xf32>) -> ()
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return %r : index
}

// -----

// A window is within what it reads wherever its loops have a step.
// CHECK-LABEL: @window
// CHECK:         scf.for
// CHECK:           %[[FITS:.*]] = arith.cmpi sle
// CHECK:           arith.ori %{{.*}}, %[[FITS]]
// CHECK:           cf.assert
func.func @window(%x: tensor<?xf32>, %f: tensor<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %o = tensor.empty(%i) : tensor<?xf32>
    %r = linalg.conv_1d ins(%x, %f : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    "test.use"(%r) : (tensor<?xf32>) -> ()
  }
  return
}

// -----

// Two ops that need the same are checked once; what types and values say is not checked; ops in front of all loops are the run time's.
// CHECK-LABEL: @once
// CHECK-COUNT-1: cf.assert
// CHECK-NOT:     cf.assert
func.func @once(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %outside = arith.addf %x, %y : tensor<?x4xf32>
  "test.use"(%outside) : (tensor<?x4xf32>) -> ()
  scf.for %i = %c0 to %n step %c1 {
    %s = arith.addf %x, %y : tensor<?x4xf32>
    %t = arith.mulf %x, %y : tensor<?x4xf32>
    %u = arith.mulf %s, %t : tensor<?x4xf32>
    "test.use"(%u) : (tensor<?x4xf32>) -> ()
  }
  return
}

// -----

// A computed size is asserted outside of bodies as well; sizes of arguments are checked at the call.
// CHECK-LABEL: @computed
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x4xf32>, %[[Y:[a-z0-9]+]]: tensor<?xf32>, %[[Z:[a-z0-9]+]]: tensor<?xf32>
// CHECK-NOT:     cf.assert
// CHECK:         arith.addf %[[Y]], %[[Z]]
// CHECK:         tensor.collapse_shape
// CHECK:         cf.assert %{{.*}}, "'4*arg0.dim0 == arg1.dim0', which arith.addf needs, does not hold"
// CHECK-NOT:     cf.assert
func.func @computed(%x: tensor<?x4xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %s = arith.addf %y, %z : tensor<?xf32>
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %r = arith.addf %flat, %s : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A dimension is as long as what it becomes; numbers that were divided may leave a rest.
// CHECK-LABEL: @expand
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x?xf32>
// CHECK:         %[[K:.*]] = arith.divui
// CHECK:         %[[SIZE:.*]] = tensor.dim %[[X]], %c1
// CHECK:         arith.cmpi sge, %[[K]], %c0
// CHECK:         %[[PRODUCT:.*]] = arith.muli %{{.*}}, %[[K]]
// CHECK:         %[[NEAR:.*]] = arith.mulf
// CHECK:         arith.cmpf olt, %[[NEAR]]
// CHECK:         arith.cmpi eq, %[[SIZE]], %[[PRODUCT]]
// CHECK:         cf.assert %{{.*}}, "'arg0.dim1 == arg1.dim0 * arg0.dim1 // arg1.dim0', which tensor.expand_shape needs, does not hold"
// CHECK-NEXT:    tensor.expand_shape
// CHECK-NOT:     cf.assert
func.func @expand(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> (tensor<?x?x?xf32>, tensor<?x4x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?xf32>
  %hk = tensor.dim %x, %c1 : tensor<?x?xf32>
  %h = tensor.dim %y, %c0 : tensor<?xf32>
  %k = arith.divui %hk, %h : index
  %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [%b, %h, %k] : tensor<?x?xf32> into tensor<?x?x?xf32>
  // What was collapsed comes back.
  %f = tensor.empty(%b, %hk) : tensor<?x4x?xf32>
  %g = tensor.collapse_shape %f [[0, 1], [2]] : tensor<?x4x?xf32> into tensor<?x?xf32>
  %i = tensor.expand_shape %g [[0, 1], [2]] output_shape [%b, 4, %hk] : tensor<?x?xf32> into tensor<?x4x?xf32>
  return %e, %i : tensor<?x?x?xf32>, tensor<?x4x?xf32>
}

// -----

// Elements stay as many, also those of a scalar.
// CHECK-LABEL: @reshape
// CHECK:         tensor.extract
// CHECK:         cf.assert %{{.*}}, "'dimension 0 of operand 0 * dimension 1 of operand 0 == size 0 of the result * size 1 of the result', which tensor.reshape needs, does not hold"
// CHECK-NEXT:    tensor.reshape
// CHECK:         cf.assert %{{.*}}, "'1 == size 0 of the result', which tensor.reshape needs, does not hold"
// CHECK-NEXT:    tensor.reshape
func.func @reshape(%x: tensor<?x3xf32>, %s: tensor<2xi64>, %y: tensor<f32>, %t: tensor<1xi32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %r = tensor.reshape %x(%s) : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %q = tensor.reshape %y(%t) : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  return %r, %q : tensor<?x?xf32>, tensor<?xf32>
}

// -----

// Tiles hold what is in them, exactly where nothing fills the rest.
// CHECK-LABEL: @tiles
// CHECK:         cf.assert %{{.*}}, "'arg1.dim0 * 4 == arg0.dim0', which linalg.pack needs, does not hold"
// CHECK:         cf.assert %{{.*}}, "'arg1.dim0 * 4 >= arg0.dim0', which linalg.pack needs, does not hold"
// CHECK:         cf.assert %{{.*}}, "'arg1.dim0 * 4 >= arg2.dim0', which linalg.unpack needs, does not hold"
func.func @tiles(%x: tensor<?xf32>, %p: tensor<?x4xf32>, %y: tensor<?xf32>, %z: f32) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf32>) {
  %a = linalg.pack %x inner_dims_pos = [0] inner_tiles = [4] into %p : tensor<?xf32> -> tensor<?x4xf32>
  %b = linalg.pack %x padding_value(%z : f32) inner_dims_pos = [0] inner_tiles = [4] into %p : tensor<?xf32> -> tensor<?x4xf32>
  %c = linalg.unpack %p inner_dims_pos = [0] inner_tiles = [4] into %y : tensor<?x4xf32> -> tensor<?xf32>
  return %a, %b, %c : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf32>
}

// -----

// What is written fits the part that takes it, one row of which may have been dropped.
// CHECK-LABEL: @insert
// CHECK:         cf.assert %{{.*}}, "'arg0.dim0 == {{.*}}', which tensor.insert_slice needs, does not hold"
// CHECK-NEXT:    tensor.insert_slice
// CHECK:         scf.forall
// CHECK:           cf.assert %{{.*}}, "'{{.*}}', which tensor.parallel_insert_slice needs, does not hold"
// CHECK:           scf.forall.in_parallel
func.func @insert(%x: tensor<?xf32>, %y: tensor<8x?xf32>, %i: index, %n: index) -> (tensor<8x?xf32>, tensor<8x?xf32>) {
  %r = tensor.insert_slice %x into %y[3, %i] [1, %n] [1, 1] : tensor<?xf32> into tensor<8x?xf32>
  %s = scf.forall (%j) in (8) shared_outs(%o = %y) -> tensor<8x?xf32> {
    %m = arith.addi %j, %n : index
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%j, 0] [1, %m] [1, 1] : tensor<?xf32> into tensor<8x?xf32>
    }
  }
  return %r, %s : tensor<8x?xf32>, tensor<8x?xf32>
}

// -----

// Views of memory are no other.
// CHECK-LABEL: @view
// CHECK:         cf.assert %{{.*}}, "'arg0.dim0 == arg1 * arg2', which memref.expand_shape needs, does not hold"
// CHECK-NEXT:    memref.expand_shape
func.func @view(%x: memref<?xf32>, %m: index, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %e = memref.expand_shape %x [[0, 1]] output_shape [%m, %n] : memref<?xf32> into memref<?x?xf32>
  %v = memref.load %e[%c0, %c0] : memref<?x?xf32>
  return %v : f32
}

// -----

// What the run time is to check at each call is said, whatever the first block has it from: the argument's size first, each once.
// CHECK-LABEL: @at_call
// CHECK-SAME:    attributes {vortex.checked_at_call = ["arg0.dim1 == arg1.dim0", "arg2.dim0 == 7", "arg0.dim0 >= min(arg3.dim0, 1) * min(arg2.dim0, 1) * ((arg3.dim0 - 1) * 2 + (arg2.dim0 - 1) + 1)"]}
// CHECK-NOT:     cf.assert
func.func @at_call(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?xf32>, %d: tensor<?xf32>, %e: tensor<7xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<7xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %z = tensor.empty(%m, %n) : tensor<?x?xf32>
  %x = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%c : tensor<?xf32>) outs(%e : tensor<7xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<7xf32>
  %row = tensor.empty(%m) : tensor<?xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i * 2 + j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%row, %c : tensor<?xf32>, tensor<?xf32>) outs(%d : tensor<?xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<?xf32>
  return %x, %y, %r, %w : tensor<?x?xf32>, tensor<?x?xf32>, tensor<7xf32>, tensor<?xf32>
}

// -----

// Sizes that the types give fail where the op runs, if it may not.
// CHECK-LABEL: @contradicted
// CHECK: scf.if
// CHECK: %[[NEVER:.*]] = arith.cmpi eq, %c4{{.*}}, %c5{{.*}} : index
// CHECK: cf.assert %[[NEVER]], "'4 == 5', which linalg.matmul needs, does not hold"
// CHECK: linalg.matmul
func.func @contradicted(%yes: i1, %a: tensor<?x4xf32>, %b: tensor<5x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = scf.if %yes -> tensor<?x?xf32> {
    %0 = linalg.matmul ins(%a, %b : tensor<?x4xf32>, tensor<5x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %0 : tensor<?x?xf32>
  } else {
    scf.yield %c : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}
