// RUN: vortex-opt %s --vortex-outline-loops=first=5 --split-input-file | FileCheck %s

// What comes from the index of a loop: four warps of two each, points counted on the host, parameters address, size and a number.
// CHECK-LABEL: func.func @positions
// CHECK-SAME: (%[[C:.*]]: !llvm.ptr {vortex.context}, %[[X:.*]]: memref<?xi64>, %[[N:.*]]: i64)
// CHECK: arith.ceildivui %{{.*}}, %c256
// CHECK: memref.extract_strided_metadata %[[X]]
// CHECK: %[[INDEX:.*]] = llvm.mlir.constant(5 : i64)
// CHECK: llvm.getelementptr inbounds %[[C]][0, 12]
// CHECK: llvm.call %{{.*}}(%[[C]], %[[INDEX]],
// CHECK-NOT: linalg.generic
// CHECK: gpu.module @positions_loop_0_module
// CHECK: llvm.func @positions_loop_0(%{{.*}}: !llvm.ptr<1>, %{{.*}}: i64, %{{.*}}: i64, %[[NUMBER:.*]]: i64)
// CHECK-SAME: nvvm.reqntid = array<i32: 256, 1, 1>
// CHECK-SAME: vortex.tile = array<i64: 1>
// CHECK: scf.for
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}}, %[[NUMBER]] : i64
// CHECK: llvm.store %[[SUM]], %{{.*}} : i64, !llvm.ptr<1>
module attributes {vortex.targets = [#vortex.hw<
  isa = "sm_80", chip = "t", triple = "nvptx64-nvidia-cuda", cpu = "sm_80", features = "+ptx80",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1000000000, bandwidth = 1000, stream = 10, latency = 300, granularity = 32, alignment = 128>,
    <"l2", units = 1, memory = cache, capacity = 1000000, bandwidth = 1000, stream = 10, latency = 300, granularity = 32, alignment = 128>,
    <"block", units = 4>,
    <"smem", units = 1, memory = shared, capacity = 160000, bandwidth = 100, latency = 20, granularity = 128, alignment = 16>,
    <"warp", units = 4, memory = register, capacity = 65536, granularity = 128>,
    <"register", units = 1, memory = register, capacity = 32640, granularity = 128>],
  instructions = [<"fma", kind = simt, type = f32 x f32 -> f32, shape = 1x32x1, rate = 100>]>]} {
  func.func @positions(%c: !llvm.ptr {vortex.context}, %x: memref<?xi64>, %n: i64) {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : memref<?xi64>) {
    ^bb0(%o: i64):
      %i = linalg.index 0 : index
      %j = arith.index_cast %i : index to i64
      %s = arith.addi %j, %n : i64
      linalg.yield %s : i64
    }
    return
  }
}

// -----

// Parallel loops go around those that reduce; equal loops share a kernel; a plain fill is the run time's.
// CHECK-LABEL: func.func @twice
// CHECK: linalg.fill
// CHECK-COUNT-2: llvm.mlir.constant(5 : i64)
// CHECK: gpu.module
// CHECK: scf.for
// CHECK: scf.for
// CHECK: llvm.load
// CHECK: llvm.store
// CHECK-NOT: gpu.module
module attributes {vortex.targets = [#vortex.hw<
  isa = "sm_80", chip = "t", triple = "nvptx64-nvidia-cuda", cpu = "sm_80", features = "+ptx80",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1000000000, bandwidth = 1000, stream = 10, latency = 300, granularity = 32, alignment = 128>,
    <"l2", units = 1, memory = cache, capacity = 1000000, bandwidth = 1000, stream = 10, latency = 300, granularity = 32, alignment = 128>,
    <"block", units = 4>,
    <"smem", units = 1, memory = shared, capacity = 160000, bandwidth = 100, latency = 20, granularity = 128, alignment = 16>,
    <"warp", units = 4, memory = register, capacity = 65536, granularity = 128>,
    <"register", units = 1, memory = register, capacity = 32640, granularity = 128>],
  instructions = [<"fma", kind = simt, type = f32 x f32 -> f32, shape = 1x32x1, rate = 100>]>]} {
  func.func @twice(%c: !llvm.ptr {vortex.context}, %x: memref<?x?xf32>, %a: memref<?xf32>, %b: memref<?xf32>) {
    %z = arith.constant 0.0 : f32
    linalg.fill ins(%z : f32) outs(%a : memref<?xf32>)
    linalg.reduce ins(%x : memref<?x?xf32>) outs(%a : memref<?xf32>) dimensions = [0]
      (%p: f32, %q: f32) { %s = arith.addf %p, %q : f32  linalg.yield %s : f32 }
    linalg.reduce ins(%x : memref<?x?xf32>) outs(%b : memref<?xf32>) dimensions = [0]
      (%p: f32, %q: f32) { %s = arith.addf %p, %q : f32  linalg.yield %s : f32 }
    return
  }
}

