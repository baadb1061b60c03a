// RUN: vortex-opt %s --vortex-lower-device-memory --split-input-file --verify-diagnostics

func.func @generic(%c: !llvm.ptr {vortex.context}, %a: memref<?xf32>) {
  // expected-error @below {{'linalg.generic' op has no device code: outside kernels, a GPU's program copies and fills tensors and moves single elements}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%a : memref<?xf32>) {
  ^bb0(%x: f32):
    %y = arith.addf %x, %x : f32
    linalg.yield %y : f32
  }
  return
}

// -----

func.func @loop(%c: !llvm.ptr {vortex.context}, %a: memref<?xf32>, %n: index) {
  // expected-error @below {{'scf.forall' op has no device code}}
  scf.forall (%i) in (%n) {
    vortex.kernel_call @k outs(%a : memref<?xf32>)
  }
  return
}

// -----

func.func @shape(%c: !llvm.ptr {vortex.context}, %a: memref<?xf32>, %s: memref<2xindex>) {
  // expected-error @below {{'memref.reshape' op has no device code}}
  %r = memref.reshape %a(%s) : (memref<?xf32>, memref<2xindex>) -> memref<?x?xf32>
  return
}

// -----

func.func @unranked(%c: !llvm.ptr {vortex.context}, %a: memref<*xf32>, %b: memref<*xf32>) {
  // expected-error @below {{'memref.copy' op of memrefs of unknown rank is not supported}}
  memref.copy %a, %b : memref<*xf32> to memref<*xf32>
  return
}
