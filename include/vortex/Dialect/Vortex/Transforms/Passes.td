//===- Passes.td - Passes over the vortex dialect ---------*- tablegen -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_PASSES_TD
#define VORTEX_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

// Passes without an anchor run on any op and work on the functions in it, so
// that they nest under a module and under a function alike.

def TargetOption : Option<"target", "target", "std::string", "\"\"",
    "hardware description, `NAME(,level.field=value)*`; default: the module's "
    "`vortex.targets`, else the host">;

def LowerMatch : Pass<"vortex-lower-match"> {
  let summary = "Check the sizes that vortex.match names";
  let description = [{
    A name bound before, by an argument's `vortex.dims` or by a match of the
    same block or one around it, is compared with the size here; relations
    become index arithmetic. What does not hold ends the call through
    `cf.assert`, with the name or the relation as its message. What the types
    prove needs no check; what they refute is an error.

    ```mlir
    %t = vortex.match %x ["rows", ""] where ["rows <= 4096"] : tensor<?x?xf32>
    ```
    becomes
    ```mlir
    %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
    %ok = arith.cmpi sle, %rows, %c4096 : index
    cf.assert %ok, "'rows <= 4096' does not hold"
    ```
  }];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FormKernels : Pass<"vortex-form-kernels"> {
  let summary = "Group linalg ops into vortex.kernel fusion scopes";
  let description = [{
    Decides only what *may* be fused; whether it is, and where, is a matter of
    candidates. Each linalg op on tensors that is not yet in a kernel starts
    or joins one:

    - a contraction (two inputs, a multiply-accumulate body, at least one
      reduction loop) takes its `linalg.fill` and the single-use chain of
      elementwise consumers that reads its result with a projected
      permutation, as TVM's and Relax's "out-elementwise-fusable" class does;
    - the remaining ops are row-local (elementwise, broadcast, reductions)
      or reductions of their own, and form chains along single uses whose
      iteration spaces agree.

    Ops the micro-kernels cannot express (sub-byte elements, `linalg.index`
    under a reduction) stay where they are: the generic path lowers them.

    ```mlir
    %p = linalg.matmul ins(%a, %b : ...) outs(%z : ...) -> tensor<?x?xf32>
    ```
    becomes
    ```mlir
    %p = vortex.kernel "matmul_0" axes ["d0", "d1", "d2"] ins(%a, %b : ...) outs(%o : ...) { ... }
    ```
  }];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numKernels", "kernels", "kernels formed">,
    Statistic<"numFused", "fused", "ops that joined the kernel of another op">
  ];
}

def Hierarchize : Pass<"vortex-hierarchize"> {
  let summary = "Give each kernel its candidates: trees of levels over the target";
  let description = [{
    Runs `vortex-form-kernels` when it meets linalg ops outside kernels. For
    each kernel without candidates, register tiles are grown from the
    instructions of the target under the register count, then extended level
    by level under capacity and alignment; a few per kernel stay (Roller's
    construction, MikPoly's and Vortex' "few candidates, all compiled").
    Sizes stay symbolic: tile sizes are arithmetic on the kernel's axes.
    Remarks say how many were considered, what pruned them, which stay. A
    kernel that no family can plan is a fallback and is marked so in a remark.
  }];
  let options = [TargetOption];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numPlanned", "planned", "kernels with candidates">,
    Statistic<"numFallbacks", "fallbacks", "kernels left to generic loops">
  ];
}

def SelectKernels : Pass<"vortex-select-kernels"> {
  let summary = "Turn guards and costs into the choice of a candidate";
  let description = [{
    The guards and costs of a kernel's candidates become ordinary arithmetic
    on its sizes in front of it; the cheapest candidate whose guard holds is
    the choice, and an `scf.index_switch` holds one kernel for each. Static
    sizes fold the choice away. A candidate whose guard can hold at no size
    that the types allow is dropped with a remark, so that no code is made for
    it; each guard goes into the `vortex.select` as text.
  }];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def BindWeights : Pass<"vortex-bind-weights"> {
  let summary = "Pack weights once, outside the kernels that want them packed";
  let description = [{
    For each operand that a candidate loads `bound`, the packed form is made
    in the function by a `linalg.pack` marked `vortex.bind`, one for each
    (weight, layout), and the kernel takes it in place of the weight; its
    payload unpacks it, which expansion cancels.
  }];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def OutlineKernels : Pass<"vortex-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Move each kernel with one candidate to a module of its own";
  let description = [{
    Kernels that are the same op for op share one module. The kernel becomes a
    `vortex.kernel_call`; its body a function over memrefs with unit innermost
    stride in a nested `builtin.module` with the attribute
    `vortex.kernel_module`, so that kernels are lowered, optimised, cached and
    emitted independently of each other.
  }];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::func::FuncDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"];
  let statistics = [
    Statistic<"numOutlined", "outlined", "kernels outlined">,
    Statistic<"numShared", "shared", "kernels that use an earlier kernel's code">
  ];
}

def ExpandKernels : Pass<"vortex-expand"> {
  let summary = "Turn a candidate into its nest of loops";
  let description = [{
    Walks the tree of levels from the outside in. Each level tiles the ops
    below it with `scf::tileConsumerAndFuseProducersUsingSCF` by its SSA
    sizes, lays out the operands it loads, and ends in `vortex.micro_kernel`
    ops at its stages. A kernel with several candidates is expanded by the one
    that `candidate` names (default: the first); a kernel without candidates
    is inlined as it is.
  }];
  let options = [Option<"candidate", "candidate", "std::string", "\"\"",
                        "name of the candidate to expand; default: the first">];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::scf::SCFDialect",
                           "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def LowerMicroKernels : Pass<"vortex-lower-micro-kernels"> {
  let summary = "Turn register tiles into vector code";
  let description = [{
    Rows are unrolled to an exact count (one case of an `scf.index_switch` for
    each), columns lie in vector lanes with a mask for the last vector, and
    reduction loops carry the accumulators as iter_args. The elementwise chain
    behind a contraction runs in the same registers. What a reduction adds to is
    read through a `bufferization.to_buffer`, ahead of all writes of its tile.
    Tiles that reduce along
    the lanes become passes over a row, each ended by its reductions.
  }];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::scf::SCFDialect",
                           "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"];
}

def LowerPacks : Pass<"vortex-lower-packs"> {
  let summary = "Lower linalg.pack to vector loops";
  let description = [{
    Column panels are copied row by row, row groups by transposes in
    registers. A pack marked `vortex.tight` keeps its last group at its exact
    number of rows, so that strides inside a case of the register tile are
    constants. Packs of other forms are left to upstream.
  }];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::vector::VectorDialect"];
}

def InsertPrefetches : Pass<"vortex-insert-prefetches"> {
  let summary = "Touch what a tile needs next: its result, the next panel";
  let description = [{
    After bufferization. A reduction loop marked `vortex.prefetch` reads a
    packed panel; the row groups that use this panel share the work of
    touching the next one (group q of g touches lines q/g .. (q+1)/g). Before
    a loop marked `vortex.prefetch_result`, the lines that the block stores
    into after it are requested for writing, where their addresses are known.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

#endif // VORTEX_TRANSFORMS_PASSES_TD
