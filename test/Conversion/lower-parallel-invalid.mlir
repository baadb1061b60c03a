// RUN: not vortex-opt %s --split-input-file --vortex-lower-parallel 2>&1 | FileCheck %s

// CHECK: error: 'scf.forall' op is outside a function with a call context; run vortex-add-context first
func.func @no_context(%m: memref<?xf32>, %n: index, %x: f32) {
  scf.forall (%i) in (%n) {
    memref.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// -----

// CHECK: error: 'scf.forall' op on tensors must be bufferized first
func.func @tensors(%c: !llvm.ptr, %t: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %r = scf.forall (%i) in (%n) shared_outs(%o = %t) -> tensor<?xf32> {
    scf.forall.in_parallel {}
  }
  return %r : tensor<?xf32>
}
