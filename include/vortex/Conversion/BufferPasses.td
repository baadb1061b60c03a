//===- BufferPasses.td - A kernel's tensors to memory -----*- tablegen -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bufferization of a kernel's module, whose code need not be analysed.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_BUFFERPASSES_TD
#define VORTEX_CONVERSION_BUFFERPASSES_TD

include "mlir/Pass/PassBase.td"

def InsertCopies : Pass<"vortex-insert-copies", "::mlir::ModuleOp"> {
  let summary = "copy what a kernel writes while its old value is still read";
  let description = [{
    One-shot bufferization's analysis of a kernel, before its tiles are vector
    code: each tile is one op that reads its inputs and updates its inits. The
    analysis compares all readers of a tensor with all writers; a tile has a
    case for each number of rows and vectors, and each case both, for which it
    took an eighth of the time of compiling a kernel. What would be in the way
    of bufferizing in place becomes a `bufferization.alloc_tensor` with a copy,
    so that `vortex-bufferize-in-place` may follow. A module with a tile that
    reads what a result starts from is marked (`vortex.reads_inits`): its code
    is analysed as well.

    ```mlir
    %w = linalg.exp ins(%x : tensor<?xf32>) outs(%t : tensor<?xf32>) -> tensor<?xf32>
    %r = linalg.add ins(%t, %w : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    ```
    The first op's init becomes a copy of `%t`.

    - Before: a kernel's module, `vortex.micro_kernel` ops not lowered.
    - After: each op may write to its init; what is still read has other memory.
    - Errors: those of the analysis.
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect", "::mlir::tensor::TensorDialect"];
}

def BufferizeInPlace : Pass<"vortex-bufferize-in-place", "::mlir::ModuleOp"> {
  let summary = "tensors of a kernel to memrefs, each op in place";
  let description = [{
    One-shot bufferization without its analysis: every op that has an init
    writes to the memory of the init. `vortex-insert-copies` has seen to it that
    nobody reads what was there; the code of a tile stores a value where
    the tile is and nowhere else. A module that `vortex-insert-copies` has marked
    is analysed first, with copies of what is written while it is read.

    - Before: `vortex-insert-copies`, `vortex-lower-micro-kernels`; each
      `tensor.empty` has one user (`vortex-separate-empties`).
    - After: memrefs.
    - Errors: an op that cannot be bufferized; with `check`, one of a module
      without the mark that the analysis would not bufferize in place (slow, for
      tests).
  }];
  let options = [
    Option<"check", "check", "bool", "false",
           "an error where the analysis would insert a copy">];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def FreeBuffers : Pass<"vortex-free-buffers", "::mlir::ModuleOp"> {
  let summary = "free what is allocated, where something is";
  let description = [{
    Upstream's ownership-based deallocation and its simplification, without the
    canonicalization that upstream's pipeline has behind each of its passes, for
    modules that allocate memory. Most kernels do not; the passes took a
    thirtieth of the time of compiling them.

    ```mlir
    %a = memref.alloc(%n) : memref<?xf32>
    ```
    gets a `memref.dealloc` behind its last use.

    - Before: memrefs. After: each `memref.alloc` has its `memref.dealloc`.
    - Errors: those of upstream's passes.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

#endif // VORTEX_CONVERSION_BUFFERPASSES_TD
