// RUN: vortex-opt %s --vortex-convert-to-nvvm --vortex-lower-launches | FileCheck %s
// RUN: vortex-opt %s --vortex-convert-to-nvvm | FileCheck %s --check-prefix=DEVICE

// Two tensor maps on the stack of the call, written by the run time before the
// launch: f16 (2), two dimensions; the places of the maps come last, before the null.
// CHECK-LABEL: func.func @mm
// CHECK-SAME: (%[[C:.*]]: !llvm.ptr, %[[A:.*]]: memref<?x?xf16{{.*}}>, %[[B:.*]]: memref<?x?xf16{{.*}}>, %[[O:.*]]: memref<?x?xf32
// CHECK-DAG: %[[BYTES:.*]] = llvm.mlir.constant(256 : i64)
// CHECK-DAG: %[[MAPS:.*]] = llvm.alloca %[[BYTES]] x i8 {alignment = 64 : i64}
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[MAPS]][0]
// CHECK: %[[TYPE:.*]] = llvm.mlir.constant(2 : i64)
// CHECK: llvm.getelementptr inbounds %[[C]][0, 18]
// CHECK: llvm.call %{{.*}}(%[[C]], %{{.*}}, %[[FIRST]], %{{.*}})
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[MAPS]][128]
// CHECK: llvm.getelementptr inbounds %[[C]][0, 18]
// CHECK: llvm.call %{{.*}}(%[[C]], %{{.*}}, %[[SECOND]], %{{.*}})
// CHECK: llvm.store %[[FIRST]], %{{.*}} : !llvm.ptr, !llvm.ptr
// CHECK: llvm.store %[[SECOND]], %{{.*}} : !llvm.ptr, !llvm.ptr
// CHECK: llvm.getelementptr inbounds %[[C]][0, 12]

// A's box has as many rows as the block, B's one for each step.
// DEVICE: llvm.func @mm_groups
// DEVICE-SAME: {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// DEVICE-SAME: nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 384, 1, 1>
// DEVICE-SAME: vortex.boxes = [array<i64: 0, 128, 64>, array<i64: 1, 64, 64>]
// DEVICE-SAME: vortex.shared_bytes = 131136
// DEVICE: nvvm.mbarrier.init
// DEVICE: nvvm.fence.mbarrier.init
// DEVICE: nvvm.setmaxregister decrease 40
// DEVICE: nvvm.elect.sync
// DEVICE: nvvm.mbarrier.arrive.expect_tx
// DEVICE-COUNT-3: nvvm.cp.async.bulk.tensor.shared.cluster.global
// DEVICE: nvvm.setmaxregister increase 232
// DEVICE: nvvm.wgmma.fence.aligned
// DEVICE-COUNT-4: nvvm.wgmma.mma_async
// DEVICE: nvvm.wgmma.commit.group.sync.aligned
// DEVICE: nvvm.wgmma.wait.group.sync.aligned 1
// DEVICE: nvvm.mbarrier.arrive
// DEVICE: nvvm.wgmma.wait.group.sync.aligned 0
module attributes {vortex.index = 7 : i64, vortex.targets = [#vortex.hw<
  isa = "sm_90a", chip = "t", triple = "nvptx64-nvidia-cuda", cpu = "sm_90a", features = "+ptx80",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1000000000, bandwidth = 1000, stream = 10, latency = 300, granularity = 32, alignment = 128>,
    <"block", units = 4>,
    <"smem", units = 1, memory = shared, capacity = 232448, bandwidth = 100, latency = 20, granularity = 128, alignment = 16>,
    <"warp", units = 4, memory = register, capacity = 65536, granularity = 128>,
    <"register", units = 1, memory = register, capacity = 32640, granularity = 128>],
  instructions = [<"wgmma", kind = wgmma, type = f16 x f16 -> f32, shape = 64x256x16, rate = 100>]>]} {
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
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      vortex.candidate @groups schedule {
        vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) store(2) {
          vortex.level "smem" for (TRL 2 by %c64)
              load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c64,
                    <operand = 1, layout = swizzle, axis = 1, together = true> by %c64)
              stages(4) resident {
            vortex.level "warp" forall () role("producer") warps(4) {
            }
            vortex.level "warp" forall (PL 0 by %c64) role("consumer") warps(8) {
              vortex.stage ["mm"] micro <instruction = "wgmma", rows = 64, vectors = 1, lanes = 128, unroll = 4>
            }
          }
        }
      }
    } : tensor<?x?xf32>
    bufferization.materialize_in_destination %y in restrict writable %o : (tensor<?x?xf32>, memref<?x?xf32, strided<[?, 1], offset: ?>>) -> ()
    return
  }
}
