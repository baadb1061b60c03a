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
    prove needs no check.

    - Before: `vortex.match` on tensors.
    - After: none is left.
    - Errors: a relation, also of the function's `vortex.where`, that cannot be
      read or that names a size unknown here; one that the types refute.

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

def SimplifySizes : Pass<"vortex-simplify-sizes"> {
  let summary = "Compute each size once, and drop checks that cannot fail";
  let description = [{
    Importers spell one size in many ways: `tensor.dim` of several tensors,
    `(12 * b) / 12`, the maximum of two that are equal. `SizeAnalysis` brings
    integers into a normal form under the facts of their place (sizes that
    `vortex.dims` and `vortex.where` declare, assertions and branches passed on
    the way); those with the same form become the first of them. Sizes that are
    numbers become constants, conditions that are decided are, and assertions
    that cannot fail go. Those that stay are facts for what follows.

    Ops are not believed that their operands fit them: an assertion behind a
    product stays, even if the product has no meaning where it fails. Bodies of
    linalg ops and kernels stay as they are. Dead code is left to
    canonicalization.

    - Before: index and integer arithmetic, shapes of tensors.
    - After: sizes that are provably equal are one value where it dominates.
    - Errors: none.

    ```mlir
    %r = arith.muli %b, %c12 : index
    %q = arith.divsi %r, %c12 : index
    %m = arith.maxui %q, %b : index
    %ok = arith.cmpi eq, %m, %b : index
    cf.assert %ok, "mismatched size for broadcast"
    %e = tensor.empty(%m) : tensor<?xf32>
    ```
    becomes, with `%b` a size,
    ```mlir
    %e = tensor.empty(%b) : tensor<?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numMerged", "merged", "values replaced by an equal one or a number">,
    Statistic<"numProved", "proved", "assertions that cannot fail">,
    Statistic<"numDecided", "decided", "conditions of branches and selects decided">
  ];
}

def PrintSizes : Pass<"vortex-print-sizes"> {
  let summary = "Print the sizes of a program in symbols, and what is known of them";
  let description = [{
    Writes what `SizeAnalysis` finds to the error stream, for each function: its
    symbols, what each stands for and its range; then, in the order of the
    program, the shape of every tensor in symbols and, where it changes, what
    is known. A size of a private function that is a number at some of its calls
    and not at others is listed: a copy for these calls would know it.

    - Before: any program.
    - After: the same.
    - Errors: none.

    ```
    sizes of @layer
      symbols
        m = dim 0 of %arg0, from 0 to 281474976710656
      shapes
        %arg0: [m, 768]
        known here: s0 == m
        %3: [m, 12, 64]
    ```
  }];
  let options = [
    Option<"trustOps", "trust-ops", "bool", "false",
           "believe ops that their operands fit them">
  ];
}

def SetPrecision : Pass<"vortex-set-precision", "::mlir::ModuleOp"> {
  let summary = "Say for each function what its products of f32 are computed in";
  let description = [{
    A function keeps the `vortex.precision` it has; the others get that of the
    option, if it is not f32. As private functions lose their name to the
    inliner, the linalg ops of one with an attribute get it, too: it is theirs
    wherever they go. `vortex-apply-precision` does what is said here.

    - Before: functions.
    - After: the same program, and what its products are computed in.
    - Errors: a `vortex.precision` that is none.

    ```mlir
    func.func private @head(%x: tensor<?x768xf32>) -> tensor<?x2xf32> attributes {vortex.precision = "f32"}
    ```
  }];
  let options = [
    Option<"precision", "precision", "::vortex::Precision", "::vortex::Precision::F32",
           "of functions without `vortex.precision`", [{::llvm::cl::values(
             clEnumValN(::vortex::Precision::F32, "f32", "as the program says"),
             clEnumValN(::vortex::Precision::BF16, "bf16", "factors rounded to bf16, sums of f32"),
             clEnumValN(::vortex::Precision::Int8Dynamic, "int8-dynamic",
                        "activations and weights as i8 with a scale a row and a column"),
             clEnumValN(::vortex::Precision::TF32, "tf32", "factors rounded to tf32, sums of f32"),
             clEnumValN(::vortex::Precision::BF16x2, "bf16x2",
                        "each product as three of bf16, where that is faster"))}]>
  ];
}

def ApplyPrecision : Pass<"vortex-apply-precision"> {
  let summary = "Compute products of f32 in the precision asked for";
  let description = [{
    A product is a contraction whose body is `acc + a * b` in f32; its operands
    are indexed by loops alone, or, but for int8-dynamic, by sums of them: a
    convolution. Its
    own `vortex.precision` says what becomes of it, else that of its function;
    f32 is nothing.

    `bf16`: both factors are rounded to the nearest bf16 (ties to even), sums
    stay f32. `tf32`: both are rounded to the nearest number with ten bits behind
    the point of its fraction and the exponent of f32 (ties away from zero,
    `cvt.rna.tf32`), and stay f32 in memory. The product keeps its
    `vortex.precision`, which lets a matrix instruction that reads no more than
    those bits do it; whatever else does it computes the same factors. `int8-dynamic`, for products of an activation and a weight: with
    `s = max(max|x|, 2^-100) / 127` over a row of the activation and, when
    weights are bound, over a column of the weight, each is
    `round(x / s)` to the nearest integer from -127 to 127 (ties to even); the
    products are summed in i32, exactly, and a sum is worth itself times both
    scales. A row or column with a NaN or an infinity has NaN for its scale, so
    that all its results are. As a sum of more than 133144 products might not
    fit, a check is made where sizes do not prove it.

    `bf16x2`: each factor is taken for the sum of two bf16, `hi`, the nearest, and
    `lo`, the one nearest to what is left, and each product for
    `lo hi + hi lo + hi hi`: one product of bf16 with three times the steps, sums
    of f32. That is done where each target is a CPU with an instruction for
    products of bf16 (matrix tiles, a dot product) that makes three of them in
    less time than it has for one of f32; else the product stays f32, and a
    remark says at which rates. Numbers that would be rounded to infinity are cut
    to sixteen bits, as `lo` is then. `lo` of an infinity or a NaN is zero, and it
    meets the other's `hi` alone. An element is off by at most `2^-17 |x|`, a
    result by `2^-15 sum |a||b|` and the rounding of its sums (more for numbers
    above 3.3961e38, and for those below 2^-118; docs/rationale.md). Never
    chosen unless asked for.

    A factor that depends on weights and constants alone is converted when
    weights are bound: its op is marked `vortex.bind`, and what
    `vortex-bind-weights` packs is the narrow tensor. Activations are converted
    at each call, once for all products that read them; an op that makes them
    and is read by nothing else stores them narrow.

    Convolutions under `int8-dynamic` and `bf16x2`, and under `bf16` where a CPU has no
    dot product of bf16 that is faster than multiply-adds of f32, products that
    are summed to vectors, convolutions of a channel each among them, and
    products of two activations under `int8-dynamic` stay f32. A remark says for
    each product what became of it.

    - Before: linalg on tensors, not yet in kernels.
    - After: no product has a `vortex.precision` but `tf32`, whose factors are
      rounded.
    - Errors: none.

    ```mlir
    %y = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
    ```
    becomes
    ```mlir
    %wn = linalg.generic ... ins(%w : tensor<?x?xf32>) outs(%e : tensor<?x?xbf16>) attrs = {vortex.bind} ...
    %xn = linalg.generic ... ins(%x : tensor<?x?xf32>) outs(%f : tensor<?x?xbf16>) ...
    %y = linalg.matmul ins(%xn, %wn : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numNarrowed", "narrowed", "products in less than f32">,
    Statistic<"numKept", "kept", "products that stay f32 though less was asked for">
  ];
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
      iteration spaces agree, as ops, declared sizes and assertions before them
      say.

    Ops the micro-kernels cannot express (sub-byte elements, `linalg.index`
    under a reduction) stay where they are: the generic path lowers them.

    - Before: linalg on tensors; ops on memrefs and ops in kernels are left
      alone.
    - After: each kernel has names for its axes, a payload whose anchor is
      marked `vortex.anchor` and whose ops have a `vortex.id`, and no
      candidates. Sizes, known or not, stay as they are.
    - Errors: none; what cannot join a kernel stays outside.

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

def CollapsePixels : Pass<"vortex-collapse-pixels"> {
  let summary = "Make products of convolutions by windows of one pixel";
  let description = [{
    A convolution whose window is one element and goes on by one is a product
    of all pixels by the filter, where its image is as large as its result. Of
    what `vortex-form-kernels` would make one kernel of, such a convolution
    becomes a contraction, and dimensions of its result that follow each other
    in every operand that has one of them become one dimension of rows: all of
    images, height and width, or the latter two where an operand has a value
    an image. Rows then end with the last image, not with each row of one, and
    tiles of products are as many as sizes ask for. A bias that is copied to the
    result, for sums to begin with, becomes rows, too. Nothing changes where
    rows would have to be copied: out of a slice or into one, out of padding,
    which a convolution reads around, and where sums begin with what is in
    memory already. The exception are windows that go on by more than one pixel,
    where all targets have matrix tiles for the types: the pixels that they meet
    are copied side by side first, and windows then go on by one.

    - Before: linalg on tensors, not yet in kernels; channels last.
    - After: `linalg.generic` between `tensor.collapse_shape` and
      `tensor.expand_shape`.
    - Errors: pixels that the checks above let through and upstream does not
      collapse, which is a fault of the pass.

    ```mlir
    %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x?x?x64xf32>, tensor<1x1x64x256xf32>) outs(%o : tensor<?x?x?x256xf32>) -> tensor<?x?x?x256xf32>
    ```
    becomes
    ```mlir
    %rows = tensor.collapse_shape %x [[0, 1, 2], [3]] : tensor<?x?x?x64xf32> into tensor<?x64xf32>
    %p = linalg.generic {indexing_maps = [(m, n, k) -> (m, k), (m, n, k) -> (k, n), (m, n, k) -> (m, n)]} ...
    %y = tensor.expand_shape %p [[0, 1, 2], [3]] output_shape [%n, %h, %w, 256] : tensor<?x256xf32> into tensor<?x?x?x256xf32>
    ```
  }];
  let statistics = [Statistic<"numProducts", "products", "convolutions that became products of rows">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FuseChains : Pass<"vortex-fuse-chains"> {
  let summary = "Let tiles of rows pass through several kernels";
  let description = [{
    Finds chains: contractions and row-local ops that `vortex-form-kernels`
    would make several kernels of and that share parallel loops, their rows,
    such that all they hand to each other is indexed by all rows (scores and
    weights of attention by batch, head and query). A chain becomes a choice by
    cost, `vortex.select`, between two cases of an `scf.index_switch`: its ops
    as they are (`parts`), and an `scf.forall` over tiles of rows with the ops
    of one tile inside (`fused`), so that what lies between two kernels is as
    large as a tile. Kernels are then formed in both. A tile has as many rows
    as keep that in half of L2, 64 at least, and a row stays whole: memory is
    linear in it. Rows that read the same columns make up a tile.
    This is Welder's scheduling of connected tiles, on sizes that arrive later.

    A value is no part of a chain when its reader needs all of it for each row
    (the columns of a product), when it is read in front of the chain's end,
    and when writing and reading it takes less than a tenth of the known
    arithmetic around it. Remarks (category `vortex-fuse-chains`) say which and
    why.

    On a GPU a chain is one kernel of two products whose rows are reduced as
    the columns of the first come. What is reduced over a row is a largest or
    smallest value, exact at any time, or a sum. Of a sum of `f(x - m)`, `f` an
    exponential and `m` such a value, what there is so far is multiplied by
    `f(old - new)` when `m` changes; factors that a row shares are taken out of
    it (Milakov and Gimelshein's online normaliser, as in FlashAttention, found
    by these two rules in what the ops compute). Other payloads, products
    without a matrix instruction of 16 x 8 x 16 and a first reduction longer than
    256 stay in parts; so they do at sizes whose first reduction is longer than
    a candidate has room for, or whose rows have no columns. The kernel has one
    axis more than its anchor: the reduction of the first product. Sums are
    added in another order than in parts, and weights are rounded before they
    are divided.

    - Before: linalg on tensors, not yet in kernels; `vortex-decompose-ops`.
    - After: a choice for each chain.
    - Errors: those of `vortex-hierarchize` about targets.

    ```mlir
    %i = vortex.select "attention.chain.0" ["parts", "fused"] %cheaper allowed(%true, %true) costs(%t0, %t1)
    %o = scf.index_switch %i -> tensor<?x?x64xf32>
    case 0 { ... }
    default {
      %r = scf.forall (%b, %m) = (0, 0) to (%batch, %rows) step (%tb, %tm) shared_outs(%out = %o0) -> (tensor<?x?x64xf32>) { ... }
      scf.yield %r : tensor<?x?x64xf32>
    }
    ```
  }];
  let options = [TargetOption];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"numChains", "chains", "chains found">];
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
    Remarks (category `vortex-hierarchize`) say how many were considered, what
    pruned them, which stay. A kernel that no family can plan is a fallback
    and is marked so in a remark; it runs as generic vector loops. A candidate
    whose guard can hold at no size that the types, declared relations and
    assertions before the kernel allow is dropped, so that no code is made for
    it. Kernels that have candidates keep them.

    - Before: linalg on tensors, in kernels or not.
    - After: every kernel that a family plans has candidates, each with a
      cost in nanoseconds and, where it cannot run at all sizes, a guard;
      every kernel that is not a fallback is covered at all sizes on a CPU.
    - Errors: an unknown target, with the names that are known; more than one
      in the option (of those of the module the first is taken, with a
      warning); a description that does not verify, at its line; with
      `deterministic=batch-invariant` a GPU, or a kernel none of whose
      candidates with one order of its sums runs at all sizes.

    With `deterministic=batch-invariant` all candidates of a kernel add up the
    terms of an element in one order, each with one rounding (`contract =
    false` of `#vortex.micro`): no partial sums that come and go with the
    height of a tile, no reduction divided among units. Candidates of the
    program that do otherwise are dropped, and a payload loses its fast-math
    flags. Then the bits of an element do not depend on how many others are
    computed beside it, on threads, on the candidate.

    ```mlir
    %y = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
                       outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
    ```
    becomes, for a CPU, a kernel with `@pack_both_14x32`, `@pack_a_14x32_kblock`,
    `@raw_8x48`, `@direct_6x64` and, for few columns, `@pack_narrow_4x4` among others (the numbers follow from the registers).

    Of the tiles that registers hold the few stay that stream least for each
    product, with one of four vectors for short reductions. `candidates=all`
    keeps the others on CPUs, too: every width, and heights of three quarters
    and half beside the tallest, for contractions and convolutions. It makes no
    better programs; it is there to measure what the few leave out
    (`vortex-bench --oracle`). With `candidates=none` each kernel for a CPU is
    a fallback: where results differ from those, it is a tile that is wrong.

    `libraries` names libraries that products may call, none at first. A kernel
    whose anchor is nothing but a product of two matrices of f32 or f64, over a
    batch or not, gets one candidate more for each, `@library_NAME`: the library
    computes what each thread has of the product (`vortex.library_call`), what
    else the kernel computes follows in tiles. Its guard holds where the run
    time found the library (the parameter `library.NAME` is 1), its cost is
    that of Hockney's half lengths (Hockney and Jesshope, Parallel Computers):
    the parameters `library.NAME.TYPE.rate` and so on, which
    `vortex-probe --library=NAME` measures. Without them it costs infinitely
    much. Those that a target has nothing to do with (`openblas`, `mkl` and
    `onednn` on GPUs, `cublas` elsewhere than on NVIDIA's) are left out.

    On a GPU factors may also be of f16 and bf16, with results of the same type
    or of f32; the library computes the whole product, and a kernel behind it
    (`vortex-split-products`) what follows element by element. The guard asks
    for rows that do not overlap, too. The cost is the lowest of a few tiles', in
    waves as those of our own, on the fastest units that the description has for
    the elements; `library.NAME.TYPE.rate` above zero, in 1e9 operations a
    second, replaces their peak. With `deterministic=batch-invariant` there is none: nobody knows the
    order of a library's sums.
  }];
  let options = [TargetOption,
                 Option<"deterministic", "deterministic", "::vortex::Determinism", "::vortex::Determinism::Sizes",
                        "what results with the same bits must have in common",
                        [{::llvm::cl::values(
                            clEnumValN(::vortex::Determinism::Sizes, "sizes", "all sizes, threads, and how operands lie in memory"),
                            clEnumValN(::vortex::Determinism::BatchInvariant, "batch-invariant",
                                       "what the element is computed from"))}]>,
                 Option<"candidates", "candidates", "::vortex::Candidates", "::vortex::Candidates::Few",
                        "tiles on CPUs",
                        [{::llvm::cl::values(
                            clEnumValN(::vortex::Candidates::Few, "few", "those that no other beats by its shape alone"),
                            clEnumValN(::vortex::Candidates::All, "all", "all that registers and alignment allow"),
                            clEnumValN(::vortex::Candidates::None, "none", "none: each kernel as generic loops"))}]>,
                 ListOption<"libraries", "libraries", "std::string",
                            "libraries that products may call where that is cheaper">];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numPlanned", "planned", "kernels with candidates">,
    Statistic<"numFallbacks", "fallbacks", "kernels left to generic loops">
  ];
}

def DescribeKernels : Pass<"vortex-describe-kernels", "::mlir::ModuleOp"> {
  let summary = "List the kernels of a module and write their formulas as text";
  let description = [{
    Leaves the module attribute `vortex.kernels`: for each kernel its name,
    axes and candidates, each candidate's guard and cost as arithmetic over
    the axes and the parameters of the machine, or that it is a fallback.
    Terms used more than once get a name of their own, one a line; the last
    line of a formula is its value. Selection takes the formulas apart, so this
    comes before it. A kernel name that occurs again is listed once.

    - Before: `vortex-hierarchize`.
    - After: the attribute, when there are kernels; nothing else changes.
    - Errors: none.

    ```mlir
    module attributes {vortex.kernels = [
      {axes = ["d0"], candidates = ["rows"], costs = ["d0 * 8 / l2.stream + 10"],
       guards = [""], name = "f.exp.0"} ]}
    ```
  }];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect"];
}

def OutlineChoices : Pass<"vortex-outline-choices", "::mlir::ModuleOp"> {
  let summary = "Make a function that tells the choices of each public function";
  let description = [{
    For each public function with planned kernels a private one over the same
    arguments holds a `vortex.report` for each of these kernels, in order, and
    the arithmetic that it needs: guards, costs, and the kernel's sizes followed
    back to the sizes of arguments, through destination-style ops, reshapes,
    and loops and branches that keep shapes. The public function names it in
    `vortex.chooser`. Nothing in it reads an element of a tensor or depends on
    whether a branch is taken, so it can be called instead of the function.
    Sizes that are not known are behind `vortex.choice_input`: the arithmetic is
    that of the choice itself, with which `vortex-share-choices` makes it one
    function. A kernel whose sizes cannot be found so is reported without a
    choice. Kernels of functions that are called, not inlined, are not reported.

    - Before: `vortex-hierarchize`; guards and costs are still there.
    - After: public functions with planned kernels have a chooser; those that
      had one are left alone.
    - Errors: an axis whose size no operand of the kernel gives.

    ```mlir
    func.func @mm(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32>
        attributes {vortex.chooser = @mm.choices} { ... }
    func.func private @mm.choices(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) {
      %dim = tensor.dim %a, %c0 : tensor<?x?xf32>
      %m = vortex.choice_input 0 of %dim
      ...
      vortex.report "mm.matmul.0" ["packed", "direct"] choice %cheapest allowed(%g0, %g1) costs(%t0, %t1)
      return
    }
    ```
  }];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numReported", "reported", "kernels whose choice can be told">,
    Statistic<"numDataDependent", "data-dependent", "kernels whose sizes depend on data">
  ];
}

def DropSpilling : Pass<"vortex-drop-spilling", "::mlir::ModuleOp"> {
  let summary = "Leave out candidates whose code was found to spill";
  let description = [{
    `vortex-compile` counts, on object code, the vector registers that the
    innermost loops of each kernel spill and reload. Where neither setting of
    LLVM's machine scheduler avoids them, it names the candidate in the
    module's `vortex.spills`, "kernel=candidate" to the count, and plans again
    if one may be left out.
    This pass leaves out, with a remark, the candidates that are named, as long
    as another without a guard stays: the choice must have an answer at every
    size. Candidates for a GPU that no pass emits are named in the module's
    `vortex.without_code`, to the reason; they are left out as long as another
    has code, whatever its guard.

    - Before: kernels with candidates (`vortex-hierarchize`).
    - After: fewer candidates, in the same order; nothing else changes.
    - Errors: none.

    ```mlir
    module attributes {vortex.spills = {"mm.matmul.0=direct_6x64" = 4 : i64}} {
      ...
    }
    ```
  }];
  let dependentDialects = ["::vortex::VortexDialect"];
}

def SelectKernels : Pass<"vortex-select-kernels"> {
  let summary = "Turn guards and costs into the choice of a candidate";
  let description = [{
    The guards and costs of a kernel's candidates become ordinary arithmetic
    on its sizes in front of it; the cheapest candidate whose guard holds is
    the choice, and an `scf.index_switch` holds one kernel for each. Of two
    that cost the same the first is taken. A single candidate without a guard
    needs no choice. Where every candidate has a guard, the payload by itself
    (generic loops) is the default.

    - Before: kernels with candidates (`vortex-hierarchize`); fallbacks are
      left alone.
    - After: every kernel has one candidate at most, without guard and cost.
      A choice is one `vortex.select`; what canonicalization folds of it, it
      folds.
    - Errors: an axis whose size no operand gives.

    With `machine-defaults` a kernel whose sizes are all known keeps one
    candidate, the cheapest by the defaults of the machine's parameters, with
    operands taken to be dense and to begin with a cache line; without, their
    values at run time decide.

    ```mlir
    %i = vortex.select "mm" ["a", "b"] %cheapest allowed(%ga, %gb) costs(%ca, %cb)
    %y = scf.index_switch %i -> tensor<?x?xf32>
    case 0 { ... }     // the kernel with candidate @a alone
    default { ... }    // with @b
    ```
  }];
  let options = [Option<"machineDefaults", "machine-defaults", "bool", "false",
                        "choose by the defaults of the machine's parameters where all sizes are known">];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def SplitReductions : Pass<"vortex-split-reductions"> {
  let summary = "Give parts of a reduction to blocks of a GPU, and add them";
  let description = [{
    A kernel whose candidate divides a reduction among blocks (`PL` on it with
    `combine("add")`) becomes two. The first has one more axis, `part`, and a
    block for each part and tile; it writes what each part adds up to into
    scratch memory, in the type of the sums. The second adds the parts in their
    order and runs whatever is behind the contraction, so that the same sizes
    give the same bits (split-K as CUTLASS has it, without atomics). How long a
    part is the candidate says, as arithmetic on the sizes and on the machine's
    parameters; it is rounded up to whole steps of the ring. Of a product over
    windows, a part has some of the reduction along which the first factor is
    contiguous, at all points of the others.

    The steps of a part are a condition in the body of the first contraction,
    which its device code turns into the bounds of a loop.

    - Before: kernels with one candidate (`vortex-select-kernels`).
    - After: no candidate has `combine` on a grid. Both kernels have the name of
      the one before, and their only candidates that of its candidate.
    - Errors: a payload that is no contraction of two operands with one result;
      `combine` other than `add`; no ring that walks the reduction in constant
      steps; tiles of other than constant size; a target that is no GPU.

    ```mlir
    %n = arith.ceildivui %k, %length : index
    %e = tensor.empty(%n, %m, %n) : tensor<?x?x?xf32>
    %p = vortex.kernel "mm" axes ["part", "m", "n", "k"] ins(%a, %b, %length) outs(%e) ...
    %r = vortex.kernel "mm" axes ["part", "m", "n"] ins(%p) outs(%o) ...
    ```
  }];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"numSplit", "split", "kernels that became two">];
}

def BindWeights : Pass<"vortex-bind-weights"> {
  let summary = "Pack weights once, outside the kernels that want them packed";
  let description = [{
    For each operand that a candidate loads `bound`, the packed form is made
    in the function by a `linalg.pack` marked `vortex.bind`, one for each
    (weight, layout), and the kernel takes it in place of the weight; its
    payload unpacks it, which expansion cancels. `vortex-split-weights` later
    moves what is marked into a function that runs once. Where a dot-product
    instruction takes a signed A as unsigned, the kernel also gets the sums of
    the weight's columns, which take off what that adds (`vortex.column_sums`
    on the anchor), unless it runs the reduction in blocks; where it leaves out
    padding of A, also for each step of the outer reductions
    (`vortex.step_sums`). Panels of one column
    are for products of fewer columns than lanes: of a weight that turns out to
    have more of them none is laid out so.

    - Before: kernels with one candidate (`vortex-select-kernels`).
    - After: no load is `bound`. The width of a panel is a constant.
    - Errors: a bound load of a panel whose width is not a constant, of an
      input that the anchor does not read, or along an axis that does not
      index it; groups of a reduction that does not index it alone.

    ```mlir
    %p = linalg.pack %weight padding_value(%zero : f32) outer_dims_perm = [1, 0]
         inner_dims_pos = [1] inner_tiles = [32] into %e {vortex.bind}
         : tensor<?x?xf32> -> tensor<?x?x32xf32>
    ```
  }];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def SplitProducts : Pass<"vortex-split-products"> {
  let summary = "Call a library for a GPU's product, and a kernel behind it";
  let description = [{
    A kernel for a GPU whose candidate leaves its product to a library (a stage
    with `library` in no level) becomes `vortex.library_call` and, where the
    kernel computes more than the product, a kernel for that, with one candidate
    of those that memory bounds. The product then goes to scratch memory; one
    that adds to what is there does so where that is.

    - Before: kernels with one candidate (`vortex-select-kernels`).
    - After: no candidate for a GPU has a stage of a library. The kernel behind
      has the name of the one before, and its candidate that of its candidate.
    - Errors: a stage of a library that is more than a product of two matrices
      and the zeros that start it; factors that are computed in the kernel;
      what follows and has no candidate.

    ```mlir
    %r = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b, %bias) outs(%o) {...} candidates {
      vortex.candidate @library_cublas schedule {
        vortex.stage ["fill", "mm"] library "cublas"
        vortex.stage ["bias_relu"]
      }
    }
    ```
    becomes
    ```mlir
    %e = tensor.empty(%m, %n) : tensor<?x?xf32>
    %p = vortex.library_call "cublas" ins(%a [0, 1], %b [0, 1] : ...) outs(%e [0, 1] : ...) -> tensor<?x?xf32>
    %r = vortex.kernel "mm" axes ["m", "n"] ins(%p, %bias) outs(%o) ...
    ```
  }];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"numSplit", "split", "products left to a library">];
}

