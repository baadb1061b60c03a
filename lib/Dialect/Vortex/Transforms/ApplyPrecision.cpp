//===- ApplyPrecision.cpp - Products of f32 in less -----------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotProduct.h"
#include "PayloadClass.h"
#include "QuantizeProduct.h"
#include "SplitFactors.h"

#include "vortex/Dialect/Vortex/Analysis/SizeAnalysis.h"
#include "vortex/Dialect/Vortex/IR/WeightValues.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

namespace vortex {
#define GEN_PASS_DEF_APPLYPRECISION
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-apply-precision"

using namespace mlir;
using namespace vortex;

/// `acc + a * b` and nothing else, in f32, of two tensors.
static bool isProduct(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 ||
      op->getNumRegions() != 1)
    return false;
  Block &body = op->getRegion(0).front();
  if (!llvm::all_of(body.getArgumentTypes(),
                    [](Type type) { return type.isF32(); }) ||
      !llvm::hasNItems(body, 3))
    return false;
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  Value acc = body.getArgument(2);
  Value term = sum.getLhs() == acc   ? sum.getRhs()
               : sum.getRhs() == acc ? sum.getLhs()
                                     : Value();
  auto product = term ? term.getDefiningOp<arith::MulFOp>() : nullptr;
  auto isFactor = [&](Value value) {
    return value == body.getArgument(0) || value == body.getArgument(1);
  };
  return product && isFactor(product.getLhs()) && isFactor(product.getRhs()) &&
         product.getLhs() != product.getRhs();
}

namespace {
/// Makes a tensor of rounded elements.
using Rounding = Value (*)(OpBuilder &, Location, Value);

/// Narrows the products of one function.
class Narrower {
public:
  explicit Narrower(FunctionOpInterface function)
      : function(function), weights(function), b(function->getContext()) {}
  /// Adds to the counts of products that were narrowed, and were not.
  void run(unsigned &narrowed, unsigned &kept);

private:
  /// Null, with the reason in `why`, when `op` stays what it is.
  Value narrow(linalg::LinalgOp op, StringRef precision, std::string &why);
  /// What `round` makes of `value`, once for all that read it.
  Value toRounded(Value value, Rounding round);
  Value padRounded(tensor::PadOp pad);
  /// `value` in terms of bf16, once for all that read it alike.
  Value toTerms(Value value, int64_t dim, bool isFirst);
  Value splitProduct(linalg::LinalgOp op, std::string &why);
  Quantized toI8(Value value, AffineMap map, linalg::LinalgOp op);
  void checkTerms(linalg::LinalgOp op);
  /// Where a value is made: what is made of it serves all that read it.
  void goBehind(Value value) { b.setInsertionPointAfterValue(value); }
  void bindIfWeight(Value value, Operation *first);

  FunctionOpInterface function;
  WeightValues weights;
  OpBuilder b;
  DenseMap<std::pair<Value, Rounding>, Value> rounded;
  DenseMap<std::pair<Value, Attribute>, Quantized> quantized;
  DenseMap<std::tuple<Value, int64_t, unsigned>, Value> terms;
};
} // namespace

/// Marks the ops behind `value` up to where `b` is for the time when weights
/// are bound.
void Narrower::bindIfWeight(Value value, Operation *first) {
  if (!weights.contains(value))
    return;
  for (Operation *op = first; op && op != &*b.getInsertionPoint();
       op = op->getNextNode())
    // What is made of a weight, and the same in another shape.
    if (isa<linalg::GenericOp, tensor::CollapseShapeOp>(op))
      op->setAttr(kBindAttr, b.getUnitAttr());
}

/// `pad` of what its source is in bf16. Null unless it pads with a number that
/// is known.
Value Narrower::padRounded(tensor::PadOp pad) {
  Attribute number;
  if (!pad.getConstantPaddingValue() ||
      !matchPattern(pad.getConstantPaddingValue(), m_Constant(&number)) ||
      weights.contains(pad.getResult()))
    return {};
  Value source = toRounded(pad.getSource(), roundToBF16);
  APFloat padding = cast<FloatAttr>(number).getValue();
  bool isInexact = false;
  padding.convert(APFloat::BFloat(), APFloat::rmNearestTiesToEven, &isInexact);
  goBehind(pad.getResult());
  Location loc = pad.getLoc();
  Value constant = arith::ConstantOp::create(
      b, loc, b.getFloatAttr(b.getBF16Type(), padding));
  return tensor::PadOp::create(
      b, loc, pad.getResultType().clone(b.getBF16Type()), source,
      pad.getMixedLowPad(), pad.getMixedHighPad(), constant, pad.getNofold());
}

Value Narrower::toRounded(Value value, Rounding round) {
  if (Value known = rounded.lookup({value, round}))
    return known;
  // What is around an image need not be rounded at each call.
  auto pad = value.getDefiningOp<tensor::PadOp>();
  if (Value padded = pad && round == roundToBF16 ? padRounded(pad) : Value())
    return rounded[{value, round}] = padded;
  Value &known = rounded[{value, round}];
  goBehind(value);
  Operation *next = &*b.getInsertionPoint(), *before = next->getPrevNode();
  known = round(b, value.getLoc(), value);
  bindIfWeight(value,
               before ? before->getNextNode() : &next->getBlock()->front());
  return known;
}

