//===- MicroKernelEmitter.h - Vector code of a register tile ----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the two emitters of x86 vector code share: reading operands of a tile
// as vectors or broadcast scalars, and running scalar payload ops on vectors.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_MICROKERNELEMITTER_H
#define VORTEX_TRANSFORMS_MICROKERNELEMITTER_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace vortex {

/// Attribute of a reduction loop: cache lines of the next panel to touch in
/// each step (i64).
inline constexpr llvm::StringLiteral kPrefetchAttr = "vortex.prefetch";
/// Unit attribute of a reduction loop behind which a tile is stored.
inline constexpr llvm::StringLiteral kPrefetchResultAttr =
    "vortex.prefetch_result";
/// Attribute of a loop: how many trips later is read what each touches (i64).
inline constexpr llvm::StringLiteral kPrefetchAheadAttr =
    "vortex.prefetch_ahead";
/// Unit attribute of a loop along a row: it touches the row that the loop
/// around it comes to next.
inline constexpr llvm::StringLiteral kPrefetchRowAttr = "vortex.prefetch_row";
/// Unit attribute of a loop that reads operands in place, which are touched
/// some trips before where that is waited for.
inline constexpr llvm::StringLiteral kPrefetchInPlaceAttr =
    "vortex.prefetch_in_place";
/// Unit attribute of a loop along a row that alone writes the row and reads
/// none of it: it may store past the caches.
inline constexpr llvm::StringLiteral kNontemporalAttr = "vortex.nontemporal";
/// Unit attribute of a `linalg.pack` whose row groups are stored without
/// padding between them.
inline constexpr llvm::StringLiteral kTightAttr = "vortex.tight";

/// How many columns `index` lies behind the induction variable of `loop`; none
/// where that is no constant.
std::optional<int64_t> getColumnBehind(mlir::scf::ForOp loop,
                                       mlir::Value index);

/// An operand of a tile op in memory.
struct TileOperand {
  mlir::Value source;            ///< tensor that is read; null: not in memory
  mlir::AffineMap map;           ///< loops -> indices of `source`
  bool padded = false;           ///< whole vectors may be read: a padded panel
  std::vector<mlir::Value> rows; ///< parts of `source`, one a row
  /// What a row lies behind the start of its part, along dimension `rowDim`.
  std::vector<int64_t> beyond;
  unsigned rowDim = 0;
  /// Panels side by side, which have `panelWidth` of the columns each; `source`
  /// is the first. Empty: the columns are those of `source`.
  std::vector<mlir::Value> panels;
  int64_t panelWidth = 0;
  /// What of the source a row reads, and where it ends; null: nothing is
  /// checked. A row beyond it has `pad` in all lanes.
  mlir::AffineExpr checked;
  mlir::Value checkedShift, limit;
  mlir::TypedAttr pad;
  mlir::Value base;               ///< flat offset of a tight row group, or null
  std::vector<mlir::Value> sizes; ///< extents behind `base`
  std::vector<mlir::Value> shift; ///< added to each index, or empty
};

/// Shared state and helpers of an emission; the builder's insertion point is
/// where code goes.
class TileEmitter {
public:
  TileEmitter(mlir::OpBuilder &b, mlir::Location loc, int64_t lanes,
              bool contract = true)
      : b(b), loc(loc), lanes(lanes), contract(contract) {}

