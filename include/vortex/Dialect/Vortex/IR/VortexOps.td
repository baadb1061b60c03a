//===- VortexOps.td - The ops of the vortex dialect -------*- tablegen -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_OPS_TD
#define VORTEX_OPS_TD

include "vortex/Dialect/Vortex/IR/VortexHwAttrs.td"
include "vortex/Dialect/Vortex/IR/VortexAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

class Vortex_Op<string mnemonic, list<Trait> traits = []>
    : Op<Vortex_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Kernels and candidates
//===----------------------------------------------------------------------===//

def Vortex_KernelOp : Vortex_Op<"kernel", [
    IsolatedFromAbove, AttrSizedOperandSegments, NoTerminator,
    NoMemoryEffect]> {
  let summary = "a fusion scope with the ways to run it";
  let description = [{
    The payload region holds linalg, tensor and arith ops over block arguments
    that stand for the operands (inputs, then inits) and ends in
    `vortex.yield`; its results are the kernel's. The candidates region has
    one `index` argument for each axis (the axis' size at run time) and holds
    `vortex.candidate` ops and the arithmetic on sizes that they share. When
    guards or costs ask for strides or alignments it has an argument for each
    operand behind the axes, inputs first, which only `vortex.stride` and
    `vortex.alignment` may use.

    `axes` names the loops of the anchor, the payload op that carries the unit
    attribute `vortex.anchor`, in loop order; `classes` says which are
    reductions. A chain of two products whose rows are reduced as they come
    (`vortex-fuse-chains`, on GPUs) has one axis more, behind those of its
    anchor, the second: the reduction of the first. A kernel without candidates
    is a fallback: it is lowered to generic vector loops.

    Destination style: result k has the type of init k and may be computed in
    its place. Extents may be known or not; an axis' size is that of an
    operand's dimension.

    Errors: payload arguments or yielded values of other types than operands
    and results; several anchors; an anchor that cannot be tiled or has
    another number of loops than there are axes (of a chain one less); two
    candidates of one name.

    ```mlir
    %y = vortex.kernel "mm" axes ["m", "n", "k"]
        ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>)
        outs(%O : tensor<?x?xf32>) {
    ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
      %z = linalg.fill ...
      %p = linalg.matmul {vortex.anchor} ...
      vortex.yield %p : tensor<?x?xf32>
    } candidates {
    ^bb0(%m: index, %n: index, %k: index):
      vortex.candidate @packed guard { ... } cost { ... } schedule { ... }
    } : tensor<?x?xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, StrArrayAttr:$axes,
                       Variadic<AnyType>:$inputs,
                       Variadic<AnyRankedTensor>:$inits);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$payload, MaxSizedRegion<1>:$candidates);
  let assemblyFormat = [{
    $name `axes` $axes
    (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $inits `:` type($inits) `)`
    $payload (`candidates` $candidates^)? attr-dict
    (`:` type($results)^)?
  }];
  let extraClassDeclaration = [{
    /// The payload op whose loops are the kernel's axes; null in a fallback.
    ::mlir::Operation *getAnchor();
    /// The candidates, in order; empty for a fallback.
    ::llvm::SmallVector<CandidateOp> getCandidateOps();
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Vortex_CandidateOp : Vortex_Op<"candidate", [
    ParentOneOf<["KernelOp"]>, NoTerminator]> {
  let summary = "one way to run a kernel";
  let description = [{
    `guard` yields an i1: may this candidate run at these sizes. `cost` yields
    the predicted time in nanoseconds (f64). Both are ordinary arithmetic.
    An absent guard means "always"; once the choice has been built, both are
    gone. `schedule` is the tree of levels and stages. Arithmetic that guard,
    cost and tile sizes share stands in front of the candidate, in the
    kernel's candidates region.

    Errors: a guard that does not yield an i1 or a cost that does not yield an
    f64; a schedule without a stage; a stage that names an op the payload does
    not have; a tree that does not fit the target (see `vortex.level`).

    ```mlir
    vortex.candidate @wide guard {
      %c = arith.cmpi ule, %c64, %n : index
      vortex.yield %c : i1
    } cost {
      %ns = arith.divf %bytes, %bandwidth : f64
      vortex.yield %ns : f64
    } schedule {
      vortex.level "core" forall (PL 0 by %tile) { vortex.stage ["mm"] micro <...> }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region MaxSizedRegion<1>:$guard, MaxSizedRegion<1>:$cost,
                        SizedRegion<1>:$schedule);
  let assemblyFormat = [{
    $sym_name (`guard` $guard^)? (`cost` $cost^)? `schedule` $schedule attr-dict
  }];
  let hasRegionVerifier = 1;
}

def Vortex_LevelOp : Vortex_Op<"level", [
    AttrSizedOperandSegments, NoTerminator, NoRegionArguments]> {
  let summary = "a level of the machine: the tiles walked there, the operands loaded there";
  let description = [{
    `axes` are positions in the kernel's axes; each has a class and an SSA
    tile size. `loads` brings operands into the level's memory, each with the
    size of its layout's tile. `stages` is the number of buffers of a
    software-pipelined ring (1: none). `resident` keeps the accumulators of an
    inner reduction level in the registers of this level; without axes, around
    a stage whose lanes lie along a row on a GPU, it keeps the row there, of at
    most as many elements as they have under way at once. `split` divides a
    reduction axis among parallel units whose partial results `combine` joins.
    `role` names the part of the units that runs this subtree (`producer`,
    `consumer`); `warps` is how many there are of them. Roles stand side by
    side under the level with the ring: the producers issue its loads, the
    consumers run the stages. Without a role, `warps` share each tile of the
    level, their lanes side by side. `store` is the number of elements that one
    instruction writes along the innermost axis of the result, where its rows
    begin and end at multiples of them (absent: 1).
    `cluster` is how many units beside each other along each axis of the level
    start together and bring what they share into each other's memory (absent:
    1 along all): those along an axis share the operands that do not depend on
    it, of which each brings a part. `joined(N)` counts the first N axes of a
    grid together: a tile has as many consecutive points of them, the last axis
    the fastest, as the size of that one says, and may go over the end of a row
    of it. A nest on tensors has the rows of each point one after the other.

    Sizes count elements along the axis, load sizes elements of the layout's
    tile; both may be computed from the axes at run time.

    With constant sizes, and a target around the kernel that has these levels,
    the whole tree is verified: ring in bytes against shared memory, tiles
    against instruction shapes, accumulators against registers, threads, and
    with roles what a barrier counts and whole groups of warps.

    Errors, without a target: an axis twice, or one the kernel does not have;
    a reduction walked as TSL, a parallel axis as TRL, a reduction given to
    parallel units without `combine` (`add`, `mul`, `min`, `max`); PL in a
    sequential loop; a size below one; a ring that loads nothing, or loads
    not `together`; a cluster of more or fewer axes than the level, of units
    that are no grid or queue of blocks, along a reduction, along two axes, of
    a number that is no power of two or above 8, without producers, or whose
    blocks bring parts of less than 8 rows of a box; axes counted together
    outside of a grid or queue, fewer than two, reductions among them, a size above one
    but for the last, or an input that depends on some of them; a role without its counterpart, its ring or its number of
    warps; loads of producers whose size is neither a row of 128 bytes nor a run
    of 16; rows that do not divide their tile, more than 256 of them, or of an
    input that is read in windows or whose rows are counted together; runs to
    rows of other than 128 bytes, or that blocks of a cluster share; a tile that
    its units do not divide. With one: each limit with the
    formula, both numbers, the level and the line of the description.

    ```mlir
    vortex.level "block" grid (PL 0 by %c128, PL 1 by %c128) store(2) {
      vortex.level "smem" for (TRL 2 by %c32)
          load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8,
                <operand = 1, layout = swizzle, axis = 1, together = true> by %c8)
          stages(4) resident {
        vortex.level "warp" forall (PL 0 by %c64, PL 1 by %c64) {
          vortex.stage ["mm"] micro <instruction = "mma_sync", rows = 64, vectors = 8, lanes = 8>
        }
      }
      vortex.stage ["relu"]
    }
    ```
  }];
  let arguments = (ins StrAttr:$level, Vortex_LoopKind:$kind,
                       DenseI64ArrayAttr:$axes, DenseI32ArrayAttr:$classes,
                       Variadic<Index>:$sizes,
                       DefaultValuedAttr<TypedArrayAttrBase<Vortex_LoadAttr, "loads">, "{}">:$loads,
                       Variadic<Index>:$load_sizes,
                       DefaultValuedAttr<I64Attr, "1">:$stages,
                       UnitAttr:$resident,
                       OptionalAttr<StrAttr>:$role,
                       OptionalAttr<I64Attr>:$warps,
                       OptionalAttr<StrAttr>:$combine,
                       OptionalAttr<I64Attr>:$store,
                       OptionalAttr<DenseI64ArrayAttr>:$cluster);
  let regions = (region SizedRegion<1>:$body);
  let builders = [
    /// A sequential or parallel level with an empty body.
    OpBuilder<(ins "::llvm::StringRef":$level, "LoopKind":$kind,
      "::llvm::ArrayRef<int64_t>":$axes, "::llvm::ArrayRef<AxisClass>":$classes,
      "::mlir::ValueRange":$sizes,
      CArg<"::llvm::ArrayRef<::mlir::Attribute>", "{}">:$loads,
      CArg<"::mlir::ValueRange", "{}">:$loadSizes)>
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Vortex_StageOp : Vortex_Op<"stage"> {
  let summary = "payload ops that run at this point of the schedule";
  let description = [{
    `ops` names payload ops by their `vortex.id` attribute. With `micro` they
    become one `vortex.micro_kernel`; without, generic vector loops.
    With `library` they are a product and what starts it, which that library
    computes (`vortex.library_call`).

    Errors: no op named; both `micro` and `library`; a library without a name;
    outside a candidate; with
    a target, for `fma`, `rows * vectors + vectors + 1` above the vector
    registers (a vector of more lanes than a register counts as several); for
    a matrix instruction, tiles that are no multiple of its shape, element
    types that the target has no instruction for, or more accumulators than a
    thread has registers.

    ```mlir
    vortex.stage ["fill", "mm", "relu"] micro <instruction = "fma", rows = 14, vectors = 2, lanes = 16, unroll = 4>
    ```
  }];
  let arguments = (ins StrArrayAttr:$ops, OptionalAttr<Vortex_MicroKernelAttr>:$micro,
                       OptionalAttr<StrAttr>:$library);
  let assemblyFormat = "$ops (`micro` $micro^)? (`library` $library^)? attr-dict";
  let hasVerifier = 1;
}

def Vortex_YieldOp : Vortex_Op<"yield", [
    Pure, Terminator, ReturnLike,
    ParentOneOf<["KernelOp", "CandidateOp", "MicroKernelOp"]>]> {
  let summary = "ends a region of a kernel, candidate or micro-kernel";
  let description = [{
    Yields a payload's results, a guard's i1, a cost's f64 (nanoseconds) or a
    micro-kernel's tiles. The op around it checks the types.

    ```mlir
    vortex.yield %tile : tensor<?x?xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

//===----------------------------------------------------------------------===//
// After expansion
//===----------------------------------------------------------------------===//

def Vortex_MicroKernelOp : Vortex_Op<"micro_kernel", [
    AttrSizedOperandSegments, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "the innermost tile: ops that run in registers";
  let description = [{
    The region holds linalg ops on the tile's slices; block arguments stand
    for the operands. The last dimension of the results lies in vector lanes;
    `row_dim` is the one unrolled into registers, counted from the end (absent:
    2, the one in front of the lanes); all others are 1. Their extents are at
    most `vectors * lanes` and `rows`, known or not. Registers: `rows * vectors` accumulators,
    `vectors` of a row and one broadcast; the stage they come from was verified
    to have them.

    Errors: body arguments or yielded values of other types than operands and
    results; a `row_dim` that is the lanes' or that a result does not have.

    ```mlir
    %t = vortex.micro_kernel <instruction = "fma", rows = 14, vectors = 2, lanes = 16, unroll = 4>
        ins(%a, %b : tensor<?x?xf32>, tensor<?x32xf32>) outs(%c : tensor<?x32xf32>) {
    ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x32xf32>, %o: tensor<?x32xf32>):
      %p = linalg.matmul ins(%x, %y : ...) outs(%o : tensor<?x32xf32>) -> tensor<?x32xf32>
      vortex.yield %p : tensor<?x32xf32>
    } : tensor<?x32xf32>
    ```
  }];
  let arguments = (ins Vortex_MicroKernelAttr:$spec,
                       Variadic<AnyType>:$inputs, Variadic<AnyRankedTensor>:$inits,
                       OptionalAttr<I64Attr>:$row_dim);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $spec (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $inits `:` type($inits) `)` $body attr-dict
    (`:` type($results)^)?
  }];
  let hasVerifier = 1;
}

def Vortex_DotProductOp : Vortex_Op<"dot_product", [
    Pure, AllTypesMatch<["sum", "result"]>, AllShapesMatch<["a", "b"]>]> {
  let summary = "adds to each lane the products of a group of narrow elements";
  let description = [{
    `result[i] = sum[i] + a[g i] * b[g i] + ... + a[g i + g - 1] * b[g i + g - 1]`,
    elements widened to the type of the sum as the instruction `opcode` reads
    them: `vpdpbusd` takes those of `a` as unsigned. Integers wrap around.
    Of `vdpbf16ps` the order of the additions is the instruction's, and what is
    smaller than the smallest normal number counts as zero. The opcode
    `vfmadd231ps_bf16`, for machines without it, is for products of bf16, too:
    one after the other, each rounded once with its sum, as ordinary numbers.
    `vfmadd231ps_bf16_low` and `vfmadd231ps_bf16_high` add the first and the
    second of each two alone.

    Errors: an opcode for which no code is known on vectors of this size;
    factors that do not have as many bits as the sum.

    ```mlir
    %s = vortex.dot_product "vpdpbusd" %sum, %a, %b : vector<64xi8>, vector<64xi8> -> vector<16xi32>
    ```
  }];
  let arguments = (ins StrAttr:$opcode, VectorOfRankAndType<[1], [I32, F32]>:$sum,
                       VectorOfRankAndType<[1], [I8, I16, BF16]>:$a,
                       VectorOfRankAndType<[1], [I8, I16, BF16]>:$b);
  let results = (outs VectorOfRankAndType<[1], [I32, F32]>:$result);
  let assemblyFormat = [{
    $opcode $sum `,` $a `,` $b attr-dict `:` type($a) `,` type($b) `->` type($sum)
  }];
  let hasVerifier = 1;
}

def Vortex_StoreTileOp : Vortex_Op<"store_tile", [
    Pure, DestinationStyleOpInterface, AttrSizedOperandSegments,
    AllTypesMatch<["into", "result"]>]> {
  let summary = "writes rows of vectors, the tile that registers hold";
  let description = [{
    `values` are rows of `vectors` vectors each, from row `first` (absent: 0) of
    dimension `row_dim` on, counted from the end (0: there is one row), and from
    index `column` (absent: 0) of the last dimension on; all other indices are 0. `masks` are
    those of the last vectors of a row: with fewer masks than vectors, the
    vectors in front are written whole. What is written lies in `into`.

    With `flat` there is one vector and its mask, and its lanes go on behind the
    end of a row: lane i is written i elements behind the first of row `first`
    in memory. The mask has the lanes that are elements of the rows.

    One op for a whole tile: an analysis for bufferization compares each access
    of a tensor with each other one. It becomes `vector.transfer_write` of
    memory, of `flat` ones `vector.maskedstore`.

    Errors: a number of values that is no multiple of `vectors`; more masks than
    vectors; vectors of another element type than `into`; a `row_dim` that is
    the lanes' or that `into` does not have; more than a row without one; `flat`
    without rows, with several vectors, with a `column` or without a mask.

    ```mlir
    %d = vortex.store_tile %x, %y, %z, %w : vector<16xf32> masks(%m : vector<16xi1>)
        into %c : tensor<?x?xf32> {row_dim = 2 : i64, vectors = 2 : i64}
    ```
  }];
  let arguments = (ins AnyRankedTensor:$into,
                       Variadic<VectorOfAnyRankOf<[AnyType]>>:$values,
                       Variadic<VectorOfRankAndType<[1], [I1]>>:$masks,
                       Optional<Index>:$first, Optional<Index>:$column,
                       I64Attr:$vectors, I64Attr:$row_dim, UnitAttr:$flat);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $values `:` type($values) (`masks` `(` $masks^ `:` type($masks) `)`)?
    (`from` $first^)? (`at` $column^)? `into` $into `:` type($into) attr-dict
  }];
  let extraClassDeclaration = [{
    mlir::MutableOperandRange getDpsInitsMutable() { return getIntoMutable(); }
  }];
  let hasVerifier = 1;
}

def Vortex_PermuteOp : Vortex_Op<"permute", [
    Pure, AllTypesMatch<["first", "second", "result"]>]> {
  let summary = "lanes of two vectors, chosen by numbers known when it runs";
  let description = [{
    Lane i of the result is lane `indices[i]` of the first vector, or, counted on
    behind its last lane, of the second. Only the low bits of an index that
    can tell lanes apart count. `vector.shuffle` has the numbers in its text.

    Errors: vectors of other than 512 bits, of elements that have neither 32 nor
    64 bits, or of indices that are not as many and as wide; machines without AVX-512 have
    no such instruction, and no candidate asks for it.

    ```mlir
    %y = vortex.permute %a, %b by %i : vector<16xf32>, vector<16xi32>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [F32, F64, I32, I64]>:$first,
                       VectorOfRankAndType<[1], [F32, F64, I32, I64]>:$second,
                       VectorOfRankAndType<[1], [I32, I64]>:$indices);
  let results = (outs VectorOfRankAndType<[1], [F32, F64, I32, I64]>:$result);
  let assemblyFormat = [{
    $first `,` $second `by` $indices attr-dict `:` type($result) `,` type($indices)
  }];
  let hasVerifier = 1;
}

def Vortex_OpaqueOp : Vortex_Op<"opaque", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "a vector of which LLVM does not see how it was made";
  let description = [{
    The operand, in a vector register. What is computed with it is computed on
    vectors, although LLVM could see that all lanes are the same.

    ```mlir
    %y = vortex.opaque %x : vector<16xi32>
    ```
  }];
  let arguments = (ins VectorOfAnyRankOf<[AnyType]>:$value);
  let results = (outs VectorOfAnyRankOf<[AnyType]>:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Vortex_KernelCallOp : Vortex_Op<"kernel_call", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "runs an outlined kernel";
  let description = [{
    Destination style: the inits are overwritten or updated, and the results
    are their new values. On tensors the results are tied to the inits; on
    memrefs there are none. The callee is a function
    `callee(context, inputs..., inits...)` in a module of its own; memref
    operands are passed with unit innermost stride, and those at the positions
    `dense` (inputs first) without gaps as far as extents are known (rows of
    24, 24 elements apart), at `packed` without any: bufferization copies
    others.

    Errors: on tensors, results of other number or type than the inits; on
    memrefs, a result; a position in `dense` or `packed` that no operand has.

    ```mlir
    %y = vortex.kernel_call @mm_0 ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
                                  outs(%c : tensor<?x?xf32>) : tensor<?x?xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs,
                       Variadic<AnyShaped>:$inits,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$dense,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$packed);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $callee (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    (`outs` `(` $inits^ `:` type($inits) `)`)? (`dense` $dense^)?
    (`packed` $packed^)? attr-dict
    (`:` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getInitsMutable();
    }
  }];
  let hasVerifier = 1;
}

def Vortex_LibraryCallOp : Vortex_Op<"library_call", [
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a product of matrices that a library computes";
  let description = [{
    `init` becomes `a * b`, or with `accumulate` `init + a * b`. The library is
    named, not linked: the run time finds it, and candidates that call it have a
    guard that holds where it was found. `a_dims` are the dimensions of `a` that
    walk rows and steps, `b_dims` those of `b` for steps and columns, `c_dims`
    those of `init` for rows and columns. In front of the two may be those of a
    batch, in one order for all three; -1 is one that a factor does not have,
    whose matrix is the same for all of its points. All other dimensions have
    extent 1. Of each matrix one of the two has elements beside each other.
    Sizes may be 0. With `tf32` factors of f32 have no more bits than tf32, so
    that units which read no more may multiply them.

    On tensors the result is tied to `init`; on memrefs there is none.

    Errors: a library without a name; dims that the operand does not have, or
    twice the same, or of which there are other numbers for other operands;
    factors that are not both of f32, f64, f16 or bf16; a result of another type
    than theirs, and not of f32 for f16 and bf16; `tf32` for others than f32;
    extents that are known and
    differ, or of other dimensions than these and not 1; on tensors a result of
    another type than `init`, on memrefs a result.

    ```mlir
    %p = vortex.library_call "openblas" ins(%a [0, 1], %b [0, 1] : tensor<?x?xf32>, tensor<?x?xf32>)
                                        outs(%c [0, 1] : tensor<?x?xf32>) -> tensor<?x?xf32>
    %q = vortex.library_call "cublas" ins(%x [0, 1, 2], %y [-1, 1, 0] : tensor<?x?x?xf16>, tensor<?x?xf16>)
                                      outs(%z [0, 1, 2] : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    ```
  }];
  let arguments = (ins StrAttr:$library, UnitAttr:$accumulate, UnitAttr:$tf32,
                       AnyShaped:$a, DenseI64ArrayAttr:$a_dims,
                       AnyShaped:$b, DenseI64ArrayAttr:$b_dims,
                       AnyShaped:$init, DenseI64ArrayAttr:$c_dims);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    $library (`accumulate` $accumulate^)? (`tf32` $tf32^)?
    `ins` `(` $a $a_dims `,` $b $b_dims `:` type($a) `,` type($b) `)`
    `outs` `(` $init $c_dims `:` type($init) `)` attr-dict (`->` type($result)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getInitMutable();
    }
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// What selection asks
//===----------------------------------------------------------------------===//

def Vortex_MachineParamOp : Vortex_Op<"machine_param", [Pure]> {
  let summary = "a number of the machine, looked up at run time";
  let description = [{
    `param` is `level.field` of the hardware description (`core.units`,
    `l2.bandwidth`), or `threads`, the number of threads this call may use: one
    in a body of a parallel loop that several threads run.
    Units are the description's: bytes, GB/s, ns. `default` is what the
    description said when the program was compiled. It is not a constant and
    does not fold; `kind.type.rate` (1e9 operations a second) is a number of
    an instruction. A name that the run time does not know keeps its default.

    ```mlir
    %l2 = vortex.machine_param "l2.stream" default 1.870000e+02
    ```
  }];
  let arguments = (ins StrAttr:$param, F64Attr:$default_value);
  let results = (outs F64:$value);
  let assemblyFormat = "$param `default` $default_value attr-dict";
}

class Vortex_OperandQueryOp<string mnemonic, list<Trait> traits = []>
    : Vortex_Op<mnemonic, !listconcat(traits, [Pure])> {
  let results = (outs Index:$value);
}

def Vortex_AlignmentOp : Vortex_OperandQueryOp<"alignment"> {
  let summary = "the largest power of two that divides the address of an operand";
  let description = [{
    In bytes, of the first element, once the operand has memory: at most 4096,
    which is also the answer for an operand without elements. Reads no element;
    lowered after bufferization, so that it sees where the operand really is.

    ```mlir
    %a = vortex.alignment %A : tensor<?x?xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyRankedTensor, AnyNon0RankedMemRef]>:$source);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

def Vortex_StrideOp : Vortex_OperandQueryOp<"stride"> {
  let summary = "the distance of an operand's neighbours along a dimension";
  let description = [{
    In elements, once the operand has memory. Reads no element; folds when the
    layout says it, and is lowered after bufferization otherwise.

    ```mlir
    %row = vortex.stride %A, 0 : tensor<?x?xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyRankedTensor, AnyNon0RankedMemRef]>:$source,
                       I64Attr:$dimension);
  let assemblyFormat = "$source `,` $dimension attr-dict `:` type($source)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Vortex_ChoiceInputOp : Vortex_Op<"choice_input", [Pure]> {
  let summary = "a number that a choice depends on, of which nothing is known";
  let description = [{
    The value itself, behind which nothing folds: what a choice is told for
    before the program runs is computed by the same arithmetic as the choice
    when it runs, so that one function is both (`vortex-share-choices`, which
    removes it). Numbers of other positions stay apart.

    ```mlir
    %m = vortex.choice_input 0 of %dim
    ```
  }];
  let arguments = (ins I64Attr:$position, Index:$value);
  let results = (outs Index:$result);
  let assemblyFormat = "$position `of` $value attr-dict";
}

def Vortex_SelectOp : Vortex_Op<"select", [AttrSizedOperandSegments, NoMemoryEffect]> {
  let summary = "the candidate chosen for a kernel, unless the caller forces one";
  let description = [{
    `choice` is the position in `candidates` that the costs prefer, -1 when no
    guard holds. The result is `choice` unless the caller forces another one
    whose guard holds (`allowed`, an i1 each). The run time is told the choice when it
    asks to be (`--explain`). With constant operands, and one candidate left,
    it folds.

    Errors: another number of guards or costs than of candidates.

    ```mlir
    %i = vortex.select "mm" ["packed", "direct"] %cheapest allowed(%true, %fits) costs(%ns0, %ns1)
    ```
  }];
  let arguments = (ins StrAttr:$kernel, StrArrayAttr:$candidates, Index:$choice,
                       Variadic<I1>:$allowed, Variadic<F64>:$costs);
  let results = (outs Index:$index);
  let assemblyFormat = [{
    $kernel $candidates $choice `allowed` `(` $allowed `)` `costs` `(` $costs `)` attr-dict
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Vortex_ReportOp : Vortex_Op<"report", [
    AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "tells the run time a kernel's choice without running it";
  let description = [{
    As `vortex.select`, but always told, and nothing depends on the answer. It
    makes up the functions behind `vortexFunctionChoose`. Without a choice the
    kernel's sizes depend on data, so that there is none before the program
    runs. Costs are nanoseconds.

    Errors: with a choice, another number of guards or costs than of
    candidates; without, any.

    ```mlir
    vortex.report "f.matmul.0" ["packed", "direct"] choice %cheapest allowed(%g0, %g1) costs(%t0, %t1)
    vortex.report "f.matmul.1" ["packed", "direct"]
    ```
  }];
  let arguments = (ins StrAttr:$kernel, StrArrayAttr:$candidates,
                       Optional<Index>:$choice, Variadic<I1>:$allowed,
                       Variadic<F64>:$costs);
  let assemblyFormat = [{
    $kernel $candidates (`choice` $choice^ `allowed` `(` $allowed `)` `costs` `(` $costs `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Sizes that depend on data
//===----------------------------------------------------------------------===//

def Vortex_MatchOp : Vortex_Op<"match", [AllTypesMatch<["source", "result"]>]> {
  let summary = "names the sizes of a value and says what they obey";
  let description = [{
    `names` has one entry for each dimension, "" where it has none. A name
    stands for one size of the function: an argument's (`vortex.dims`) or an
    earlier match's of the same block or one around it, which this size must
    equal; a new name is bound here. `where` holds relations between named
    sizes, written as in `vortex.where` of a function: `rows <= 4096`,
    `total == past + seq`, `c % 8 == 0`. What does not hold ends the call with
    the relation as its message. The result is the operand; its uses are where
    the relations are known to hold.

    `vortex-lower-match` turns it into assertions on sizes; sizes that the
    types already give fold away.

    ```mlir
    %rows = vortex.match %found ["hits", "width"] where ["hits <= limit", "width % 8 == 0"] : tensor<?x?xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, StrArrayAttr:$names,
                       DefaultValuedAttr<StrArrayAttr, "{}">:$where);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source $names (`where` $where^)? attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Vortex_ResultOp : Vortex_Op<"result", [
    MemoryEffects<[MemWrite]>]> {
  let summary = "the memory of a result of the public function";
  let description = [{
    Uninitialised storage for result number `index` of the enclosing function,
    given by the caller or allocated for it when the sizes are known here.
    One size for each unknown extent, in elements.

    Errors: another number of sizes than of unknown extents.

    ```mlir
    %m = vortex.result 0(%n) : memref<?x4xf32>
    ```
  }];
  let arguments = (ins I64Attr:$index, Variadic<Index>:$dynamic_sizes);
  let results = (outs AnyTypeOf<[AnyRankedTensor, AnyNon0RankedMemRef, MemRefRankOf<[AnyType], [0]>]>:$storage);
  let assemblyFormat = "$index `(` $dynamic_sizes `)` attr-dict `:` type($storage)";
  let hasVerifier = 1;
}

#endif // VORTEX_OPS_TD
