// RUN: vortex-opt %s --split-input-file --verify-diagnostics --vortex-bufferize-in-place=check

// What was written over is read.
func.func @read_later(%x: vector<16xf32>, %c: memref<?x?xf32>) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f32
  %t = bufferization.to_tensor %c restrict writable : memref<?x?xf32> to tensor<?x?xf32>
  // expected-error @below {{is written while its old value is read: vortex-insert-copies has missed it}}
  %w = vector.transfer_write %x, %t[%c0, %c0] {in_bounds = [true]} : vector<16xf32>, tensor<?x?xf32>
  %old = vector.transfer_read %t[%c0, %c0], %f0 {in_bounds = [true]} : tensor<?x?xf32>, vector<16xf32>
  bufferization.materialize_in_destination %w in restrict writable %c : (tensor<?x?xf32>, memref<?x?xf32>) -> ()
  return %old : vector<16xf32>
}

// -----

// Tiles come before.
func.func @tile(%a: memref<?x?xf32>, %c: memref<?x?xf32>) {
  %x = bufferization.to_tensor %a restrict : memref<?x?xf32> to tensor<?x?xf32>
  %y = bufferization.to_tensor %c restrict writable : memref<?x?xf32> to tensor<?x?xf32>
  // expected-error @below {{must be lowered before it is bufferized}}
  // expected-error @below {{failed to bufferize op}}
  %t = vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 16, unroll = 1> ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%u: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %e = linalg.exp ins(%u : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %e : tensor<?x?xf32>
  } : tensor<?x?xf32>
  bufferization.materialize_in_destination %t in restrict writable %c : (tensor<?x?xf32>, memref<?x?xf32>) -> ()
  return
}
