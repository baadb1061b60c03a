//===- WindowSteps.h - A ring's walk over a window --------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_WINDOWSTEPS_H
#define VORTEX_CONVERSION_VORTEXTOGPU_WINDOWSTEPS_H

#include "DeviceKernel.h"

namespace vortex {

/// The steps of a reduction over a window: those of its contiguous axis, block
/// after block, at each point of its other axes. Where one of these goes on in
/// memory where the contiguous one ends, of both factors, the two are walked as
/// one: three channels of a row of the window fill a step together.
class WindowSteps {
public:
  /// Reads extents and strides where the builder is. Along the contiguous axis
  /// it walks from `begin` to `end`: all of it, or a part.
  WindowSteps(const ContractionPlan &plan, DeviceKernel &device, Int begin,
              Int end);

  struct At {
    llvm::SmallVector<Int> outer; ///< along the outer axes
    Int k;                        ///< along the contiguous one
  };
  At first();
  /// The step behind `at`.
  At next(const At &at);
  /// The next `k` of the walk, whatever the outer axes.
  Int nextK(Int k);
  /// Where the contiguous axis ends at `at`: nowhere behind the last step.
  Int limit(const At &at);
  /// i64: how far `at` has moved the pointers to `operand`, in elements.
  mlir::Value moved(const TileOperand &operand, const At &at);
  /// i64: the operand's offset at these points of some axes, the others at
  /// zero.
  mlir::Value offsetAt(const TileOperand &operand,
                       llvm::ArrayRef<unsigned> axes,
                       llvm::ArrayRef<Int> points);

  Int count() const { return total; }
  Int length() const { return inner; }

private:
  const ContractionPlan &plan;
  DeviceKernel &device;
  llvm::SmallVector<Int> extents; ///< of the outer axes
  Int begin, inner, total;
};

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_WINDOWSTEPS_H
