//===- BoxRing.h - Tiles brought by bulk copies -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTONVVM_BOXRING_H
#define VORTEX_CONVERSION_VORTEXTONVVM_BOXRING_H

#include "TileRing.h"

namespace vortex {

/// A ring of tiles in shared memory that one thread fills by bulk tensor
/// copies and other warps empty. Each stage has two barriers: one that counts
/// the bytes which have landed, one that counts the warps which are done with
/// them. Boxes lie in the 128-byte swizzle; elements past an edge are zeros.
class BoxRing {
public:
  BoxRing(ContractionPlan &plan, DeviceKernel &device,
          const ContractionPlace &place);

  /// Makes the barriers; every thread of the block runs this.
  void prepare();

  /// Fills the ring for the whole reduction; one thread of the block runs this.
  void produce();

  /// Walks the reduction, in all warps that multiply: `multiply` starts the
  /// products of the tile in a stage and gives the sums to be. Gives the last
  /// ones, complete.
  using Multiply = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      llvm::SmallVector<mlir::Value> sums, Int stage)>;
  llvm::SmallVector<mlir::Value> consume(llvm::ArrayRef<mlir::Value> start,
                                         Multiply multiply);

  /// Where the ring begins, in shared memory.
  mlir::Value getBegin() const { return shared; }
  /// Bytes of a stage in front of an operand's tile.
  int64_t base(const TileOperand &operand) const {
    return &operand == &plan.b ? plan.a.bytes() : 0;
  }

private:
  mlir::Value at(Int offset);
  mlir::Value barrier(Int stage, bool full);
  void wait(mlir::Value barrier, Int parity);
  void issue(const TileOperand &operand, Int origin, Int k, Int stage);
  /// The stage behind `stage`; `parity` becomes that of its next use.
  Int next(Int stage, Int &parity);
  Int number(int64_t x) { return device.number(x); }

  ContractionPlan &plan;
  DeviceKernel &device;
  mlir::ImplicitLocOpBuilder &b;
  const ContractionPlace &place;
  mlir::Value shared;
};

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTONVVM_BOXRING_H
