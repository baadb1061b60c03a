//===- Expansion.h - A candidate on its way to loops -------------*- C++
//-*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What vortex-expand knows while it walks a candidate's tree. Levels and stages
// are in Expand.cpp, the layouts of operands in ExpandLoads.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_DIALECT_VORTEX_TRANSFORMS_EXPANSION_H
#define LIB_DIALECT_VORTEX_TRANSFORMS_EXPANSION_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace vortex {

/// An operand of the anchor laid out in the memory of a level.
struct Relayout {
  mlir::Value block;  ///< the operand's slice at the level that loads it
  mlir::Value packed; ///< its packed form
  LayoutKind layout;
  int64_t position;        ///< dimension of `block` split into tiles
  mlir::OpFoldResult tile; ///< tile of that dimension
  int64_t group = 1;       ///< steps of the reduction beside each other
  int64_t groupDim = -1;   ///< dimension of `block` that it walks
  llvm::SmallVector<int64_t> order; ///< dimensions of `packed` by `block`'s

  /// Whether it is columns one behind the other.
  bool isColumn() const {
    return layout == LayoutKind::Panel && group == 1 &&
           mlir::isConstantIntValue(tile, 1);
  }
};

class Expansion {
public:
  Expansion(mlir::IRRewriter &rewriter, KernelOp kernel, CandidateOp candidate)
      : rewriter(rewriter), kernel(kernel), candidate(candidate) {}
  /// Replaces the kernel by the candidate's nest.
  mlir::LogicalResult run();

private:
  mlir::LogicalResult expandBlock(mlir::Block &block, bool outermost);
  mlir::LogicalResult expandLevel(LevelOp level, bool outermost);
  mlir::LogicalResult expandStage(StageOp stage);
  mlir::LogicalResult expandLibraryStage(StageOp stage);
  void mergeCopies(llvm::ArrayRef<llvm::StringRef> ids);
  mlir::LogicalResult tile(LevelOp level, bool outermost);
  mlir::LogicalResult divideReduction(LevelOp level);
  mlir::LogicalResult load(LevelOp level);
  mlir::OpOperand *findLoaded(int64_t position);
  mlir::LogicalResult layOut(LoadAttr load, mlir::Value size);
  mlir::LogicalResult copyTogether(LevelOp level, LoadAttr load);
  mlir::LogicalResult copyWindow(LevelOp level, LoadAttr load);
  void useRelayouts(mlir::linalg::LinalgOp anchor, MicroKernelAttr micro);
  mlir::FailureOr<int64_t> loopOfAxis(mlir::TilingInterface root, int64_t axis);
  mlir::Operation *rootOf(mlir::Operation *tree);
  mlir::Operation *find(llvm::StringRef id) { return scope.lookup(id); }
  mlir::linalg::LinalgOp anchor() {
    return llvm::dyn_cast_if_present<mlir::linalg::LinalgOp>(find(anchorId));
  }

  mlir::IRRewriter &rewriter;
  KernelOp kernel;
  CandidateOp candidate;
  mlir::IRMapping sizes; ///< candidate values -> values in front of the kernel
  /// Ops of the payload by id, at this depth.
  llvm::StringMap<mlir::Operation *> scope;
  std::string anchorId;
  llvm::StringSet<> staged; ///< ids that some stage names
  /// As they are before any is tiled.
  llvm::DenseSet<mlir::Operation *> payloadOps;
  llvm::SmallVector<Relayout> relayouts;
};

/// Ids that the stages below `tree` name.
llvm::SmallVector<llvm::StringRef> idsIn(mlir::Operation *tree);

/// The id that names an op of the payload, or nothing.
llvm::StringRef getPayloadId(mlir::Operation *op);

} // namespace vortex

#endif // LIB_DIALECT_VORTEX_TRANSFORMS_EXPANSION_H
