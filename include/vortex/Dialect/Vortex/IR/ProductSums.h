//===- ProductSums.h - Products that are added up ---------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `contract` of a micro-kernel means for the ops of its payload, the same
// for all targets.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_IR_PRODUCTSUMS_H
#define VORTEX_DIALECT_VORTEX_IR_PRODUCTSUMS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace vortex {

/// The product that `op` adds to the value its body is given last, the sum so
/// far, if an instruction can do both at once; null for others. It is used for
/// nothing else.
mlir::arith::MulFOp getAddedProduct(mlir::Operation &op);

/// Lets LLVM make one operation of `op`, where that is a product or a sum of
/// floats, and another one. Nothing else is changed: a number that was made
/// narrower and wide again would be the number itself.
void allowContraction(mlir::Operation *op);

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_IR_PRODUCTSUMS_H
