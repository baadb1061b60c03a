// RUN: not vortex-opt %s --split-input-file --vortex-number-queries 2>&1 | FileCheck %s

// CHECK: error: 'vortex.select' op lists other candidates for kernel "k" than an earlier op
func.func @kernels(%i: index, %g: i1, %c: f64) -> (index, index) {
  %1 = vortex.select "k" ["a"] %i allowed(%g) costs(%c)
  %2 = vortex.select "k" ["b"] %i allowed(%g) costs(%c)
  return %1, %2 : index, index
}

// -----

// CHECK: error: 'vortex.machine_param' op gives parameter 'threads' another default than an earlier op
func.func @params() -> (f64, f64) {
  %1 = vortex.machine_param "threads" default 1.0
  %2 = vortex.machine_param "threads" default 2.0
  return %1, %2 : f64, f64
}

// -----

// CHECK: error: 'vortex.report' op lists other candidates for kernel "k" than an earlier op
func.func @reports(%i: index, %g: i1, %c: f64) -> index {
  %1 = vortex.select "k" ["a"] %i allowed(%g) costs(%c)
  vortex.report "k" ["b"]
  return %1 : index
}
