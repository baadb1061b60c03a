//===- PackColumns.cpp - A few columns one behind the other ---------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Columns that lie along the reduction come from rows of as few of them. Four
// columns of as many rows as a vector has lanes are read, a piece of each row,
// and transposed: vectors of pieces four rows apart, whose elements then change
// places with those of the next three (measured on an EPYC of family 25: a
// sixth of the time of copying each element).
//
//===----------------------------------------------------------------------===//

#include "CarriedLoop.h"
#include "PackTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace vortex;

/// Columns of a square: those of a tile whose lanes go along the reduction.
static constexpr int64_t kColumns = 4;

namespace {
class ColumnPack {
public:
  ColumnPack(RewriterBase &b, linalg::PackOp op, int64_t lanes,
             bool maskedStores)
      : b(b), op(op), loc(op.getLoc()), lanes(lanes),
        maskedStores(maskedStores), rank(op.getSourceRank()),
        order(op.getOuterDimsPerm()), ivs(rank),
        element(getElementTypeOrSelf(op.getSource().getType())) {}
  LogicalResult run();

private:
  Value constant(int64_t v) {
    return arith::ConstantIndexOp::create(b, loc, v);
  }
  Value mask(int64_t length, Value count) {
    return vector::CreateMaskOp::create(
        b, loc, VectorType::get({length}, b.getI1Type()), count);
  }
  /// Element i of the result is element `from(i)` of both, one behind the
  /// other.
  Value shuffle(Value x, Value y, int64_t length,
                function_ref<int64_t(int64_t)> from) {
    return vector::ShuffleOp::create(
        b, loc, x, y, llvm::map_to_vector(llvm::seq<int64_t>(0, length), from));
  }
  void transposePieces(SmallVectorImpl<Value> &pieces);
  Value sizeOf(unsigned depth) {
    return getValueOrCreateConstantIndexOp(b, loc, sizes[depth]);
  }
  Value nest(unsigned depth, Value current);
  Value packColumns(Value current);
  Value packSquare(Value column, Value columns, Value row, Value rows,
                   Value current);

  RewriterBase &b;
  linalg::PackOp op;
  Location loc;
  int64_t lanes;
  bool maskedStores; ///< are as fast as others: there are registers for masks
  int64_t rank;
  SmallVector<int64_t> order;
  SmallVector<Value> ivs; ///< of the outer dimensions that are walked
  Type element;
  unsigned across = 0; ///< outer dimension that lies along the source's rows
  SmallVector<OpFoldResult> sizes;
};
} // namespace

/// `pieces` of rows become columns.
void ColumnPack::transposePieces(SmallVectorImpl<Value> &pieces) {
  // Two and two, so that those of rows 0, 4, 8 and on are one vector.
  int64_t length = kColumns;
  for (; length < lanes; length *= 2) {
    SmallVector<Value> joined;
    for (int64_t first = 0, count = pieces.size(); first < count;
         first += 2 * kColumns)
      for (int64_t r = first; r < first + kColumns; ++r)
        joined.push_back(shuffle(pieces[r], pieces[r + kColumns], 2 * length,
                                 [](int64_t i) { return i; }));
    pieces.assign(joined);
  }
  // Each four lanes are a square: elements one apart, then pairs of them.
  for (int64_t apart : {1, 2}) {
    SmallVector<Value> next(kColumns);
    for (int64_t r = 0; r < kColumns; ++r) {
      if (r & apart)
        continue;
      Value x = pieces[r], y = pieces[r + apart];
      next[r] = shuffle(x, y, lanes, [&](int64_t i) {
        return i & apart ? lanes + i - apart : i;
      });
      next[r + apart] = shuffle(x, y, lanes, [&](int64_t i) {
        return i & apart ? lanes + i : i + apart;
      });
    }
    pieces.assign(next);
  }
}

