// RUN: vortex-opt %s --target=vulkan --vortex-decompose-ops --vortex-hierarchize --vortex-select-kernels \
// RUN:   --vortex-convert-to-spirv -o %t.device
// RUN: FileCheck %s --input-file=%t.device
// RUN: vortex-opt %t.device \
// RUN:   --pass-pipeline='builtin.module(gpu.module(canonicalize,cse,vortex-device-to-spirv,spirv.module(canonicalize,cse,spirv-update-vce)))' \
// RUN:   -o %t.shaders
// RUN: FileCheck %s --check-prefix=SHADER --input-file=%t.shaders

// Items of a block side by side along a row; no lane has a partner.

// CHECK-LABEL: llvm.func @total_reduce_0_rows(
// CHECK-SAME: spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [128, 1, 1]>
// Grids longer than a dimension go on in the next one, which may have blocks
// behind the last row.
// CHECK: %[[Y:.*]] = gpu.block_id y
// CHECK: %[[BEFORE:.*]] = arith.muli
// CHECK: %[[X:.*]] = gpu.block_id x
// CHECK: %[[BLOCK:.*]] = arith.addi %{{.*}}, %[[BEFORE]] : i32
// CHECK: %[[SOME:.*]] = arith.cmpi ult, %[[BLOCK]], %{{.*}} : i32
// CHECK: scf.if %[[SOME]] {
// CHECK-NOT: gpu.shuffle
// CHECK-LABEL: llvm.func @total_reduce_0_block_rows(
// CHECK: gpu.thread_id x
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.barrier

// SHADER: spirv.module PhysicalStorageBuffer64 GLSL450 requires #spirv.vce<v1.{{[0-3]}},
// SHADER-SAME: PhysicalStorageBufferAddresses
// SHADER: spirv.func @total_reduce_0_rows() "None"
// The address of the parameters, then each of them.
// SHADER: spirv.AccessChain {{.*}} !spirv.ptr<!spirv.struct<(!spirv.array<2 x i32{{.*}}PushConstant>
// SHADER: spirv.ConvertUToPtr {{.*}} : i64 to !spirv.ptr<i64, PhysicalStorageBuffer>
// SHADER-NEXT: spirv.Load "PhysicalStorageBuffer" {{.*}} ["Aligned", 8] : i64
// SHADER: spirv.ConvertUToPtr {{.*}} : i64 to !spirv.ptr<f16, PhysicalStorageBuffer>
// SHADER-NEXT: spirv.Load "PhysicalStorageBuffer" {{.*}} ["Aligned", 2] : f16
// SHADER: spirv.FAdd {{.*}}no_contraction
// SHADER: spirv.EntryPoint "GLCompute" @total_reduce_0_rows, @__builtin__
// SHADER: spirv.ExecutionMode @total_reduce_0_rows "LocalSize", 128, 1, 1

// Shared memory in units of its narrowest elements.

// SHADER: spirv.GlobalVariable @smem : !spirv.ptr<!spirv.array<512 x i16>, Workgroup>
// SHADER: spirv.func @total_reduce_0_block_rows
// SHADER: spirv.Store "Workgroup" {{.*}} : i16
// SHADER: spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory>
func.func @total(%x: tensor<?x?xf16>, %o: tensor<?xf16>) -> tensor<?xf16> {
  %r = linalg.reduce {arith.addf} ins(%x : tensor<?x?xf16>) outs(%o : tensor<?xf16>) dimensions = [1]
  return %r : tensor<?xf16>
}
