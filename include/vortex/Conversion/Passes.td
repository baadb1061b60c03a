//===- Passes.td - From tensors to LLVM -------------------*- tablegen -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_PASSES_TD
#define VORTEX_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def DonateArguments : Pass<"vortex-donate-arguments", "::mlir::ModuleOp"> {
  let summary = "let results take the memory of arguments";
  let description = [{
    `vortex.donated = I` at a tensor argument of a public function gives its
    memory to result I, as a cache is given to the call that adds a row to it.
    The argument becomes a memref, which holds the result when the call is
    over, and the function has one result less. What is updated in the argument
    is updated in place; what is read after it was overwritten is copied by
    bufferization, so that the program means what it did. A result that may lie
    in memory that another is given, as two do that change places, is copied
    before either is written.

    - Before: functions as callers see them.
    - After: no argument is `vortex.donated`.
    - Errors: a result that there is not, or of another type than the argument,
      or that two arguments are given to; a function that is private, has no
      body, more than one block, or is called by the program.

    ```mlir
    func.func @f(%cache: tensor<?x64xf32> {vortex.donated = 0}, ...) -> tensor<?x64xf32>
    ```
    becomes
    ```mlir
    func.func @f(%cache: memref<?x64xf32>, ...)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def Functionalize : Pass<"vortex-functionalize"> {
  let summary = "turn programs on memrefs into programs on tensors";
  let description = [{
    Kernels are formed of ops on tensors. In a function that writes memrefs each
    of its arguments and allocations becomes a tensor value that its ops pass
    on, through branches and loops as well (memory SSA, as TensorSSA makes it
    of programs with views): a view that is read is a slice, one that is
    written is inserted. At the end an argument takes what became of it, and
    bufferization finds that all of this is in place.

    A function is converted as a whole, where it is known what each op reads and
    writes and all of it goes back in place: views are `memref.subview`s without
    gaps between elements; linalg ops and `linalg.softmax` stand outside of loops,
    or in loops that have a product (a kernel for each row of something less
    costs more than it gains), loads, stores and copies anywhere in `scf.for`
    and `scf.if`; memory that one op both reads and writes is the same
    elementwise. Memref arguments of one call do not overlap. A function that is not converted stays what it is, and a
    remark says why.

    - Before: functions before kernels are formed.
    - After: ops on tensors between `bufferization.to_tensor` and
      `bufferization.materialize_in_destination`, or the same function.
    - Errors: none.

    ```mlir
    %row = memref.subview %x[%i, 0] [1, %n] [1, 1] : ...
    linalg.exp ins(%row : ...) outs(%row : ...)
    ```
    becomes
    ```mlir
    %row = tensor.extract_slice %t[%i, 0] [1, %n] [1, 1] : ...
    %e = linalg.exp ins(%row : ...) outs(%row : ...) -> ...
    %u = tensor.insert_slice %e into %t[%i, 0] [1, %n] [1, 1] : ...
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def DecomposeOps : Pass<"vortex-decompose-ops"> {
  let summary = "rewrite tensor ops without a lowering of their own into ops that have one";
  let description = [{
    `linalg.softmax` becomes its passes (through `AggregatedOpInterface`), on
    memory with a result that is copied into its output,
    `linalg.pack` and `linalg.unpack` become pad, reshape, transpose and slice,
    or one `linalg.generic` where a tile has a size known at run time;
    `tensor.concat` becomes insertions, the Winograd transforms become loops;
    `tensor.reshape` goes by way of one dimension, so that no code reads its
    sizes from memory.
    None of these bufferizes or lowers to loops as it is. The program's own
    `memref.dealloc`s go: buffer deallocation, which follows, refuses them and
    places its own.

    ```mlir
    %0 = tensor.concat dim(0) %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    ```
    becomes two `tensor.insert_slice` into a `tensor.empty`.

    - Before: any program; kernels are looked into as well.
    - After: none of the ops named above is left, at any sizes.
    - Errors: none; an op without a decomposition stays.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def SeparateEmpties : Pass<"vortex-separate-empties"> {
  let summary = "give each use of a tensor.empty a tensor.empty of its own";
  let description = [{
    Common subexpression elimination merges equal `tensor.empty` ops. One that
    starts two values would make bufferization give them the same memory, and
    its analysis does not see the conflict when reader and writer are one op in
    a region of a branch (a kernel that reads the first value and writes the
    second). Uses inside the same op keep sharing.

    ```mlir
    %e = tensor.empty(%n) : tensor<?xf32>
    %a = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %b = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    ```
    The second op gets a `tensor.empty` in front of it.

    In a loop that carries tensors, the memory of one iteration must not be
    that of the next, which may read what the one before has written: a
    `tensor.empty` from outside of such a loop is made again in it.

    - Before: tensors. After: each `tensor.empty` has one user, in the same
      loop. Errors: none.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

include "vortex/Conversion/BufferPasses.td"

def SwitchToIf : Pass<"vortex-switch-to-if"> {
  let summary = "turn scf.index_switch ops that give tensors into scf.if ops";
  let description = [{
    One-shot bufferization of this release does not know that a tensor which a
    case of an `scf.index_switch` yields is the result of the switch. It misses
    conflicts: a loop then writes into the memory that it carries. Of `scf.if`
    it knows. LLVM makes switches of comparisons with constants again.

    ```mlir
    %r = scf.index_switch %i -> tensor<?xf32>
    case 0 { scf.yield %a : tensor<?xf32> }
    default { scf.yield %b : tensor<?xf32> }
    ```
    becomes
    ```mlir
    %is = arith.cmpi eq, %i, %c0 : index
    %r = scf.if %is -> (tensor<?xf32>) { scf.yield %a : ... } else { scf.yield %b : ... }
    ```

    - Before: tensors. After: no switch gives a tensor. Errors: none.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SelectToIf : Pass<"vortex-select-to-if"> {
  let summary = "turn selections of one of two tensors into scf.if ops";
  let description = [{
    An `arith.select` of two tensors by one bit, which the canonicalizer makes of
    an `scf.if` that yields one of two values, picks a tensor with all of its
    sizes. `convert-elementwise-to-linalg` takes it for an op on elements and
    gives the result the sizes of the first. So it is a branch again before that
    pass runs, where sizes are unknown.

    ```mlir
    %r = arith.select %bit, %a, %b : tensor<?xf32>
    ```
    becomes
    ```mlir
    %r = scf.if %bit -> (tensor<?xf32>) { scf.yield %a : ... } else { scf.yield %b : ... }
    ```

    - Before: tensors. After: no such selection. Errors: none.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def AssignResults : Pass<"vortex-assign-results", "::mlir::ModuleOp"> {
  let summary = "give each result of a public function its memory";
  let description = [{
    A public function stops returning values: result k is written to
    `vortex.result k`, memory that the caller provides once the sizes are
    known. A returned tensor is traced back through destination-style ops,
    `scf.for` and insertions to the `tensor.empty` it was computed into; that
    becomes the result's memory, so that nothing is copied. An argument that is
    updated is copied there first. Where there is no single origin (the value
    comes from a branch, or is returned twice), the value is copied at the end; so a result never aliases an argument.
    Scalars are stored with rank 0.

    A public function that is also called inside the module keeps a private
    copy for these calls. Tensor arguments are marked
    `bufferization.writable = false` unless they say otherwise.

    ```mlir
    func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> {
      %e = tensor.empty(%n) : tensor<?xf32>
      %r = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%a: tensor<?xf32> {bufferization.writable = false}) {
      %m = vortex.result 0(%n) : memref<?xf32>
      %e = bufferization.to_tensor %m restrict writable : memref<?xf32> to tensor<?xf32>
      %r = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      bufferization.materialize_in_destination %r in restrict writable %m
      return
    }
    ```

    - Before: tensors, functions with one block.
    - After: public functions return nothing; private ones are as they were.
    - Errors: a result that is neither a scalar nor a tensor of known rank.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect",
    "::vortex::VortexDialect"];
  let statistics = [
    Statistic<"numInPlace", "in-place", "results computed where they belong">,
    Statistic<"numCopied", "copied", "results copied at the end">];
}

def AddContext : Pass<"vortex-add-context", "::mlir::ModuleOp"> {
  let summary = "pass the call's context through all functions";
  let description = [{
    Every function with a body gets the call's context (`VortexCallContext *`
    of `vortex-c/Artifact.h`) as its first argument, marked `vortex.context`,
    and passes it on in its calls, as do the choice functions that it only
    declares. Functions that have one are left alone.

    - Before: functions called by name.
    - After: `getCallContext` finds the context in every function with a body.
    - Errors: a call through a function value.

    ```mlir
    func.func @f(%context: !llvm.ptr {vortex.context}, %a: memref<?xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def NumberQueries : Pass<"vortex-number-queries", "::mlir::ModuleOp"> {
  let summary = "number the machine parameters and kernels of a module";
  let description = [{
    Each `vortex.machine_param`, `vortex.select` and `vortex.report`, nested
    modules included, gets its position in the artifact's tables as
    `vortex.index`. The tables become the module attributes `vortex.params`
    (name and default: those of the target's description, then others that are
    asked for, each sorted by name, so that code which reads one is the same in
    other programs) and `vortex.kernels` (at least name and
    candidates; those that `vortex-describe-kernels` listed, then the others in
    order of appearance). Ops that name one kernel must list the same
    candidates. A kernel that is called without a choice gets `decided`, the
    position of its candidate. Libraries that stages and calls name become
    `vortex.libraries`, sorted.

    - Before: any program. After: positions on every query. Errors: ops that
      disagree about a kernel's candidates or a parameter's default.

    ```mlir
    module attributes {vortex.params = [{default = 1.870000e+02 : f64, name = "l2.stream"} ],
                       vortex.kernels = [{candidates = ["packed", "direct"], name = "mm"} ]} {
      ... vortex.machine_param "l2.stream" default 1.870000e+02 {vortex.index = 0 : i64}
    ```
  }];
  let dependentDialects = ["::vortex::VortexDialect"];
}

def GuardCosts : Pass<"vortex-guard-costs"> {
  let summary = "compute costs of candidates only where these may run";
  let description = [{
    What computes the cost of a candidate with a guard, and nothing else, moves
    under a branch on the guard; where that does not hold the cost is infinite.
    A cost of a few operations stays, and one that something else is told where
    the guard does not hold. Costs that the same flag selects from two formulas
    each are computed in the arms of one branch, around those on guards, and what
    waits for them behind it, if it only computes. Costs are numbers, so that a
    maximum or minimum that the choice alone uses becomes a comparison: arith's
    also look for NaN.

    - Before: `vortex.select` and `vortex.report` with their arithmetic in the
      same block. After: the same choice. Errors: none.

    ```mlir
    %time = scf.if %long -> f64 { ... scf.yield %ns : f64 } else { scf.yield %never : f64 }
    %i = vortex.select "mm" ["packed", "kblock"] %cheapest allowed(%true, %long) costs(%ns0, %time)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"numGuarded", "guarded", "costs that are under a branch">,
    Statistic<"numBranches", "branches", "branches on which formula holds">
  ];
}

def SeparateStrides : Pass<"vortex-separate-strides"> {
  let summary = "compute the addresses of a tile's rows behind its loop again";
  let description = [{
    Where a block writes several vectors to a memory of unknown strides behind a
    loop, the writes get strides of which LLVM does not know that they are those
    in front of the loop: `llvm.inline_asm` without instructions hands them on.

    - Before: loops and vectors on memrefs. After: the same. Errors: none.

    ```mlir
    %sums:2 = scf.for ... -> (vector<16xf32>, vector<16xf32>)
    vector.transfer_write %sums#0, %c[%c0, %c0] : vector<16xf32>, memref<?x?xf32, strided<[?, 1]>>
    ```
    becomes
    ```mlir
    %own = memref.reinterpret_cast %base to offset: [0], sizes: [%m, %n], strides: [%hidden, 1]
    vector.transfer_write %sums#0, %own[%c0, %c0]
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"];
  let statistics = [Statistic<"numSeparated", "separated", "writes whose addresses are computed again">];
}

def ResolveDims : Pass<"vortex-resolve-dims"> {
  let summary = "extents of what an op gives in terms of its operands";
  let description = [{
    `tensor.dim` and `memref.dim` of an op's result ask the op's operands
    instead, where the op says how its results' extents follow from them
    (`ReifyRankedShapedTypeOpInterface`): then nothing keeps an op that only
    gave an extent. Upstream's `resolve-ranked-shaped-type-result-dims`, of
    what reads extents alone: no other op is folded or erased.

    - Before: anything. After: the same extents. Errors: extents that lead
      to others without end.

    ```mlir
    %t = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>)
    %n = tensor.dim %t, %c0
    ```
    becomes
    ```mlir
    %n = tensor.dim %empty, %c0
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SkipDivisions : Pass<"vortex-skip-divisions"> {
  let summary = "branch around divisions whose divisor or quotient is one";
  let description = [{
    A rounded-up division of sizes (`arith.ceildivui` of `index`, both unknown)
    goes under two branches: by one it is what is divided, and of no more than
    the divisor it is one, or zero of nothing; where a divisor is at least some
    number, what else it is computed from is behind the branch. What threads,
    blocks and groups of rows take of a small problem is a chain of such
    divisions; a branch that is predicted does not wait for the one before.

    A choice between two sizes that takes a division to decide goes under a
    branch where both are the same: one thread, whatever an estimate says of
    several, or one block. What only the choice needs is behind the branch, but
    for numbers of the machine, which wait for nothing.

    - Before: loops and choices, `vortex-lower-queries`, any other arithmetic.
      After: the same numbers. Errors: none.

    ```mlir
    %blocks = arith.ceildivui %rows, %most : index
    ```
    becomes
    ```mlir
    %blocks = scf.if %divisor_is_one -> (index) { ... } else { ... }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numSkipped", "skipped", "divisions that are under branches">,
                    Statistic<"numDecided", "decided", "choices that are under branches">,
                    Statistic<"numGuarded", "guarded", "divisions that are kept from zero">];
}

def ExpandFloat8 : Pass<"vortex-expand-float8"> {
  let summary = "widen and round floats of eight bits by arithmetic on their bits";
  let description = [{
    LLVM has no f8E4M3FN and no f8E5M2: in memory and in registers they are
    bytes. Widening is exact; rounding is to nearest with ties to even, and what
    is beyond the largest number becomes NaN (f8E4M3FN) or infinity.

    - Before: `arith.extf` and `arith.truncf` on scalars or vectors, no
      `arith.truncf` from f64 to these types (`vortex-lower-narrow-floats`).
      After: none that has such a type. Errors: none.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandMath : Pass<"vortex-expand-math"> {
  let summary = "log(1 + x) and e^x - 1 with their digits near zero";
  let description = [{
    `math.log1p` and `math.expm1` of f32 and f64, scalars or vectors, become
    logarithms and exponentials whose rounding is undone by a factor (W.
    Kahan's form): errors of a few units in the last place, where
    `log(1 + x)` would have none of its digits right.

    - Before: any. After: neither op of these types. Errors: none.

    ```mlir
    %u = arith.addf %x, %one : f32
    %l = math.log %u : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def ShareChoices : Pass<"vortex-share-choices", "::mlir::ModuleOp"> {
  let summary = "compute choices that are alike in one function";
  let description = [{
    Each `vortex.select`, and each `vortex.report` of a choice, moves with the
    arithmetic in front of it to a private function of the numbers it depends on
    and of the kernel's position in the artifact's table; where the arithmetic
    is the same, so is the function: that of a choice and of what tells it
    before the program runs, for one. A few operations stay. Costs are
    estimates: in the function sums of them may be computed in any order.

    - Before: `vortex-number-queries`; no call contexts yet. After: the same
      choices, no `vortex.choice_input`. Errors: a choice without a position.

    ```mlir
    %i = call @vortex.choice(%m, %n, %number) : (index, index, i64) -> index
    ...
    func.func private @vortex.choice(%m: index, %n: index, %number: i64 {vortex.kernel_number}) -> index attributes {vortex.choice = ["packed", "direct"]} {
      ...
      %i = vortex.select "" ["packed", "direct"] %choice allowed(%true, %few) costs(%ns, %other)
      return %i : index
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
  let statistics = [Statistic<"numShared", "shared", "choices that call another one's function">];
}

def ShareBinderLoops : Pass<"vortex-share-binder-loops", "::mlir::ModuleOp"> {
  let summary = "one function for alike loops that lay out weights";
  let description = [{
    Loops of a binder (the function that another's `vortex.binder` names) that
    differ only in the values they take from outside become calls of one private
    function, which LLVM does not inline: layers of a model lay out weights of
    the same shapes. Of some length, without results, and with nothing in them
    but arithmetic, vectors and memory; a loop that is like no other stays.

    - Before: loops are `scf.for`. After: the same.

    ```mlir
    call @f.bind.loop(%weight, %panels) : (memref<768x768xf32>, memref<48x768x16xf32>) -> ()
    call @f.bind.loop(%other, %others) : (memref<768x768xf32>, memref<48x768x16xf32>) -> ()
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
  let statistics = [Statistic<"numShared", "shared", "loops that became calls">];
}

def RememberChoices : Pass<"vortex-remember-choices", "::mlir::ModuleOp"> {
  let summary = "keep the latest answer of each choice";
  let description = [{
    A call of a choice function (`vortex-share-choices`) keeps its answer beside
    the numbers it depends on (sizes, alignments, strides) in `context->memo`,
    and is made for other numbers alone, or when someone listens to choices.
    `vortex.memos` of the module says how many keep one.

    - Before: call contexts. After: the same choices. Errors: a call of a choice
      function without a context.

    ```mlir
    %i = scf.if %same -> index { scf.yield %last : index }
         else { %new = call @vortex.choice(%context, %m, %n, %number) ... scf.yield %new : index }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numRemembered", "remembered", "choices that keep their answer">];
}

def LowerQueries : Pass<"vortex-lower-queries"> {
  let summary = "lower questions to the run time to the call's context";
  let description = [{
    A machine parameter is a load from `context->machine`. A selection asks
    `context->choose` when the caller set it, and is its own choice otherwise;
    a report always asks. Strides and alignments of operands are read from
    memrefs.

    - Before: `vortex-number-queries` and `vortex-add-context`; bufferization.
    - After: none of these ops is left. Units are the description's: bytes, GB/s, ns.
    - Errors: an op without a position, or outside a function with a context;
      a question about a tensor.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
}

def LowerLibraryCalls : Pass<"vortex-lower-library-calls"> {
  let summary = "lower products of libraries to the call's context";
  let description = [{
    `vortex.library_call` becomes a call of `context->product` with the position
    of the library in the artifact's table, the sizes, and for each matrix where
    it begins and how far apart rows and columns lie. The run time says it in
    the library's words (which matrix is transposed, leading dimensions).

    - Before: `vortex-number-queries` and `vortex-add-context`; bufferization.
    - After: no `vortex.library_call` is left.
    - Errors: an op without a position, outside a function with a context, or on
      tensors.

    ```mlir
    vortex.library_call "openblas" ins(%a [0, 1], %b [0, 1] : memref<?x?xf32>, memref<?x?xf32>)
                                   outs(%c [0, 1] : memref<?x?xf32>) {vortex.index = 0 : i64}
    ```
    becomes a call through the context with three arrays: sizes, addresses,
    strides.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect"];
}

def LowerDeviceMemory : Pass<"vortex-lower-device-memory", "::mlir::ModuleOp"> {
  let summary = "let the host program work on memory of a device";
  let description = [{
    For a program whose kernels run on a GPU: memrefs of its functions are in
    the device's memory, which host code must not follow. Copies and fills
    become calls of `context->copy` and `context->fill`, of any strides; a
    loaded element is brought to the host by `context->read`, which waits for
    the device (a remark), a stored one goes there by `context->write`; a global
    is taken from `context->constant`, its copy on the device; what the program
    had on the stack is allocated. Allocation, views and questions about sizes
    stay: they read no element.

    - Before: memrefs, `vortex-add-context`, kernels outlined.
    - After: no op of a function reads or writes elements of a memref.
    - Errors: any other op that does, by name: it has no device code.

    ```mlir
    memref.copy %a, %b : memref<?xf32> to memref<?xf32>
    ```
    becomes a call through the context with the sizes and strides of both.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect"];
  let statistics = [Statistic<"numReads", "reads", "elements read by the host">];
}

def DensifyOperands : Pass<"vortex-densify-operands"> {
  let summary = "copy what kernels read or write if its rows have gaps";
  let description = [{
    A kernel takes memory whose innermost elements follow each other (at the
    positions `dense` also rows, as far as extents are known, at `packed` all of
    it). An operand that is not known to be such is copied to memory that is, an
    init back behind the kernel, too.

    What is known of strides: a cast that forgets them is skipped. Where two
    memrefs meet, at the start and the end of a step of a loop or in the cases
    of a branch, bufferization takes a type of any strides unless both have the
    same; the strides that both have go back into the type here. State that a
    loop carries is thus not copied in each step.

    - Before: memrefs, behind bufferization and canonicalization, in front of
      what frees buffers. After: operands of kernels are as they need them.
    - Limits: of loops, `scf.for` alone; strides that are equal at run time but
      not in the types are taken for different ones.
    - Errors: none.

    ```mlir
    scf.for ... iter_args(%h = %start) -> (memref<?x128xf32, strided<[?, ?], offset: ?>>) {
      vortex.kernel_call @step ins(%h : memref<?x128xf32, strided<[?, ?], offset: ?>>) outs(%new : memref<?x128xf32>)
    ```
    becomes, where `%start` is a part of rows and `%new` what a step hands on,
    ```mlir
    scf.for ... iter_args(%h = %start) -> (memref<?x128xf32, strided<[128, 1], offset: ?>>) {
      vortex.kernel_call @step ins(%h : memref<?x128xf32, strided<[128, 1], offset: ?>>) outs(%new : memref<?x128xf32>)
    ```
  }];
  let dependentDialects = [
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numCopies", "copies", "operands copied">];
}

def LowerCopies : Pass<"vortex-lower-copies"> {
  let summary = "turn memref.copy between strided memrefs into loops";
  let description = [{
    A copy between contiguous memrefs stays, it becomes one memcpy. Any other
    becomes a `linalg.generic`, which needs no run-time library.

    - Before: memrefs. After: no copy between memrefs whose elements are not
      adjacent. Errors: a copy of memrefs of unknown rank.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def LoopsToBlocks : Pass<"vortex-loops-to-blocks"> {
  let summary = "structured control flow to blocks, loops tested behind the body";
  let description = [{
    What upstream's `convert-scf-to-cf` does, but for `scf.for`: a branch around
    the loop where it has no trip, its body, and a branch back behind that. It
    is what LLVM makes of upstream's blocks, at a price that grows with the
    loops times the code around them.

    - Before: `scf`. After: `cf`. A loop keeps its `loop_annotation`. Errors:
      none.

    ```mlir
    %sum = scf.for %i = %from to %to step %c1 iter_args(%in = %zero) -> (f32) {
      ...
      scf.yield %out : f32
    }
    ```
    becomes
    ```mlir
      %some = arith.cmpi slt, %from, %to : index
      cf.cond_br %some, ^body(%from, %zero : index, f32), ^behind(%zero : f32)
    ^body(%i: index, %in: f32):
      ...
      %next = arith.addi %i, %c1 : index
      %more = arith.cmpi slt, %next, %to : index
      cf.cond_br %more, ^body(%next, %out : index, f32), ^behind(%out : f32)
    ^behind(%sum: f32):
    ```
  }];
  let options = [Option<
    "unroll", "unroll", "bool", /*default=*/"true",
    "whether LLVM may repeat the body of a loop that does not say so">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def LowerReshapes : Pass<"vortex-lower-reshapes"> {
  let summary = "turn memref.expand_shape and collapse_shape into reinterpret_cast";
  let description = [{
    Strides of the reshaped memref are computed from the source's descriptor.
    Upstream's `expand-strided-metadata` crashes on a group with two unknown
    sizes (llvm-project issue 186830), which every split of rows into
    batch and sequence makes.

    - Before: memrefs. After: neither op is left; at most one size of a group
      is computed from the others, by a division. Errors: none.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect"];
}

def LowerNarrowFloats : Pass<"vortex-lower-narrow-floats"> {
  let summary = "round f64 values, sums and products to narrow floats once";
  let description = [{
    x86 has no instruction for it and LLVM calls a compiler run-time library.
    Rounding to f32 first and then again may be off by one unit in the last
    place; the first step therefore rounds to odd (towards zero, then the last
    bit set when anything was lost), after which the second is exact (Boldo and
    Melquiond, "When double rounding is odd", 2005).

    `math.fma` on f16, bf16 and floats of eight bits becomes f64 arithmetic whose result is rounded
    like this, so that it is correctly rounded: products are exact in f64. A sum
    of f16 values is exact, too, or the addend is so much larger that it is the
    result; other sums are rounded to odd in f64, what is lost being
    known from Knuth's TwoSum.

    - Before: `arith.truncf` and `math.fma` on scalars or vectors. After: no
      `arith.truncf` from f64 to narrower types than f32, no `math.fma` on
      these.
      Errors: none.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def LowerParallel : Pass<"vortex-lower-parallel", "::mlir::ModuleOp"> {
  let summary = "run scf.forall on the call's threads";
  let description = [{
    The body of each outermost `scf.forall` (without results) becomes a
    function `body(context, closure, i)`; what it uses from outside travels in
    a struct on the caller's stack. With one thread or one step it is called
    in place, else through `context->parallel_for`. An `scf.forall` inside
    another becomes sequential loops.

    - Before: memrefs, `vortex-add-context`.
    - After: no `scf.forall`; steps may run in any order and on any thread.
    - Errors: an `scf.forall` on tensors, or outside a function with a
      context; a captured value that cannot lie in a struct.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::scf::SCFDialect"];
}

def SplitMaskedTransfers : Pass<"vortex-split-masked-transfers", "::mlir::ModuleOp"> {
  let summary = "move the end of a row in parts where there are no mask registers";
  let description = [{
    A store of the first lanes of a vector (`vector.transfer_write` under a
    `vector.create_mask`) becomes a store of the whole vector where all lanes
    are there, else one of each part, half as long as the one before, that the
    number of lanes has a bit for. Stores of as many lanes share the branches
    when nothing but stores is between them and none writes where another does:
    they are the rows of a tile. Loads (`vector.transfer_read`) of elements
    narrower than 32 bits are taken apart in the same way.

    `vmaskmovps` into memory takes 12 cycles on an EPYC of family 25 (4.1 ns
    measured, other stores 0.7; loads take 1), and elements narrower than 32
    bits have no such instruction: LLVM moves lane by lane.

    - Before: memrefs. A module whose `vortex.targets` have AVX-512, or none at
      all, or GPUs, stays as it is.
    - After: no such store or load; those under other masks stay.
    - Errors: none.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def SplitWeights : Pass<"vortex-split-weights", "::mlir::ModuleOp"> {
  let summary = "move the packing of weights into a function that runs once";
  let description = [{
    An op that carries the unit attribute `vortex.bind` and depends, directly
    or not, only on arguments marked `vortex.weight` and constants moves, with
    what it depends on, from public function `@f` to `@f.bind`, which takes the
    weight arguments of `@f` in order. Each result of a moved op that the rest
    uses becomes a result of `@f.bind` and a trailing argument of `@f`, marked
    `vortex.bound`; `vortex.binder` of `@f` names it, which has another name
    when the program has a function `@f.bind`. A weight whose elements nothing
    in `@f` reads any more is marked `vortex.sizes_only`: nobody has to keep it.

    - Before: tensors, `vortex-bind-weights`.
    - After: public `@f.bind` beside `@f` where there was something to move.
    - Errors: none; a marked op that depends on anything else stays.

    ```mlir
    func.func @f.bind(%w: tensor<?x?xf32>) -> tensor<?x?x32xf32>
    func.func @f(%x: tensor<?x?xf32>, %w: tensor<?x?xf32> {vortex.sizes_only, vortex.weight},
                 %p: tensor<?x?x32xf32> {vortex.bound}) -> tensor<?x?xf32>
        attributes {vortex.binder = @f.bind}
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def ConvertToLLVM : Pass<"vortex-convert-to-llvm", "::mlir::ModuleOp"> {
  let summary = "convert to the LLVM dialect against the call's context";
  let description = [{
    Upstream's conversions in one run, with the run-time services taken from
    the call's context: `memref.alloc` asks `context->allocate`,
    `memref.dealloc` tells `context->release`, `vortex.result` asks
    `context->result` unless `context->results` has memory of that size, a
    failing `cf.assert` ends the call by `context->fail`.
    `vortex.kernel_call` becomes a call of the kernel's function.

    - Before: branches over scalars, vectors and strided memrefs; functions
      have the call's context.
    - After: the LLVM dialect alone, without a global that is written.
    - Errors: an op that upstream cannot convert, named.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // VORTEX_CONVERSION_PASSES_TD
