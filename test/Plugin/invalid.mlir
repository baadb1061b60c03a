// Errors of verifiers and passes come through stock mlir-opt as through vortex-opt.
// RUN: not %mlir_opt --load-dialect-plugin=%vortex_plugin --split-input-file %s 2>&1 | FileCheck %s
// RUN: echo 'func.func @f(%%x: tensor<?xf32>) -> tensor<?xf32> { %%r = linalg.exp ins(%%x : tensor<?xf32>) outs(%%x : tensor<?xf32>) -> tensor<?xf32> return %%r : tensor<?xf32> }' \
// RUN:   | not %mlir_opt --load-pass-plugin=%vortex_plugin --pass-pipeline='builtin.module(vortex-hierarchize{target=sm_08})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TARGET

// TARGET: error: unknown target 'sm_08'; did you mean 'sm_80'?

// CHECK: error: 'vortex.select' op
func.func @lengths(%n: index, %holds: i1, %cost: f64) -> index {
  %i = vortex.select "mm" ["a", "b"] %n allowed(%holds) costs(%cost, %cost)
  return %i : index
}
