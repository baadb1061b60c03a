//===- Passes.td - Programs before kernels are formed -----*- tablegen -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_GRAPH_PASSES_TD
#define VORTEX_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

def FoldExtracts : Pass<"vortex-fold-extracts"> {
  let summary = "Read elements that a generic extracts as one of its operands";
  let description = [{
    Importers write a broadcast that is only known at run time as a
    `linalg.generic` whose body computes indices and extracts an element. Where
    each index is that of a loop as long as the dimension, as `SizeAnalysis`
    sees it, or the only one of a dimension of size 1, the tensor becomes an
    operand with an indexing map. An index that is zero where the dimension has
    size 1, and the loop's otherwise, is the loop's.

    ```mlir
    %one = arith.cmpi eq, %n, %c1 : index
    %y = linalg.generic ... outs(%e : tensor<?xf32>) {
      %i = linalg.index 0 : index
      %j = arith.select %one, %c0, %i : index
      %v = tensor.extract %x[%j] : tensor<?xf32>
    ```
    becomes
    ```mlir
    %y = linalg.generic ... ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%v: f32, %out: f32):
    ```

    - Before: linalg on tensors.
    - After: no such extraction in a body; others stay.
    - Errors: none.
  }];
  let statistics = [Statistic<"numFolded", "folded", "extractions that became operands">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def StripGenerics : Pass<"vortex-strip-generics"> {
  let summary = "Drop unused results, constant operands and dimensions of size 1 of generics";
  let description = [{
    Upstream's patterns, on `linalg.generic` on tensors: results without a use
    go, with what only they need (the position of a maximum beside it); an
    operand that is one constant throughout becomes that number in the body;
    loops of one step and dimensions of size 1 go, with reshapes where tensors
    have them, as long as no operand is read through a window.

    - Before: linalg on tensors.
    - After: fewer operands and results.
    - Errors: none.

    ```mlir
    %max:2 = linalg.generic ... outs(%m, %at : tensor<?xf32>, tensor<?xi64>) { ... }
    ```
    becomes, when `%max#1` has no use,
    ```mlir
    %max = linalg.generic ... outs(%m : tensor<?xf32>) { ... }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FoldReshapes : Pass<"vortex-fold-reshapes"> {
  let summary = "Turn tensor.reshape into expand_shape and collapse_shape";
  let description = [{
    The new sizes of a `tensor.reshape` are elements of a tensor. Where
    `SizeAnalysis` finds that neighbouring dimensions of one side have together
    the size of a dimension of the other, the reshape becomes a
    `tensor.collapse_shape` or a `tensor.expand_shape`, which say so.

    - Before: tensors; in front of `vortex-decompose-ops`, which takes reshapes
      apart.
    - After: a `tensor.reshape` only where groups are not known.
    - Errors: none.

    ```mlir
    %s = tensor.from_elements %b, %c16 : tensor<2xindex>
    %y = tensor.reshape %x(%s) : (tensor<?x8x2xf32>, tensor<2xindex>) -> tensor<?x16xf32>
    ```
    becomes, with `%b` the first size of `%x`,
    ```mlir
    %y = tensor.collapse_shape %x [[0], [1, 2]] : tensor<?x8x2xf32> into tensor<?x16xf32>
    ```
  }];
  let statistics = [Statistic<"numFolded", "folded", "reshapes whose groups are known">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def HoistChecks : Pass<"vortex-hoist-checks"> {
  let summary = "Check elements in front of the generic that asserts something of them";
  let description = [{
    A `cf.assert` in the body of a `linalg.generic` keeps it from becoming a
    kernel. The condition is computed for all elements by a reduction in front
    of the op, and asserted once, with the same message. The call fails for the
    same elements as before.

    - Before: linalg on tensors; a condition computed in the body from elements
      of inputs whose maps give the extent of each loop.
    - After: no `cf.assert` of this form in a body.
    - Errors: none.

    ```mlir
    ^bb0(%in: f32, %out: f32):
      %ok = arith.cmpf one, %in, %zero : f32
      cf.assert %ok, "zero element"
    ```
    becomes, in front of the op,
    ```mlir
    %all = linalg.generic ... ins(%x : tensor<?xf32>) outs(%one : tensor<i32>) { ... }
    cf.assert %every, "zero element"
    ```
  }];
  let statistics = [Statistic<"numHoisted", "hoisted", "assertions moved out of bodies">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def CheckSizes : Pass<"vortex-check-sizes"> {
  let summary = "Check the sizes that ops need to agree where the call does not";
  let description = [{
    Of ops of a public function's first block the run time checks at every call
    which sizes of arguments must agree: the pass says them in
    `vortex.checked_at_call`. Sizes that are computed are not known then,
    and an op in the body of a loop or a branch may never run, so what they need
    is checked where they run: in front of the op, by `cf.assert` with the sizes
    and the op in its message. Checked are operands
    of linalg ops that share a loop, windows against what they read, elementwise
    ops, copies and concatenations; of these the run time knows at a call. What
    follows is always checked here: as many elements behind `expand_shape` and
    `reshape` as before, each size not negative; room in the tiles of
    `linalg.pack` and `linalg.unpack`, without a padding value to the element;
    sources of `insert_slice` against the slice. Bounds of slices are not
    checked.

    A check of sizes that a loop does not change is made once in front of the
    loop, for loops that run at all: `scf.for` whose bounds leave a step, the
    part of `scf.while` that always runs. Where a branch decides it stays in the
    branch. Sizes that the types give are compared here, which verifiers leave
    out beside dynamic ones; those of one value that does not change are not
    checked. `vortex-simplify-sizes`, which comes next, drops
    checks that always hold.

    - Before: linalg on tensors or memrefs; no op in a body of a kernel.
    - After: assertions in front of the ops they protect, or of a loop around,
      and what is left to the call as an attribute of the function.
    - Errors: sizes that the types give, of an op that each call runs, which
      contradict each other.

    ```mlir
    scf.for %i = %zero to %steps step %one iter_args(%x = %h) -> (tensor<?x?xf32>) {
      %y = linalg.matmul ins(%h, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
    ```
    becomes
    ```mlir
    %inner = tensor.dim %h, %c1 : tensor<?x?xf32>
    %outer = tensor.dim %w, %c0 : tensor<?x?xf32>
    %same = arith.cmpi eq, %inner, %outer : index
    %never = arith.cmpi sge, %zero, %steps : index
    %ok = arith.ori %never, %same : i1
    cf.assert %ok, "..."
    scf.for ...
    ```
  }];
  let statistics = [Statistic<"numChecks", "checks", "sizes compared">,
                    Statistic<"numHoisted", "hoisted", "checks moved in front of a loop">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def ChannelsLast : Pass<"vortex-channels-last"> {
  let summary = "Lay out images with their channels innermost";
  let description = [{
    Vectors of a convolution run along channels. A convolution that has pixels
    innermost reads and writes tensors with channels innermost instead, of any
    number of image dimensions; its filter stays as it is, since it is packed
    anyway. The layout is passed on through padding, pooling, elementwise ops
    and reductions, as far as all images that an op reads have it or cost
    nothing to have it (a value broadcast, a fill). Where other ops meet such
    values they are transposed, once each, without a copy where only
    dimensions of size 1 change places.

    - Before: linalg on tensors.
    - After: `linalg.generic` in place of the ops that changed.
    - Errors: none.

    ```mlir
    %y = linalg.conv_2d_nchw_fchw ins(%x, %f : ...) outs(%z : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    ```
    becomes, with `%last` the transposition of `%x` by `[0, 2, 3, 1]`, a
    `linalg.generic` on `%last` with
    `(n, h, w, f, kh, kw, c) -> (n, h + kh, w + kw, c)`, whose result is
    transposed by `[0, 3, 1, 2]`.
  }];
  let statistics = [Statistic<"numMoved", "moved", "ops with channels innermost">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FoldRelayout : Pass<"vortex-fold-relayout"> {
  let summary = "Let products read and write tensors where they are";
  let description = [{
    Importers copy a weight to every element of the batch, transpose heads
    before and after a product, and join batch and heads into one dimension. A
    contraction needs none of these copies, its indexing maps say them:

    - an operand that is a transposed, broadcast or plain copy is read from
      where it was copied (a transposition that a loop does not change stays in
      front of the loop);
    - where a dimension of both operands was joined from several of such a copy,
      as batch and heads are, the contraction walks these;
    - where only some of them are those of one operand, as heads in groups that
      share keys, elementwise ops and reductions behind the contraction walk
      them, too, up to the next contraction: nothing lies between that a chain
      would end at;
    - a result that is only transposed, with its innermost dimension in place,
      is written transposed;
    - a sum that starts from a row that is broadcast starts from zero, and the
      row is added behind it (sums of 32 bits and more: others would be rounded
      once more).

    Other ops read what is only broadcast from its source.

    - Before: contractions on tensors, named or generic.
    - After: `linalg.generic` in place of those that changed; copies without
      another use are gone.
    - Errors: none.

    ```mlir
    %all = linalg.broadcast ins(%w : tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>) dimensions = [0]
    %y = linalg.batch_matmul ins(%x, %all : ...) outs(%z : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    ```
    becomes a `linalg.generic` that reads `%w` by `(b, m, n, k) -> (k, n)`.
  }];
  let statistics = [Statistic<"numFolded", "folded", "copies that a product does without">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect"];
}

def CollapseRows : Pass<"vortex-collapse-rows"> {
  let summary = "Make batch and sequence one dimension of rows";
  let description = [{
    A product of b x s x k by k x n is one of (b s) x k by k x n. Two
    neighbouring dimensions become one in all ops that pass them on to each
    other, when each of these ops walks both, in this order, in an operand or
    neither, reduces neither, and a contraction among them has both as rows:
    in one factor and the result. At arguments, results and reshapes of the
    program a `tensor.collapse_shape` or `tensor.expand_shape` is left.

    - Before: linalg on tensors; behind `vortex-fold-relayout`.
    - After: `linalg.generic` with fewer loops.
    - Errors: none.

    ```mlir
    %y = linalg.generic {indexing_maps = [(b, m, n, k) -> (b, m, k), (b, m, n, k) -> (k, n), (b, m, n, k) -> (b, m, n)]} ...
    ```
    becomes
    ```mlir
    %rows = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x?xf32> into tensor<?x?xf32>
    %y = linalg.generic {indexing_maps = [(m, n, k) -> (m, k), (m, n, k) -> (k, n), (m, n, k) -> (m, n)]} ...
    ```
  }];
  let statistics = [Statistic<"numCollapsed", "collapsed", "ops with fewer loops">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def JoinElementwise : Pass<"vortex-join-elementwise"> {
  let summary = "Make elementwise ops that follow each other one op";
  let description = [{
    An elementwise `linalg.generic` joins the one that alone reads its result,
    where both walk the same elements in the same order. Importers write GELU as
    five ops, of which two read the value in front: as one op it reads that
    value once, and can follow a product in its registers. What is computed once
    a row does not join what is computed for each element.

    - Before: linalg on tensors.
    - After: chains of elementwise ops are one op.
    - Errors: none.

    ```mlir
    %a = linalg.generic ... ins(%x : tensor<?xf32>) { math.erf }
    %b = linalg.generic ... ins(%x, %a : tensor<?xf32>, tensor<?xf32>) { arith.mulf }
    ```
    becomes
    ```mlir
    %b = linalg.generic ... ins(%x : tensor<?xf32>) { math.erf, arith.mulf }
    ```
  }];
  let statistics = [Statistic<"numJoined", "joined", "ops that joined their reader">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect"];
}

def JoinGathers : Pass<"vortex-join-gathers"> {
  let summary = "Reduce rows of a table where they are picked";
  let description = [{
    Importers write a bag of embeddings as a list of all indices, rows of the
    table picked by it, the rows as bags again, and a sum over each bag. Rows that
    a reduction alone reads are picked in it: nothing of them is kept. A list that
    was made of bags is bags again. Where the innermost loop reduces, nothing is
    changed: its sum would not become vectors.

    - Before: linalg on tensors.
    - After: no tensor of the rows.
    - Errors: none.

    ```mlir
    %rows = linalg.generic ... ins(%ids : tensor<?xi64>) { tensor.extract %table[%id, %d] } -> tensor<?x64xf32>
    %bags = tensor.expand_shape %rows [[0, 1], [2]] output_shape [%b, %l, 64] : tensor<?x64xf32> into tensor<?x?x64xf32>
    %sum = linalg.generic {iterator_types = ["parallel", "reduction", "parallel"]} ins(%bags : tensor<?x?x64xf32>) { arith.addf }
    ```
    becomes
    ```mlir
    %sum = linalg.generic {iterator_types = ["parallel", "reduction", "parallel"]} ins(%bags_of_ids : tensor<?x?xi64>) { tensor.extract, arith.addf }
    ```
  }];
  let statistics = [Statistic<"numJoined", "joined", "reductions that pick their rows">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def MergeProducts : Pass<"vortex-merge-products"> {
  let summary = "Make products that share a factor one product";
  let description = [{
    Importers write the gates of an LSTM as products of 128 columns each, that
    all read the same rows. Products of one block with one factor in common,
    whose other factors are weights, become one product: the weights are put
    side by side when they are bound, the results are slices of columns.
    Elementwise ops that do the same to each of the slices, and read besides
    them values of whole rows, weights, or slices of another such product, are
    merged alike, until they differ. (Horizontal fusion, as in TVM's
    `CombineParallelDense`; here with what follows.)

    What is behind the last merged op no longer runs in the registers of the
    product, so products are merged only where

    - a row of each is less than twice the work that a second thread is woken
      for: 2 N K < 8 `core.startup` x `fma.f32.rate`, and
    - writing and reading an element once more, at `l2.stream`, takes at most a
      tenth of its arithmetic, 2 K / `fma.f32.rate`

    with numbers of the target, whatever the number of rows.

    - Before: linalg on tensors; functions of a module with a target; weights
      marked `vortex.weight` or constant, columns and reductions of known
      extents.
    - After: one product, and `tensor.extract_slice`, in place of several.
    - Errors: none. GPUs: nothing is merged.

    ```mlir
    %p = linalg.matmul ins(%x, %u : tensor<?x128xf32>, tensor<128x128xf32>) ...
    %q = linalg.matmul ins(%x, %w : tensor<?x128xf32>, tensor<128x128xf32>) ...
    ```
    becomes, with `%uw` the columns of `%u` and of `%w`,
    ```mlir
    %pq = linalg.matmul ins(%x, %uw : tensor<?x128xf32>, tensor<128x256xf32>) ...
    %p = tensor.extract_slice %pq[0, 0] [%m, 128] [1, 1] : tensor<?x256xf32> to tensor<?x128xf32>
    %q = tensor.extract_slice %pq[0, 128] [%m, 128] [1, 1] : tensor<?x256xf32> to tensor<?x128xf32>
    ```
  }];
  let statistics = [Statistic<"numProducts", "products", "products that became part of one">,
                    Statistic<"numFollowers", "followers", "elementwise ops that became part of one">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def HoistProducts : Pass<"vortex-hoist-products"> {
  let summary = "Compute the products of all steps of a loop in front of it";
  let description = [{
    A product in an `scf.for` that reads step i of a tensor, and otherwise what
    the loop does not change, is one of many rows in front of the loop, as
    people write recurrent networks. So are elementwise ops that follow it and
    read nothing else from the loop. In the loop a slice is left.

    The loop goes from 0 by 1 over all of the tensor's outermost dimension, as
    `SizeAnalysis` sees it, and all extents fit each other in front of the loop.
    Results of all steps are written and read once more, from memory if they are
    many: that has to take less than the arithmetic, 2 K / `fma.f32.rate`
    against two elements / `device.stream`, with numbers of the target. They
    take as much memory as a tensor of all steps with the columns of the
    product.

    - Before: linalg on tensors, in functions of a module with a target.
    - After: `linalg.generic` with a loop over steps in front of the loop.
    - Errors: none.

    ```mlir
    scf.for %i = %c0 to %steps step %c1 ... {
      %x = tensor.extract_slice %xs[%i, 0, 0] [1, %b, 128] [1, 1, 1] : tensor<?x?x128xf32> to tensor<?x128xf32>
      %y = linalg.matmul ins(%x, %w : tensor<?x128xf32>, tensor<128x512xf32>) ...
    ```
    becomes, with `%ys` the product of `(t, m, k)` and `(k, n)`,
    ```mlir
    scf.for %i = %c0 to %steps step %c1 ... {
      %y = tensor.extract_slice %ys[%i, 0, 0] [1, %b, 512] [1, 1, 1] : tensor<?x?x512xf32> to tensor<?x512xf32>
    ```
  }];
  let statistics = [Statistic<"numHoisted", "hoisted", "products that left a loop">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ShareRecurrences : Pass<"vortex-share-recurrences"> {
  let summary = "Run the rows of a recurrence in threads of their own";
  let description = [{
    The sequences of a batch do not know of each other, so a recurrent network
    can run over all steps for some of them without the others: threads are
    woken once and not for each op of each step, and what a step hands to the
    next stays in the cache of one core. (ONNX Runtime's LSTM does the same for
    batches of more than a few; here it follows from the program.)

    The rows of the loop's first product are passed on, forwards and backwards,
    through linalg ops that walk them, slices that take all of them, and what the
    loop carries. If every value that the loop carries gets rows, and numbers of
    rows serve as sizes alone, the loop is written twice: as it is, and in an
    `scf.forall` over parts of the rows, one for each thread. The latter may be
    chosen when all values have as many rows, which is what the body would
    check. Costs, for each step:

        together = min(max(ops / rate, weights) + moved / l2.stream + kernels call,
                       max(ops / rate, weights) / threads + moved / l3.stream + kernels startup)
        apart    = max(ops / rate / threads, weights) + moved / l2.stream / threads + kernels call

    where `weights` is the time to read the factors that rows share from where
    they rest, and `moved` what ops write and others read. Apart wakes threads
    once for all steps. Caches are counted as for chains of kernels.

    - Before: linalg on tensors; an `scf.for` in the function's own block.
    - After: both forms in an `scf.index_switch` on a `vortex.select`.
    - Errors: none. GPUs: nothing changes.

    ```mlir
    %y = scf.for %i = %c0 to %n step %c1 iter_args(%h = %h0) -> tensor<?x64xf32> {
      %p = linalg.matmul ins(%h, %w : tensor<?x64xf32>, tensor<64x64xf32>) ...
    ```
    becomes, in one of two cases,
    ```mlir
    %y = scf.forall (%at) = (0) to (%rows) step (%tile) shared_outs(%o = %h0) -> (tensor<?x64xf32>) {
      %mine = tensor.extract_slice %o[%at, 0] [%size, 64] [1, 1] : tensor<?x64xf32> to tensor<?x64xf32>
      %part = scf.for %i = %c0 to %n step %c1 iter_args(%h = %mine) -> tensor<?x64xf32> {
    ```
  }];
  let statistics = [Statistic<"numShared", "shared", "loops whose rows may run apart">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
                           "::vortex::VortexDialect"];
}

def PrepareWeights : Pass<"vortex-prepare-weights"> {
  let summary = "Mark what weights alone decide to be made when they are bound";
  let description = [{
    An op that depends on arguments marked `vortex.weight` and on constants
    alone gets the attribute `vortex.bind`, with which `vortex-split-weights`
    moves it out of the calls and products pack its result beforehand: a
    transposition, a sum over columns, any linalg op whose result takes no more
    room than its largest input, the slices and reshapes that products read,
    and weights put side by side. So does, anywhere, a slice that picks one of
    several weights of floats for a product by its outer dimensions, whose index
    is only known when it runs (the experts of a mixture):
    `vortex-bind-weights` packs all of them, and the product takes its part.

    - Before: linalg on tensors.
    - After: the same with attributes.
    - Errors: none.

    ```mlir
    %t = linalg.transpose {vortex.bind} ins(%w : tensor<128x64xf32>) outs(%e : tensor<64x128xf32>) permutation = [1, 0]
    ```
  }];
  let statistics = [Statistic<"numPrepared", "prepared", "ops that run once">];
}

def NarrowProducts : Pass<"vortex-narrow-products"> {
  let summary = "Multiply bytes as bytes, zero points and scales aside";
  let description = [{
    Importers widen both factors of a quantised product to 32 bits, subtract
    their zero points and sum in 64 bits. With a the bytes, z the zero point,

        sum_k (a[m, k] - z) w[k, n]  =  sum_k a[m, k] w[k, n]  -  z sum_k w[k, n]

    and likewise for w, so that the product is one of bytes into 32 bits, for
    which machines have instructions, and the rest sums of columns and rows.
    All of it is exact modulo 2^32. Sums of 64 bits become sums of 32 where
    everything that reads the result truncates it to 32 bits, or where the
    reduction is known to be so short that they fit.

    Programs quantised ahead of time make floats of bytes in front of a product
    (`QuantizeLinear` and `DequantizeLinear` of ONNX). With scales r and s,

        sum_k r (a[m, k] - z) s[n] w[k, n]  =  r s[n] sum_k (a[m, k] - z) w[k, n]

    where no scale runs along the reduction: sums are of bytes then, exact, and
    made floats once. So are those of windows, whose image is padded with its
    zero point where floats were with zeros. Products stay floats where sums
    may not fit 32 bits, and where a target that is known has no instruction for
    bytes of these signs. Zero points by column are taken where they are all
    zero.

    - Before: contractions, or windows that slide, whose factors are widened
      bytes, zero points subtracted or not, scaled or not, perhaps transposed,
      reshaped or padded.
    - After: contractions and windows of bytes into i32; scales behind them.
    - Errors: none.
  }];
  let statistics = [Statistic<"numNarrowed", "narrowed", "products of bytes">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PadChannels : Pass<"vortex-pad-channels"> {
  let summary = "Channels of an image in whole words of matrix tiles";
  let description = [{
    Matrix tiles sum products in words of a few elements, two of bf16 and four
    of 8 bits, which channels of a pixel have to fill. Zeros follow those that
    do not, one or three of a first layer, in image and filter:

        y[x, f] = sum_j,c  p[s x + j, c] w[j, c, f],  c < C
                = sum_j,c  p'[s x + j, c] w'[j, c, f],  c < C rounded up

    Done where the window is more than one pixel, the number of channels is
    known, they are the last dimension of the image, the filter is a weight, which is widened once, an image that is
    padded is so by zeros of known width, and all targets have a matrix tile for
    the types. Zeros of the image are part of that padding, or a `tensor.pad` of
    their own, which copies of tasks write (`window_tile_*`).

    - Before: windows over images with channels innermost (`vortex-channels-last`).
    - After: the same ops on wider operands.
    - Errors: none.
  }];
  let statistics = [Statistic<"numPadded", "padded", "windows whose channels became whole words">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def MergeColumns : Pass<"vortex-merge-columns"> {
  let summary = "Columns of a window and channels in groups together";
  let description = [{
    Instructions that sum products of narrow elements in groups take channels of
    a pixel together, of which one or three fill no group. Pixels beside each
    other are one run of channels in memory, so a row of a window is one, too:

        y[x, f] = sum_j,c  p[s x + j, c] w[j, c, f]
                = sum_k    p'[s c x + k] w'[k, f]

    with `p'` and `w'` the same elements in one dimension less. Done where that
    takes fewer groups than each pixel's channels do, the numbers of columns and
    channels are known, columns are a pixel apart, the filter is a weight, and
    all targets have such an instruction, of groups of one size. Where the image
    is padded and elements are integers the run is extended to whole groups by
    zeros of the filter.

    - Before: windows over images with channels innermost (`vortex-channels-last`).
    - After: `linalg.generic` with a reduction less in place of the ops that
      changed.
    - Errors: none.
  }];
  let statistics = [Statistic<"numMerged", "merged", "windows whose columns became channels">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // VORTEX_GRAPH_PASSES_TD
