//===- NarrowProducts.cpp - Products of bytes, zero points aside ----------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With bytes a and w, zero points y and z, K steps of the reduction:
//
//   sum (a - y) (w - z) = sum a w - y sum w - z sum a + K y z
//
// in the ring of integers modulo 2^32, in which all of it is computed. Where
// both were made floats by a scale, the sum is, by the product of the scales.
//
//===----------------------------------------------------------------------===//

#include "ByteFactor.h"
#include "Scope.h"

#include "../Dialect/Vortex/Transforms/DotProduct.h"

#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/Graph/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace vortex {
#define GEN_PASS_DEF_NARROWPRODUCTS
#include "vortex/Graph/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// Whether everything that reads `value` keeps the low 32 bits of its elements
/// alone.
static bool isTruncated(Value value) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!op || !op.isDpsInput(&use))
      return false;
    return llvm::all_of(op.getMatchingBlockArgument(&use).getUsers(),
                        [](Operation *user) {
                          auto truncate = dyn_cast<arith::TruncIOp>(user);
                          return truncate && truncate.getType().isInteger(32);
                        });
  });
}

/// Whether sums of so many products of widened bytes, less bytes, fit 32 bits.
static bool isShort(linalg::LinalgOp op, const ByteFactor &a,
                    const ByteFactor &b) {
  if (!a.hasByteZero() || !b.hasByteZero())
    return false;
  // Negative factors stay negative.
  if (llvm::any_of(op->getRegion(0).front(),
                   [](Operation &each) { return isa<arith::ExtUIOp>(each); }))
    return false;
  int64_t steps = 1;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (auto [extent, iterator] :
       llvm::zip(extents, op.getIteratorTypesArray())) {
    if (iterator != utils::IteratorType::reduction)
      continue;
    // A byte less a byte is at most 255 in absolute value.
    if (ShapedType::isDynamic(extent) || extent > (1 << 15))
      return false;
    steps *= std::max<int64_t>(extent, 1);
    if (steps > INT32_MAX / (255 * 255))
      return false;
  }
  return true;
}

namespace {
/// One product.
class Narrower {
public:
  Narrower(linalg::LinalgOp op, ByteFactor a, ByteFactor b)
      : op(op), factors{a, b}, b(op.getLoc(), op) {
    for (ByteFactor &factor : factors) {
      factor.bytes = factor.makeBytes(this->b);
      factor.views.clear();
    }
  }
  /// The same sums in 32 bits, without scales.
  Value makeNarrow();
  /// The floats that the product gives, from its sums.
  Value makeScaled(Value sums);

private:
  Value makeProduct();
  Value makeSums(const ByteFactor &factor, AffineMap map, AffineMap &sumsMap);
  Value extend(OpBuilder &builder, Location loc, Value value, bool isSigned);
  Value countSteps();

  linalg::LinalgOp op;
  ByteFactor factors[2];
  ImplicitLocOpBuilder b;
};
} // namespace

Value Narrower::extend(OpBuilder &builder, Location loc, Value value,
                       bool isSigned) {
  Type type = builder.getI32Type();
  if (value.getType() == type)
    return value;
  if (value.getType().getIntOrFloatBitWidth() > 32)
    return arith::TruncIOp::create(builder, loc, type, value);
  if (isSigned)
    return arith::ExtSIOp::create(builder, loc, type, value);
  return arith::ExtUIOp::create(builder, loc, type, value);
}

static Value makeZeros(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes) {
  Value zero = arith::ConstantIntOp::create(b, b.getI32Type(), 0);
  Value room = tensor::EmptyOp::create(b, sizes, b.getI32Type());
  return linalg::FillOp::create(b, zero, room).getResult(0);
}

Value Narrower::makeProduct() {
  Value init =
      makeZeros(b, tensor::getMixedSizes(b, op.getLoc(), op.getDpsInits()[0]));
  return linalg::GenericOp::create(
             b, init.getType(), ValueRange{factors[0].bytes, factors[1].bytes},
             init, op.getIndexingMapsArray(), op.getIteratorTypesArray(),
             [&](OpBuilder &inner, Location loc, ValueRange arguments) {
               Value x = extend(inner, loc, arguments[0], factors[0].isSigned);
               Value y = extend(inner, loc, arguments[1], factors[1].isSigned);
               Value product = arith::MulIOp::create(inner, loc, x, y);
               Value sum =
                   arith::AddIOp::create(inner, loc, arguments[2], product);
               linalg::YieldOp::create(inner, loc, sum);
             })
      .getResult(0);
}

