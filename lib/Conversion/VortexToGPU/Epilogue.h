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

  /// Loads what depends on the column (and batch) alone. `at` has the
  /// coordinate of each axis; that of the row is not read.
  Column loadColumn(llvm::ArrayRef<Int> at);

  /// The element of the kernel's result at `at`, from its accumulator.
  mlir::Value apply(mlir::Value accumulator, llvm::ArrayRef<Int> at,
                    const Column &column);

  /// Axes that the dimensions of the kernel's result walk.
  llvm::ArrayRef<unsigned> getResultAxes() const { return resultAxes; }

  /// Loads the element of a kernel operand whose dimensions walk `axes`.
  mlir::Value load(mlir::Value operand, llvm::ArrayRef<unsigned> axes,
                   llvm::ArrayRef<Int> at);

private:
  ContractionPlan &plan;
  DeviceKernel &device;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<unsigned>> axesOf;
  /// Axes that operands which are not computed here walk.
  llvm::DenseMap<mlir::OpOperand *, llvm::SmallVector<unsigned>> loads;
  llvm::SmallVector<unsigned> resultAxes;
};

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_EPILOGUE_H
