// RUN: not vortex-opt %s --vortex-convert-to-llvm 2>&1 | FileCheck %s

// Without a context there is no failure to report to.
// CHECK: error: failed to legalize operation 'vortex.result'
func.func @no_context(%n: index) {
  %0 = vortex.result 0(%n) : memref<?xf32>
  return
}
