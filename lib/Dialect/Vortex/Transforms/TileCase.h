//===- TileCase.h - One case of a register tile -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the emitters of register tiles share.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_TILECASE_H
#define VORTEX_TRANSFORMS_TILECASE_H

#include "DotEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

namespace vortex {

/// A tile in registers: rows of vectors.
using TileValue = llvm::SmallVector<llvm::SmallVector<mlir::Value>>;

/// Padding of an operand that changes no result.
struct Padding {
  mlir::tensor::PadOp pad;
  mlir::AffineMap map; ///< of the operand
  /// Of the tile's operand in the padded one.
  llvm::SmallVector<mlir::Value> offsets;
};

/// Vectors of an image that rows of a tile share under a window.
struct SharedPixels {
  unsigned input;
  int64_t stride, dilation; ///< pixels between rows and between steps
  int64_t steps;            ///< of the innermost reduction at once
};

/// The innermost reduction in groups.
struct DotSteps {
  DotEmitter &emitter;
  mlir::Value steps, groups; ///< of the reduction; the last may be cut
  TileOperand sums{};        ///< of each outer step, where A has an offset

  /// How many elements of group `at` there are.
  mlir::Value countValid(mlir::OpBuilder &b, mlir::Value at) const {
    mlir::Location loc = steps.getLoc();
    mlir::Value done = mlir::arith::MulIOp::create(
        b, loc, at,
        mlir::arith::ConstantIndexOp::create(b, loc, emitter.group));
    return mlir::arith::SubIOp::create(b, loc, steps, done);
  }
};

/// Emits one case: an exact number of rows and of vectors a row.
struct TileCase : TileEmitter {
  TileCase(mlir::OpBuilder &b, MicroKernelOp kernel, int64_t rows,
           int64_t vectors, int64_t rowDim, mlir::Value columns,
           llvm::ArrayRef<mlir::Value> masks,
           const llvm::DenseMap<mlir::Value, mlir::Value> &started)
      : TileEmitter(b, kernel.getLoc(), kernel.getSpec().getLanes(),
                    kernel.getSpec().getContract()),
        kernel(kernel), spec(kernel.getSpec()), rows(rows), vectors(vectors),
        rowDim(rowDim), columns(columns), masks(masks), started(started),
        steps(spec.getUnroll()) {}

  MicroKernelOp kernel;
  MicroKernelAttr spec;
  int64_t rows, vectors;
  int64_t rowDim;       ///< of results, from the end; 0 when they have no rows
  mlir::Value firstRow; ///< of the case in the tile; null: the first of all
  /// Of results whose tile has several rows of rows: which of them, and the
  /// dimension of that, counted from the end; null: the first.
  mlir::Value outerRow;
  int64_t outerDim = 0;
  mlir::Value columns;
  /// Of a reduction in lanes: the most that the case has (0: as many as the
  /// tile is wide), and whether it always does.
  int64_t mostColumns = 0;
  bool exact = false;
  llvm::ArrayRef<mlir::Value> masks;
  /// Inits to add to, as memory.
  const llvm::DenseMap<mlir::Value, mlir::Value> &started;
  llvm::DenseMap<mlir::Value, TileValue> done;
  int64_t steps; ///< that a trip of an innermost reduction takes at most
  /// Whether steps of a trip read again what others have read, instead of
  /// keeping it.
  bool readsAgain = false;

  /// What `value` of the body is outside of it.
  mlir::Value outside(mlir::Value value) { return getOutside(kernel, value); }

  TileValue makeTile(llvm::function_ref<mlir::Value(int64_t, int64_t)> f) {
    return makeTile(rows, f);
  }
  TileValue makeTile(int64_t count,
                     llvm::function_ref<mlir::Value(int64_t, int64_t)> f) {
    TileValue tile(count, llvm::SmallVector<mlir::Value>(vectors));
    for (int64_t r = 0; r < count; ++r)
      for (int64_t v = 0; v < vectors; ++v)
        tile[r][v] = f(r, v);
    return tile;
  }

  /// Index of row `r` of the case.
  mlir::Value rowAt(int64_t r) {
    if (!firstRow)
      return constant(r);
    return r == 0 ? firstRow
                  : mlir::arith::AddIOp::create(b, loc, firstRow, constant(r));
  }
  /// Index of vector `v`'s first column, and the columns left from there.
  mlir::Value firstColumn(int64_t v) { return constant(v * lanes); }
  mlir::Value columnsLeft(int64_t v) {
    return mlir::arith::SubIOp::create(b, loc, columns, constant(v * lanes));
  }