/// The sums of `factor`, read through `map`, along the reduction. `sumsMap`
/// reads them by the loops of the product.
Value Narrower::makeSums(const ByteFactor &factor, AffineMap map,
                         AffineMap &sumsMap) {
  MLIRContext *context = op.getContext();
  SmallVector<utils::IteratorType> iterators;
  SmallVector<AffineExpr> kept, loops;
  SmallVector<OpFoldResult> sizes;
  SmallVector<OpFoldResult> all =
      tensor::getMixedSizes(b, op.getLoc(), factor.bytes);
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim) {
    unsigned loop = map.getDimPosition(dim);
    iterators.push_back(op.getIteratorTypesArray()[loop]);
    if (iterators.back() == utils::IteratorType::reduction)
      continue;
    kept.push_back(getAffineDimExpr(dim, context));
    loops.push_back(getAffineDimExpr(loop, context));
    sizes.push_back(all[dim]);
  }
  sumsMap = AffineMap::get(op.getNumLoops(), 0, loops, context);
  unsigned rank = map.getNumResults();
  Value init = makeZeros(b, sizes);
  return linalg::GenericOp::create(
             b, init.getType(), factor.bytes, init,
             ArrayRef<AffineMap>{
                 AffineMap::getMultiDimIdentityMap(rank, context),
                 AffineMap::get(rank, 0, kept, context)},
             iterators,
             [&](OpBuilder &inner, Location loc, ValueRange arguments) {
               Value x = extend(inner, loc, arguments[0], factor.isSigned);
               Value sum = arith::AddIOp::create(inner, loc, arguments[1], x);
               linalg::YieldOp::create(inner, loc, sum);
             })
      .getResult(0);
}

/// The number of products in each sum.
Value Narrower::countSteps() {
  Value count = arith::ConstantIndexOp::create(b, 1);
  AffineMap map = op.getIndexingMapsArray()[0]; // no window's, with two zeros
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
    if (op.getIteratorTypesArray()[map.getDimPosition(dim)] ==
        utils::IteratorType::reduction)
      count = arith::MulIOp::create(
          b, count, tensor::DimOp::create(b, factors[0].bytes, dim));
  return arith::IndexCastOp::create(b, b.getI32Type(), count);
}

