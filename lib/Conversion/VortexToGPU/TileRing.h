//===- TileRing.h - Tiles of operands in shared memory ---------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_TILERING_H
#define VORTEX_CONVERSION_VORTEXTOGPU_TILERING_H

#include "WindowSteps.h"

#include <array>

namespace vortex {

/// One row of an ldmatrix, the unit of the swizzle.
inline constexpr int64_t kChunkBytes = 16;

/// Where a thread is in a contraction's tree: in the tile of its block, or in
/// the one that moveTo() says where blocks walk all tiles.
struct ContractionPlace {
  ContractionPlace(const ContractionPlan &plan, DeviceKernel &device);

  /// Where a box begins in a tensor whose dimensions walk `axes`: at `row` and
  /// `column` of two of them, at a point of the batch along the others. The
  /// innermost dimension is a tensor map's first.
  struct BoxOrigin {
    unsigned rowAxis, columnAxis;
    Int row, column;
  };
  llvm::SmallVector<mlir::Value> boxAt(llvm::ArrayRef<unsigned> axes,
                                       const BoxOrigin &origin) const;

  /// Moves to tile number `tile` from where the builder is.
  void moveTo(Int tile);

  Int thread, lane;
  Int block, blocks;            ///< of the grid, clusters where there are any
  Int rank;                     ///< of the block in its cluster
  Int tiles;                    ///< of the result, those of all parts
  Int m0, n0;                   ///< the block's tile
  Int warpM, warpN;             ///< the warp's tile in the block's
  llvm::SmallVector<Int> batch; ///< coordinates of the batch axes
  Int firstK, endK;             ///< steps of the reduction

private:
  const ContractionPlan &plan;
  DeviceKernel &device;
  Int rows, columns; ///< tiles along both axes
};

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
  /// Where the element at `row` and `column` lies.
  mlir::Value elementAt(const TileOperand &operand, Int stage, Int row,
                        Int column);
  /// Registers of a fragment by `ldmatrix`: four matrices of eight rows of 16
  /// bytes, of which each lane names one; f16 in pairs, others as i32.
  llvm::SmallVector<mlir::Value> loadMatrices(const TileOperand &operand,
                                              Int stage, Int row, Int chunk,
                                              bool transposed);

private:
  /// One copy a thread makes for each tile of an operand.
  struct Copy {
    Int row, column;       ///< in the tile
    mlir::Value pointer;   ///< to the element in the tile at reduction step 0
    Int shared;            ///< byte offset in a stage
    mlir::Value rowInside; ///< i1, null when the row walks the reduction
    Int columnsInside;     ///< elements, unset when columns walk the reduction
    mlir::Value active;    ///< i1, null when every thread has this copy
  };
  llvm::SmallVector<Copy> planCopies(const TileOperand &operand,
                                     const ContractionPlace &place, Int origin);
  /// A tile of an operand: its first step, the end of steps, and how far the
  /// reduction has moved the operand's pointers.
  struct Step {
    Int k, limit;
    mlir::Value moved;
  };
  /// Of both operands.
  using Steps = std::array<Step, 2>;
  Steps stepsAt(Int k);
  Steps stepsAt(const WindowSteps::At &at);
  /// Where each copy of a tile is from, and how many of its elements exist.
  using Use =
      llvm::function_ref<void(const Copy &, mlir::Value source, Int valid)>;
  void forEachCopy(const TileOperand &operand, llvm::ArrayRef<Copy> copies,
                   const Step &step, Use use);
  void issue(const TileOperand &operand, llvm::ArrayRef<Copy> copies,
             const Step &step, Int stage);
  void issueTile(const Steps &steps, Int stage);
  /// The two halves of issueTile() with registers between them.
  llvm::SmallVector<mlir::Value> loadTile(const Steps &steps);
  void storeTile(llvm::ArrayRef<mlir::Value> runs, Int stage);
  mlir::Value loadRun(const TileOperand &operand, const Copy &copy,
                      mlir::Value source, Int valid);
  /// A tile in front of the loop, and one in it beside the products of another.
  void fillTile(const Steps &steps, Int stage);
  llvm::SmallVector<mlir::Value> reduceTile(mlir::ValueRange sums,
                                            llvm::function_ref<Steps()> coming,
                                            Int read, Int write, Int k,
                                            Multiply multiply);
  mlir::Value rowPointer(const TileOperand &operand, Int row, mlir::Value tile);
  Int nextStage(Int stage);
  llvm::SmallVector<mlir::Value> reduceWindow(llvm::ArrayRef<mlir::Value> start,
                                              Multiply multiply);
  /// Until at most `pending` of this thread's tiles have not landed.
  void waitForCopies(int64_t pending);
  void copyRun(const TileOperand &operand, const Copy &copy, mlir::Value source,
               Int target, Int valid);
  void copyThrough(const TileOperand &operand, mlir::Value source, Int target,
                   Int valid);
  void copyElements(const TileOperand &operand, mlir::Value source, Int target,
                    Int valid);
  void copyElement(const TileOperand &operand, mlir::Value source, Int target,
                   mlir::Value valid);
  Int swizzle(const TileOperand &operand, Int row, Int chunk);
  /// Bytes of a stage in front of the operand.
  int64_t base(const TileOperand &operand) const {
    return &operand == &plan.b ? plan.a.bytes() : 0;
  }
  Int number(int64_t x) { return device.number(x); }

  ContractionPlan &plan;
  DeviceKernel &device;
  mlir::ImplicitLocOpBuilder &b;
  Int firstK, endK;
  std::optional<WindowSteps> steps; ///< of a window
  mlir::Value shared;
  llvm::SmallVector<Copy> copiesA, copiesB;
};

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_TILERING_H
