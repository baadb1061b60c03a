//===- WriteTile.cpp - Stores of tiles in registers -----------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last vector of a row is rarely whole. A store under a mask is one
// instruction, but not on all processors a fast one: beside multiply-adds one
// of 512 bits takes 1.7 ns on top on an EPYC of family 25, of 256 bits 0.8, of
// 128 bits 0.5, which is more than a row of ten steps takes otherwise. What is
// written twice costs less than that: 0.4 ns.
//
//===----------------------------------------------------------------------===//

#include "TileCase.h"

#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace vortex;

Value vortex::writeTile(TileCase &tile, const TileValue &values, Value into) {
  // Only the last vectors of a row are ever partial.
  ArrayRef<Value> masks = tile.masks.drop_while([](Value m) { return !m; });
  return StoreTileOp::create(tile.b, tile.loc, into, flatten(values), masks,
                             tile.rowDim ? tile.firstRow : Value(),
                             /*column=*/Value(), tile.vectors, tile.rowDim);
}

/// Whether lanes may change places by numbers that are known when it runs, in
/// tiles whose sums take half of the registers at most: taller ones have enough
/// to do beside their stores (14 x 32: a hundredth), and so has the compiler.
static bool hasPermutes(const TileCase &tile, Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  int64_t sums = tile.spec.getRows() * tile.spec.getVectors();
  return (bits == 32 || bits == 64) && bits * tile.lanes == 512 &&
         llvm::any_of(getTargets(tile.kernel), [&](HwAttr target) {
           return target.getFeatures().contains("avx512") &&
                  2 * sums <= target.getVectorRegisters();
         });
}

/// Writes rows of several vectors, the last of which has some columns, under no
/// mask: the last vector is the row's last lanes, those in front of its own
/// columns being written a second time.
static Value writeOverlapping(TileCase &tile, const TileValue &values,
                              Value into) {
  OpBuilder &b = tile.b;
  Location loc = tile.loc;
  int64_t before = tile.vectors - 1;
  auto type = cast<VectorType>(values.front().front().getType());
  unsigned bits = type.getElementTypeBitWidth();
  Type word = b.getIntegerType(bits);
  auto wordType = VectorType::get(type.getShape(), word);
  // Lanes that its own columns are, and where its first lane is in a row.
  Value columns = arith::SubIOp::create(b, loc, tile.columns,
                                        tile.constant(before * tile.lanes));
  Value at =
      arith::SubIOp::create(b, loc, tile.columns, tile.constant(tile.lanes));
  SmallVector<Attribute> numbers;
  for (int64_t lane = 0; lane < tile.lanes; ++lane)
    numbers.push_back(b.getIntegerAttr(word, lane));
  Value indices = arith::AddIOp::create(
      b, loc,
      arith::ConstantOp::create(b, loc,
                                DenseElementsAttr::get(wordType, numbers)),
      vector::BroadcastOp::create(
          b, loc, wordType,
          arith::IndexCastUIOp::create(b, loc, word, columns)));
  TileValue whole(values), last;
  for (SmallVector<Value> &row : whole) {
    Value end = row.pop_back_val();
    last.push_back({PermuteOp::create(b, loc, type, row.back(), end, indices)});
  }
  Value first = tile.rowDim ? tile.firstRow : Value();
  into = StoreTileOp::create(b, loc, into, flatten(whole), ValueRange(), first,
                             /*column=*/Value(), before, tile.rowDim);
  return StoreTileOp::create(b, loc, into, flatten(last), ValueRange(), first,
                             at, /*vectors=*/1, tile.rowDim);
}

/// Writes one vector a row, some columns, half of it under a mask.
static Value writeHalves(TileCase &tile, const TileValue &values, Value into) {
  OpBuilder &b = tile.b;
  Location loc = tile.loc;
  int64_t half = tile.lanes / 2;
  auto halfOf = [&](int64_t from) {
    SmallVector<Value> halves;
    for (const SmallVector<Value> &row : values)
      halves.push_back(vector::ExtractStridedSliceOp::create(
          b, loc, row.front(), from, half, int64_t(1)));
    return halves;
  };
  auto store = [&](int64_t from, Value mask, Value to) -> Value {
    return StoreTileOp::create(b, loc, to, halfOf(from),
                               mask ? ValueRange(mask) : ValueRange(),
                               tile.rowDim ? tile.firstRow : Value(),
                               from ? tile.constant(from) : Value(),
                               /*vectors=*/1, tile.rowDim);
  };
  auto maskOf = [&](Value count) {
    return vector::CreateMaskOp::create(
        b, loc, VectorType::get({half}, b.getI1Type()), ValueRange{count});
  };
  Value more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt,
                                     tile.columns, tile.constant(half));
  auto choice =
      scf::IfOp::create(b, loc, into.getType(), more, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  Value left = arith::SubIOp::create(b, loc, tile.columns, tile.constant(half));
  scf::YieldOp::create(b, loc,
                       store(half, maskOf(left), store(0, Value(), into)));
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, loc, store(0, maskOf(tile.columns), into));
  return choice.getResult(0);
}

Value vortex::writeTileOrWhole(TileCase &tile, const TileValue &values,
                               Value into) {
  ArrayRef<Value> masks = tile.masks.drop_while([](Value m) { return !m; });
  if (masks.empty())
    return writeTile(tile, values, into);
  bool permutes =
      masks.size() == 1 && hasPermutes(tile, getElementTypeOrSelf(into));
  OpBuilder &b = tile.b;
  Value whole = arith::CmpIOp::create(b, tile.loc, arith::CmpIPredicate::uge,
                                      tile.columns,
                                      tile.constant(tile.vectors * tile.lanes));
  auto choice = scf::IfOp::create(b, tile.loc, into.getType(), whole,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  Value first = tile.rowDim ? tile.firstRow : Value();
  Value written = StoreTileOp::create(
      b, tile.loc, into, flatten(values), ValueRange(), first,
      /*column=*/Value(), tile.vectors, tile.rowDim);
  scf::YieldOp::create(b, tile.loc, written);
  b.setInsertionPointToStart(choice.elseBlock());
  Value partial = !permutes          ? writeTile(tile, values, into)
                  : tile.vectors > 1 ? writeOverlapping(tile, values, into)
                                     : writeHalves(tile, values, into);
  scf::YieldOp::create(b, tile.loc, partial);
  return choice.getResult(0);
}
