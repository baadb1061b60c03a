// RUN: not vortex-opt %s --vortex-add-context 2>&1 | FileCheck %s

// CHECK: error: 'func.call_indirect' op calls through function values are not supported
func.func @f(%g: () -> ()) {
  func.call_indirect %g() : () -> ()
  return
}