// -----

// A sequential loop of elements runs on one thread, its result comes back through memory; views inside are followed.
// CHECK-LABEL: func.func @scan
// CHECK: %[[R:.*]] = memref.alloc() : memref<index>
// CHECK: llvm.call
// CHECK: %[[V:.*]] = memref.load %[[R]][]
// CHECK: memref.dealloc %[[R]]
// CHECK: return %[[V]]
// CHECK: gpu.module
// CHECK-NOT: memref.
module attributes {vortex.targets = [#vortex.hw<
  isa = "sm_80", chip = "t", triple = "nvptx64-nvidia-cuda", cpu = "sm_80", features = "+ptx80",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1000000000, bandwidth = 1000, stream = 10, latency = 300, granularity = 32, alignment = 128>,
    <"l2", units = 1, memory = cache, capacity = 1000000, bandwidth = 1000, stream = 10, latency = 300, granularity = 32, alignment = 128>,
    <"block", units = 4>,
    <"smem", units = 1, memory = shared, capacity = 160000, bandwidth = 100, latency = 20, granularity = 128, alignment = 16>,
    <"warp", units = 4, memory = register, capacity = 65536, granularity = 128>,
    <"register", units = 1, memory = register, capacity = 32640, granularity = 128>],
  instructions = [<"fma", kind = simt, type = f32 x f32 -> f32, shape = 1x32x1, rate = 100>]>]} {
  func.func @scan(%c: !llvm.ptr {vortex.context}, %x: memref<?x4xf32, strided<[?, 2], offset: ?>>) -> index {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c0 : memref<?x4xf32, strided<[?, 2], offset: ?>>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> index {
      %row = memref.subview %x[%i, 1] [1, 3] [1, 1] : memref<?x4xf32, strided<[?, 2], offset: ?>> to memref<3xf32, strided<[2], offset: ?>>
      %v = memref.load %row[%c1] : memref<3xf32, strided<[2], offset: ?>>
      memref.store %v, %row[%c0] : memref<3xf32, strided<[2], offset: ?>>
      %k = arith.fptosi %v : f32 to i64
      %j = arith.index_cast %k : i64 to index
      %t = arith.addi %s, %j : index
      scf.yield %t : index
    }
    return %r : index
  }
}

// -----

// A loop around a kernel is the host's; the loop in it is not.
// CHECK-LABEL: func.func @around
// CHECK: scf.for
// CHECK: vortex.kernel_call
// CHECK: llvm.call
// CHECK: gpu.module
module attributes {vortex.targets = [#vortex.hw<
  isa = "sm_80", chip = "t", triple = "nvptx64-nvidia-cuda", cpu = "sm_80", features = "+ptx80",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1000000000, bandwidth = 1000, stream = 10, latency = 300, granularity = 32, alignment = 128>,
    <"l2", units = 1, memory = cache, capacity = 1000000, bandwidth = 1000, stream = 10, latency = 300, granularity = 32, alignment = 128>,
    <"block", units = 4>,
    <"smem", units = 1, memory = shared, capacity = 160000, bandwidth = 100, latency = 20, granularity = 128, alignment = 16>,
    <"warp", units = 4, memory = register, capacity = 65536, granularity = 128>,
    <"register", units = 1, memory = register, capacity = 32640, granularity = 128>],
  instructions = [<"fma", kind = simt, type = f32 x f32 -> f32, shape = 1x32x1, rate = 100>]>]} {
  func.func @around(%c: !llvm.ptr {vortex.context}, %x: memref<?xf32>, %n: index) {
    scf.forall (%i) in (%n) {
      vortex.kernel_call @k outs(%x : memref<?xf32>)
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : memref<?xf32>) {
      ^bb0(%o: f32):
        %s = arith.addf %o, %o : f32
        linalg.yield %s : f32
      }
    }
    return
  }
}