Value Narrower::makeNarrow() {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Value product = makeProduct();
  if (!factors[0].zero && !factors[1].zero)
    return product;

  // Elements of the result in the place of loops of the product.
  AffineMap toLoops = inverseAndBroadcastProjectedPermutation(maps.back());
  SmallVector<Value> inputs{product};
  SmallVector<AffineMap> inputMaps{
      b.getMultiDimIdentityMap(maps.back().getNumResults())};
  unsigned sums[2] = {}, zeros[2] = {};
  auto addInput = [&](Value value, AffineMap map) {
    inputs.push_back(value);
    inputMaps.push_back(map);
    return inputs.size() - 1;
  };
  for (unsigned i : {0, 1}) {
    ByteFactor &factor = factors[i], &other = factors[1 - i];
    if (!factor.zero)
      continue;
    AffineMap sumsMap;
    Value summed = makeSums(other, maps[1 - i], sumsMap);
    sums[i] = addInput(summed, sumsMap.compose(toLoops));
    if (isa<RankedTensorType>(factor.zero.getType()))
      zeros[i] =
          addInput(factor.zero, AffineMap::get(maps.back().getNumResults(), 0,
                                               b.getContext()));
  }
  Value steps = factors[0].zero && factors[1].zero ? countSteps() : Value();
  Value room = tensor::EmptyOp::create(
      b, tensor::getMixedSizes(b, op.getLoc(), product), b.getI32Type());
  inputMaps.push_back(inputMaps.front());
  SmallVector<utils::IteratorType> iterators(maps.back().getNumResults(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, room.getType(), inputs, room, inputMaps, iterators,
             [&](OpBuilder &inner, Location loc, ValueRange arguments) {
               Value sum = arguments[0], both = steps;
               for (unsigned i : {0, 1}) {
                 ByteFactor &factor = factors[i];
                 if (!factor.zero)
                   continue;
                 Value zero = extend(
                     inner, loc, zeros[i] ? arguments[zeros[i]] : factor.zero,
                     factor.isZeroSigned);
                 Value part = arith::MulIOp::create(inner, loc, zero,
                                                    arguments[sums[i]]);
                 sum = arith::SubIOp::create(inner, loc, sum, part);
                 if (both)
                   both = arith::MulIOp::create(inner, loc, both, zero);
               }
               if (both)
                 sum = arith::AddIOp::create(inner, loc, sum, both);
               linalg::YieldOp::create(inner, loc, sum);
             })
      .getResult(0);
}

Value Narrower::makeScaled(Value sums) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap toLoops = inverseAndBroadcastProjectedPermutation(maps.back());
  AffineMap identity = b.getMultiDimIdentityMap(maps.back().getNumResults());
  Value init = op.getDpsInits()[0];
  auto fill = init.getDefiningOp<linalg::FillOp>();
  bool startsAtZero =
      fill && matchPattern(fill.getInputs()[0], m_PosZeroFloat());
  SmallVector<Value> inputs{sums};
  SmallVector<AffineMap> inputMaps{identity};
  unsigned scales[2] = {};
  for (unsigned i : {0, 1})
    if (factors[i].scaleMap) {
      scales[i] = inputs.size();
      inputs.push_back(factors[i].scale);
      inputMaps.push_back(
          factors[i].scaleMap.compose(maps[i]).compose(toLoops));
    }
  if (!startsAtZero) {
    inputs.push_back(init);
    inputMaps.push_back(identity);
  }
  Value room = tensor::EmptyOp::create(
      b, tensor::getMixedSizes(b, op.getLoc(), sums), b.getF32Type());
  inputMaps.push_back(identity);
  SmallVector<utils::IteratorType> iterators(identity.getNumResults(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, room.getType(), inputs, room, inputMaps, iterators,
             [&](OpBuilder &inner, Location loc, ValueRange arguments) {
               auto scale = [&](unsigned i) {
                 return scales[i] ? arguments[scales[i]] : factors[i].scale;
               };
               Value both =
                   arith::MulFOp::create(inner, loc, scale(0), scale(1));
               Value sum = arith::SIToFPOp::create(
                   inner, loc, inner.getF32Type(), arguments[0]);
               sum = arith::MulFOp::create(inner, loc, sum, both);
               if (!startsAtZero)
                 sum = arith::AddFOp::create(inner, loc,
                                             arguments[inputs.size() - 1], sum);
               linalg::YieldOp::create(inner, loc, sum);
             })
      .getResult(0);
}

/// Lets readers that truncate `wide` take `narrow`, and others its extension.
static void replace(Value wide, Value narrow, OpBuilder &builder) {
  if (wide.getType() == narrow.getType()) {
    wide.replaceAllUsesWith(narrow);
    return;
  }
  if (isTruncated(wide)) {
    for (OpOperand &use : llvm::make_early_inc_range(wide.getUses())) {
      auto op = cast<linalg::GenericOp>(use.getOwner());
      BlockArgument argument = op.getMatchingBlockArgument(&use);
      for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
        user->getResult(0).replaceAllUsesWith(argument);
        user->erase();
      }
      argument.setType(builder.getI32Type());
      use.set(narrow);
    }
    return;
  }
  Location loc = wide.getLoc();
  auto type = cast<RankedTensorType>(wide.getType());
  Value room = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, narrow),
      type.getElementType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto extended = linalg::GenericOp::create(
      builder, loc, type, narrow, room, ArrayRef<AffineMap>{identity, identity},
      iterators, [&](OpBuilder &inner, Location loc, ValueRange arguments) {
        Value value = arith::ExtSIOp::create(inner, loc, type.getElementType(),
                                             arguments[0]);
        linalg::YieldOp::create(inner, loc, value);
      });
  wide.replaceAllUsesWith(extended.getResult(0));
}

/// Whether sums of 32 bits serve the readers of `op`, which starts them at
/// zero.
static bool canNarrow(linalg::LinalgOp op, const ByteFactor &a,
                      const ByteFactor &b) {
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  if (!fill || !matchPattern(fill.getInputs()[0], m_Zero()))
    return false;
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (element.isInteger(32))
    return true;
  return element.isInteger(64) &&
         (isTruncated(op->getResult(0)) || isShort(op, a, b));
}

