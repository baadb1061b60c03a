//===- Chain.h - Kernels that hand rows to each other -----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chain is a set of kernels to be that share parallel loops, its rows: each
// op of the chain has a loop for every row, and what one hands to another is
// indexed by all of them. So a tile of rows can pass through the whole chain by
// itself, and what lies between two kernels is as large as the tile.
//
// Chains are found from indexing maps (Chain.cpp), written as a loop over tiles
// of rows (ChainLoop.cpp) and priced by what they move (ChainCost.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_CHAIN_H
#define VORTEX_TRANSFORMS_CHAIN_H

#include "KernelGroups.h"
#include "SizeArith.h"

#include "llvm/ADT/MapVector.h"

namespace vortex {

/// A value that a kernel of the chain hands to another.
struct ChainEdge {
  mlir::OpResult value;
  unsigned from;  ///< the group that makes it
  unsigned until; ///< the last group that reads it
  bool isResult;  ///< something behind the chain reads it, too
};

struct Chain {
  llvm::SmallVector<KernelGroup> groups; ///< in order of the program
  /// All ops, in order of the program, each with the loop of every row.
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<int64_t>> rowLoops;
  llvm::SmallVector<ChainEdge> edges;
  /// Whether a row stands in an index that is no loop alone, as the head of a
  /// group of queries does: a tile has one of them.
  llvm::SmallVector<bool> unitRows;

  unsigned getNumRows() const { return unitRows.size(); }
  bool contains(mlir::Operation *op) const { return rowLoops.contains(op); }
  mlir::linalg::LinalgOp getLast() const {
    return mlir::cast<mlir::linalg::LinalgOp>(rowLoops.back().first);
  }
  /// Results that are read behind the chain, in order.
  llvm::SmallVector<mlir::OpResult> getResults() const;
  /// The row that loop `loop` of `op` walks; -1: none.
  int64_t getRow(mlir::Operation *op, int64_t loop) const;
};

/// Is told of each value between two kernels that a chain was considered for:
/// an empty `reason` when it is kept in a tile.
using ChainRemarkFn =
    llvm::function_ref<void(mlir::OpResult value, llvm::StringRef reason)>;

/// The chains among the kernels to be of `block`.
llvm::SmallVector<Chain> findChains(mlir::FunctionOpInterface function,
                                    mlir::Block &block, HwAttr hw,
                                    ChainRemarkFn remark);

/// Dimension `dim` of `value`, which an op of the program makes, in terms of
/// what it is written to, so that no size depends on an op of the chain.
mlir::OpFoldResult getChainSize(mlir::OpBuilder &b, mlir::Location loc,
                                mlir::Value value, int64_t dim);

/// What `init` is filled with or computed into: itself, behind fills.
mlir::Value getInitBase(mlir::Value init);

/// Arithmetic on the sizes of a chain, where `b` inserts.
struct ChainSizes {
  llvm::SmallVector<mlir::OpFoldResult> extents; ///< of the rows
  llvm::SmallVector<mlir::Value> tiles;          ///< of the rows
  mlir::Value fusedCost, partsCost;              ///< f64, nanoseconds
};
ChainSizes emitChainSizes(mlir::OpBuilder &b, const Chain &chain, HwAttr hw);

/// The chain as a parallel loop over tiles of its rows, in front of which `b`
/// inserts; gives what stands for getResults().
llvm::SmallVector<mlir::Value>
emitChainLoop(mlir::OpBuilder &b, const Chain &chain, const ChainSizes &sizes);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_CHAIN_H
