//===- LoopUnroll.h - Loops that LLVM unrolls -------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop's body is repeated where that is cheapest: each pass on MLIR and most
// of LLVM's take as much longer as there are copies of it.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_TRANSFORMS_LOOPUNROLL_H
#define VORTEX_DIALECT_VORTEX_TRANSFORMS_LOOPUNROLL_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace vortex {

/// Attribute of a loop that upstream's conversions hand on to LLVM's branches,
/// which know it by this name.
inline constexpr llvm::StringLiteral kLoopAnnotationAttr = "loop_annotation";

/// What a loop says of being repeated: `count` times a trip, or, of none, that
/// it is not to be.
inline mlir::LLVM::LoopAnnotationAttr
makeUnrollAnnotation(mlir::MLIRContext *context, std::optional<int64_t> count) {
  mlir::Builder b(context);
  auto unroll = mlir::LLVM::LoopUnrollAttr::get(
      context, /*disable=*/count ? mlir::BoolAttr() : b.getBoolAttr(true),
      count ? b.getI32IntegerAttr(*count) : mlir::IntegerAttr(),
      /*runtimeDisable=*/{}, /*full=*/{}, /*followupUnrolled=*/{},
      /*followupRemainder=*/{}, /*followupAll=*/{});
  return mlir::LLVM::LoopAnnotationAttr::get(
      context, /*disableNonforced=*/{}, /*vectorize=*/{}, /*interleave=*/{},
      unroll, /*unrollAndJam=*/{}, /*licm=*/{}, /*distribute=*/{},
      /*pipeline=*/{}, /*peeled=*/{}, /*unswitch=*/{}, /*mustProgress=*/{},
      /*isVectorized=*/{}, /*startLoc=*/{}, /*endLoc=*/{},
      /*parallelAccesses=*/{});
}

/// Asks LLVM to repeat the body of `loop` `count` times. Trips that LLVM sees
/// are no multiple of that run in a loop behind, which shares what is invariant
/// and so takes registers from this one: emit one where speed counts.
inline void setUnroll(mlir::scf::ForOp loop, int64_t count) {
  loop->setAttr(kLoopAnnotationAttr,
                makeUnrollAnnotation(loop.getContext(), count));
}

/// How often LLVM is to repeat the body of `loop`; 1 if it was not asked to.
inline int64_t getUnroll(mlir::scf::ForOp loop) {
  auto annotation =
      loop->getAttrOfType<mlir::LLVM::LoopAnnotationAttr>(kLoopAnnotationAttr);
  if (!annotation || !annotation.getUnroll() ||
      !annotation.getUnroll().getCount())
    return 1;
  return annotation.getUnroll().getCount().getInt();
}

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_TRANSFORMS_LOOPUNROLL_H
