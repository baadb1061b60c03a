// RUN: not vortex-opt %s --split-input-file --vortex-lower-queries 2>&1 | FileCheck %s

// CHECK: error: 'vortex.machine_param' op has no position; run vortex-number-queries first
func.func @f(%c: !llvm.ptr) -> f64 {
  %0 = vortex.machine_param "threads" default 1.0
  return %0 : f64
}

// -----

// CHECK: error: 'vortex.machine_param' op is outside a function with a call context; run vortex-add-context first
func.func @f() -> f64 {
  %0 = vortex.machine_param "threads" default 1.0 {vortex.index = 0 : i64}
  return %0 : f64
}

// -----

// CHECK: error: 'vortex.alignment' op asks about a tensor; bufferize first
func.func @f(%t: tensor<?xf32>) -> index {
  %0 = vortex.alignment %t : tensor<?xf32>
  return %0 : index
}

// -----

// CHECK: error: 'vortex.stride' op asks about a tensor; bufferize first
func.func @f(%t: tensor<?xf32>) -> index {
  %0 = vortex.stride %t, 0 : tensor<?xf32>
  return %0 : index
}
