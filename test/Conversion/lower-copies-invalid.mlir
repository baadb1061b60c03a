// RUN: not vortex-opt %s --vortex-lower-copies 2>&1 | FileCheck %s

// CHECK: error: 'memref.copy' op of memrefs of unknown rank is not supported
func.func @unranked(%a: memref<*xf32>, %b: memref<*xf32>) {
  memref.copy %a, %b : memref<*xf32> to memref<*xf32>
  return
}