def InlineFallbacks : Pass<"vortex-inline-fallbacks", "::mlir::ModuleOp"> {
  let summary = "Put the payload of a GPU's kernels without candidates in their place";
  let description = [{
    On a CPU the payload of a kernel without candidates becomes loops of its
    own. On a GPU these loops must be device code, which is made of whatever ops
    of `linalg` a program has outside of its kernels
    (`vortex-outline-loops`); so the payload goes back to where it was. That is
    also what runs where no guard of a kernel's candidates holds.

    - Before: `vortex-select-kernels`. Nothing is done unless the first of the
      module's targets is a GPU.
    - After: every kernel has a candidate.
    - Errors: none.
  }];
  let dependentDialects = ["::vortex::VortexDialect"];
  let statistics = [Statistic<"numInlined", "inlined", "kernels whose payload is inlined">];
}

def ShareLoops : Pass<"vortex-share-loops", "::mlir::ModuleOp"> {
  let summary = "Share among threads the loops that are in no kernel";
  let description = [{
    Ops of `linalg` whose bodies micro-kernels cannot express (rows of a table
    picked by index, several results) stay outside of kernels and become loops
    over numbers. On a CPU the first of their loops that walks all results is
    shared among threads by `scf.forall`, by upstream's tiling, where the work
    takes four times as long as waking them: points times operations of the body
    at half the rate of `fma.f32` without its lanes, against `core.startup`.
    Elements are computed in the order that they were, so bits do not depend on
    it.

    ```mlir
    %rows = linalg.generic {iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<?xi64>) outs(%e : tensor<?x64xf32>) { ... tensor.extract ... }
    ```
    becomes
    ```mlir
    %rows = scf.forall (%i) = (0) to (%n) step (%part) shared_outs(%o = %e) -> (tensor<?x64xf32>) { ... }
    ```

    - Before: `vortex-form-kernels`; a target. Nothing is done for a GPU, where
      `vortex-outline-loops` makes device code of them.
    - After: fills, and what runs when weights are bound, are as they were.
    - Errors: none that a program can cause.
  }];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"numShared", "shared", "ops whose loops threads share">];
}

