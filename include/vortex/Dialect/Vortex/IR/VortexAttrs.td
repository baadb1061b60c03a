//===- VortexAttrs.td - Schedule attributes ---------------*- tablegen -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_ATTRS_TD
#define VORTEX_ATTRS_TD

include "vortex/Dialect/Vortex/IR/VortexDialect.td"

def Vortex_AxisClass : I32EnumAttr<"AxisClass",
    "how an axis is walked at a level", [
      I32EnumAttrCase<"PL", 0>,  // parallel: units of the level share it
      I32EnumAttrCase<"TSL", 1>, // temporal spatial: one unit walks it, no reduction
      I32EnumAttrCase<"TRL", 2>, // temporal reduction: one unit walks it, accumulating
    ]> {
  let cppNamespace = "::vortex";
}

def Vortex_LoopKind : I32EnumAttr<"LoopKind", "what runs the tiles of a level", [
      I32EnumAttrCase<"Sequential", 0, "for">,
      I32EnumAttrCase<"Forall", 1, "forall">,
      I32EnumAttrCase<"Grid", 2, "grid">,
      I32EnumAttrCase<"Persistent", 3, "persistent">,
    ]> {
  let cppNamespace = "::vortex";
}

def Vortex_LayoutKind : I32EnumAttr<"LayoutKind", "how a loaded operand lies in the level's memory", [
      I32EnumAttrCase<"Copy", 0, "copy">,       // same layout, contiguous
      I32EnumAttrCase<"Pack", 1, "pack">,       // row groups, tight: [groups][k][rows]
      I32EnumAttrCase<"Panel", 2, "panel">,     // column panels, padded: [panels][k][width]
      I32EnumAttrCase<"Swizzle", 3, "swizzle">, // shared memory, XOR swizzled rows
      I32EnumAttrCase<"Tile", 4, "tile">,       // rows of matrix tiles, padded: [groups][k / group][rows][group]
    ]> {
  let cppNamespace = "::vortex";
}

