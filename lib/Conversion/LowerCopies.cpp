//===- LowerCopies.cpp - Copies between strided memrefs as loops -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace vortex {
#define GEN_PASS_DEF_LOWERCOPIES
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;

/// Whether the elements of `type` are known to follow each other.
static bool isContiguous(BaseMemRefType type) {
  auto ranked = dyn_cast<MemRefType>(type);
  return ranked && ranked.getLayout().isIdentity();
}

namespace {
struct LowerCopiesPass : vortex::impl::LowerCopiesBase<LowerCopiesPass> {
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies) {
      auto source = cast<BaseMemRefType>(copy.getSource().getType());
      auto target = cast<BaseMemRefType>(copy.getTarget().getType());
      if (isContiguous(source) && isContiguous(target))
        continue;
      if (!source.hasRank() || !target.hasRank()) {
        copy.emitOpError("of memrefs of unknown rank is not supported");
        return signalPassFailure();
      }
      OpBuilder b(copy);
      linalg::makeMemRefCopyOp(b, copy.getLoc(), copy.getSource(),
                               copy.getTarget());
      copy.erase();
    }
  }
};
} // namespace
