//===- VerifySchedule.h - Does a schedule fit the machine -------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_IR_VERIFYSCHEDULE_H
#define VORTEX_IR_VERIFYSCHEDULE_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

namespace vortex {

/// Verifies the tree of levels and stages of `candidate` as a whole: roles,
/// rings, splits, nested tiles, and, when a module around it names a target
/// with these levels, shared memory, registers and instruction shapes. Sizes
/// that are not constants are not checked.
mlir::LogicalResult verifySchedule(CandidateOp candidate);

} // namespace vortex

#endif // VORTEX_IR_VERIFYSCHEDULE_H
