//===- DotEmitter.h - Steps of dot-product instructions ---------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a register tile reads groups of narrow elements and multiplies them. One
// step is a group: the innermost reduction loop counts groups, and its value
// stands for `k floordiv group` in indexing maps.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_DOTEMITTER_H
#define VORTEX_TRANSFORMS_DOTEMITTER_H

#include "DotProduct.h"
#include "MicroKernelEmitter.h"

namespace vortex {

/// Whether `map` reads groups that lie beside each other: `k mod group` last,
/// and `k floordiv group` in front of what else there is.
bool isGrouped(mlir::AffineMap map, unsigned loop, int64_t group);

/// A panel of B, or a part of its steps, with the groups of a row as one run of
/// elements. All of the width is there, also of the last panel.
mlir::Value getWholePanel(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value columns);

class DotEmitter : public TileEmitter {
public:
  /// Fails, with an error at `kernel`, when its instruction cannot compute
  /// `op` from the layouts that its maps read.
  static mlir::FailureOr<DotEmitter>
  create(mlir::OpBuilder &b, MicroKernelOp kernel, mlir::linalg::LinalgOp op);

  /// Whether factors of zero may be left out: they add nothing, or what they
  /// would add is known.
  bool canLeaveOut() const {
    return operands != DotOperands::Offset || stepSums;
  }
  /// Whether A is larger than it should be: a tile then has one more row of
  /// sums, of what that adds to each column.
  bool hasOffset() const {
    return operands == DotOperands::Offset && !columnSums;
  }
  /// The input with the sums of the columns of B, which take that off.
  std::optional<unsigned> getColumnSums() const { return columnSums; }
  /// The input with the same for each step of the outer reductions.
  std::optional<unsigned> getStepSums() const { return stepSums; }
  /// What A is too large by times `sums`, which the columns of B have.
  mlir::Value scaleSums(mlir::Value sums);
  /// Whether the last group of A may have elements past its end.
  bool hasTail() const { return !packedA; }

  unsigned getInputA() const { return payload.inputA; }
  unsigned getInputB() const { return payload.inputB; }

  /// Where the operands lie; before anything is read. `value` is what the
  /// micro-kernel is given, `rows` the exact row count of the case.
  void setOperands(mlir::Value a, mlir::Value b, int64_t rows);
  /// A, in whose map the innermost reduction counts groups.
  TileOperand &getRows() { return memoryA; }
  /// A group of A, or of `rows`, a part of it, in all lanes, at `loops`;
  /// `valid` of its elements are read (null: all are).
  mlir::Value readRow(mlir::ArrayRef<mlir::Value> loops, mlir::Value valid) {
    return readRow(memoryA, loops, valid);
  }
  mlir::Value readRow(const TileOperand &rows,
                      mlir::ArrayRef<mlir::Value> loops, mlir::Value valid);
  /// The row of A whose sums are what A is too large by.
  mlir::Value getOffsetRow() { return toElements(flip, payload.a); }
  /// A vector of groups of B, at `loops`.
  mlir::Value readColumns(mlir::ArrayRef<mlir::Value> loops);
  /// `sum` and the products of `row` and `columns`; of several turns, those of
  /// turn `turn`.
  mlir::Value accumulate(mlir::Value sum, mlir::Value row, mlir::Value columns,
                         int64_t turn);
  /// Turns that a step takes, each with all rows and columns: factors that are
  /// widened leave registers for those of a turn alone, so that each turn reads
  /// them again.
  int64_t countTurns() const { return turns.size(); }

  int64_t group = 1;

private:
  DotEmitter(mlir::OpBuilder &b, mlir::Location loc, int64_t lanes)
      : TileEmitter(b, loc, lanes) {}
  mlir::Value toElements(mlir::Value words, mlir::Type element);

  DotPayload payload;
  llvm::SmallVector<std::string> turns; ///< opcodes
  DotOperands operands = DotOperands::InOrder;
  mlir::AffineMap mapA, mapB; ///< of the operands in memory
  unsigned reduction = 0;     ///< the loop that counts groups
  bool packedA = false;
  std::optional<unsigned> columnSums, stepSums;
  TileOperand memoryA, memoryB;
  mlir::Value flip; ///< the sign bit of each element, in all lanes
};

} // namespace vortex

#endif // VORTEX_TRANSFORMS_DOTEMITTER_H