/// Whether `op` adds up products of f32 of its two inputs.
static bool addsProducts(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !op.getNumReductionLoops())
    return false;
  Block &body = op->getRegion(0).front();
  auto isBoth = [](Operation *op, Value x, Value y) {
    return op && ((op->getOperand(0) == x && op->getOperand(1) == y) ||
                  (op->getOperand(0) == y && op->getOperand(1) == x));
  };
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  for (Value term : sum ? ValueRange(sum->getOperands()) : ValueRange())
    if (auto product = term.getDefiningOp<arith::MulFOp>();
        product && product.getType().isF32() &&
        isBoth(product, body.getArgument(0), body.getArgument(1)))
      return isBoth(sum, term, body.getArgument(2));
  return false;
}

/// Whether there are instructions for such products of bytes, as far as targets
/// are known. Multiplying them one by one takes longer than floats do.
static bool multipliesBytes(Operation *op, const ByteFactor &a,
                            const ByteFactor &b) {
  auto typeOf = [&](const ByteFactor &factor) -> Type {
    return IntegerType::get(op->getContext(), 8,
                            factor.isSigned ? IntegerType::Signless
                                            : IntegerType::Unsigned);
  };
  DotPayload payload = {typeOf(a), typeOf(b),
                        IntegerType::get(op->getContext(), 32)};
  return llvm::all_of(getTargets(op), [&](HwAttr target) {
    return findDot(target, payload) ||
           llvm::any_of(target.getInstructions(),
                        [&](HwInstructionAttr instruction) {
                          return instruction.getA() == payload.a &&
                                 instruction.getB() == payload.b &&
                                 instruction.getAcc() == payload.acc;
                        });
  });
}

/// Whether the scales of `a` and `b` can be applied to sums of their products,
/// and the sums be taken in 32 bits.
static bool canScale(linalg::LinalgOp op, const ByteFactor &a,
                     const ByteFactor &b) {
  if (!addsProducts(op) || !isShort(op, a, b) || !multipliesBytes(op, a, b))
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!maps.back().isProjectedPermutation())
    return false;
  SmallVector<unsigned> reductions, others;
  op.getReductionDims(reductions);
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::parallel)
      others.push_back(loop);
  const ByteFactor *factors[] = {&a, &b};
  for (unsigned i : {0, 1}) {
    AffineMap scale = factors[i]->scaleMap, own = maps[i], other = maps[1 - i];
    // Instructions add up what rows and columns share.
    if (llvm::none_of(others, [&](unsigned loop) {
          return own.isFunctionOfDim(loop) && !other.isFunctionOfDim(loop);
        }))
      return false;
    for (unsigned loop : reductions)
      if ((scale && scale.compose(own).isFunctionOfDim(loop)) ||
          !own.isFunctionOfDim(loop))
        return false;
    // Its zero point takes the sums of the other's bytes.
    if (factors[i]->zero && !other.isProjectedPermutation())
      return false;
  }
  return true;
}

namespace {
struct NarrowProductsPass
    : vortex::impl::NarrowProductsBase<NarrowProductsPass> {
  void runOnOperation() override {
    (void)forEachFunction(getOperation(), [&](FunctionOpInterface function) {
      SmallVector<linalg::LinalgOp> products;
      function->walk([&](linalg::LinalgOp op) {
        if (!isInKernel(op) && op.hasPureTensorSemantics() &&
            (linalg::isaContractionOpInterface(op) || addsProducts(op)))
          products.push_back(op);
      });
      for (linalg::LinalgOp op : products) {
        std::optional<ByteFactor> x = matchByteFactor(op.getDpsInputs()[0]);
        std::optional<ByteFactor> y = matchByteFactor(op.getDpsInputs()[1]);
        if (!x || !y || bool(x->scale) != bool(y->scale))
          continue;
        OpBuilder builder(op->getNextNode());
        if (x->scale) {
          if (!canScale(op, *x, *y))
            continue;
          Narrower narrower(op, *x, *y);
          op->getResult(0).replaceAllUsesWith(
              narrower.makeScaled(narrower.makeNarrow()));
        } else {
          if (!canNarrow(op, *x, *y))
            continue;
          replace(op->getResult(0), Narrower(op, *x, *y).makeNarrow(), builder);
        }
        op->erase();
        ++numNarrowed;
      }
      return success();
    });
  }
};
} // namespace
