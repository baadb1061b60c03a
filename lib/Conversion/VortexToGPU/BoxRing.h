//===- BoxRing.h - Tiles brought by bulk copies -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_BOXRING_H
#define VORTEX_CONVERSION_VORTEXTOGPU_BOXRING_H

#include "TileCopies.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace vortex {

/// A ring of tiles in shared memory that producers fill and other warps empty.
/// What is a box of a tensor map comes by bulk copies that one thread issues;
/// what is none, such as the rows of windows, by copies of 16 bytes of all
/// threads of the producers. Each stage has two barriers: one that counts the
/// bytes which have landed, and the threads whose copies have, one that counts
/// the warps which are done with them. Boxes, and copies in the place of one,
/// lie in the 128-byte swizzle; elements past an edge are zeros.
/// Where blocks walk several tiles the ring goes on from one to the next: the
/// thread that fills it runs ahead of those that store a tile.
///
/// The blocks of a cluster bring parts of the operand that they share into the
/// memory of all of them. Bytes are counted where they land, and a stage is
/// empty when the warps of all blocks are done with it.
class BoxRing {
public:
  BoxRing(ContractionPlan &plan, DeviceKernel &device,
          const ContractionPlace &place);

  /// Makes the barriers; every thread of the block runs this.
  void prepare();

  /// Waits until no block of the cluster needs this one's memory; every thread
  /// runs this behind all else.
  void finish();

  /// A stage, and the parity of its use that is next.
  struct Position {
    Int stage, parity;
  };
  /// Where producers begin, and consumers.
  Position getStart(bool producer) {
    return {number(0), number(producer ? 1 : 0)};
  }

  /// Fills the ring from `position` on for the whole reduction; one thread of
  /// the block runs this, or all of the producers where they copy. Gives where
  /// it ends.
  Position produce(Position position);

  using Sums = llvm::SmallVector<mlir::Value>;
  /// Starts the products of the tile in a stage; gives the sums to be.
  using Multiply = llvm::function_ref<Sums(Sums sums, Int stage)>;
  /// Walks the reduction from `position` on, which becomes where it ends, in
  /// all warps that multiply. Gives the last sums, complete.
  Sums consume(const Sums &start, Position &position, Multiply multiply);

  /// Adds up two lists of sums.
  using Add = llvm::function_ref<Sums(Sums, Sums)>;
  /// As above, with products of each stage that are added to the sums when they
  /// are complete: `multiply` starts them from zero, in the place of those
  /// before it.
  Sums consume(const Sums &start, Position &position, Multiply multiply,
               const Sums &zeros, Add add);

  /// Where the ring begins, in shared memory.
  mlir::Value getBegin() const { return shared; }

private:
  mlir::Value at(Int offset);
  mlir::Value barrier(Int stage, bool full);
  void wait(mlir::Value barrier, Int parity);
  /// Waits for all threads of all blocks of the cluster.
  void meetCluster();
  /// Has one thread expect and issue what comes in boxes at a step.
  void issueBoxes(const WindowSteps::At &at, Int stage);
  void issue(const TileOperand &operand, Int origin, const WindowSteps::At &at,
             Int stage);
  /// A loop over the steps of the reduction.
  mlir::scf::ForOp createLoop(mlir::ValueRange carried);
  /// The stage behind the one of `position`.
  Position next(Position position);
  /// Waits for the tile in a stage, and starts its products.
  Sums startProducts(Position at, const Sums &sums, Multiply multiply);
  /// Tells that this warp is done with `stage`, if there is one of that number.
  void release(Int stage);
  Int number(int64_t x) { return device.number(x); }

  ContractionPlan &plan;
  DeviceKernel &device;
  mlir::ImplicitLocOpBuilder &b;
  const ContractionPlace &place;
  std::optional<WindowSteps> steps; ///< of a window
  mlir::Value shared;
};

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_BOXRING_H
