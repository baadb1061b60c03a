//===- Epilogue.h - Elementwise ops on accumulators ------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_EPILOGUE_H
#define VORTEX_CONVERSION_VORTEXTOGPU_EPILOGUE_H

#include "DeviceKernel.h"

namespace vortex {

/// The elementwise ops behind a contraction, applied element by element while
/// the element is in a register.
class Epilogue {
public:
  /// Values loaded for one column, which all rows of it share.
  using Column = llvm::DenseMap<mlir::OpOperand *, mlir::Value>;

  Epilogue(ContractionPlan &plan, DeviceKernel &device)
      : plan(plan), device(device) {}

  /// Finds which axis each dimension of each value walks.
  mlir::LogicalResult analyze();

  /// Whether there is something that `loadColumn` loads.
  bool readsColumns() const;

  /// Loads what depends on the column (and batch) alone. `at` has the
  /// coordinate of each axis; that of the row is not read.
  Column loadColumn(llvm::ArrayRef<Int> at);

  /// Where one row begins in what is loaded for each element of it.
  using Row = llvm::DenseMap<mlir::OpOperand *, mlir::Value>;

  /// What `apply` would compute again for each column of the row. `at` has the
  /// coordinate of each axis; that of the column is not read.
  Row findRow(llvm::ArrayRef<Int> at);

  /// The element of the kernel's result at `at`, from its accumulator.
  mlir::Value apply(mlir::Value accumulator, llvm::ArrayRef<Int> at,
                    const Column &column, const Row &row = Row());

  /// Axes that the dimensions of the kernel's result walk.
  llvm::ArrayRef<unsigned> getResultAxes() const { return resultAxes; }

  /// Loads the element of a kernel operand whose dimensions walk `axes`.
  mlir::Value load(mlir::Value operand, llvm::ArrayRef<unsigned> axes,
                   llvm::ArrayRef<Int> at);

private:
  /// Loads the element of `column` of the row that begins at `begin`.
  mlir::Value loadInRow(mlir::OpOperand &operand, mlir::Value begin,
                        Int column);
  /// Whether what walks `axes` differs between rows.
  bool hasRows(llvm::ArrayRef<unsigned> axes) const;

  ContractionPlan &plan;
  DeviceKernel &device;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<unsigned>> axesOf;
  /// Axes that operands which are not computed here walk.
  llvm::DenseMap<mlir::OpOperand *, llvm::SmallVector<unsigned>> loads;
  llvm::SmallVector<unsigned> resultAxes;
};

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_EPILOGUE_H
