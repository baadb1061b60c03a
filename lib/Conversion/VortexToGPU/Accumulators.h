//===- Accumulators.h - Sums of matrix instructions -------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_ACCUMULATORS_H
#define VORTEX_CONVERSION_VORTEXTOGPU_ACCUMULATORS_H

#include "Epilogue.h"

namespace vortex {

/// The part of a block's tile that one thread has in its accumulators.
class Accumulators {
public:
  /// Values of one row or column: how far it is from that of the thread's first
  /// value, and what a value's position among the sums has of it. The positions
  /// of row and column add up.
  struct Offset {
    int64_t offset, position;
  };
  struct Place {
    Int across, along; ///< of the thread's first value, in the result
    llvm::SmallVector<Offset> acrossOffsets, alongOffsets;
    llvm::ArrayRef<Int> batch;
    bool turned = false; ///< `across` counts columns of the result, not rows
  };
  /// Instructions of PTX leave four values of each 16 x 8 tile of a warp with a
  /// thread: two of a row, and two of the row eight below; of tiles of 8 x 8
  /// the first two. `mma.sync` and `wgmma` differ in how far apart the tiles of
  /// one warp lie.
  struct PtxTiles {
    int64_t tilesM, tilesN; ///< of the warp
    int64_t stepM;          ///< from tile to tile across; along it is 8
    int64_t halves = 2;     ///< of a tile, with eight rows each
  };
  static Place placePtx(Int across, Int along, PtxTiles tiles,
                        llvm::ArrayRef<Int> batch, bool turned = false);

  Accumulators(ContractionPlan &plan, DeviceKernel &device, Epilogue &epilogue,
               Place place)
      : plan(plan), device(device), b(device.b), epilogue(epilogue),
        place(std::move(place)) {}

  int64_t size() const {
    return place.acrossOffsets.size() * place.alongOffsets.size();
  }

  /// What sums start with: the constant of a fill, or what the init holds.
  llvm::SmallVector<mlir::Value> start();

  /// Runs the epilogue on sums inside the result and stores them.
  void store(mlir::ValueRange sums);

private:
  /// An offset, and the coordinate of the result that it leads to.
  struct Line {
    Int at;
    int64_t offset, position;
  };
  /// An operand or result of the kernel whose dimensions walk `axes`.
  struct Memory {
    unsigned operand;
    llvm::SmallVector<unsigned> axes;
    mlir::Type element;
  };
  /// Where the thread's first column is, or would be, in the row of `at`.
  mlir::Value findRow(const Memory &memory, llvm::MutableArrayRef<Int> at);
  /// Where `column` of the row is that was found at `row`.
  mlir::Value findColumn(const Memory &memory, mlir::Value row, Line column);
  llvm::SmallVector<Line> getLines(bool across);
  /// A row of the result.
  struct Row {
    llvm::SmallVector<Int> at; ///< of all axes; of no use along columns
    mlir::Value begin;         ///< where the thread's first column is
    Epilogue::Row operands;
  };
  /// Columns that are stored together, and what is loaded for each.
  struct Run {
    llvm::ArrayRef<Line> columns;
    llvm::SmallVector<Int> at; ///< the first's, others at most the last column
    llvm::SmallVector<Epilogue::Column> loaded;
  };
  Row findRow(const Memory &memory, Line line);
  Run loadRun(llvm::ArrayRef<Line> columns, Int last);
  /// The results of the run's columns in the row, as memory holds them.
  llvm::SmallVector<mlir::Value> compute(mlir::ValueRange sums, Line line,
                                         const Row &row, const Run &run);
  /// Whether runs of `run` columns, a power of two, begin at multiples of their
  /// bytes in every row of the result and end where it does. The same for all
  /// threads.
  mlir::Value holdsRuns(int64_t run, int64_t elementBytes);
  /// Stores neighbours of one row, of the given columns: at once where `whole`,
  /// else one by one those that the result has. The first is inside.
  void storeTogether(llvm::SmallVector<mlir::Value> values, mlir::Value pointer,
                     llvm::ArrayRef<Line> columns, mlir::Value whole);
  llvm::SmallVector<Line> rows() { return getLines(!place.turned); }
  llvm::SmallVector<Line> columns() { return getLines(place.turned); }
  Int firstColumn() { return place.turned ? place.across : place.along; }
  /// A coordinate for each axis, those of the batch set.
  llvm::SmallVector<Int> coordinates();
  /// Coordinates of the axes whose points are rows.
  llvm::SmallVector<Int> rowAt(Line row) {
    return device.divide(plan.rowAxes(), row.at);
  }
  void setRow(llvm::MutableArrayRef<Int> at, llvm::ArrayRef<Int> row) {
    for (auto [axis, coordinate] : llvm::zip(plan.rowAxes(), row))
      at[axis] = coordinate;
  }

  ContractionPlan &plan;
  DeviceKernel &device;
  mlir::ImplicitLocOpBuilder &b;
  Epilogue &epilogue;
  Place place;
};

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_ACCUMULATORS_H
