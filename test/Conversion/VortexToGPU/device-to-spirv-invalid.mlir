// RUN: vortex-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(vortex-device-to-spirv))'

gpu.module @m [#spirv.target_env<#spirv.vce<v1.3, [Shader], []>, #spirv.resource_limits<>>] {
  // expected-error @+1 {{is no kernel: it has no body, shared memory or threads of a block}}
  llvm.func @declared(!llvm.ptr<1>)
}

// -----

gpu.module @m [#spirv.target_env<#spirv.vce<v1.3, [Shader, Int64, PhysicalStorageBufferAddresses], [SPV_KHR_physical_storage_buffer]>, #spirv.resource_limits<>>] {
  llvm.func @pointer(%p: !llvm.ptr<1>) attributes {spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [1, 1, 1]>, vortex.shared_bytes = 0 : i64} {
    // expected-error @+1 {{failed to legalize operation 'llvm.load'}}
    %x = llvm.load %p : !llvm.ptr<1> -> !llvm.ptr<1>
    llvm.store %x, %p : !llvm.ptr<1>, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// Of another target nothing is made.
gpu.module @m [#nvvm.target] {
  llvm.func @kept() {
    llvm.return
  }
}
