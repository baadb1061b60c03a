// RUN: vortex-opt %s --vortex-lower-device-memory --split-input-file | FileCheck %s

// A copy: sizes and strides of both sides, through the context's twelfth field.
// CHECK-LABEL: func.func @copy
// CHECK-SAME: (%[[C:.*]]: !llvm.ptr {vortex.context}
// CHECK-DAG: memref.extract_aligned_pointer_as_index
// CHECK-DAG: llvm.inttoptr
// CHECK: %[[FIELD:.*]] = llvm.getelementptr inbounds %[[C]][0, 13]
// CHECK: %[[COPY:.*]] = llvm.load %[[FIELD]]
// CHECK: llvm.call %[[COPY]](%[[C]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, i64, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
// CHECK-NOT: memref.copy
func.func @copy(%c: !llvm.ptr {vortex.context}, %a: memref<?x?xf16, strided<[?, ?], offset: ?>>, %b: memref<?x?xf16>) {
  memref.copy %a, %b : memref<?x?xf16, strided<[?, ?], offset: ?>> to memref<?x?xf16>
  return
}

// CHECK-LABEL: func.func @fill
// CHECK: llvm.store %{{.*}}, %[[ELEMENT:.*]] : f16, !llvm.ptr
// CHECK: llvm.getelementptr inbounds %{{.*}}[0, 14]
// CHECK: llvm.call %{{.*}}, %[[ELEMENT]]) : !llvm.ptr, (!llvm.ptr, i64, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
func.func @fill(%c: !llvm.ptr {vortex.context}, %a: memref<?xf16>, %x: f16) {
  linalg.fill ins(%x : f16) outs(%a : memref<?xf16>)
  return
}

// An element comes to the host and waits; another is filled into the device, which nothing waits for.
// CHECK-LABEL: func.func @element
// CHECK: llvm.getelementptr inbounds %{{.*}}[0, 15]
// CHECK: %[[READ:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: %[[INDEX:.*]] = builtin.unrealized_conversion_cast %[[READ]] : i64 to index
// CHECK: llvm.getelementptr inbounds %{{.*}}[0, 14]
// CHECK: llvm.call %{{.*}} : !llvm.ptr, (!llvm.ptr, i64, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
// CHECK-NOT: memref.load
// CHECK-NOT: memref.store
func.func @element(%c: !llvm.ptr {vortex.context}, %a: memref<?xindex>, %i: index) {
  %x = memref.load %a[%i] : memref<?xindex>
  memref.store %i, %a[%x] : memref<?xindex>
  return
}

// A constant: its copy on the device is used, its own address but to name it.
// CHECK-LABEL: func.func @constant
// CHECK: %[[G:.*]] = memref.get_global @g
// CHECK: memref.extract_aligned_pointer_as_index %[[G]]
// CHECK: llvm.getelementptr inbounds %{{.*}}[0, 17]
// CHECK: %[[THERE:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<4xf32>
// CHECK: vortex.kernel_call @k ins(%[[THERE]] :
memref.global "private" constant @g : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func @constant(%c: !llvm.ptr {vortex.context}, %o: memref<4xf32>) {
  %g = memref.get_global @g : memref<4xf32>
  vortex.kernel_call @k ins(%g : memref<4xf32>) outs(%o : memref<4xf32>)
  return
}

// What reads no element stays.
// CHECK-LABEL: func.func @views
// CHECK: memref.alloc
// CHECK: memref.subview
// CHECK: memref.dealloc
func.func @views(%c: !llvm.ptr {vortex.context}, %n: index) {
  %a = memref.alloc(%n) : memref<?xf32>
  %s = memref.subview %a[1] [2] [1] : memref<?xf32> to memref<2xf32, strided<[1], offset: 1>>
  vortex.kernel_call @k outs(%s : memref<2xf32, strided<[1], offset: 1>>)
  memref.dealloc %a : memref<?xf32>
  return
}

// -----

// The stack is the host's: memory from the device instead, given back at the end of the block.
// CHECK-LABEL: func.func @stack
// CHECK: %[[A:.*]] = memref.alloc() : memref<4xf32>
// CHECK: call @use
// CHECK: memref.dealloc %[[A]]
// CHECK-NEXT: return
func.func private @use(%c: !llvm.ptr, %a: memref<4xf32>)
func.func @stack(%c: !llvm.ptr {vortex.context}) {
  %a = memref.alloca() : memref<4xf32>
  func.call @use(%c, %a) : (!llvm.ptr, memref<4xf32>) -> ()
  return
}
