//===- SplitFactors.cpp - Products of f32 as sums of bf16 -----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitFactors.h"

#include "DotProduct.h"

#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace vortex;

namespace {
/// What an element is the sum of, both of bf16.
struct Terms {
  Value hi, lo;
  Value isFinite; ///< whether `hi` is
};
} // namespace

/// The nearest bf16; `cut`: the next towards zero instead, for a number that is
/// no NaN.
static Value narrow(OpBuilder &b, Location loc, Value value, Value cut) {
  Type i16 = b.getIntegerType(16), i32 = b.getI32Type(), bf16 = b.getBF16Type();
  Value half = arith::ConstantIntOp::create(b, loc, 16, 32);
  Value bits = arith::BitcastOp::create(b, loc, i32, value);
  Value front = arith::TruncIOp::create(
      b, loc, i16, arith::ShRUIOp::create(b, loc, bits, half));
  Value shorter = arith::BitcastOp::create(b, loc, bf16, front);
  Value nearest = arith::TruncFOp::create(b, loc, bf16, value);
  return arith::SelectOp::create(b, loc, cut, shorter, nearest);
}

/// `x` in two terms. Numbers that would be rounded to infinity are cut, and so
/// is what is left of them: neither their `hi` nor `hi + lo` is infinite then.
static Terms split(OpBuilder &b, Location loc, Value x, Value zero,
                   Value infinity) {
  Type f32 = b.getF32Type(), bf16 = b.getBF16Type();
  auto widen = [&](Value value) -> Value {
    return arith::ExtFOp::create(b, loc, f32, value);
  };
  auto compare = [&](arith::CmpFPredicate how, Value value) -> Value {
    Value magnitude = math::AbsFOp::create(b, loc, value);
    return arith::CmpFOp::create(b, loc, how, magnitude, infinity);
  };
  Value rounded = widen(arith::TruncFOp::create(b, loc, bf16, x));
  // Cutting an infinity changes nothing.
  Value isLarge = compare(arith::CmpFPredicate::OEQ, rounded);
  Value hi = narrow(b, loc, x, isLarge);
  Value isFinite = compare(arith::CmpFPredicate::OLT, widen(hi));
  Value rest = arith::SubFOp::create(b, loc, x, widen(hi)); // exact
  Value lo = arith::SelectOp::create(b, loc, isFinite,
                                     narrow(b, loc, rest, isLarge), zero);
  return {hi, lo, isFinite};
}

Value vortex::splitToBF16(OpBuilder &b, Location loc, Value value, int64_t dim,
                          bool isFirst) {
  Type f32 = b.getF32Type(), bf16 = b.getBF16Type();
  // Sizes of what an op wrote to: one more use of its result would keep it from
  // joining others.
  Value like = value;
  while (auto op = like.getDefiningOp<DestinationStyleOpInterface>())
    like = op.getTiedOpOperand(cast<OpResult>(like))->get();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, like);
  int64_t rank = sizes.size();
  sizes.insert(sizes.begin() + dim, b.getIndexAttr(kSplitTerms));
  Value room = tensor::EmptyOp::create(b, loc, sizes, bf16);

  Value zero =
      arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(bf16)));
  Value infinity = arith::ConstantOp::create(
      b, loc, b.getFloatAttr(f32, std::numeric_limits<double>::infinity()));
  // Which parts hold `lo`, and the `hi` that meets the other's `lo`. Small
  // products come first: sums of them lose less than they would later.
  Value ofLo = arith::ConstantIndexOp::create(b, loc, isFirst ? 0 : 1);
  Value besideLo = arith::ConstantIndexOp::create(b, loc, isFirst ? 1 : 0);

  AffineMap written = b.getMultiDimIdentityMap(rank + 1);
  AffineMap read = written.dropResult(dim);
  SmallVector<utils::IteratorType> iterators(rank + 1,
                                             utils::IteratorType::parallel);
  Value terms =
      linalg::GenericOp::create(
          b, loc, room.getType(), value, room, ArrayRef{read, written},
          iterators,
          [&](OpBuilder &b, Location loc, ValueRange args) {
            Terms of = split(b, loc, args[0], zero, infinity);
            Value term = linalg::IndexOp::create(b, loc, dim);
            auto is = [&](Value which) -> Value {
              return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                           term, which);
            };
            // An infinity meets `hi` alone: times a `lo` of zero it would be
            // NaN.
            Value finite =
                arith::SelectOp::create(b, loc, of.isFinite, of.hi, zero);
            Value hi =
                arith::SelectOp::create(b, loc, is(besideLo), finite, of.hi);
            Value result = arith::SelectOp::create(b, loc, is(ofLo), of.lo, hi);
            linalg::YieldOp::create(b, loc, result);
          })
          .getResult(0);
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t at = d > dim ? d + 1 : d;
    groups.push_back({at});
    if (d == dim)
      groups.back().push_back(at + 1);
  }
  return tensor::CollapseShapeOp::create(b, loc, terms, groups);
}

std::optional<unsigned> vortex::getSplitLoop(linalg::LinalgOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  for (unsigned loop : loops)
    if (maps[0].isFunctionOfDim(loop) && maps[1].isFunctionOfDim(loop))
      return loop;
  return std::nullopt;
}

std::string vortex::whyNoSplit(linalg::LinalgOp op) {
  MLIRContext *context = op.getContext();
  Type bf16 = BFloat16Type::get(context), f32 = Float32Type::get(context);
  for (HwAttr target : getTargets(op)) {
    std::string name = "target " + target.getIsa().str();
    if (target.isGPU())
      return "factors are split for CPUs, and " + name + " is none";
    HwInstructionAttr best = target.getInstruction("tile", bf16, bf16, f32);
    if (std::optional<DotMatch> dot = findDot(target, {bf16, bf16, f32});
        dot && (!best || best.getRate() < dot->instruction.getRate()))
      best = dot->instruction;
    if (!best)
      return name + " has no instruction that sums products of bf16";
    double plain = target.getNumber("fma.f32.rate").value_or(0);
    if (best.getRate() > kSplitTerms * plain)
      continue;
    std::string why;
    llvm::raw_string_ostream(why)
        << name << " makes products of bf16 at a rate of " << best.getRate()
        << " (" << best.getName() << ") and those of f32 at " << plain
        << ": three take as long as one, or longer";
    return why;
  }
  return "";
}
