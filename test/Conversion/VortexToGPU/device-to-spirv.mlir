// RUN: vortex-opt %s --pass-pipeline='builtin.module(gpu.module(vortex-device-to-spirv))' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir

#vulkan = #spirv.target_env<#spirv.vce<v1.3, [Shader, Int8, Int16, Int64, Float16, Float64, StorageBuffer8BitAccess, StorageBuffer16BitAccess, PhysicalStorageBufferAddresses],
  [SPV_KHR_8bit_storage, SPV_KHR_16bit_storage, SPV_KHR_physical_storage_buffer, SPV_KHR_storage_buffer_storage_class]>, #spirv.resource_limits<>>

// The address of the parameters comes in two words; they are eight bytes each,
// and one that is an address becomes a pointer where something is stored.

// CHECK: spirv.GlobalVariable @__push_constant_var__ : !spirv.ptr<!spirv.struct<(!spirv.array<2 x i32, stride=4> [0])>, PushConstant>
// CHECK-LABEL: spirv.func @parameters() "None"
// CHECK: %[[HIGH:.*]] = spirv.ShiftLeftLogical %{{.*}}, %cst32_i64
// CHECK: %[[BLOCK:.*]] = spirv.BitwiseOr %{{.*}}, %[[HIGH]] : i64
// CHECK: %[[AT0:.*]] = spirv.IAdd %[[BLOCK]], %cst0_i64
// CHECK: %[[P0:.*]] = spirv.ConvertUToPtr %[[AT0]] : i64 to !spirv.ptr<i64, PhysicalStorageBuffer>
// CHECK: %[[P:.*]] = spirv.Load "PhysicalStorageBuffer" %[[P0]] ["Aligned", 8] : i64
// CHECK: spirv.IAdd %[[BLOCK]], %cst8_i64
// CHECK: %[[I:.*]] = spirv.Load "PhysicalStorageBuffer" %{{.*}} ["Aligned", 8] : i32
// CHECK: spirv.IAdd %[[BLOCK]], %cst16_i64
// CHECK: %[[X:.*]] = spirv.Load "PhysicalStorageBuffer" %{{.*}} ["Aligned", 8] : f32
// CHECK: %[[WIDE:.*]] = spirv.SConvert %[[I]] : i32 to i64
// CHECK: %[[BYTES:.*]] = spirv.IMul %[[WIDE]], %cst4_i64
// CHECK: %[[TO:.*]] = spirv.IAdd %[[P]], %[[BYTES]]
// CHECK: %[[POINTER:.*]] = spirv.ConvertUToPtr %[[TO]] : i64 to !spirv.ptr<f32, PhysicalStorageBuffer>
// CHECK: spirv.Store "PhysicalStorageBuffer" %[[POINTER]], %[[X]] ["Aligned", 4] : f32
// CHECK: spirv.Return
// CHECK: spirv.EntryPoint "GLCompute" @parameters
// CHECK: spirv.ExecutionMode @parameters "LocalSize", 64, 1, 1
gpu.module @parameters_module [#vulkan] {
  llvm.func @parameters(%p: !llvm.ptr<1>, %i: i32, %x: f32) attributes {
      spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [64, 1, 1]>, vortex.shared_bytes = 0 : i64} {
    %to = llvm.getelementptr %p[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %x, %to : f32, !llvm.ptr<1>
    llvm.return
  }
}

// Vectors keep their alignment; a constant offset counts elements of its type.

// CHECK-LABEL: spirv.func @memory()
// CHECK: %[[FROM:.*]] = spirv.ConvertUToPtr %{{.*}} : i64 to !spirv.ptr<vector<4xf32>, PhysicalStorageBuffer>
// CHECK: %[[FOUR:.*]] = spirv.Load "PhysicalStorageBuffer" %[[FROM]] ["Aligned", 16] : vector<4xf32>
// CHECK: spirv.IMul %cst16_i64, %cst1_i64
// CHECK: spirv.Store "PhysicalStorageBuffer" %{{.*}}, %[[FOUR]] ["Aligned", 16] : vector<4xf32>
gpu.module @memory_module [#vulkan] {
  llvm.func @memory(%p: !llvm.ptr<1>) attributes {
      spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [64, 1, 1]>, vortex.shared_bytes = 0 : i64} {
    %four = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    %next = llvm.getelementptr %p[16] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %four, %next {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
    llvm.return
  }
}

// Shared memory has units of its narrowest element: an f16 is one, an f32 two.

// CHECK: spirv.GlobalVariable @smem : !spirv.ptr<!spirv.array<32 x i16>, Workgroup>
// CHECK-LABEL: spirv.func @shared()
// CHECK: %[[H:.*]] = spirv.Load "PhysicalStorageBuffer" %{{.*}} ["Aligned", 2] : f16
// CHECK: %[[X:.*]] = spirv.Load "PhysicalStorageBuffer" %{{.*}} ["Aligned", 4] : f32
// CHECK: %[[OFFSET:.*]] = spirv.IMul %{{.*}}, %cst2_i32
// CHECK: %[[AT:.*]] = spirv.IAdd %cst0_i32{{.*}}, %[[OFFSET]]
// CHECK: %[[BITS:.*]] = spirv.Bitcast %[[H]] : f16 to i16
// CHECK: %[[UNIT:.*]] = spirv.ShiftRightLogical %[[AT]], %cst1_i32
// CHECK: spirv.AccessChain %{{.*}}[%[[UNIT]]] : !spirv.ptr<!spirv.array<32 x i16>, Workgroup>
// CHECK: spirv.Store "Workgroup" %{{.*}}, %[[BITS]] : i16
// CHECK: %[[TWO:.*]] = spirv.Bitcast %[[X]] : f32 to vector<2xi16>
// CHECK: spirv.CompositeExtract %[[TWO]][0 : i32]
// CHECK: spirv.CompositeExtract %[[TWO]][1 : i32]
// CHECK: spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory>
// CHECK: %[[LOW:.*]] = spirv.Bitcast %{{.*}} : i16 to f16
// CHECK: %[[HIGH:.*]] = spirv.Bitcast %{{.*}} : i16 to f16
// CHECK: spirv.CompositeConstruct %[[LOW]], %[[HIGH]] : (f16, f16) -> vector<2xf16>
// CHECK: spirv.Store "PhysicalStorageBuffer" %{{.*}} ["Aligned", 2] : vector<2xf16>
gpu.module @shared_module [#vulkan] {
  llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x i8>
  llvm.func @shared(%p: !llvm.ptr<1>, %i: i32) attributes {
      spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [32, 1, 1]>, vortex.shared_bytes = 64 : i64} {
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %h = llvm.load %p : !llvm.ptr<1> -> f16
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %at = llvm.getelementptr %smem[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
    llvm.store %h, %at : f16, !llvm.ptr<3>
    llvm.store %x, %smem : f32, !llvm.ptr<3>
    gpu.barrier
    %two = llvm.load %smem : !llvm.ptr<3> -> vector<2xf16>
    llvm.store %two, %p : vector<2xf16>, !llvm.ptr<1>
    llvm.return
  }
}

// Numbers of the grid, along each dimension, are variables that the entry point
// names.

// CHECK-DAG: spirv.GlobalVariable @__builtin__NumWorkgroups__ built_in("NumWorkgroups")
// CHECK-DAG: spirv.GlobalVariable @__builtin__WorkgroupId__ built_in("WorkgroupId")
// CHECK-DAG: spirv.GlobalVariable @__builtin__LocalInvocationId__ built_in("LocalInvocationId")
// CHECK-LABEL: spirv.func @grid()
// CHECK: spirv.mlir.addressof @__builtin__LocalInvocationId__
// CHECK: spirv.CompositeExtract %{{.*}}[0 : i32]
// CHECK: spirv.mlir.addressof @__builtin__WorkgroupId__
// CHECK: spirv.CompositeExtract %{{.*}}[0 : i32]
// CHECK: spirv.mlir.addressof @__builtin__WorkgroupId__
// CHECK: spirv.CompositeExtract %{{.*}}[1 : i32]
// CHECK: spirv.mlir.addressof @__builtin__NumWorkgroups__
// CHECK: spirv.CompositeExtract %{{.*}}[0 : i32]
// CHECK: spirv.EntryPoint "GLCompute" @grid, @__builtin__NumWorkgroups__, @__builtin__WorkgroupId__, @__builtin__LocalInvocationId__
gpu.module @grid_module [#vulkan] {
  llvm.func @grid(%p: !llvm.ptr<1>) attributes {
      spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [8, 1, 1]>, vortex.shared_bytes = 0 : i64} {
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %row = gpu.block_id y
    %blocks = gpu.grid_dim x
    %a = arith.muli %row, %blocks : index
    %b = arith.addi %a, %block : index
    %c = arith.addi %b, %thread : index
    %i = arith.index_castui %c : index to i32
    llvm.store %i, %p : i32, !llvm.ptr<1>
    llvm.return
  }
}

// A loop without steps gives what it starts with; sums stay as written; bf16 is
// its bits in memory.

// CHECK-LABEL: spirv.func @numbers()
// CHECK: %[[START:.*]] = spirv.Load "PhysicalStorageBuffer" %{{.*}} ["Aligned", 8] : f32
// CHECK: %[[PLACE:.*]] = spirv.Variable : !spirv.ptr<f32, Function>
// CHECK: spirv.mlir.loop
// CHECK: spirv.FAdd %{{.*}}, %[[START]] {no_contraction} : f32
// CHECK: %[[LAST:.*]] = spirv.Load "Function" %[[PLACE]] : f32
// CHECK: %[[SOME:.*]] = spirv.SGreaterThan
// CHECK: %[[SUM:.*]] = spirv.Select %[[SOME]], %[[LAST]], %[[START]]
// CHECK: %[[BRAIN:.*]] = spirv.Load "PhysicalStorageBuffer" %{{.*}} ["Aligned", 2] : i16
// CHECK: spirv.Store "PhysicalStorageBuffer" %{{.*}}, %[[BRAIN]] ["Aligned", 2] : i16
// CHECK: spirv.GL.Sqrt %[[SUM]] : f32
gpu.module @numbers_module [#vulkan] {
  llvm.func @numbers(%p: !llvm.ptr<1>, %n: i32, %x: f32) attributes {
      spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [8, 1, 1]>, vortex.shared_bytes = 0 : i64} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %sum = scf.for %i = %zero to %n step %one iter_args(%s = %x) -> (f32) : i32 {
      %t = arith.addf %s, %x : f32
      scf.yield %t : f32
    }
    %bits = llvm.load %p : !llvm.ptr<1> -> bf16
    llvm.store %bits, %p : bf16, !llvm.ptr<1>
    %root = math.sqrt %sum : f32
    llvm.store %root, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}
