//===- CandidateFamily.h - What families of candidates share ----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_CANDIDATEFAMILY_H
#define VORTEX_TRANSFORMS_CANDIDATEFAMILY_H

#include "CpuCandidates.h"
#include "PayloadClass.h"
#include "SizeArith.h"

namespace vortex {

/// A kernel without candidates, the target to plan it for, and the place where
/// ops are made.
class CandidateFamily {
public:
  CandidateFamily(KernelOp kernel, mlir::linalg::LinalgOp anchor, HwAttr hw,
                  CandidateReport &report)
      : kernel(kernel), anchor(anchor), hw(hw), report(report),
        b(kernel.getContext()), arith(b, kernel.getLoc()) {}

protected:
  mlir::LogicalResult drop(std::string why) {
    report.pruned.push_back(std::move(why));
    return mlir::failure();
  }
  /// Makes the region of candidates, with an argument for each axis.
  mlir::Block *createCandidates() {
    mlir::Block *block = b.createBlock(&kernel.getCandidates());
    for (size_t i = 0; i < kernel.getAxes().size(); ++i)
      block->addArgument(b.getIndexType(), kernel.getLoc());
    return block;
  }
  /// The extent of an axis, once there are candidates.
  Size axis(unsigned loop) {
    return arith.size(kernel.getCandidates().front().getArgument(loop));
  }
  Real param(llvm::StringRef name, double otherwise = 0) {
    return arith.param(hw, name, otherwise);
  }
  /// A constant in front of `candidate`, for the levels of its schedule.
  mlir::Value sizeInFront(CandidateOp candidate, int64_t x) {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(candidate);
    return arith.size(x).value;
  }
  /// Ids of the payload's ops, in order.
  llvm::SmallVector<llvm::StringRef> getPayloadIds() {
    llvm::SmallVector<llvm::StringRef> ids;
    for (mlir::Operation &op : kernel.getPayload().front())
      if (auto id = op.getAttrOfType<mlir::StringAttr>(kIdAttr))
        ids.push_back(id.getValue());
    return ids;
  }
  /// Ids of the payload's ops around blocks of the reduction: what starts the
  /// result in front of the first, the anchor, what finishes it behind the
  /// last. Without blocks (`apart`) all are in the middle.
  struct PayloadParts {
    llvm::SmallVector<llvm::StringRef> before, inner, behind;
  };
  PayloadParts splitPayload(bool apart) {
    PayloadParts parts;
    for (mlir::Operation &op : kernel.getPayload().front())
      if (auto id = op.getAttrOfType<mlir::StringAttr>(kIdAttr))
        (!apart || &op == anchor      ? parts.inner
         : op.isBeforeInBlock(anchor) ? parts.before
                                      : parts.behind)
            .push_back(id.getValue());
    return parts;
  }
  /// The loops that the dimensions of the anchor's result walk, in order;
  /// without the one in lanes unless `columns` lie there.
  llvm::SmallVector<int64_t> getRows(bool columns) {
    int64_t lane = getLaneLoop(anchor);
    mlir::AffineMap out = anchor.getIndexingMapsArray().back();
    llvm::SmallVector<int64_t> rows;
    for (unsigned i = 0; i < out.getNumResults(); ++i)
      if (int64_t loop = out.getDimPosition(i); columns || loop != lane)
        rows.push_back(loop);
    return rows;
  }
  /// A level whose axes are of one class; what follows is made inside it.
  LevelOp createLevel(llvm::StringRef name, LoopKind kind,
                      llvm::ArrayRef<int64_t> axes, AxisClass axisClass,
                      llvm::ArrayRef<mlir::Value> sizes,
                      llvm::ArrayRef<mlir::Attribute> loads = {},
                      llvm::ArrayRef<mlir::Value> loadSizes = {}) {
    llvm::SmallVector<AxisClass> classes(axes.size(), axisClass);
    auto op = LevelOp::create(b, kernel.getLoc(), name, kind, axes, classes,
                              sizes, loads, loadSizes);
    b.setInsertionPointToStart(&op.getBody().front());
    return op;
  }

  KernelOp kernel;
  mlir::linalg::LinalgOp anchor;
  HwAttr hw;
  CandidateReport &report;
  mlir::OpBuilder b;
  SizeArith arith;
};

} // namespace vortex

#endif // VORTEX_TRANSFORMS_CANDIDATEFAMILY_H
