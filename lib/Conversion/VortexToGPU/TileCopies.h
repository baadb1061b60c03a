//===- TileCopies.h - Copies of an operand's tiles --------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_TILECOPIES_H
#define VORTEX_CONVERSION_VORTEXTOGPU_TILECOPIES_H

#include "ContractionPlace.h"
#include "WindowSteps.h"

namespace vortex {

/// One row of an ldmatrix, the unit of the swizzle.
inline constexpr int64_t kChunkBytes = 16;

/// Where chunk `chunk` of row `row` of an operand's tile lies in its row.
Int swizzleChunk(const TileOperand &operand, Int row, Int chunk);

/// Rows and chunks of a row after which the swizzle repeats.
struct SwizzlePeriod {
  int64_t rows, chunks;
};
SwizzlePeriod getSwizzlePeriod(const TileOperand &operand);

/// The copies by which threads of a block bring tiles of one operand from
/// memory to a stage of a ring. Rows are swizzled in chunks; elements past an
/// edge are zeros.
class TileCopies {
public:
  /// Plans those of the tile at `place` to the ring at `shared`, by the first
  /// `threads` threads of a block. `steps` walks a window; null: the reduction
  /// of matrices.
  TileCopies(const ContractionPlan &plan, DeviceKernel &device,
             const TileOperand &operand, const ContractionPlace &place,
             WindowSteps *steps, mlir::Value shared, int64_t threads);

  /// A tile: its first step, the end of steps, and how far the reduction has
  /// moved the operand's pointers.
  struct Step {
    Int k, limit;
    mlir::Value moved;
  };
  Step stepAt(Int k);
  Step stepAt(const WindowSteps::At &at);

  /// Copies a tile to `stage`, asynchronously where the device does.
  void issue(const Step &step, Int stage);
  /// The two halves of issue() with registers between them.
  llvm::SmallVector<mlir::Value> load(const Step &step);
  void store(mlir::ValueRange runs, Int stage);
  size_t size() const { return copies.size(); }

private:
  /// One copy a thread makes for each tile.
  struct Copy {
    Int row, column;       ///< in the tile
    mlir::Value pointer;   ///< to the element in the tile at reduction step 0
    Int shared;            ///< byte offset in a stage
    int64_t sharedOn = 0;  ///< to be added to it
    mlir::Value rowInside; ///< i1, null when the row walks the reduction
    Int columnsInside;     ///< elements, unset when columns walk the reduction
    mlir::Value active;    ///< i1, null when every thread has this copy
  };
  bool isWindow() const { return plan.window && &operand == &plan.a; }
  mlir::Value findTile(const ContractionPlace &place, Int origin);
  void planCopies(const ContractionPlace &place, int64_t threads);
  /// Where each copy of a tile is from, and how many of its elements exist.
  using Use =
      llvm::function_ref<void(const Copy &, mlir::Value source, Int valid)>;
  void forEachCopy(const Step &step, Use use);
  mlir::Value loadRun(const Copy &copy, mlir::Value source, Int valid);
  mlir::Value rowPointer(Int row, mlir::Value tile);
  /// A byte of shared memory; the constant is a number in the address.
  struct Target {
    Int offset;
    int64_t on;
  };
  mlir::Value pointerTo(Target target, int64_t bytes = 0);
  void copyRun(mlir::Value source, Target target, Int valid);
  void copyThrough(mlir::Value source, Target target, Int valid);
  void copyElements(mlir::Value source, Target target, Int valid);
  void copyElement(mlir::Value source, Target target, int64_t bytes,
                   mlir::Value valid);
  Int number(int64_t x) { return device.number(x); }

  const ContractionPlan &plan;
  DeviceKernel &device;
  mlir::ImplicitLocOpBuilder &b;
  const TileOperand &operand;
  WindowSteps *steps;
  Int endK;
  mlir::Value shared;
  llvm::SmallVector<Copy> copies;
};

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_TILECOPIES_H