Value Narrower::toTerms(Value value, int64_t dim, bool isFirst) {
  Value &known = terms[{value, dim, isFirst}];
  if (known)
    return known;
  goBehind(value);
  Operation *next = &*b.getInsertionPoint(), *before = next->getPrevNode();
  known = splitToBF16(b, value.getLoc(), value, dim, isFirst);
  bindIfWeight(value,
               before ? before->getNextNode() : &next->getBlock()->front());
  return known;
}

Quantized Narrower::toI8(Value value, AffineMap map, linalg::LinalgOp op) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<bool> reduced;
  for (AffineExpr loop : map.getResults())
    reduced.push_back(iterators[cast<AffineDimExpr>(loop).getPosition()] ==
                      utils::IteratorType::reduction);
  Quantized &known = quantized[{value, b.getBoolArrayAttr(reduced)}];
  if (known.values)
    return known;
  goBehind(value);
  Operation *next = &*b.getInsertionPoint(), *before = next->getPrevNode();
  known = quantize(b, value.getLoc(), value, reduced);
  bindIfWeight(value,
               before ? before->getNextNode() : &next->getBlock()->front());
  return known;
}

/// Ends the call where sums might not fit an i32, unless sizes tell that they
/// do.
void Narrower::checkTerms(linalg::LinalgOp op) {
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  SmallVector<std::pair<Value, int64_t>> extents;
  for (unsigned loop : loops)
    for (OpOperand *input : op.getDpsInputOperands())
      if (auto dim = op.getMatchingIndexingMap(input).getResultPosition(
              b.getAffineDimExpr(loop))) {
        extents.push_back({input->get(), *dim});
        break;
      }
  SizeAnalysis sizes(function, SizeTrust::Ops);
  SizeContext &context = sizes.getContext();
  SizeExpr terms = context.constant(1);
  for (auto [value, dim] : extents)
    terms = terms ? context.mul(terms, sizes.getDim(value, dim)) : terms;
  if (terms && sizes.getFactsAt(op).isLessOrEqual(
                   terms, context.constant(kMostTerms)) == Answer::Yes)
    return;
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  Value product;
  for (auto [value, dim] : extents) {
    Value extent = b.createOrFold<tensor::DimOp>(loc, value, dim);
    product = product ? arith::MulIOp::create(b, loc, product, extent) : extent;
  }
  Value most = arith::ConstantIndexOp::create(b, loc, kMostTerms);
  Value fits =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, product, most);
  // A result without elements has no sums.
  Value result = op.getDpsInits()[0];
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  for (int64_t d : llvm::seq(cast<ShapedType>(result.getType()).getRank())) {
    Value extent = b.createOrFold<tensor::DimOp>(loc, result, d);
    Value empty =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, extent, zero);
    fits = arith::OrIOp::create(b, loc, fits, empty);
  }
  cf::AssertOp::create(b, loc, fits,
                       ("int8-dynamic: a sum of more than " +
                        Twine(kMostTerms) + " products may not fit an i32")
                           .str());
}

/// Why rounding factors to tf32 gains nothing: no target multiplies them.
/// Targets that are not known may.
static std::string whyNoTF32(Operation *op) {
  std::string names;
  for (HwAttr target : getTargets(op)) {
    if (llvm::any_of(target.getInstructions(),
                     [](HwInstructionAttr i) { return i.getA().isTF32(); }))
      return "";
    names += (names.empty() ? "" : ", ") + target.getIsa().str();
  }
  return names.empty() ? ""
                       : "no instruction of target " + names +
                             " multiplies tf32: factors are rounded, and "
                             "multiplied as f32";
}

/// Why bf16 gains a convolution nothing: without an instruction that sums its
/// products faster than those of f32, elements are widened again for each.
/// Targets that are not known may have one.
static std::string whyNoBF16Window(linalg::LinalgOp op) {
  MLIRContext *context = op.getContext();
  Type bf16 = BFloat16Type::get(context), f32 = Float32Type::get(context);
  for (HwAttr target : getTargets(op)) {
    if (target.isGPU())
      continue;
    std::string why = "a convolution, and target " + target.getIsa().str();
    std::optional<DotMatch> match = findDot(target, {bf16, bf16, f32});
    if (!match)
      return why + " has no instruction that sums products of bf16";
    if (match->instruction.getRate() <
        target.getNumber("fma.f32.rate").value_or(0))
      return why + " sums products of bf16 more slowly than those of f32";
  }
  return "";
}

/// Null, with the reason in `why`, where that gains nothing.
Value Narrower::splitProduct(linalg::LinalgOp op, std::string &why) {
  std::optional<unsigned> loop = getSplitLoop(op);
  why = loop ? whyNoSplit(op) : "no reduction that both factors have";
  if (!why.empty())
    return {};
  auto split = [&](unsigned input) {
    AffineMap map = op.getIndexingMapsArray()[input];
    return toTerms(op.getDpsInputs()[input],
                   *map.getResultPosition(b.getAffineDimExpr(*loop)),
                   input == 0);
  };
  Value x = split(0), y = split(1);
  b.setInsertionPoint(op);
  return cloneWithFactors(b, op, x, y, op.getDpsInits()[0]);
}

