//===- PayloadClass.h - How an op of a kernel can be run --------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The classes that decide what may be fused and which family of candidates a
// kernel gets. They are found from iterator types and indexing maps, never
// from op names.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_PAYLOADCLASS_H
#define VORTEX_TRANSFORMS_PAYLOADCLASS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace vortex {

enum class PayloadClass {
  /// Two operands multiplied and summed: A walks rows, B columns.
  Contraction,
  /// A reduction whose last output dimension lies in lanes (sums over leading
  /// dimensions, pooling with channels last).
  Columns,
  /// Elementwise, broadcast, transpose, and reductions along the lanes.
  Rows,
  /// Nothing the micro-kernels can express.
  Opaque,
};

/// Where a contraction's operands and loops are.
struct ContractionRoles {
  unsigned a = 0, b = 1;             ///< input positions
  unsigned m = 0, n = 0;             ///< row and column loops
  llvm::SmallVector<unsigned> k;     ///< reduction loops
  llvm::SmallVector<unsigned> batch; ///< further parallel loops, in order
};

PayloadClass classify(mlir::linalg::LinalgOp op);

/// Whether all indices are sums of loops, each a whole number of times, and of
/// constants: what tiles of the loops read then begins where the first of their
/// points reads. Quotients, remainders and backward walks are none.
bool isSumOfLoops(mlir::AffineMap map);

/// Lets sizes of `pad`, of known width, be read of what it pads, and drops it
/// when nothing else reads it.
void readSizesWithoutPad(mlir::tensor::PadOp pad);

/// The roles of a contraction; nullopt when `op` is none.
std::optional<ContractionRoles> getContractionRoles(mlir::linalg::LinalgOp op);

/// Which dimension of an operand of `op`, read through `map`, is walked by the
/// innermost reduction alone: the one that layouts group. nullopt: none is.
std::optional<unsigned> getGroupedDim(mlir::linalg::LinalgOp op,
                                      mlir::AffineMap map);

/// The loop that a Rows op runs in lanes; -1 when it has no loops.
int64_t getLaneLoop(mlir::linalg::LinalgOp op);

/// The first loop, other than the lanes', along which what lanes walk too has
/// its neighbours in memory, as the operand of a transpose has. nullopt: there
/// is none, or not all ops beside `anchor` are elementwise on the same loops.
std::optional<unsigned> getCrossedLoop(mlir::linalg::LinalgOp anchor);

/// Whether lanes compute `op`, of elements, as a polynomial (exponentials,
/// error functions); absolute values, roundings and roots are instructions.
bool isFunction(mlir::Operation &op);

/// Whether parts of the reduction that loop `axis` of `op` walks can be added:
/// it is a sum, and each operand is indexed by that loop once, by itself, or
/// not at all.
bool canAddParts(mlir::linalg::LinalgOp op, unsigned axis);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_PAYLOADCLASS_H
