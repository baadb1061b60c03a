// RUN: vortex-opt %s --vortex-assign-results | FileCheck %s
// RUN: vortex-opt %s --vortex-bufferize | FileCheck %s --check-prefix=BUF

// The memory of the result takes the place of the empty tensor.
// CHECK-LABEL: func.func @in_place(
// CHECK-SAME: tensor<?xf32> {bufferization.writable = false, vortex.read_only})
// CHECK: %[[M:.*]] = vortex.result 0(%{{.*}}) : memref<?xf32>
// CHECK: %[[T:.*]] = bufferization.to_tensor %[[M]] restrict writable
// CHECK: %[[R:.*]] = linalg.exp {{.*}} outs(%[[T]]
// CHECK: bufferization.materialize_in_destination %[[R]] in restrict writable %[[M]]
// CHECK: return{{$}}
// BUF-LABEL: func.func @in_place(
// BUF-SAME: !llvm.ptr {vortex.context}
// BUF-NOT: memref.alloc
// BUF-NOT: memref.copy
// BUF: return
func.func @in_place(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Through a loop, an insertion and a split of the rows.
// BUF-LABEL: func.func @through_loop(
// BUF: vortex.result 0
// BUF-NOT: memref.alloc
// BUF-NOT: memref.copy
// BUF: return
func.func @through_loop(%x: f32, %b: index, %s: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.muli %b, %s : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %e) -> tensor<?xf32> {
    %u = tensor.insert %x into %t[%i] : tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  }
  %y = tensor.expand_shape %r [[0, 1]] output_shape [%b, %s] : tensor<?xf32> into tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// An argument that is updated is copied once, into the result.
// BUF-LABEL: func.func @update(
// BUF: %[[M:.*]] = vortex.result 0
// BUF: memref.copy %{{.*}}, %[[M]]
// BUF-NOT: memref.alloc
// BUF-NOT: memref.copy
// BUF: return
func.func @update(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.exp ins(%b : tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.add ins(%r, %b : tensor<?xf32>, tensor<?xf32>) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  return %s : tensor<?xf32>
}

// A result never aliases an argument; the same value twice is two results.
// CHECK-LABEL: func.func @aliases(
// CHECK: %[[M0:.*]] = vortex.result 0
// CHECK: %[[M1:.*]] = vortex.result 1
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[M0]]
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[M1]]
func.func @aliases(%a: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  return %a, %a : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %[[M:.*]] = vortex.result 0() : memref<index>
// CHECK: memref.store %{{.*}}, %[[M]][]
func.func @scalar(%a: index) -> index {
  return %a : index
}

// Calls keep a version that returns its value.
// CHECK-LABEL: func.func private @callee.inner(
// CHECK-SAME: -> f32
// CHECK: func.func @callee(%{{.*}}: f32) {
// CHECK-LABEL: func.func @caller(
// CHECK: call @callee.inner
func.func @callee(%a: f32) -> f32 {
  return %a : f32
}
func.func @caller(%a: f32) -> f32 {
  %r = call @callee(%a) : (f32) -> f32
  return %r : f32
}

// CHECK-LABEL: func.func @declared(
// CHECK-SAME: tensor<?xf32> {bufferization.writable = true})
func.func @declared(%a: tensor<?xf32> {bufferization.writable = true}) {
  return
}

// What is computed in each case of a choice is computed in place as well.
// CHECK-LABEL: func.func @chosen(
// CHECK: %[[M:.*]] = vortex.result 0(%{{.*}}) : memref<?xf32>
// CHECK: %[[T:.*]] = bufferization.to_tensor %[[M]] restrict writable
// CHECK: scf.index_switch
// CHECK: vortex.kernel_call @k0 {{.*}} outs(%[[T]]
// CHECK: scf.if
// CHECK: vortex.kernel_call @k1 {{.*}} outs(%[[T]]
// CHECK: vortex.kernel_call @k2 {{.*}} outs(%[[T]]
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[M]]
func.func @chosen(%a: tensor<?xf32>, %which: index, %flag: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = scf.index_switch %which -> tensor<?xf32>
  case 0 {
    %x = vortex.kernel_call @k0 ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) : tensor<?xf32>
    scf.yield %x : tensor<?xf32>
  }
  default {
    %x = scf.if %flag -> tensor<?xf32> {
      %y = vortex.kernel_call @k1 ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) : tensor<?xf32>
      scf.yield %y : tensor<?xf32>
    } else {
      %y = vortex.kernel_call @k2 ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) : tensor<?xf32>
      scf.yield %y : tensor<?xf32>
    }
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// A case that answers something else keeps the copy at the end.
// CHECK-LABEL: func.func @mixed(
// CHECK: tensor.empty
// CHECK: scf.index_switch
// CHECK: vortex.result 0
func.func @mixed(%a: tensor<?xf32>, %which: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = scf.index_switch %which -> tensor<?xf32>
  case 0 {
    %x = vortex.kernel_call @k0 ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) : tensor<?xf32>
    scf.yield %x : tensor<?xf32>
  }
  default {
    scf.yield %a : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// What all cases update of an argument is copied once, in front of the choice.
// CHECK-LABEL: func.func @accumulated(
// CHECK-SAME: %[[C:[a-z0-9]*]]: tensor<?xf32> {{[^:]*}}, %{{[a-z0-9]*}}: index
// CHECK: %[[T:.*]] = bufferization.to_tensor %{{.*}} restrict writable
// CHECK: %[[COPY:.*]] = bufferization.materialize_in_destination %[[C]] in %[[T]]
// CHECK: scf.index_switch
// CHECK: vortex.kernel_call @k0 {{.*}} outs(%[[COPY]]
// CHECK: vortex.kernel_call @k1 {{.*}} outs(%[[COPY]]
func.func @accumulated(%a: tensor<?xf32>, %c: tensor<?xf32>, %which: index) -> tensor<?xf32> {
  %r = scf.index_switch %which -> tensor<?xf32>
  case 0 {
    %x = vortex.kernel_call @k0 ins(%a : tensor<?xf32>) outs(%c : tensor<?xf32>) : tensor<?xf32>
    scf.yield %x : tensor<?xf32>
  }
  default {
    %x = vortex.kernel_call @k1 ins(%a : tensor<?xf32>) outs(%c : tensor<?xf32>) : tensor<?xf32>
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// In another shape the argument has no place in the result.
// CHECK-LABEL: func.func @accumulated_reshaped(
// CHECK-SAME: %[[C:[a-z0-9]*]]: tensor<?xf32>
// CHECK: scf.index_switch
// CHECK: vortex.kernel_call @k0 outs(%[[C]] 
// CHECK: vortex.result 0(%{{.*}}) : memref<?x4xf32>
func.func @accumulated_reshaped(%c: tensor<?xf32>, %which: index, %n: index) -> tensor<?x4xf32> {
  %r = scf.index_switch %which -> tensor<?xf32>
  case 0 {
    %x = vortex.kernel_call @k0 outs(%c : tensor<?xf32>) : tensor<?xf32>
    scf.yield %x : tensor<?xf32>
  }
  default {
    %x = vortex.kernel_call @k1 outs(%c : tensor<?xf32>) : tensor<?xf32>
    scf.yield %x : tensor<?xf32>
  }
  %e = tensor.expand_shape %r [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into tensor<?x4xf32>
  return %e : tensor<?x4xf32>
}

// A loop that carries a tensor of changing size does not start in the result.
// CHECK-LABEL: func.func @shrinks(
// CHECK: scf.for
// CHECK: vortex.result 0
func.func @shrinks(%a: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> tensor<?xf32> {
    %d = tensor.dim %x, %c0 : tensor<?xf32>
    %h = arith.divui %d, %c2 : index
    %s = tensor.extract_slice %x[0] [%h] [1] : tensor<?xf32> to tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// A result that may lie in the memory of another is written before that: here the second in the first's.
// CHECK-LABEL: func.func @both(
// CHECK: %[[FIRST:.*]] = vortex.result 0
// CHECK: %[[R:.*]]:2 = linalg.generic
// CHECK: %[[SECOND:.*]] = vortex.result 1
// CHECK: bufferization.materialize_in_destination %[[R]]#0 in restrict writable %[[SECOND]]
// CHECK: bufferization.materialize_in_destination %[[R]]#1 in restrict writable %[[FIRST]]
func.func @both(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %v = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%v, %v : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32, %p: f32):
    %s = arith.addf %o, %a : f32
    %t = arith.subf %p, %a : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>)
  return %r#1, %r#0 : tensor<8xf32>, tensor<8xf32>
}