  std::optional<unsigned> rowLoop(mlir::linalg::LinalgOp op);
  /// Indices of all loops of `op` where the case starts, but for its row and
  /// its column.
  llvm::SmallVector<mlir::Value> makeLoops(mlir::linalg::LinalgOp op);
  mlir::Value getExtent(mlir::linalg::LinalgOp op, unsigned loop);
  TileValue emit(mlir::linalg::LinalgOp op);
  TileValue readInit(mlir::linalg::LinalgOp op);
  TileOperand splitPanels(mlir::linalg::LinalgOp op, TileOperand operand);
  std::pair<TileOperand, mlir::Value> getColumnPart(const TileOperand &operand,
                                                    int64_t v);
  void splitRows(mlir::linalg::LinalgOp op,
                 llvm::MutableArrayRef<TileOperand> memory,
                 llvm::ArrayRef<int64_t> distances = {});
  /// What row or distance `i` of `operand` reads, once split.
  TileOperand getRowPart(const TileOperand &operand, size_t i);
  TileValue emitStep(mlir::linalg::LinalgOp op,
                     llvm::ArrayRef<TileOperand> memory,
                     llvm::ArrayRef<TileValue> tiles,
                     llvm::SmallVector<mlir::Value> loops,
                     const TileValue &accumulators);
  bool mergesReductions(mlir::linalg::LinalgOp op,
                        llvm::ArrayRef<TileOperand> memory, unsigned outer,
                        unsigned inner);
  int64_t countOwnSteps(mlir::linalg::LinalgOp op,
                        llvm::ArrayRef<TileOperand> memory, unsigned outer,
                        unsigned inner, int64_t most);
  bool mergesFewSteps(mlir::linalg::LinalgOp op,
                      llvm::ArrayRef<TileOperand> memory,
                      llvm::ArrayRef<unsigned> reductions);
  void mergeReductions(mlir::linalg::LinalgOp op,
                       llvm::ArrayRef<TileOperand> memory,
                       llvm::SmallVectorImpl<unsigned> &reductions,
                       llvm::SmallVectorImpl<mlir::OpFoldResult> &sizes);
  void skipPadding(mlir::linalg::LinalgOp op, llvm::ArrayRef<Padding> paddings,
                   llvm::ArrayRef<unsigned> reductions,
                   llvm::SmallVectorImpl<mlir::OpFoldResult> &starts,
                   llvm::SmallVectorImpl<mlir::OpFoldResult> &sizes);
  std::optional<Padding> findPadding(mlir::linalg::LinalgOp op, unsigned i,
                                     mlir::Value source);
  mlir::Value readAround(mlir::linalg::LinalgOp op, TileOperand &operand,
                         const Padding &padding);
  TileValue addInnerProducts(mlir::linalg::LinalgOp op,
                             llvm::ArrayRef<TileOperand> memory,
                             llvm::ArrayRef<mlir::OpFoldResult> sizes,
                             llvm::ArrayRef<unsigned> reductions,
                             const TileValue &accumulators);
  std::optional<unsigned> findInsideRows(mlir::linalg::LinalgOp op,
                                         llvm::ArrayRef<TileOperand> memory);
  bool canLeaveOutRows(mlir::linalg::LinalgOp op, unsigned i,
                       llvm::ArrayRef<TileValue> tiles);
  mlir::Value getInsideRows(mlir::linalg::LinalgOp op, const TileOperand &image,
                            llvm::SmallVector<mlir::Value> loops);
  llvm::SmallVector<TileOperand>
  splitInsideRows(mlir::linalg::LinalgOp op, const TileOperand &image,
                  unsigned reduction, llvm::SmallVector<mlir::Value> loops);
  TileValue addInsideRows(mlir::linalg::LinalgOp op,
                          llvm::ArrayRef<TileOperand> memory, unsigned image,
                          llvm::ArrayRef<TileOperand> pixels,
                          mlir::Value inside, unsigned reduction, int64_t steps,
                          llvm::SmallVector<mlir::Value> loops,
                          const TileValue &sums, DotSteps *dots,
                          mlir::Value valid);
  TileValue reduceInsideRows(mlir::linalg::LinalgOp op,
                             llvm::ArrayRef<TileOperand> memory, unsigned image,
                             llvm::ArrayRef<unsigned> reductions,
                             llvm::ArrayRef<mlir::OpFoldResult> starts,
                             llvm::ArrayRef<mlir::OpFoldResult> sizes,
                             unsigned depth,
                             llvm::SmallVector<mlir::Value> loops,
                             const TileValue &sums, DotSteps *dots = nullptr);
  std::optional<SharedPixels>
  findSharedPixels(mlir::linalg::LinalgOp op,
                   llvm::ArrayRef<TileOperand> memory,
                   llvm::ArrayRef<TileValue> tiles, unsigned reduction);
  TileValue
  addSharedPixels(mlir::linalg::LinalgOp op, llvm::ArrayRef<TileOperand> memory,
                  const SharedPixels &pixels, llvm::ArrayRef<int64_t> distances,
                  unsigned reduction, llvm::SmallVector<mlir::Value> loops,
                  TileValue sums);
  TileValue reduceSharedPixels(
      mlir::linalg::LinalgOp op, llvm::ArrayRef<TileOperand> memory,
      const SharedPixels &pixels, llvm::ArrayRef<int64_t> distances,
      llvm::ArrayRef<unsigned> reductions,
      llvm::ArrayRef<mlir::OpFoldResult> starts,
      llvm::ArrayRef<mlir::OpFoldResult> sizes, unsigned depth,
      llvm::SmallVector<mlir::Value> loops, const TileValue &sums);
  TileValue reduceSharedPixels(mlir::linalg::LinalgOp op,
                               llvm::SmallVector<TileOperand> memory,
                               const SharedPixels &pixels,
                               llvm::ArrayRef<unsigned> reductions,
                               llvm::ArrayRef<mlir::OpFoldResult> starts,
                               llvm::ArrayRef<mlir::OpFoldResult> sizes,
                               const llvm::SmallVector<mlir::Value> &loops,
                               const TileValue &sums);
  int64_t countPartials(mlir::linalg::LinalgOp op);
  bool readsPartsAside(mlir::linalg::LinalgOp op);
  bool hasRegisters(int64_t count);
  bool separatesSteps(int64_t sums);
  void separateSteps();
  mlir::Value hideIndex(mlir::Value index);
  TileValue join(mlir::linalg::LinalgOp op, llvm::ArrayRef<TileValue> partials);
  using Step = llvm::function_ref<TileValue(llvm::SmallVector<mlir::Value>,
                                            const TileValue &)>;
  /// `tail`, if any, is the innermost step at its last value, which only some
  /// sizes need: then `innerSize` ends at the one in front.
  TileValue emitReductions(mlir::linalg::LinalgOp op,
                           llvm::ArrayRef<unsigned> reductions,
                           llvm::ArrayRef<mlir::OpFoldResult> starts,
                           llvm::ArrayRef<mlir::OpFoldResult> sizes,
                           unsigned depth, llvm::SmallVector<mlir::Value> loops,
                           TileValue accumulators, Step step,
                           Step tail = nullptr,
                           mlir::Value tailEnd = mlir::Value());
  TileOperand getSums(mlir::linalg::LinalgOp op, unsigned i);
  llvm::SmallVector<mlir::Value> readSums(mlir::linalg::LinalgOp op,
                                          const TileOperand &sums,
                                          llvm::SmallVector<mlir::Value> loops);
  llvm::SmallVector<mlir::Value>
  dropSkipped(mlir::linalg::LinalgOp op, const TileOperand &sums,
              llvm::ArrayRef<unsigned> reductions,
              llvm::ArrayRef<mlir::OpFoldResult> starts,
              llvm::ArrayRef<mlir::OpFoldResult> ends,
              llvm::ArrayRef<mlir::OpFoldResult> all,
              llvm::SmallVector<mlir::Value> loops,
              llvm::SmallVector<mlir::Value> columns);
  TileValue addLeftOut(mlir::linalg::LinalgOp op, DotSteps &dots,
                       mlir::Value inside, llvm::SmallVector<mlir::Value> loops,
                       const TileValue &sums);
  TileValue emitDots(mlir::linalg::LinalgOp op, DotEmitter dots,
                     llvm::ArrayRef<unsigned> reductions,
                     llvm::SmallVector<mlir::OpFoldResult> sizes,
                     llvm::SmallVector<mlir::Value> loops,
                     TileValue accumulators);
};

/// Where the results of a tile are, whatever computes them.
struct TileResults {
  mlir::linalg::LinalgOp root;       ///< yields them
  mlir::Value rows, columns;         ///< how many there are
  int64_t rowDim;                    ///< of TileCase
  llvm::ArrayRef<mlir::Value> masks; ///< of the vectors of a row
  const llvm::DenseMap<mlir::Value, mlir::Value> &started; ///< of TileCase
};

/// The reduction whose sums functions of many instructions take, when all of
/// the kernel can be finished row by row behind it; null otherwise.
mlir::linalg::LinalgOp findSumOfLongTail(MicroKernelOp kernel);
/// Memory of the task around `kernel`: not of a loop, each turn of which would
/// take more.
mlir::Value allocateInTask(mlir::OpBuilder &b, MicroKernelOp kernel,
                           llvm::ArrayRef<int64_t> shape, mlir::Type element);
/// Writes `values`, sums of a case, to the memory `sums`: rows of vectors.
void storeSums(TileCase &tile, const TileValue &values, mlir::Value sums);
/// A part of the rows of a tile.
struct RowRange {
  mlir::Value into;     ///< what they are written into
  mlir::Value from, to; ///< the first and the end
  /// What is added to their numbers for rows of the sums; null: nothing.
  mlir::Value shift;
  mlir::Value outer; ///< of TileCase: of which row of rows
  int64_t outerDim = 0;
};
/// What the kernel makes of `sum`, whose rows lie in the memory `sums`, written
/// row by row for as many vectors as there are masks. Returns the new value of
/// what they are written into.
mlir::Value finishRows(mlir::OpBuilder &b, MicroKernelOp kernel,
                       const TileResults &results, mlir::linalg::LinalgOp sum,
                       mlir::Value sums, const RowRange &range);
/// The same of all rows.
mlir::Value finishRows(mlir::OpBuilder &b, MicroKernelOp kernel,
                       const TileResults &results, mlir::linalg::LinalgOp sum,
                       mlir::Value sums);

/// Writes `values`, the tile of a case, into `into`.
mlir::Value writeTile(TileCase &tile, const TileValue &values,
                      mlir::Value into);
/// The same, under as few masks as the machine has instructions for.
mlir::Value writeTileOrWhole(TileCase &tile, const TileValue &values,
                             mlir::Value into);

/// The target around `op` that has an instruction `opcode` of matrix tiles, and
/// that; null for none.
std::pair<HwAttr, HwInstructionAttr>
findMatrixInstruction(mlir::Operation *op, llvm::StringRef opcode);
/// Whether instruction `tile` can compute what it is to; an error if not.
llvm::LogicalResult checkMatrixTile(MicroKernelOp kernel);
/// Emits the tile of `kernel`, which has been checked, with its sums in matrix
/// tiles. Returns the new value of its init.
mlir::Value emitMatrixTile(mlir::OpBuilder &b, MicroKernelOp kernel,
                           const TileResults &results);

/// The vectors of a tile, row by row, and back.
llvm::SmallVector<mlir::Value> flatten(const TileValue &tile);
TileValue unflatten(mlir::ValueRange values, int64_t rows, int64_t vectors);

/// The first `left` lanes of elements of so many bits. `inRange`: there are as
/// many lanes, and one at least.
mlir::Value createTailMask(TileEmitter &emitter, mlir::Value left,
                           int64_t elementBits, bool inRange);
/// Which dimension of results, counted from the end, has the rows of the tile;
/// 0 for none. All others but the last are 1 in a tile.
int64_t getRowDim(MicroKernelOp kernel, int64_t rank);
/// The memory of what reductions of `kernel` add to. Read as tensors, each
/// vector of each case would have to be told apart from each that any case
/// writes, and bufferization would take longer than all that follows.
llvm::DenseMap<mlir::Value, mlir::Value> getStartedInits(mlir::OpBuilder &b,
                                                         MicroKernelOp kernel);

/// Coefficient of `loop` in `expr`; 0 when it has none that is constant.
int64_t getCoefficient(mlir::AffineExpr expr, unsigned loop, unsigned dims);
/// The loop that walks the last dimension of the result.
unsigned columnLoop(mlir::linalg::LinalgOp op);
/// The op that adds to the result of a reduction; null for none with a neutral
/// element.
mlir::Operation *getCombiner(mlir::linalg::LinalgOp op);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_TILECASE_H