def Vortex_LoadAttr : AttrDef<Vortex_Dialect, "Load"> {
  let mnemonic = "load";
  let summary = "an operand brought into the memory of a level, and its layout there";
  let description = [{
    `operand` is the kernel input's position. `axis` is the position of the
    axis that is split into tiles of the layout; its tile size is the k-th of
    the level's load sizes for the k-th load. In a swizzled layout that size
    is the run of elements moved at once along `axis`, which fixes the
    alignment the operand needs; the tile itself is what the levels around
    leave of the operand. Where producers load, it is a row of a box that a bulk
    copy brings, or a run of 16 bytes that one of their threads copies to where
    the box would be, and the operand is aligned to 16 bytes. `together` means that all units
    of the level fill one copy. `bound` means that the operand is a weight
    whose layout is made once, when weights are bound. With a `group` above 1
    that many steps of the innermost reduction lie beside each other, as
    dot-product instructions read them, the last group padded with zeros.

    | layout | in memory |
    |---|---|
    | `copy` | as it was, contiguous; padding that the payload puts around the operand is written by the copy; of pixels that matrix tiles read there is room behind the last, of padding, for what the last tile reads |
    | `pack` | groups of rows, each at its exact height: `[groups][k][rows]`, `[groups][k / group][rows][group]` |
    | `panel` | panels of columns, the last one padded with zeros: `[panels][k][width]`, `[panels][k / group][width][group]`; of width 1 columns one behind the other, `[columns][k]` |
    | `swizzle` | rows of shared memory in chunks of 16 bytes, chunk XOR row |
    | `tile` | groups of rows for matrix tiles, the last one padded with zeros in both directions: `[groups][k / group][rows][group]`, a `group` being what a row of a tile holds |

    `vortex.level` reports an operand or an axis that the kernel does not
    have, and swizzled rows that are no power of two of 16 bytes. A `group`
    below one, or above one in a layout without groups, is an error.
  }];
  let parameters = (ins
    "int64_t":$operand,
    EnumParameter<Vortex_LayoutKind>:$layout,
    "int64_t":$axis,
    DefaultValuedParameter<"bool", "false">:$together,
    DefaultValuedParameter<"bool", "false">:$bound,
    DefaultValuedParameter<"int64_t", "1">:$group);
  let builders = [
    /// A layout without groups.
    AttrBuilder<(ins "int64_t":$operand, "LayoutKind":$layout, "int64_t":$axis,
                     "bool":$together, "bool":$bound),
      "return $_get($_ctxt, operand, layout, axis, together, bound, /*group=*/int64_t(1));">
  ];
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Vortex_MicroKernelAttr : AttrDef<Vortex_Dialect, "MicroKernel"> {
  let mnemonic = "micro";
  let summary = "the instruction and register tile of an innermost stage";
  let description = [{
    - `instruction`: kind of the hardware description's instruction, or
      `vector` for stages without a contraction. `square`: an elementwise stage
      as squares of as many rows as `lanes`, a power of two; operands with their
      neighbours along the rows are transposed in registers. `strip`: a
      contraction of few columns and steps, with as many whole rows of the result
      in a vector as it has lanes for, any number of rows of the tile in turns.
      `sweep`: a contraction of few rows that is added to its result, some steps
      of the reduction at once and for them all columns of the tile in turns.
      `outer`: a contraction of at most `unroll` steps, whose rows of the operand
      that has the columns stay in registers while a loop goes down any number of
      rows of the tile, `rows` at once.
    - `rows`: largest number of rows of the register tile; code exists for
      every exact count from 1 to `rows`. Of a `strip` the vectors at once. Of a matrix instruction (`mma_sync`,
      `wgmma`): rows of the tile of one warp or warpgroup, edges predicated. Of
      `tile`: rows of all tiles of sums, whole ones of the instruction, or
      fewer than one of it has.
    - `vectors`: vector registers a row of the tile spans. Of `vector` on a
      GPU: elements beside each other that a lane loads and stores at once.
    - `lanes`: elements of one vector; columns of a matrix instruction.
    - `unroll`: steps of the innermost reduction unrolled; of `vector` on a GPU
      groups of `vectors` elements that a lane has under way; of a `sweep` the most
      at once: fewer for more rows, whose factors stay in registers.
    - `prefetch`: cache lines of the next panel touched in each reduction step;
      where lanes are channels of an image, whether its next rows are touched.
    - `narrow_rows`: when not 0, a second axis of code versions, one for each
      number of vectors (with a reduction in lanes: for each power of two of
      columns) from 1 to `vectors`. A tile of v vectors has up to
      rows * vectors / v rows, at most `narrow_rows`.
    - `in_flight`: accumulators that hide the latency of the instruction
      (latency times rate). Cases with fewer add up partial sums, as many as
      `unroll` at most, and join them behind the reduction; 0: one sum.
    - `scheduler`: whether LLVM's machine scheduler runs on this code.
    - `lane_axis`: the kernel axis in lanes, of stages without a contraction
      and of contractions with a reduction in lanes, whose tile has `rows` rows
      and `vectors` columns; -1: columns are in lanes.
    - `opcode`: the instruction of kind `dot` or `tile` that multiplies and
      adds.
    - `group`: products that it sums in each lane, so that a step is that many
      elements of the reduction; both operands are read in groups of it. Of a
      `tile`, whose rows hold `unroll` such groups, B is.
    - `contract`: whether LLVM may make one operation of a product and a sum
      where it likes. If not, the product that a reduction adds is one with its
      sum, in every case of the tile, and all others are rounded.
    - `turns`: of a `tile`, whether every other group of rows goes through the
      reduction from its end: what a group leaves of the panel in L1 is what the
      next one begins with.

    Errors: no instruction; a `dot` or `tile` without `opcode` or with a `group`
    below two, and either of them with another instruction; `turns` with another than `tile`; `rows`, `vectors`, `lanes` or `unroll` below one;
    an `unroll` above 64; a negative `prefetch` or `in_flight`; a `narrow_rows` above 0 and below `rows`.
    `vortex-expand` reports a tile around the stage that is larger than what
    code exists for: more rows or columns, or more than one element of another
    parallel axis. Of a tile size that is arithmetic this is the author's to
    promise.

    ```mlir
    #vortex.micro<instruction = "fma", rows = 14, vectors = 2, lanes = 16, unroll = 4>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"instruction kind">:$instruction,
    "int64_t":$rows, "int64_t":$vectors, "int64_t":$lanes,
    DefaultValuedParameter<"int64_t", "1">:$unroll,
    DefaultValuedParameter<"int64_t", "0">:$prefetch,
    DefaultValuedParameter<"int64_t", "0">:$narrow_rows,
    DefaultValuedParameter<"bool", "true">:$scheduler,
    DefaultValuedParameter<"int64_t", "-1">:$lane_axis,
    DefaultValuedParameter<"int64_t", "0">:$in_flight,
    StringRefParameter<"dot-product or tile instruction", "\"\"">:$opcode,
    DefaultValuedParameter<"int64_t", "1">:$group,
    DefaultValuedParameter<"bool", "true">:$contract,
    DefaultValuedParameter<"bool", "false">:$turns);
  let builders = [
    /// Of any instruction but dot products.
    AttrBuilder<(ins "::llvm::StringRef":$instruction, "int64_t":$rows,
                     "int64_t":$vectors, "int64_t":$lanes, "int64_t":$unroll,
                     "int64_t":$prefetch, "int64_t":$narrow_rows,
                     "bool":$scheduler, "int64_t":$lane_axis,
                     "int64_t":$in_flight), [{
      return $_get($_ctxt, instruction, rows, vectors, lanes, unroll, prefetch,
                   narrow_rows, scheduler, lane_axis, in_flight,
                   ::llvm::StringRef(), /*group=*/int64_t(1),
                   /*contract=*/true, /*turns=*/false);
    }]>
  ];
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // VORTEX_ATTRS_TD
