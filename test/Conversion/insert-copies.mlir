// RUN: vortex-opt %s --split-input-file --vortex-insert-copies | FileCheck %s

#id = affine_map<(m, n) -> (m, n)>


// What a tile adds to is read after it: the tile gets a copy. Since it reads
// what it starts from, its code is analysed, too.
// CHECK: module attributes {{.*}}vortex.reads_inits
// CHECK-LABEL: func.func @read_later
// CHECK: %[[C:.*]] = bufferization.to_tensor %arg1 restrict writable
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[C]])
// CHECK: vortex.micro_kernel {{.*}} outs(%[[COPY]] : tensor<?x?xf32>)
func.func @read_later(%a: memref<?x?xf32>, %c: memref<?x?xf32>, %r: memref<?x?xf32>) {
  %x = bufferization.to_tensor %a restrict : memref<?x?xf32> to tensor<?x?xf32>
  %y = bufferization.to_tensor %c restrict writable : memref<?x?xf32> to tensor<?x?xf32>
  %z = bufferization.to_tensor %r restrict writable : memref<?x?xf32> to tensor<?x?xf32>
  %t = vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 16, unroll = 1> ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%u: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%u : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
    ^bb0(%p: f32, %q: f32):
      %sum = arith.addf %p, %q : f32
      linalg.yield %sum : f32
    } -> tensor<?x?xf32>
    vortex.yield %e : tensor<?x?xf32>
  } : tensor<?x?xf32>
  %s = linalg.add ins(%y, %t : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  bufferization.materialize_in_destination %s in restrict writable %r : (tensor<?x?xf32>, memref<?x?xf32>) -> ()
  return
}

// -----


// What gives a step inside of the tile no more than a shape is not read, so
// that it may be what the tile writes.
// CHECK-NOT: vortex.reads_inits
// CHECK-LABEL: func.func @shape
// CHECK-NOT: alloc_tensor
// CHECK: linalg.exp
func.func @shape(%a: memref<?x?xf32>, %c: memref<?x?xf32>) {
  %x = bufferization.to_tensor %a restrict : memref<?x?xf32> to tensor<?x?xf32>
  %y = bufferization.to_tensor %c restrict writable : memref<?x?xf32> to tensor<?x?xf32>
  %t = vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 16, unroll = 1> ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%u: tensor<?x?xf32>, %p: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %e = linalg.exp ins(%u : tensor<?x?xf32>) outs(%p : tensor<?x?xf32>) -> tensor<?x?xf32>
    %f = linalg.exp ins(%e : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %f : tensor<?x?xf32>
  } : tensor<?x?xf32>
  bufferization.materialize_in_destination %t in restrict writable %c : (tensor<?x?xf32>, memref<?x?xf32>) -> ()
  return
}

// -----


// A tile that reads what it writes, maybe at other places, writes elsewhere. No
// more than memory is needed: it starts from nothing.
// CHECK-LABEL: func.func @own_input
// CHECK: %[[C:.*]] = bufferization.to_tensor %arg0 restrict writable
// CHECK: %[[OTHER:.*]] = bufferization.alloc_tensor(%{{.*}}, %{{.*}}) : tensor<?x?xf32>
// CHECK: vortex.micro_kernel {{.*}} ins(%[[C]] : tensor<?x?xf32>) outs(%[[OTHER]] : tensor<?x?xf32>)
func.func @own_input(%c: memref<?x?xf32>) {
  %y = bufferization.to_tensor %c restrict writable : memref<?x?xf32> to tensor<?x?xf32>
  %t = vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 16, unroll = 1> ins(%y : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%u: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %e = linalg.exp ins(%u : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %e : tensor<?x?xf32>
  } : tensor<?x?xf32>
  bufferization.materialize_in_destination %t in restrict writable %c : (tensor<?x?xf32>, memref<?x?xf32>) -> ()
  return
}

// -----

// A pack reads one tensor and fills another.
// CHECK-LABEL: func.func @pack
// CHECK-NOT: alloc_tensor
// CHECK: linalg.pack
func.func @pack(%a: memref<?x?xf32>, %r: memref<?x?x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %x = bufferization.to_tensor %a restrict : memref<?x?xf32> to tensor<?x?xf32>
  %y = bufferization.to_tensor %r restrict writable : memref<?x?x32xf32> to tensor<?x?x32xf32>
  %p = linalg.pack %x padding_value(%zero : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] into %y : tensor<?x?xf32> -> tensor<?x?x32xf32>
  bufferization.materialize_in_destination %p in restrict writable %r : (tensor<?x?x32xf32>, memref<?x?x32xf32>) -> ()
  return
}