  mlir::Value constant(int64_t value);
  mlir::VectorType vectorOf(mlir::Type element) const {
    return mlir::VectorType::get({lanes}, element);
  }
  /// `scalar` in all lanes.
  mlir::Value splat(mlir::Value scalar);
  /// Clones the payload `op` onto vectors, operands through `map`; results
  /// are added to it. Products and sums may be contracted, or only the product
  /// that a reduction adds is (`contract` of `#vortex.micro`).
  bool computeOnce(mlir::Operation &op, mlir::IRMapping &map);
  void clonePayload(mlir::Operation &op, mlir::IRMapping &map);
  /// The divisor of a vector division of integers that no lane traps at.
  mlir::Value makeDivisor(mlir::Operation &op, mlir::Value dividend,
                          mlir::Value divisor);
  /// Evaluates an indexing expression on loop indices.
  mlir::Value evaluate(mlir::AffineExpr expr,
                       mlir::ArrayRef<mlir::Value> loops);
  llvm::SmallVector<mlir::Value> indices(const TileOperand &operand,
                                         mlir::ArrayRef<mlir::Value> loops);
  /// Reads one element.
  mlir::Value readScalar(const TileOperand &operand,
                         mlir::ArrayRef<mlir::Value> loops);
  /// Reads `lanes` elements along loop `laneLoop` starting at
  /// `loops[laneLoop]`. Lanes at or past `valid` (null: all are valid) are not
  /// accessed, their value is `pad` (default: zero).
  mlir::Value readVector(const TileOperand &operand,
                         mlir::ArrayRef<mlir::Value> loops, unsigned laneLoop,
                         mlir::Value mask, mlir::Value valid,
                         mlir::TypedAttr pad = {});
  /// Whether `laneLoop` walks the innermost dimension of the operand's memory
  /// with unit stride and no other dimension.
  static bool isContiguous(mlir::AffineMap map, unsigned laneLoop);
  /// Where `laneLoop` walks panels of so many elements, which are a dimension
  /// in front: how many; 0 where it does not.
  static int64_t getPanelWidth(mlir::AffineMap map, unsigned laneLoop);
  /// How `value`, read through `map`, lies in memory. `panelWidth` is the
  /// number of columns that may be read of a padded panel; `rows` the exact
  /// row count of this case (for tight row groups).
  TileOperand inMemory(mlir::Value value, mlir::AffineMap map,
                       int64_t panelWidth, int64_t rows);

  mlir::OpBuilder &b;
  mlir::Location loc;
  int64_t lanes;
  bool contract;
};

/// What `value` of the body of `kernel` is outside of it.
mlir::Value getOutside(MicroKernelOp kernel, mlir::Value value);
/// The op of the body of `kernel` that makes `value`; null: none does.
mlir::linalg::LinalgOp getProducer(MicroKernelOp kernel, mlir::Value value);

/// Whether a payload value reached through body arguments or constants only;
/// micro-kernels cannot evaluate anything else.
bool isEmittable(mlir::linalg::LinalgOp op);

/// A contraction whose reduction lies in lanes.
struct InnerProductTile {
  mlir::linalg::LinalgOp op;
  mlir::Operation *combiner; ///< adds to the result; has a neutral element
  llvm::ArrayRef<TileOperand> memory; ///< of all inputs
  unsigned lane, column;              ///< loops
  std::optional<unsigned> row;
  int64_t rows, columns;   ///< of the tile, columns at most as many as lanes
  mlir::Value columnsLeft; ///< columns that there are; null: those of the tile
  mlir::Value extent;      ///< of the loop in lanes
  /// Lines of the next columns that a step touches, and which group of rows
  /// this is, for each touches others; none: nothing is touched.
  int64_t prefetch = 0;
  mlir::Value group = {};
  /// Sums of each element, for steps in turn.
  int64_t partials = 1;
  /// The reductions around it, with their extents.
  llvm::SmallVector<std::pair<unsigned, mlir::Value>> outer = {};
};

/// The result of each row without what it adds to, column c in lane c.
llvm::SmallVector<mlir::Value> emitInnerProducts(TileEmitter &emitter,
                                                 const InnerProductTile &tile);

/// Whether adding what `op` makes of input `i` where that is `padding` changes
/// nothing: a factor of zero, or what its reduction starts from.
bool isNeutral(mlir::linalg::LinalgOp op, unsigned i, mlir::Value padding);

/// Emits the tile of `kernel` for rows unrolled and columns in lanes.
/// `operands` stand for the body's arguments. Returns the new value of each
/// init. Fails with a remark-ready message on ops it cannot express.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
emitRegisterTile(mlir::OpBuilder &b, MicroKernelOp kernel);

/// Emits the tile of `kernel`, a product of few rows that is added to its
/// result, as sweeps over whole rows of the operand that has the columns.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> emitSweep(mlir::OpBuilder &b,
                                                          MicroKernelOp kernel);

/// Transposes as many vectors as each has elements, a power of two, in log2
/// steps of two-input shuffles.
void transposeSquare(mlir::OpBuilder &b, mlir::Location loc,
                     llvm::SmallVectorImpl<mlir::Value> &rows);

/// Emits the tile of `kernel`, an elementwise chain, as a square of as many
/// rows as lanes: operands whose innermost dimension walks the rows are
/// transposed in registers.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
emitSquareTile(mlir::OpBuilder &b, MicroKernelOp kernel);

/// Emits the tile of `kernel` as passes over a row: one row, columns in
/// lanes, reductions along the lanes end a pass.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
emitRowPasses(mlir::OpBuilder &b, MicroKernelOp kernel);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_MICROKERNELEMITTER_H
