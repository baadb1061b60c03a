//===- Passes.td - From candidates to device code --------- *- tablegen -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_PASSES_TD
#define VORTEX_CONVERSION_VORTEXTOGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertToNVVM : Pass<"vortex-convert-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Emit device code for kernels with one GPU candidate";
  let description = [{
    Takes each `vortex.kernel` that has exactly one candidate and whose
    outermost level is a grid of blocks, and emits a `gpu.module` with an
    `llvm.func` for it. Every number in the code (tiles, stages, warps, runs
    moved at once) is read from the tree of levels, the instruction from the
    target; sizes of the problem and strides are arguments. The kernel stays,
    with the attribute `vortex.device_kernel` naming its code.

    - `mma_sync`: a ring of shared memory filled by `cp.async` with zero fill,
      XOR-swizzled rows, `ldmatrix`, `mma.sync`, the elementwise chain behind
      the contraction on the accumulators, predicated stores.
    - `wgmma`: a ring filled by one thread of the producers by bulk tensor
      copies, or, of windows, by all of them by `cp.async` to where boxes would
      be, with barrier objects for full and empty stages; groups of four
      consumers multiply in shared memory. Producers give registers to them
      (`setmaxnreg`). Epilogue and stores are those of `mma_sync`.
    - `simt` behind a ring: the same copies, products of elements; in place:
      operands read where they are. Columns lie in lanes, rows in registers.
    - `vector`: a row, or a run of one, for each warp with its lanes along it;
      reductions end in a butterfly of shuffles.

    The form it takes for `mma_sync`:

    ```mlir
    vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) store(2) {
      vortex.level "smem" for (TRL 2 by %c32)
          load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8,
                <operand = 1, layout = swizzle, axis = 1, together = true> by %c8)
          stages(4) resident {
        vortex.level "warp" forall (PL 0 by %c64, PL 1 by %c64) {
          vortex.stage ["fill", "mm"] micro <instruction = "mma_sync", rows = 64, vectors = 8, lanes = 8, unroll = 2>
        }
      }
      vortex.stage ["bias_relu"]
    }
    ```

    With roles, a load's size is a row of a box, 128 bytes, or a run of 16 bytes
    that threads of the producers copy:

    ```mlir
    vortex.level "smem" for (TRL 2 by %c64)
        load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c64,
              <operand = 1, layout = swizzle, axis = 1, together = true> by %c64)
        stages(4) resident {
      vortex.level "warp" forall () role("producer") warps(4) {
      }
      vortex.level "warp" forall (PL 0 by %c64) role("consumer") warps(8) {
        vortex.stage ["fill", "mm"] micro <instruction = "wgmma", rows = 64, vectors = 1, lanes = 256, unroll = 4>
      }
    }
    ```

    Arguments of the device function, in this order: each operand of the
    kernel (tensors as pointers, numbers by value, `index` left out), the
    extent of each axis (i32), the strides in elements of each tensor of rank
    two or more, innermost left out (i64); behind them, by value, a tensor map
    for each entry of the attribute `vortex.boxes` of function and kernel, which
    has the position of an input of the kernel and the extents of its box.
    Innermost strides are one. The result
    is written in place of the kernel's last operands. On the function, `vortex.tile` has one number for each
    axis, 0 where blocks do not divide it: the grid has one dimension, the product of
    ceil(extent / tile) of the others. Where blocks start together (`cluster` of
    the level of blocks) they divide a tile, and the grid has as many more:
    `nvvm.cluster_dim`. `vortex.shared_bytes` are the bytes of
    dynamic shared memory, `nvvm.reqntid` the threads of a block.

    A run of r elements (the load's size) asks for operands whose address and
    strides are multiples of r elements and, where the run lies along an axis
    of the result, nothing of its extent: ends are filled with zeros. A run of
    one element is copied without `cp.async`. `store(2)` asks for an even
    innermost extent and even strides of the result. The candidate's guard
    must say so.

    A contraction whose steps have a condition, as `vortex-split-reductions`
    makes it, walks those of its part.

    Matrix instructions: 16-bit floats with f32 sums, `i8` (of either sign) with
    `i32` sums, f64 with `mma_sync`. Queues and clusters need levels of
    producers and consumers.

    - Before: kernels with one candidate (`vortex-select-kernels`).
    - After: `gpu.module`s of `llvm.func`, `nvvm`, `scf`, `vector`, `arith`
      and `math`, which `vortex-lower-to-ptx` takes to PTX.
    - Errors: a candidate with a grid that is not of the form above, with what
      is missing; an unknown target.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "NAME(,key=value)*; default: the module's `vortex.targets`">
  ];
  let statistics = [
    Statistic<"numConverted", "converted", "kernels with device code">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::vortex::VortexDialect"
  ];
}

def ConvertToROCDL : Pass<"vortex-convert-to-rocdl", "::mlir::ModuleOp"> {
  let summary = "Emit device code of AMD for kernels with one GPU candidate";
  let description = [{
    As `vortex-convert-to-nvvm`, for targets of AMD (`hwdesc/gfx90a.mlir`): the
    families on scalar units, `simt` and `vector`, whose code is the same but for
    a few ops: numbers of threads and blocks, barriers (`rocdl.s.barrier` between
    fences), values of other lanes (`rocdl.ds_bpermute`). A warp is a wavefront;
    its lanes are the granularity of level `warp` in registers of four bytes.
    Tiles of a ring go through registers, as vectors where all elements of a run
    exist. Shared memory is LDS, declared in the kernel with its size.

    - `mfma`: the tree, the ring and the epilogue of `mma_sync`; a tile is
      loaded into registers before the one in front of it is multiplied, and
      goes to LDS behind that. A lane reads 16 bytes of an operand at once, the
      steps of one instruction or several. Where the reduction is not innermost
      these are rows beside each other, which then belong to as many tiles of
      the instruction. B is its left operand, so that a lane has four columns of
      a row of the result beside each other. The op is the one of the
      instruction's name: `mfma_f32_16x16x16f16` is
      `rocdl.mfma.f32.16x16x16f16`.

    ```mlir
    vortex.level "block" grid (PL 0 by %c8) {
      vortex.level "warp" forall (PL 0 by %c1) {
        vortex.stage ["sum"] micro <instruction = "vector", rows = 1, vectors = 1, lanes = 64, unroll = 4, lane_axis = 1>
      }
    }
    ```

    becomes an `llvm.func` with `rocdl.kernel` and `rocdl.reqd_work_group_size`,
    its arguments those of `vortex-convert-to-nvvm`.

    - Before: kernels with one candidate (`vortex-select-kernels`).
    - After: `gpu.module`s of `llvm.func`, `rocdl`, `scf`, `vector`, `arith` and
      `math`, which `vortex-lower-to-amdgcn` takes to assembly.
    - Errors: as `vortex-convert-to-nvvm`; a target of another vendor; an
      instruction of whose name there is no op; factors of `mfma` without sign.
    - Limits: nothing of it has run on a GPU. `mfma` of one block with 16 or 32
      rows; no sparse ones, none of 8-bit floats.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "NAME(,key=value)*; default: the module's `vortex.targets`">
  ];
  let statistics = [
    Statistic<"numConverted", "converted", "kernels with device code">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect",
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::vortex::VortexDialect"
  ];
}

def ConvertToSPIRV : Pass<"vortex-convert-to-spirv", "::mlir::ModuleOp"> {
  let summary = "Emit device code of Vulkan for kernels with one GPU candidate";
  let description = [{
    As `vortex-convert-to-rocdl`, for devices of Vulkan (`hwdesc/vulkan.mlir`).
    Numbers of threads and blocks and barriers are ops of `gpu`; the function is
    still an `llvm.func`, which `vortex-device-to-spirv` makes a shader of.

    A device of Vulkan chooses how many items a subgroup has, so that its
    description has warps of one lane: rows of a warp are a thread's, a row of
    a block is joined through shared memory.

    Dimensions of a grid have at most as many blocks as level `grid` has units.
    Longer grids go on in the second dimension, and blocks behind the last tile
    do nothing.

    - Before: kernels with one candidate (`vortex-select-kernels`).
    - After: `gpu.module`s of `llvm.func`, `gpu`, `scf`, `vector`, `arith` and
      `math`, which `vortex-lower-to-spirv` takes to a binary.
    - Errors: as `vortex-convert-to-nvvm`; a target that is none of Vulkan.
    - Limits: descriptions with warps of several lanes have no code for families
      that exchange values between lanes.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "NAME(,key=value)*; default: the module's `vortex.targets`">
  ];
  let statistics = [
    Statistic<"numConverted", "converted", "kernels with device code">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::spirv::SPIRVDialect",
    "::mlir::vector::VectorDialect", "::vortex::VortexDialect"
  ];
}

def DeviceToSPIRV : Pass<"vortex-device-to-spirv", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Make shaders of Vulkan of device functions";
  let description = [{
    Each `llvm.func` of a `gpu.module` whose target is a `spirv.target_env`
    becomes a `spirv.module` with one compute shader. `arith`, `math`, `scf`
    and `vector` go through upstream's patterns; what is written here is memory,
    for which Vulkan has no pointers that could be moved:

    - an address of global memory is a number of 64 bits, which becomes a
      pointer to `PhysicalStorageBuffer` where something is loaded or stored
      (`VK_KHR_buffer_device_address`);
    - shared memory is an array of integers as wide as the narrowest element
      that the function has there; wider ones are two or four of them;
    - the parameters, eight bytes each in the order of `vortex-convert-to-nvvm`,
      are in global memory, at the address that is the one push constant.

    ```mlir
    %p = llvm.getelementptr %base[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    ```

    becomes

    ```mlir
    %wide = spirv.SConvert %i : i32 to i64
    %bytes = spirv.IMul %wide, %cst4_i64 : i64
    %address = spirv.IAdd %base, %bytes : i64
    %p = spirv.ConvertUToPtr %address : i64 to !spirv.ptr<f32, PhysicalStorageBuffer>
    %x = spirv.Load "PhysicalStorageBuffer" %p ["Aligned", 4] : f32
    ```

    - Before: `vortex-convert-to-spirv`.
    - After: `spirv.module`s; `spirv-update-vce` says what they need.
    - Errors: an op without a pattern; elements in shared memory more than four
      times as wide as the narrowest.
    - Arithmetic on floats is decorated `NoContraction`: it is what is written.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
    "::mlir::spirv::SPIRVDialect"
  ];
}

def LowerLaunches : Pass<"vortex-lower-launches", "::mlir::ModuleOp"> {
  let summary = "let outlined kernels launch their device code";
  let description = [{
    The body of a function with a kernel that has device code becomes a call of
    `context->launch`: with the position of the code in the artifact's table
    (`vortex.index` of the module), the extents of the kernel's axes, and the
    parameters of the device function, in the order that
    `vortex-convert-to-nvvm` gives them: addresses and numbers of the kernel's
    operands, extents, strides. Tensor maps (`vortex.boxes` of the kernel) lie on
    the stack of the call and are written by `context->tensor_map` before. The
    run time counts blocks and checks that
    extents fit 32 bits. Device code goes from the module.

    A kernel without candidates is what remains of a choice when no guard
    holds: it ends the call by name.

    - Before: `vortex-outline-kernels`, then `vortex-convert-to-nvvm` in the
      kernel's own module.
    - After: memrefs, numbers and calls through the context; no kernel.
    - Errors: a kernel with a candidate and without device code; an operand
      that is no tensor and has more than 64 bits.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect", "::vortex::VortexDialect"
  ];
}

def OutlineLoops : Pass<"vortex-outline-loops", "::mlir::ModuleOp"> {
  let summary = "make device code of loops over a device's memory";
  let description = [{
    What a program for a GPU computes outside of its kernels: ops of `linalg` on
    memrefs, whatever their bodies do (indices of loops, several results,
    elements picked by index), and loops that read and write memory.

    - An op of `linalg` becomes loops, those that reduce inside the others;
      `scf.forall` becomes `scf.parallel`.
    - `scf.parallel` becomes a kernel with a thread for each of its points: the
      points are counted in 64 bits, and threads take several where there are more
      points than threads.
    - A sequential loop that reads or writes memory and holds nothing but numbers,
      loads, stores and views runs on one thread: each element read by the host
      would be a wait for the device.
    - What holds anything else (kernels, calls, allocations) stays with the
      host, and what is inside it is looked at in turn.

    The launch is a call of `context->launch` with the number of blocks;
    parameters are, in the order of their use, for each memref its address, its
    sizes and strides that are not constants, and the other numbers by value.
    Loops that are the same op for op share one kernel.

    ```mlir
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : memref<?xi64>) {
    ^bb0(%o: i64):
      %i = linalg.index 0 : index
      %n = arith.index_cast %i : index to i64
      linalg.yield %n : i64
    }
    ```

    - Before: memrefs, `vortex-add-context`; before `vortex-lower-device-memory`.
    - After: a `gpu.module` for each kernel, in the order of their positions
      in the artifact's table, from `first` on.
    - Errors: a function of `math` without device code; a description of the target
      without warps.
  }];
  let options = [
    Option<"first", "first", "int64_t", /*default=*/"0",
           "position of the first kernel in the artifact's table of device code">
  ];
  let statistics = [
    Statistic<"numOutlined", "outlined", "loops that became device code">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // VORTEX_CONVERSION_VORTEXTOGPU_PASSES_TD
