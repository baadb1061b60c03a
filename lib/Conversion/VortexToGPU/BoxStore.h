//===- BoxStore.h - Results stored by bulk copies ---------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_BOXSTORE_H
#define VORTEX_CONVERSION_VORTEXTOGPU_BOXSTORE_H

#include "Epilogue.h"
#include "TileRing.h"

namespace vortex {

/// The end of a tile on `wgmma` by bulk tensor copies: a group of warps writes
/// boxes of 64 rows of 128 bytes to shared memory, in the 128-byte swizzle, and
/// its first thread has each copied to the result while the next is written.
/// Copies leave out what lies past an edge. Each group has buffers of its own.
class BoxStore {
public:
  BoxStore(ContractionPlan &plan, DeviceKernel &device, Epilogue &epilogue,
           const ContractionPlace &place, mlir::Value shared)
      : plan(plan), device(device), b(device.b), epilogue(epilogue),
        place(place), shared(shared) {}

  /// Runs the epilogue on the sums of group number `group` and stores them.
  void store(mlir::ValueRange sums, Int group);

  /// Waits until all copies have read their buffers; behind the last tile.
  void finish();

private:
  /// Waits until `pending` of the copies issued last may still read.
  void wait(int64_t pending);
  /// Meets the other warps of the group.
  void meet(Int group);
  /// Writes columns from `column` on of the 64 rows from `row` on.
  void write(mlir::ValueRange sums, Int buffer, Int row, Int column,
             int64_t first);
  void issue(Int buffer, Int row, Int column);
  llvm::SmallVector<mlir::Value> makeRow(mlir::ValueRange sums, Int row,
                                         llvm::ArrayRef<Int> columns,
                                         int64_t first);
  mlir::Type getElement();
  mlir::Value isFirst();
  Int number(int64_t x) { return device.number(x); }

  ContractionPlan &plan;
  DeviceKernel &device;
  mlir::ImplicitLocOpBuilder &b;
  Epilogue &epilogue;
  const ContractionPlace &place;
  mlir::Value shared;
};

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_BOXSTORE_H
