// The dialect in the distribution's own mlir-opt: text and bytecode, verified.
// RUN: not %mlir_opt %s 2>&1 | FileCheck %s --check-prefix=WITHOUT
// RUN: %mlir_opt --load-dialect-plugin=%vortex_plugin %s | FileCheck %s
// RUN: %mlir_opt --load-dialect-plugin=%vortex_plugin --emit-bytecode %s | %mlir_opt --load-dialect-plugin=%vortex_plugin | FileCheck %s

// Upstream's bufferization asks its ops through an interface that the plugin adds.
// RUN: %mlir_opt --load-dialect-plugin=%vortex_plugin --one-shot-bufferize=bufferize-function-boundaries %s | FileCheck %s --check-prefix=BUFFERS

// WITHOUT: Dialect `vortex' not found

// CHECK-LABEL: func.func @choice
// CHECK: %[[RATE:.*]] = vortex.machine_param "fma.f32.rate" default 1.000000e+02
// CHECK: vortex.select "mm" ["a", "b"]
// CHECK-SAME: costs(%[[RATE]], %[[RATE]])
func.func @choice(%n: index, %holds: i1) -> index {
  %rate = vortex.machine_param "fma.f32.rate" default 1.000000e+02
  %i = vortex.select "mm" ["a", "b"] %n allowed(%holds, %holds) costs(%rate, %rate)
  return %i : index
}

// BUFFERS-LABEL: func.func @call
// BUFFERS: vortex.kernel_call @mm ins(%{{.*}} : memref<?xf32{{.*}}>) outs(%{{.*}} : memref<?xf32{{.*}}>)
func.func @call(%a: tensor<?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %r = vortex.kernel_call @mm ins(%a : tensor<?xf32>) outs(%c : tensor<?xf32>) : tensor<?xf32>
  return %r : tensor<?xf32>
}