Value Narrower::narrow(linalg::LinalgOp op, StringRef precision,
                       std::string &why) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  // Rounding to tf32 changes no type, so that it suits any product.
  if (precision != kPrecisions[int(Precision::TF32)] &&
      !llvm::all_of(
          maps, [](AffineMap map) { return map.isProjectedPermutation(); })) {
    bool isBF16 = precision == kPrecisions[int(Precision::BF16)];
    why = isBF16 ? whyNoBF16Window(op) : "a convolution";
    if (!why.empty())
      return {};
  }
  if (!getContractionRoles(op) ||
      maps.back().getNumResults() != op.getNumParallelLoops()) {
    why = "not a product with rows and columns";
    return {};
  }
  Value x = op.getDpsInputs()[0], y = op.getDpsInputs()[1];
  if (precision == kPrecisions[int(Precision::BF16)]) {
    Value narrowX = toRounded(x, roundToBF16),
          narrowY = toRounded(y, roundToBF16);
    b.setInsertionPoint(op);
    return cloneWithFactors(b, op, narrowX, narrowY, op.getDpsInits()[0]);
  }
  if (precision == kPrecisions[int(Precision::TF32)]) {
    Value roundX = toRounded(x, roundToTF32),
          roundY = toRounded(y, roundToTF32);
    b.setInsertionPoint(op);
    Operation *product = clone(b, op, op->getResultTypes(),
                               ValueRange{roundX, roundY, op.getDpsInits()[0]});
    // Matrix instructions may read as many bits as the factors now have.
    product->setAttr(kPrecisionAttr, b.getStringAttr(precision));
    return product->getResult(0);
  }
  if (precision == kPrecisions[int(Precision::BF16x2)])
    return splitProduct(op, why);
  if (weights.contains(x) == weights.contains(y)) {
    why = weights.contains(x) ? "both factors are weights"
                              : "both factors are activations";
    return {};
  }
  checkTerms(op);
  Quantized integersX = toI8(x, maps[0], op), integersY = toI8(y, maps[1], op);
  b.setInsertionPoint(op);
  return multiplyQuantized(b, op, integersX, integersY);
}

void Narrower::run(unsigned &narrowed, unsigned &kept) {
  SmallVector<linalg::LinalgOp> products;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<KernelOp, MicroKernelOp>(op))
      return WalkResult::skip();
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op); linalgOp) {
      if (isProduct(linalgOp))
        products.push_back(linalgOp);
      else
        op->removeAttr(kPrecisionAttr);
    }
    return WalkResult::advance();
  });
  auto ofFunction = function->getAttrOfType<StringAttr>(kPrecisionAttr);
  for (linalg::LinalgOp op : products) {
    auto own = op->getAttrOfType<StringAttr>(kPrecisionAttr);
    StringAttr precision = own ? own : ofFunction;
    op->removeAttr(kPrecisionAttr);
    if (!precision || precision == kPrecisions[int(Precision::F32)])
      continue;
    std::string what = ("product " + op->getName().stripDialect() + " of @" +
                        function.getName() + ", " + precision.getValue())
                           .str();
    auto describe = [&](Value value) {
      return weights.contains(value) ? "a weight, narrowed when it is bound"
                                     : "narrowed at each call";
    };
    std::string why;
    Value result = narrow(op, precision, why);
    if (!result) {
      ++kept;
      remark::missed(op.getLoc(),
                     remark::RemarkOpts::name("precision").category(DEBUG_TYPE))
          << what << ": stays f32, " << why;
      continue;
    }
    ++narrowed;
    remark::passed(op.getLoc(),
                   remark::RemarkOpts::name("precision").category(DEBUG_TYPE))
        << what << ": first factor " << describe(op.getDpsInputs()[0])
        << ", second factor " << describe(op.getDpsInputs()[1]);
    if (precision == kPrecisions[int(Precision::TF32)])
      if (std::string gains = whyNoTF32(op); !gains.empty())
        remark::missed(
            op.getLoc(),
            remark::RemarkOpts::name("precision").category(DEBUG_TYPE))
            << what << ": " << gains;
    op->getResult(0).replaceAllUsesWith(result);
    // Not erased yet: what is known of values counts on ops.
  }
  for (linalg::LinalgOp op : llvm::reverse(products))
    if (op->use_empty())
      op->erase();
}

namespace {
struct ApplyPrecisionPass
    : vortex::impl::ApplyPrecisionBase<ApplyPrecisionPass> {
  void runOnOperation() override {
    unsigned narrowed = 0, kept = 0;
    (void)forEachFunction(getOperation(), [&](FunctionOpInterface function) {
      Narrower(function).run(narrowed, kept);
      return success();
    });
    numNarrowed += narrowed;
    numKept += kept;
  }
};
} // namespace
