//===- GeneralKernel.h - One code for several extents -----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_DIALECT_VORTEX_TRANSFORMS_GENERALKERNEL_H
#define VORTEX_LIB_DIALECT_VORTEX_TRANSFORMS_GENERALKERNEL_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

namespace vortex {

/// A copy of a kernel that is in no function: what it takes are arguments of a
/// block of its own. It has no name.
class KernelCopy {
public:
  explicit KernelCopy(KernelOp kernel);
  ~KernelCopy();
  KernelCopy(const KernelCopy &) = delete;
  KernelCopy &operator=(const KernelCopy &) = delete;

  KernelOp getKernel() const { return kernel; }
  /// The same for kernels that are the same op for op. Constants are told apart
  /// by their attribute, of which there is one a value.
  std::string getText() const;
  /// Takes for unknown how many there are in a batch of products, unless it is
  /// one: as many runs of the same loops. For comparison alone, as below.
  void forgetBatch();
  /// Takes extents of more than `kSmallExtent` for unknown in the types of what
  /// takes its sizes from elsewhere, and with them how many tiles a packed
  /// operand has of them. For comparison alone: `tensor.empty` lacks sizes
  /// then.
  void forgetExtents();
  /// Takes extents for unknown that `kernels`, which are the same op for op
  /// once their extents are forgotten, do not have in common. Fails where the
  /// payload makes a value with an extent that no operand has.
  llvm::LogicalResult joinExtents(llvm::ArrayRef<KernelOp> kernels);

private:
  mlir::Block operands;
  KernelOp kernel;
};

/// Windows, groups and tiles: extents that make other loops, not longer ones.
constexpr int64_t kSmallExtent = 32;

} // namespace vortex

#endif // VORTEX_LIB_DIALECT_VORTEX_TRANSFORMS_GENERALKERNEL_H
