//===- SetPrecision.cpp - What products are computed in -------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"

namespace vortex {
#define GEN_PASS_DEF_SETPRECISION
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-set-precision"

using namespace mlir;
using namespace vortex;

namespace {
struct SetPrecisionPass : vortex::impl::SetPrecisionBase<SetPrecisionPass> {
  using SetPrecisionBase::SetPrecisionBase;
  void runOnOperation() override {
    auto asked = StringAttr::get(
        &getContext(),
        kPrecisions[static_cast<int>(static_cast<Precision>(precision))]);
    getOperation()->walk([&](FunctionOpInterface function) {
      auto own = function->getAttrOfType<StringAttr>(kPrecisionAttr);
      if (!own && precision != Precision::F32)
        function->setAttr(kPrecisionAttr, asked);
      if (!own || function.isPublic())
        return;
      function->walk([&](linalg::LinalgOp op) {
        if (!op->hasAttr(kPrecisionAttr))
          op->setAttr(kPrecisionAttr, own);
      });
    });
  }
};
} // namespace
