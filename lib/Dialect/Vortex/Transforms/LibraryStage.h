//===- LibraryStage.h - Products left to libraries --------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_LIBRARYSTAGE_H
#define VORTEX_TRANSFORMS_LIBRARYSTAGE_H

#include "PayloadClass.h"

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

namespace vortex {

/// What a stage of a library names: a product, and the zeros that start it.
struct LibraryProductOps {
  mlir::linalg::LinalgOp product;
  mlir::linalg::FillOp start; ///< null: the product adds to its init
  ContractionRoles roles;
};

/// The ops of `stage`, which names `ids`; `product`, called `anchorId`, is the
/// anchor of its kernel. Emits an error where they are more than a product of
/// matrices, or none.
mlir::FailureOr<LibraryProductOps>
getLibraryProduct(StageOp stage, mlir::linalg::LinalgOp product,
                  llvm::StringRef anchorId,
                  llvm::ArrayRef<llvm::StringRef> ids);

/// The call that computes `ops.product` of these operands. Dimensions of its
/// batch that have one point are none of the call's.
LibraryCallOp createLibraryCall(mlir::OpBuilder &builder, StageOp stage,
                                const LibraryProductOps &ops, mlir::Value a,
                                mlir::Value b, mlir::Value init);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_LIBRARYSTAGE_H
