//===- LoweringPasses.td - Passes over kernels' bodies ----*- tablegen -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What happens to a kernel after its candidates stand: nests, micro-kernels,
// packing, padding, functions of math and prefetches as ops of upstream.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_LOWERINGPASSES_TD
#define VORTEX_TRANSFORMS_LOWERINGPASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandKernels : Pass<"vortex-expand"> {
  let summary = "Turn a candidate into its nest of loops";
  let description = [{
    Walks the tree of levels from the outside in. Each level tiles the ops
    below it with `scf::tileConsumerAndFuseProducersUsingSCF` by its SSA
    sizes, lays out the operands it loads, and ends in `vortex.micro_kernel`
    ops at its stages. A kernel with several candidates is expanded by the one
    that `candidate` names (default: the first); a kernel without candidates
    is inlined as it is.

    A candidate for a GPU becomes a nest of the same kind: grids, queues and
    warps are `scf.forall` loops, what a level loads together is a `linalg.copy`
    of the tile (`vortex.level` says into which memory, `vortex.stages` on the
    loop how many of them are under way), roles fall away. Device code is made
    of the tree (`vortex-convert-to-nvvm`), not of this nest, which shows what
    the tree computes.

    A level that divides a reduction among units (`PL` on it with
    `combine("add")`) becomes a loop over the parts, each from zero into sums of
    its own, and an op behind it that adds them, in their order, to what the
    contraction starts with.

    - Before: kernels on tensors with candidates.
    - After: no kernel; a nest of `scf.for` and `scf.forall` on tensors with
      `vortex.micro_kernel` inside, and `vortex.library_call` for stages of a
      library.
    - Errors: no candidate of that name; a stage of a library that is more than
      a product and the zeros that start it; a reduction divided among units
      that is not the sum of a contraction with one result, is combined by other
      than `add`, is divided together with other axes, is walked by a level
      around, or indexes an operand twice or together with another loop; such a
      level that holds more than the contraction; a level that tiles an axis which its
      stages do not walk; a stage that names an op of another level, or ops
      that compute nothing used; a load of an input that the anchor does not
      read; an anchor that upstream's tiling refuses.

    ```mlir
    vortex.level "core" forall (PL 0 by %mt) { vortex.stage ["mm"] micro <...> }
    ```
    becomes
    ```mlir
    %y = scf.forall (%i) = (0) to (%m) step (%mt) shared_outs(%o = %c) -> (tensor<?x?xf32>) {
      %t = vortex.micro_kernel <...> ins(%rows, %b : ...) outs(%tile : tensor<?x?xf32>) { ... } : tensor<?x?xf32>
      ...
    }
    ```
  }];
  let options = [Option<"candidate", "candidate", "std::string", "\"\"",
                        "name of the candidate to expand; default: by position">,
                 Option<"position", "position", "unsigned", "0",
                        "without a name: which candidate, counted from 0; the last where there are fewer">];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::scf::SCFDialect",
                           "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def LowerMicroKernels : Pass<"vortex-lower-micro-kernels"> {
  let summary = "Turn register tiles into vector code";
  let description = [{
    Rows are unrolled to an exact count (one case of an `scf.index_switch` for
    each), columns lie in vector lanes with a mask for the last vector, and
    reduction loops carry the accumulators as iter_args. A step of the innermost
    one is repeated `unroll` times by LLVM, told so by a `loop_annotation`, or
    here where steps add to sums of their own. The elementwise chain
    behind a contraction runs in the same registers; with functions of many
    instructions (exp, erf, tanh) in it the sums of all cases go through memory
    and one loop over rows behind them has its code. What a reduction adds to is
    read through a `bufferization.to_buffer`, ahead of all writes of its tile.
    Tiles that reduce along
    the lanes become passes over a row, each ended by its reductions.

    - Before: `vortex.micro_kernel` on tensors (`vortex-expand`), of at most
      the rows and vectors of its attribute.
    - After: none is left; `vector`, `arith`, `math` and `scf` on tensors.
      Reads and writes past a tile's last column are masked, rows are exact.
      Instruction `dot` becomes `vortex.dot_product`, a group a step;
      `tile` becomes ops of the `amx` dialect, whose sums go through memory, but
      for whole tiles of what is the result, which go there;
      `outer` has a loop over all rows for each exact number of steps and of
      vectors, with the rows of the other operand in front of it;
      `strip` loops over blocks of rows that are read as they lie in memory, over
      the ends of rows, and brought to their lanes by `vortex.permute`.
      With `inline` the linalg ops of the tile instead, which tells of the
      nest alone whether it is right, whatever the instruction.
    - Errors: a tile with several results or none; a row tile that reduces
      across rows, or by something without a neutral element; an instruction
      `dot`, `tile`, `strip` or `outer` that does not fit the products, their types or
      their layouts.

    ```mlir
    %r = scf.index_switch %rows -> tensor<?x?xf32>
    case 1 { ... }     // one row: accumulators %acc0, %acc1 in scf.for's iter_args
    case 2 { ... }
    ```
  }];
  let options = [Option<"inlined", "inline", "bool", "false",
                        "leave the ops of a tile as they are: linalg on slices, for any machine">];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::scf::SCFDialect",
                           "::mlir::affine::AffineDialect", "::mlir::amx::AMXDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"];
}