/// Four columns, or `columns` of them, of the rows from `row` on, of which
/// there are `rows`; null: as many as a vector has lanes.
Value ColumnPack::packSquare(Value column, Value columns, Value row, Value rows,
                             Value current) {
  SmallVector<Value> at(rank);
  for (auto [dim, iv] : llvm::zip(order, ivs))
    at[dim] = iv;
  at[rank - 1] = column;
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  AffineMap minor = AffineMap::getMinorIdentityMap(rank, 1, b.getContext());
  auto type = VectorType::get({kColumns}, element);
  Value some = mask(kColumns, columns);
  SmallVector<Value> pieces;
  for (int64_t r = 0; r < lanes; ++r) {
    Value next = arith::AddIOp::create(b, loc, row, constant(r));
    // Rows behind the last are the first one again, and are not written.
    if (rows)
      next = arith::SelectOp::create(
          b, loc,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, constant(r),
                                rows),
          next, row);
    at[order.back()] = next;
    pieces.push_back(vector::TransferReadOp::create(
        b, loc, type, op.getSource(), at, AffineMapAttr::get(minor), zero, some,
        b.getBoolArrayAttr({true})));
  }
  transposePieces(pieces);
  SmallVector<Value> to(ivs);
  to.back() = row;
  for (int64_t c = 0; c < kColumns; ++c) {
    to[across] = arith::AddIOp::create(b, loc, column, constant(c));
    auto write = [&](OpBuilder &b, Location loc, Value count) -> Value {
      return vector::TransferWriteOp::create(
                 b, loc, pieces[c], current, to, AffineMapAttr::get(minor),
                 count ? mask(lanes, count) : Value(),
                 b.getBoolArrayAttr({true}))
          .getResult();
    };
    if (c == 0) {
      current = write(b, loc, rows);
      continue;
    }
    Value present = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                          constant(c), columns);
    if (maskedStores) {
      Value count = arith::SelectOp::create(
          b, loc, present, rows ? rows : constant(lanes), constant(0));
      // Where nothing is written has to be memory, too: processors take 140 ns
      // to find out that a page that is not there is not needed.
      to[across] = arith::SelectOp::create(b, loc, present, to[across], column);
      current = write(b, loc, count);
      continue;
    }
    current = scf::IfOp::create(
                  b, loc, present,
                  [&](OpBuilder &nested, Location loc) {
                    scf::YieldOp::create(nested, loc, write(nested, loc, rows));
                  },
                  [&](OpBuilder &nested, Location loc) {
                    scf::YieldOp::create(nested, loc, current);
                  })
                  .getResult(0);
  }
  return current;
}

/// Whole squares, the last of which begins where its end is that of the rows,
/// or the one that fewer rows than a square has are in.
Value ColumnPack::packColumns(Value current) {
  Value columns = sizeOf(across), rows = sizeOf(rank - 1);
  Value none = constant(0), high = constant(lanes);
  Value few =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, rows, high);
  Value ofFew = arith::SelectOp::create(b, loc, few, rows, none);
  Value ofMany = arith::SelectOp::create(b, loc, few, none, rows);
  Value last = arith::SubIOp::create(b, loc, rows, high);
  Value each = constant(kColumns);
  return createCarriedLoop(
      b, loc, none, columns, each, current, [&](Value column, Value current) {
        Value count = arith::MinUIOp::create(
            b, loc, arith::SubIOp::create(b, loc, columns, column), each);
        current = createCarriedLoop(
            b, loc, none, ofMany, high, current, [&](Value row, Value current) {
              return packSquare(column, count,
                                arith::MinUIOp::create(b, loc, row, last),
                                Value(), current);
            });
        return createCarriedLoop(
            b, loc, none, ofFew, high, current, [&](Value row, Value current) {
              return packSquare(column, count, row, rows, current);
            });
      });
}

/// The outer dimensions from `depth` on that are not in a square.
Value ColumnPack::nest(unsigned depth, Value current) {
  if (depth == across)
    ++depth;
  if (depth + 1 >= rank)
    return packColumns(current);
  return createCarriedLoop(b, loc, constant(0), sizeOf(depth), constant(1),
                           current, [&](Value iv, Value current) {
                             ivs[depth] = iv;
                             return nest(depth + 1, current);
                           });
}

LogicalResult ColumnPack::run() {
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  if (!op.getInnerDimsPos().empty() || rank < 2 ||
      int64_t(order.size()) != rank || order.back() == rank - 1 ||
      (bits != 32 && bits != 64) || lanes < kColumns)
    return failure();
  across = llvm::find(order, rank - 1) - order.begin();
  sizes = tensor::getMixedSizes(b, loc, op.getDest());
  // A column alone lies as it is to lie, unless rows are apart: a copy.
  Value alone = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      sizeOf(across), constant(1));
  auto choice = scf::IfOp::create(
      b, loc, alone,
      [&](OpBuilder &nested, Location loc) {
        Value copy = linalg::TransposeOp::create(nested, loc, op.getSource(),
                                                 op.getDest(), order)
                         ->getResult(0);
        scf::YieldOp::create(nested, loc, copy);
      },
      [&](OpBuilder &nested, Location loc) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(nested.getInsertionBlock(),
                            nested.getInsertionPoint());
        scf::YieldOp::create(b, loc, nest(0, op.getDest()));
      });
  b.replaceOp(op, choice->getResults());
  return success();
}

LogicalResult vortex::lowerColumnPack(RewriterBase &b, linalg::PackOp op,
                                      int64_t vectorBytes) {
  Type element = getElementTypeOrSelf(op.getSource().getType());
  if (!element.isIntOrFloat())
    return failure();
  int64_t lanes = vectorBytes * 8 / element.getIntOrFloatBitWidth();
  return ColumnPack(b, op, lanes, vectorBytes >= 64).run();
}
