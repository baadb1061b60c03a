// RUN: vortex-opt %s --vortex-convert-to-nvvm --vortex-lower-launches | FileCheck %s

// Two addresses and the result's, three extents, three strides, a null: ten places, extents from the fourth on.
// CHECK-LABEL: func.func @mm
// CHECK-SAME: (%[[C:.*]]: !llvm.ptr, %[[A:.*]]: memref<?x?xf16{{.*}}>, %[[B:.*]]: memref<?x?xf16{{.*}}>, %[[O:.*]]: memref<?x?xf32
// CHECK: %[[TEN:.*]] = llvm.mlir.constant(10 : i64)
// CHECK: %[[PARAMETERS:.*]] = llvm.alloca %[[TEN]] x !llvm.ptr
// CHECK: %[[NINE:.*]] = llvm.mlir.constant(9 : i64)
// CHECK: %[[VALUES:.*]] = llvm.alloca %[[NINE]] x i64
// CHECK: memref.dim %[[A]]
// CHECK: llvm.getelementptr %[[VALUES]][2]
// CHECK: llvm.getelementptr %[[VALUES]][8]
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[VALUES]][3]
// CHECK: %[[INDEX:.*]] = llvm.mlir.constant(7 : i64)
// CHECK: llvm.getelementptr inbounds %[[C]][0, 12]
// CHECK: llvm.call %{{.*}}(%[[C]], %[[INDEX]], %[[FIRST]], %[[PARAMETERS]])
// CHECK-NEXT: return
// CHECK-NOT: gpu.module
module attributes {vortex.index = 7 : i64, vortex.targets = [#vortex.hw<
  isa = "sm_80", chip = "t", triple = "nvptx64-nvidia-cuda", cpu = "sm_80", features = "+ptx80",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1000000000, bandwidth = 1000, stream = 10, latency = 300, granularity = 32, alignment = 128>,
    <"l2", units = 1, memory = cache, capacity = 1000000, bandwidth = 1000, stream = 10, latency = 300, granularity = 32, alignment = 128>,
    <"block", units = 4>,
    <"smem", units = 1, memory = shared, capacity = 160000, bandwidth = 100, latency = 20, granularity = 128, alignment = 16>,
    <"warp", units = 4, memory = register, capacity = 65536, granularity = 128>,
    <"register", units = 1, memory = register, capacity = 32640, granularity = 128>],
  instructions = [<"mma", kind = mma_sync, type = f16 x f16 -> f32, shape = 16x8x16, rate = 100>]>]} {
  func.func @mm(%c: !llvm.ptr, %a: memref<?x?xf16, strided<[?, 1], offset: ?>>, %b: memref<?x?xf16, strided<[?, 1], offset: ?>>,
                %o: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
    %x = bufferization.to_tensor %a restrict : memref<?x?xf16, strided<[?, 1], offset: ?>> to tensor<?x?xf16>
    %w = bufferization.to_tensor %b restrict : memref<?x?xf16, strided<[?, 1], offset: ?>> to tensor<?x?xf16>
    %z = bufferization.to_tensor %o restrict writable : memref<?x?xf32, strided<[?, 1], offset: ?>> to tensor<?x?xf32>
    %y = vortex.kernel "mm" axes ["m", "n", "k"] ins(%x, %w : tensor<?x?xf16>, tensor<?x?xf16>) outs(%z : tensor<?x?xf32>) {
    ^bb0(%p: tensor<?x?xf16>, %q: tensor<?x?xf16>, %r: tensor<?x?xf32>):
      %m = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%p, %q : tensor<?x?xf16>, tensor<?x?xf16>) outs(%r : tensor<?x?xf32>) -> tensor<?x?xf32>
      vortex.yield %m : tensor<?x?xf32>
    } candidates {
    ^bb0(%m: index, %n: index, %k: index):
      %c8 = arith.constant 8 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      vortex.candidate @ring schedule {
        vortex.level "block" grid (PL 0 by %c64, PL 1 by %c64) store(2) {
          vortex.level "smem" for (TRL 2 by %c32)
              load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8,
                    <operand = 1, layout = swizzle, axis = 1, together = true> by %c8)
              stages(4) resident {
            vortex.level "warp" forall (PL 0 by %c32, PL 1 by %c32) {
              vortex.stage ["mm"] micro <instruction = "mma_sync", rows = 32, vectors = 4, lanes = 8, unroll = 2>
            }
          }
        }
      }
    } : tensor<?x?xf32>
    bufferization.materialize_in_destination %y in restrict writable %o : (tensor<?x?xf32>, memref<?x?xf32, strided<[?, 1], offset: ?>>) -> ()
    return
  }

  // What no guard allows ends the call.
  // CHECK-LABEL: func.func @none
  // CHECK: cf.assert %{{.*}}, "kernel 'rest': no candidate may run at these sizes"
  // CHECK-NEXT: return
  func.func @none(%c: !llvm.ptr, %o: memref<?xf32, strided<[1], offset: ?>>) {
    %z = bufferization.to_tensor %o restrict writable : memref<?xf32, strided<[1], offset: ?>> to tensor<?xf32>
    %y = vortex.kernel "rest" axes ["i"] outs(%z : tensor<?xf32>) {
    ^bb0(%r: tensor<?xf32>):
      %f = arith.constant 0.0 : f32
      %m = linalg.fill {vortex.anchor, vortex.id = "fill"} ins(%f : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
      vortex.yield %m : tensor<?xf32>
    } : tensor<?xf32>
    bufferization.materialize_in_destination %y in restrict writable %o : (tensor<?xf32>, memref<?xf32, strided<[1], offset: ?>>) -> ()
    return
  }
}
