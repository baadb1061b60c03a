// RUN: vortex-opt %s --split-input-file --vortex-free-buffers | FileCheck %s

// What is allocated is freed behind its last use.
// CHECK-LABEL: func.func @allocates
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: vortex.alignment
// CHECK: memref.dealloc %[[A]]
// CHECK: return
func.func @allocates(%n: index) -> index {
  %a = memref.alloc(%n) : memref<?xf32>
  %v = vortex.alignment %a : memref<?xf32>
  return %v : index
}

// -----

// Upstream's pass makes a copy of what it does not own and hands on; without
// allocations nothing is looked at.
// CHECK-LABEL: func.func @allocates_nothing
// CHECK-NEXT: return
func.func @allocates_nothing(%m: memref<?xf32>) -> memref<?xf32> {
  return %m : memref<?xf32>
}
