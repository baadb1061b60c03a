// RUN: vortex-opt %s --vortex-lower-launches --verify-diagnostics

func.func @mm(%c: !llvm.ptr, %o: memref<?xf32, strided<[1], offset: ?>>) {
  %z = bufferization.to_tensor %o restrict writable : memref<?xf32, strided<[1], offset: ?>> to tensor<?xf32>
  // expected-error @below {{'vortex.kernel' op 'zero' has no device code to launch}}
  %y = vortex.kernel "zero" axes ["i"] outs(%z : tensor<?xf32>) {
  ^bb0(%r: tensor<?xf32>):
    %f = arith.constant 0.0 : f32
    %m = linalg.fill {vortex.anchor, vortex.id = "fill"} ins(%f : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %m : tensor<?xf32>
  } candidates {
  ^bb0(%i: index):
    %c32 = arith.constant 32 : index
    vortex.candidate @rows schedule {
      vortex.level "block" grid (PL 0 by %c32) {
        vortex.stage ["fill"]
      }
    }
  } : tensor<?xf32>
  bufferization.materialize_in_destination %y in restrict writable %o : (tensor<?xf32>, memref<?xf32, strided<[1], offset: ?>>) -> ()
  return
}
