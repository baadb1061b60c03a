//===- TileProduct.h - Products by an instruction of tiles ------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the emitters of products in matrix tiles share: of rows
// (EmitMatrixTile.cpp) and of pixels under a window (EmitMatrixWindow.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_TILEPRODUCT_H
#define VORTEX_TRANSFORMS_TILEPRODUCT_H

#include "TileCase.h"

namespace vortex {

/// The anchor of a micro-kernel and the instruction that makes its products.
struct TileProduct {
  MicroKernelOp kernel;
  mlir::linalg::LinalgOp anchor;
  DotPayload payload;
  mlir::Type elementA, elementB;
  HwInstructionAttr instruction;
  int64_t height;    ///< rows of a tile
  int64_t depth;     ///< steps of a tile, at most the instruction's
  int64_t lineBytes; ///< of a cache line
  bool paced;        ///< whether loads of tiles wait for products

  /// Of the anchor of `kernel`; an error when its instruction has no such
  /// products, types or shape.
  static mlir::FailureOr<TileProduct> create(MicroKernelOp kernel);

  mlir::AffineMap getMapOfA() { return getMap(payload.inputA); }
  mlir::AffineMap getMapOfB() { return getMap(payload.inputB); }
  /// The operands outside of the micro-kernel.
  mlir::Value getA() { return getOperand(payload.inputA); }
  mlir::Value getB() { return getOperand(payload.inputB); }
  /// Whether pixels under a window are the rows of A, and not rows.
  bool isWindow() { return anchor.getNumReductionLoops() > 1; }
  /// Whether the sums start from zero.
  bool startsAtZero();
  /// Whether the sums are the results as they are, so that tiles may be stored
  /// there.
  bool yieldsSums(const TileResults &results, mlir::Type element);
  /// `a` times `b`, tiles, added to `sum`.
  mlir::Value multiply(mlir::OpBuilder &b, mlir::Value rows,
                       mlir::Value columns, mlir::Value sum);
  /// Requests the lines of `count` rows of the result, `memory` of two
  /// dimensions, from `first` on: a store into a line that comes from far away
  /// holds up all behind it. Past the last row a request is of no use, and of
  /// no harm.
  void requestRows(mlir::OpBuilder &b, mlir::Value memory, mlir::Value first,
                   int64_t count);

private:
  mlir::AffineMap getMap(unsigned input) {
    return anchor.getIndexingMapsArray()[input];
  }
  mlir::Value getOperand(unsigned input) {
    return getOutside(kernel, anchor->getOperand(input));
  }
};

/// Rows of the result that are requested in each step of tiles: all at once
/// they would hold up the loads of tiles, if they are not few.
inline constexpr int64_t kRequestedRows = 2;

/// `tensor`, of which nothing is written any more, as memory; its last `fixed`
/// dimensions are known to lie without gaps.
mlir::Value readAsMemory(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value tensor, int64_t fixed);

/// What `then` makes, or, where `flag` holds (null: never), `otherwise`: values
/// of `types`, at most one. Without `otherwise` there are none.
mlir::Value emitUnless(mlir::OpBuilder &b, mlir::Location loc, mlir::Value flag,
                       mlir::TypeRange types,
                       llvm::function_ref<mlir::Value()> then,
                       llvm::function_ref<mlir::Value()> otherwise);

/// Whether `product` reads pixels under a window as code is made for; an error
/// if not.
llvm::LogicalResult checkMatrixWindow(TileProduct product);
/// Emits the tile of a micro-kernel, which has been checked, whose rows are
/// pixels under a window. Returns the new value of its init.
mlir::Value emitMatrixWindow(mlir::OpBuilder &b, TileProduct product,
                             const TileResults &results);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_TILEPRODUCT_H