def OutlineKernels : Pass<"vortex-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Move each kernel with one candidate to a module of its own";
  let description = [{
    Kernels that are the same op for op share one module. The kernel becomes a
    `vortex.kernel_call`; its body a function over memrefs with unit innermost
    stride in a nested `builtin.module` with the attribute
    `vortex.kernel_module`, so that kernels are lowered, optimised, cached and
    emitted independently of each other. `vortex.implements` names the kernels
    and candidates that a module is the code of.

    Packed operands have no gaps (`dense`), nor have, for a CPU, those whose
    innermost extent is known and which are whole values or rows of them:
    arguments of a function, results of ops, what loops carry that starts and
    goes on as such. Their strides are constants in the kernel then as far as
    extents are: sixteen rows of a tile are sixteen offsets from one address.
    Parts of rows (`tensor.extract_slice`) have any stride between rows.

    With `share`, kernels for a CPU that differ in known extents alone share a
    module as well (the layers of a network, each of which has more channels
    than the one before). Where their extents differ it takes them when it
    runs, as if the program had not known them; what all of them have in common
    stays known, and so do extents of at most 32, which tell windows apart and
    are the sizes of tiles. Of bound weights the tiles stay known, how many
    there are does not where the extent that they divide does not. A value that
    the payload makes (`tensor.empty`, what weights are unpacked into) takes its
    unknown extents from an operand that has the same in every kernel; where
    there is none, each kernel keeps its own code. `auto` shares the code of
    three kernels or more: each takes a third of a second or more to compile,
    and knowing an extent is worth 0 to 3 percent of its time. Where weights are
    bound it is worth nothing, and two share; so it is of the number of products
    in a batch. A chain that runs by parts or in tiles of rows thus has the code
    of its products once.

    - Before: kernels with one candidate or none; those with several stay.
    - After: `vortex.kernel_call` in their place; the module has the targets
      of the module around it. A fallback is outlined as well.
      `vortex.implements` names the kernels and candidates whose code it is.
    - Errors: none.

    ```mlir
    %y = vortex.kernel_call @mm_0 ins(%a, %b : ...) outs(%c : tensor<?x?xf32>) : tensor<?x?xf32>
    ```
  }];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::func::FuncDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"];
  let options = [Option<"share", "share", "::vortex::Sharing", "::vortex::Sharing::Never",
                        "which kernels that differ in known extents alone have one code",
                        [{::llvm::cl::values(
                            clEnumValN(::vortex::Sharing::Auto, "auto", "three and more, two with bound weights"),
                            clEnumValN(::vortex::Sharing::Never, "never", "none"),
                            clEnumValN(::vortex::Sharing::Always, "always", "all"))}]>];
  let statistics = [
    Statistic<"numOutlined", "outlined", "kernels outlined">,
    Statistic<"numShared", "shared", "kernels that use an earlier kernel's code">,
    Statistic<"numGeneral", "general", "modules whose kernels differ in known extents">
  ];
}

include "vortex/Dialect/Vortex/Transforms/LoweringPasses.td"

#endif // VORTEX_TRANSFORMS_PASSES_TD
