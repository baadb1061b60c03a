//===- TileRing.h - Tiles of operands in shared memory ---------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_TILERING_H
#define VORTEX_CONVERSION_VORTEXTOGPU_TILERING_H

#include "TileCopies.h"

#include <array>

namespace vortex {

/// A ring of tiles of a contraction's two operands in shared memory. All
/// threads of a block fill it, stages - 1 tiles ahead of the one that is read;
/// one barrier a tile both publishes a filled stage and frees the one just
/// read. Rows of a stage are swizzled in chunks. Elements past an edge are
/// zeros. Of a plan that is staged a tile is loaded into registers before
/// another is multiplied, and is stored behind that.
class TileRing {
public:
  TileRing(ContractionPlan &plan, DeviceKernel &device,
           const ContractionPlace &place);

  /// Walks the reduction: `multiply` makes sums of sums, of the tile in a stage
  /// whose first step is `k`. Gives the last sums.
  using Multiply = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      llvm::SmallVector<mlir::Value> sums, Int stage, Int k)>;
  llvm::SmallVector<mlir::Value> reduce(llvm::ArrayRef<mlir::Value> start,
                                        Multiply multiply);

  /// Where steps of the reduction end: of a window, those of each of the tiles
  /// that `multiply` is given `k` of.
  Int getEnd() const { return steps ? steps->length() : endK; }

  /// Where chunk `chunk` of row `row` of an operand's tile lies in a stage.
  mlir::Value chunkAt(const TileOperand &operand, Int stage, Int row,
                      Int chunk);
  /// Where the element at `row` and `column` lies, and one `rowsOn` and
  /// `columnsOn` behind it: as much of these as the swizzle repeats after is a
  /// number in the address.
  mlir::Value elementAt(const TileOperand &operand, Int stage, Int row,
                        Int column, int64_t rowsOn = 0, int64_t columnsOn = 0);
  /// Registers of a fragment by `ldmatrix`: four matrices of eight rows of 16
  /// bytes, of which each lane names one; f16 in pairs, others as i32.
  llvm::SmallVector<mlir::Value> loadMatrices(const TileOperand &operand,
                                              Int stage, Int row, Int chunk,
                                              bool transposed);

private:
  /// Of both operands.
  using Steps = std::array<TileCopies::Step, 2>;
  Steps stepsAt(Int k);
  Steps stepsAt(const WindowSteps::At &at);
  void issueTile(const Steps &steps, Int stage);
  /// The two halves of issueTile() with registers between them.
  llvm::SmallVector<mlir::Value> loadTile(const Steps &steps);
  void storeTile(llvm::ArrayRef<mlir::Value> runs, Int stage);
  /// A tile in front of the loop, and one in it beside the products of another.
  void fillTile(const Steps &steps, Int stage);
  llvm::SmallVector<mlir::Value> reduceTile(mlir::ValueRange sums,
                                            llvm::function_ref<Steps()> coming,
                                            Int read, Int write, Int k,
                                            Multiply multiply);
  Int nextStage(Int stage);
  llvm::SmallVector<mlir::Value> reduceWindow(llvm::ArrayRef<mlir::Value> start,
                                              Multiply multiply);
  /// Until at most `pending` of this thread's tiles have not landed.
  void waitForCopies(int64_t pending);
  Int number(int64_t x) { return device.number(x); }

  ContractionPlan &plan;
  DeviceKernel &device;
  mlir::ImplicitLocOpBuilder &b;
  Int firstK, endK;
  std::optional<WindowSteps> steps; ///< of a window
  mlir::Value shared;
  std::optional<TileCopies> copiesA, copiesB;
};

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_TILERING_H