def LowerPacks : Pass<"vortex-lower-packs"> {
  let summary = "Lower linalg.pack to vector loops";
  let description = [{
    Column panels are copied row by row, `l2.streams` rows of the target (four
    without one) through all panels before the next; where another dimension
    than the tiled one is innermost in memory (row groups, filters with their
    taps innermost), squares of the two are transposed in registers. A pack marked `vortex.tight` keeps its last group at its exact
    number of rows, so that strides inside a case of the register tile are
    constants. Groups of 32 bits are interleaved in panels and transposed as
    words. Runs of more than 32 bits, rows of matrix tiles, are copied. Without
    tiles, as columns are laid out one behind the other, four columns are
    transposed at a time; one column alone, and elements of neither 32 nor 64
    bits, are a `linalg.transpose`. Packs of other forms are left to upstream.

    - Before: `linalg.pack` on tensors with at most one tiled dimension, or a
      second one in groups of 32 bits.
    - After: loops of `vector.transfer_read`, shuffles and
      `vector.transfer_write`; padding written where the pack asks for it.
    - Errors: a tight pack that something reads other than through its flat
      form.
  }];
  let dependentDialects = ["::vortex::VortexDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerPads : Pass<"vortex-lower-pads"> {
  let summary = "Lower tensor.pad to vector loops";
  let description = [{
    The result is written once, row by row, in vectors with a mask at the end.
    Where the innermost dimension is not padded a row is the two innermost ones
    together, copied at once where the source has no gap between them. Pads by
    what is computed for each element, and elements narrower than a byte, are
    left to upstream.

    - Before: `tensor.pad` by one value.
    - After: loops of `vector.transfer_read` and `vector.transfer_write`.
    - Errors: none.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::vector::VectorDialect"];
}

def ApproximateMath : Pass<"vortex-approximate-math"> {
  let summary = "Replace math functions of vectors by polynomials";
  let description = [{
    `math.exp` and `math.erf` on vectors of f32 and f64 (and of f16 and bf16,
    through f32) become polynomials of our own, `math.tanh` of all but f64
    upstream's, so that all lanes are computed at once instead of by a call for
    each. Errors, in units in the last place, at most:

    | | f32 | f64 |
    |---|---|---|
    | exp | 2; results that would be subnormal may be zero | 1.1 |
    | erf | 6 | 3 |
    | tanh | 5; results that would be subnormal are zero | a call |

    Infinities and NaN are kept. Where the module's targets have AVX-512, vectors
    of 512 bits are scaled by its instruction for powers of two. Logarithms, sines and cosines stay calls, for
    upstream's are wrong for subnormal numbers or large angles, as do functions
    of scalars. Runs on any op.

    - Before: `math` on vectors (`vortex-lower-micro-kernels`).
    - After: neither exp nor erf on vectors, no tanh but of f64. Errors: none.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
  let statistics = [
    Statistic<"numApproximated", "num-approximated", "Functions of vectors seen">
  ];
}

def InsertPrefetches : Pass<"vortex-insert-prefetches"> {
  let summary = "Touch what a tile needs next: its result, the next panel";
  let description = [{
    After bufferization. A reduction loop marked `vortex.prefetch` reads a
    packed panel; the row groups that use this panel share the work of
    touching the next one (group q of g touches lines q/g .. (q+1)/g). Before
    a loop marked `vortex.prefetch_result`, the lines that the block stores
    into after it (of a branch: where its condition holds) are requested for
    writing, where their addresses are known; before an innermost loop if it has
    16 trips or more, or if the rows of the result are no multiple of a line
    apart and the target's vectors wait for both lines that they lie in
    (`waitsAcrossLines`).
    `vortex.prefetch` is the number of cache lines touched in each step; steps
    that LLVM will repeat (`loop_annotation`) count from the first of them,
    so that they share an address. What the body of a loop marked
    `vortex.prefetch_ahead` reads is touched as many trips before. A loop marked
    `vortex.prefetch_row` goes along a row: of one that has a quarter of L1 or
    more each trip touches the same columns of the next row that the loop around
    it comes to (none where the target's L1 is not known). A loop marked
    `vortex.prefetch_in_place` reads arguments in place; on targets with
    `waitsAcrossLines` whose L1 and larger L2 are known one like it goes instead
    that touches what will be read, where that is waited for. Along rows: the lines eight further on, where rows
    lie across lines (the address or a stride is no multiple of one) and the
    argument is larger than L1 and no larger than L2. From row to row, up to
    the 32nd or further: vectors eight rows further on and the line in which the last of a
    row ends, where rows lie across lines, the argument is larger than L1 and
    rows do not share sets of L1 (a line or less from a multiple of a way
    apart), or the argument is larger than L2. A loop marked `vortex.prefetch` that
    reads no packed panel reads rows in place: there each read touches the line
    in which the same vector of the next columns ends (of vectors within a line
    the last alone does), for where rows do not start at lines the one in which
    it begins belongs to the columns at hand; of columns that take several lines
    the line behind that.

    - Before: memrefs; panels are `[K][width]` with a constant width, read at
      column 0 once a step.
    - After: `memref.prefetch` in these loops; the attributes are gone. Loops
      without such a read are left as they are.
    - Errors: none.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def JoinRows : Pass<"vortex-join-rows"> {
  let summary = "Go along rows without gaps as along one";
  let description = [{
    After bufferization. A loop over rows around one marked
    `vortex.nontemporal` that does the same with each element, with nothing of
    another row and no other size than a row's, goes once where, when it runs,
    rows follow each other without gaps in all that it reads and writes: along
    all of them. Rows shorter than a vector, each one of its own under a mask
    otherwise, fill vectors then.

    - Before: loops of vectors on parts of memrefs, each a row.
    - After: how many rows and columns there are is told by the strides; the
      memrefs are `memref.reinterpret_cast` of what they were. Rows of constant
      length are left as they are, and loops with anything but loads, stores
      and elementwise ops of a row's columns in order: no sums, no shuffles.
    - Errors: none.

    ```mlir
    scf.for %r = %c0 to %m step %c1 {
      %row = memref.subview %x[%r, 0] [1, %n] [1, 1]
      ...
    ```
    becomes
    ```mlir
    %rows = arith.select %dense, %c1, %m : index
    %columns = arith.select %dense, %all, %n : index
    %all_of_x = memref.reinterpret_cast %x to offset: [%o], sizes: [%rows, %columns], strides: [%s, 1]
    scf.for %r = %c0 to %rows step %c1 {
      %row = memref.subview %all_of_x[%r, 0] [1, %columns] [1, 1]
      ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
  let statistics = [
    Statistic<"numLoops", "num-loops", "Loops that may go once">
  ];
}

def StorePastCaches : Pass<"vortex-store-past-caches"> {
  let summary = "Store past the caches what is more than they hold";
  let description = [{
    After bufferization. A loop marked `vortex.nontemporal` stores vectors of a
    row. Where all that it stores parts of, whose sizes and addresses are known
    when it runs, exceeds the outermost cache of the target, has rows that begin
    at multiples of their vectors and is not what the loop reads, the thread
    takes a second form of its outermost loop, in which these stores are
    `nontemporal`: a line is not read to be written then. It waits for them
    (`sfence`) behind that loop.

    - Before: loops of vectors on memrefs.
    - After: both forms in the branches of an `scf.if`; the attributes are gone.
      Loops that give values, store under masks, elsewhere than at multiples of
      their vectors or where neighbours do not lie beside each other are left as
      they are, as all are for targets other than x86-64 and those that describe
      no cache.
    - Errors: none.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
  let statistics = [
    Statistic<"numLoops", "num-loops", "Loops of threads with both forms">
  ];
}

#endif // VORTEX_TRANSFORMS_LOWERINGPASSES_TD
