//===- AxisExtents.h - Sizes of a kernel's axes -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_AXISEXTENTS_H
#define VORTEX_TRANSFORMS_AXISEXTENTS_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/IR/IRMapping.h"

namespace vortex {

/// The extent of each axis of `kernel` as index values at the insertion point,
/// read from the kernel's operands. Emits an error when some axis walks no
/// dimension of an operand.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
getAxisExtents(mlir::OpBuilder &b, KernelOp kernel);

/// Maps the arguments of `kernel`'s candidates region to what they stand for
/// in front of it: its axes to their extents, the operands behind to operands.
mlir::LogicalResult mapCandidateArguments(mlir::OpBuilder &b, KernelOp kernel,
                                          mlir::IRMapping &map);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_AXISEXTENTS_H
