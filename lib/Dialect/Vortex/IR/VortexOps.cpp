//===- VortexOps.cpp - Verifiers, folders and custom assembly of the ops ----
//-*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/IR/DotInstructions.h"
#include "vortex/Dialect/Vortex/IR/RunningChain.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"
#include "vortex/Dialect/Vortex/IR/WindowProduct.h"

#include "VerifySchedule.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace vortex;

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

Operation *KernelOp::getAnchor() {
  for (Operation &op : getPayload().front())
    if (op.hasAttr(kAnchorAttr))
      return &op;
  return nullptr;
}

SmallVector<CandidateOp> KernelOp::getCandidateOps() {
  if (getCandidates().empty())
    return {};
  return llvm::to_vector(getCandidates().front().getOps<CandidateOp>());
}

LogicalResult KernelOp::verify() {
  if (getNumResults() != getInits().size())
    return emitOpError() << "has " << getNumResults() << " results for "
                         << getInits().size() << " inits";
  for (auto [i, init, result] : llvm::enumerate(getInits(), getResults()))
    if (init.getType() != result.getType())
      return emitOpError() << "result " << i << " has type " << result.getType()
                           << ", its init " << init.getType();
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  Block &payload = getPayload().front();
  if (payload.getArgumentTypes() != getOperandTypes())
    return emitOpError("payload arguments must have the types of the operands, "
                       "inputs first");
  auto yield =
      dyn_cast_if_present<YieldOp>(payload.empty() ? nullptr : &payload.back());
  if (!yield || yield.getOperandTypes() != getResultTypes())
    return emitOpError("payload must end in a vortex.yield of the results");
  unsigned anchors = llvm::count_if(
      payload, [](Operation &op) { return op.hasAttr(kAnchorAttr); });
  if (anchors > 1)
    return emitOpError() << "payload has " << anchors
                         << " anchors; a kernel has one at most";
  if (Operation *anchor = getAnchor()) {
    auto tileable = dyn_cast<TilingInterface>(anchor);
    if (!tileable)
      return anchor->emitOpError("is marked vortex.anchor but cannot be tiled");
    size_t loops = tileable.getLoopIteratorTypes().size();
    std::string why;
    auto product = dyn_cast<linalg::LinalgOp>(anchor);
    bool isChain = product && loops + 1 == getAxes().size() &&
                   matchRunningChain(product, why);
    if (loops != getAxes().size() && !isChain)
      return emitOpError() << "names " << getAxes().size()
                           << " axes, but its anchor has " << loops << " loops";
  } else if (!getAxes().empty()) {
    return emitOpError("names axes, but no payload op is marked vortex.anchor");
  }
  if (getCandidates().empty())
    return success();
  Block &candidates = getCandidates().front();
  TypeRange arguments = candidates.getArgumentTypes();
  size_t numAxes = getAxes().size();
  if (arguments.size() < numAxes ||
      !llvm::all_of(arguments.take_front(numAxes), llvm::IsaPred<IndexType>))
    return emitOpError() << "candidates region needs one index argument for "
                         << "each of the " << numAxes << " axes";
  TypeRange behind = arguments.drop_front(numAxes);
  if (!behind.empty() && behind != getOperandTypes())
    return emitOpError("candidates region has arguments behind the axes; they "
                       "must have the types of the operands, inputs first");
  for (BlockArgument argument : candidates.getArguments().drop_front(numAxes))
    for (Operation *user : argument.getUsers())
      if (!isa<AlignmentOp, StrideOp>(user))
        return user->emitOpError(
            "uses an operand in the candidates region, where only "
            "vortex.stride and vortex.alignment may ask about it");
  llvm::StringSet<> names;
  for (CandidateOp candidate : getCandidateOps())
    if (!names.insert(candidate.getSymName()).second)
      return candidate.emitOpError()
             << "has the name of an earlier candidate, @"
             << candidate.getSymName();
  return success();
}

//===----------------------------------------------------------------------===//
// CandidateOp
//===----------------------------------------------------------------------===//

LogicalResult CandidateOp::verifyRegions() {
  auto yields = [&](Region &region, StringRef what, Type type) {
    if (region.empty())
      return success();
    auto yield = dyn_cast_if_present<YieldOp>(
        region.front().empty() ? nullptr : &region.front().back());
    if (yield && yield.getNumOperands() == 1 &&
        yield.getOperand(0).getType() == type)
      return success();
    return LogicalResult(emitOpError()
                         << what << " region must yield one " << type);
  };
  Builder b(getContext());
  if (failed(yields(getGuard(), "guard", b.getI1Type())) ||
      failed(yields(getCost(), "cost", b.getF64Type())))
    return failure();

  auto kernel = cast<KernelOp>((*this)->getParentOp());
  llvm::StringSet<> ids;
  kernel.getPayload().walk([&](Operation *op) {
    if (auto id = op->getAttrOfType<StringAttr>(kIdAttr))
      ids.insert(id.getValue());
  });
  unsigned stages = 0;
  WalkResult result = getSchedule().walk([&](StageOp stage) {
    ++stages;
    for (Attribute id : stage.getOps())
      if (!ids.contains(cast<StringAttr>(id).getValue())) {
        stage.emitOpError()
            << "names payload op " << id << ", which the kernel does not have";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (stages == 0)
    return emitOpError("has a schedule without a vortex.stage");
  return verifySchedule(*this);
}

//===----------------------------------------------------------------------===//
// LevelOp
//===----------------------------------------------------------------------===//

void LevelOp::build(OpBuilder &b, OperationState &state, StringRef level,
                    LoopKind kind, ArrayRef<int64_t> axes,
                    ArrayRef<AxisClass> classes, ValueRange sizes,
                    ArrayRef<Attribute> loads, ValueRange loadSizes) {
  SmallVector<int32_t> numbers = llvm::map_to_vector(
      classes, [](AxisClass c) { return static_cast<int32_t>(c); });
  build(b, state, level, kind, axes, numbers, sizes, b.getArrayAttr(loads),
        loadSizes, /*stages=*/1, /*resident=*/false, StringAttr(),
        IntegerAttr(), StringAttr(), /*store=*/IntegerAttr(),
        /*cluster=*/DenseI64ArrayAttr());
  state.regions.front()->emplaceBlock();
}

// vortex.level "l2" for (PL 0 by %mt, TSL 1 by %n)
//     load (#vortex.load<...> by %mr) stages(4) resident
//     role("producer") warps(4) combine("add") store(2) cluster(2, 1) joined(2)
//     { ... }
ParseResult LevelOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  StringAttr level;
  StringRef kindText;
  SMLoc kindLoc;
  if (parser.parseAttribute(level, b.getNoneType(), "level", result.attributes))
    return failure();
  kindLoc = parser.getCurrentLocation();
  if (parser.parseKeyword(&kindText))
    return failure();
  std::optional<LoopKind> kind = symbolizeLoopKind(kindText);
  if (!kind)
    return parser.emitError(kindLoc)
           << "expected for, forall, grid or persistent, got '" << kindText
           << "'";
  result.addAttribute("kind", LoopKindAttr::get(b.getContext(), *kind));

  SmallVector<int64_t> axes;
  SmallVector<int32_t> classes;
  SmallVector<OpAsmParser::UnresolvedOperand> sizes, loadSizes;
  auto parseAxis = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef text;
    if (parser.parseKeyword(&text))
      return failure();
    std::optional<AxisClass> axisClass = symbolizeAxisClass(text);
    if (!axisClass)
      return parser.emitError(loc)
             << "expected PL, TSL or TRL, got '" << text << "'";
    classes.push_back(static_cast<int32_t>(*axisClass));
    return failure(parser.parseInteger(axes.emplace_back()) ||
                   parser.parseKeyword("by") ||
                   parser.parseOperand(sizes.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseAxis))
    return failure();
  result.addAttribute("axes", b.getDenseI64ArrayAttr(axes));
  result.addAttribute("classes", b.getDenseI32ArrayAttr(classes));

  SmallVector<Attribute> loads;
  auto parseLoad = [&]() -> ParseResult {
    LoadAttr load;
    if (parser.parseCustomAttributeWithFallback(load))
      return failure();
    loads.push_back(load);
    return failure(parser.parseKeyword("by") ||
                   parser.parseOperand(loadSizes.emplace_back()));
  };
  if (succeeded(parser.parseOptionalKeyword("load")) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseLoad))
    return failure();
  if (!loads.empty())
    result.addAttribute("loads", b.getArrayAttr(loads));

  auto parseInt = [&](StringRef name) -> ParseResult {
    int64_t value;
    if (failed(parser.parseOptionalKeyword(name)))
      return success();
    if (parser.parseLParen() || parser.parseInteger(value) ||
        parser.parseRParen())
      return failure();
    result.addAttribute(name, b.getI64IntegerAttr(value));
    return success();
  };
  auto parseString = [&](StringRef name) -> ParseResult {
    StringAttr value;
    if (failed(parser.parseOptionalKeyword(name)))
      return success();
    return failure(parser.parseLParen() ||
                   parser.parseAttribute(value, b.getNoneType(), name,
                                         result.attributes) ||
                   parser.parseRParen());
  };
  if (parseInt("stages"))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("resident")))
    result.addAttribute("resident", b.getUnitAttr());
  Region *body = result.addRegion();
  if (parseString("role") || parseInt("warps") || parseString("combine") ||
      parseInt("store"))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("cluster"))) {
    SmallVector<int64_t> cluster;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
          return parser.parseInteger(cluster.emplace_back());
        }))
      return failure();
    result.addAttribute("cluster", b.getDenseI64ArrayAttr(cluster));
  }
  if (parseInt(kJoinedAttr))
    return failure();
  if (parser.parseRegion(*body) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.resolveOperands(sizes, b.getIndexType(), result.operands) ||
      parser.resolveOperands(loadSizes, b.getIndexType(), result.operands))
    return failure();
  result.addAttribute(
      "operandSegmentSizes",
      b.getDenseI32ArrayAttr({static_cast<int32_t>(sizes.size()),
                              static_cast<int32_t>(loadSizes.size())}));
  if (body->empty())
    body->emplaceBlock();
  return success();
}

void LevelOp::print(OpAsmPrinter &p) {
  p << ' ' << getLevelAttr() << ' ' << stringifyLoopKind(getKind()) << " (";
  llvm::interleaveComma(
      llvm::zip(getAxes(), getClasses(), getSizes()), p, [&](auto axis) {
        auto [position, axisClass, size] = axis;
        p << stringifyAxisClass(static_cast<AxisClass>(axisClass)) << ' '
          << position << " by " << size;
      });
  p << ')';
  if (!getLoads().empty()) {
    p << " load (";
    llvm::interleaveComma(
        llvm::zip(getLoads(), getLoadSizes()), p, [&](auto load) {
          p.printStrippedAttrOrType(cast<LoadAttr>(std::get<0>(load)));
          p << " by " << std::get<1>(load);
        });
    p << ')';
  }
  if (getStages() != 1)
    p << " stages(" << getStages() << ')';
  if (getResident())
    p << " resident";
  if (getRole())
    p << " role(" << getRoleAttr() << ')';
  if (getWarps())
    p << " warps(" << *getWarps() << ')';
  if (getCombine())
    p << " combine(" << getCombineAttr() << ')';
  if (getStore())
    p << " store(" << *getStore() << ')';
  if (getCluster()) {
    p << " cluster(";
    llvm::interleaveComma(*getCluster(), p);
    p << ')';
  }
  if (auto joined = (*this)->getAttrOfType<IntegerAttr>(kJoinedAttr))
    p << " joined(" << joined.getInt() << ')';
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/false);
  p.printOptionalAttrDict((*this)->getAttrs(),
                          {"level", "kind", "axes", "classes", "loads",
                           "stages", "resident", "role", "warps", "combine",
                           "store", "cluster", kJoinedAttr,
                           "operandSegmentSizes"});
}

/// The candidate that `op` is part of, or null.
static CandidateOp getCandidateOf(Operation *op) {
  return op->getParentOfType<CandidateOp>();
}

LogicalResult LevelOp::verify() {
  CandidateOp candidate = getCandidateOf(*this);
  if (!candidate)
    return emitOpError("belongs in the schedule of a vortex.candidate");
  auto kernel = cast<KernelOp>(candidate->getParentOp());
  if (getAxes().size() != getSizes().size() ||
      getAxes().size() != getClasses().size())
    return emitOpError("needs one class and one size for each axis");
  if (getLoads().size() != getLoadSizes().size())
    return emitOpError() << "has " << getLoads().size() << " loads and "
                         << getLoadSizes().size() << " load sizes";
  auto anchor = dyn_cast_if_present<TilingInterface>(kernel.getAnchor());
  SmallVector<utils::IteratorType> iterators =
      anchor ? anchor.getLoopIteratorTypes()
             : SmallVector<utils::IteratorType>();
  llvm::SmallSet<int64_t, 4> seen;
  for (auto [axis, axisClass] : llvm::zip(getAxes(), getClasses())) {
    if (axis < 0 || axis >= static_cast<int64_t>(kernel.getAxes().size()))
      return emitOpError() << "tiles axis " << axis << ", but the kernel has "
                           << kernel.getAxes().size() << " axes";
    if (!seen.insert(axis).second)
      return emitOpError() << "tiles axis " << kernel.getAxes()[axis]
                           << " twice";
    if (axisClass < 0 || axisClass > 2)
      return emitOpError() << "has an unknown axis class " << axisClass;
    // An axis behind those of the anchor is the reduction of another product.
    bool reduction = static_cast<size_t>(axis) >= iterators.size() ||
                     iterators[axis] == utils::IteratorType::reduction;
    if (reduction && static_cast<AxisClass>(axisClass) == AxisClass::TSL)
      return emitOpError() << "walks reduction axis " << kernel.getAxes()[axis]
                           << " as TSL; use TRL, or PL with combine";
    if (reduction && static_cast<AxisClass>(axisClass) == AxisClass::PL &&
        !getCombine())
      return emitOpError() << "splits reduction axis " << kernel.getAxes()[axis]
                           << " among parallel units without a combine";
    if (!reduction && static_cast<AxisClass>(axisClass) == AxisClass::TRL)
      return emitOpError() << "walks parallel axis " << kernel.getAxes()[axis]
                           << " as TRL";
    if (getKind() == LoopKind::Sequential &&
        static_cast<AxisClass>(axisClass) == AxisClass::PL)
      return emitOpError() << "gives axis " << kernel.getAxes()[axis]
                           << " to parallel units in a sequential loop";
  }
  for (Attribute attr : getLoads()) {
    auto load = cast<LoadAttr>(attr);
    if (load.getOperand() < 0 ||
        load.getOperand() >= static_cast<int64_t>(kernel.getInputs().size()))
      return emitOpError() << "loads input " << load.getOperand()
                           << ", but the kernel has "
                           << kernel.getInputs().size();
    if (load.getAxis() < 0 ||
        load.getAxis() >= static_cast<int64_t>(kernel.getAxes().size()))
      return emitOpError() << "lays out input " << load.getOperand()
                           << " along axis " << load.getAxis()
                           << ", which the kernel does not have";
  }
  if (getStages() < 1)
    return emitOpError() << "needs at least one stage, got " << getStages();
  if (getRole() && *getRole() != "producer" && *getRole() != "consumer")
    return emitOpError() << "has role " << getRoleAttr()
                         << "; roles are producer and consumer";
  if (getWarps() && *getWarps() < 1)
    return emitOpError() << "needs at least one warp, got " << *getWarps();
  if (getStore() && *getStore() < 1)
    return emitOpError() << "stores runs of " << *getStore() << " elements";
  if (getCluster() && getCluster()->size() != getAxes().size())
    return emitOpError() << "has a cluster along " << getCluster()->size()
                         << " axes, but walks " << getAxes().size();
  for (Operation &op : getBody().front())
    if (!isa<LevelOp, StageOp>(op))
      return emitOpError()
             << "holds a " << op.getName()
             << "; only vortex.level and vortex.stage belong here";
  return success();
}

//===----------------------------------------------------------------------===//
// StageOp
//===----------------------------------------------------------------------===//

LogicalResult StageOp::verify() {
  if (!getCandidateOf(*this))
    return emitOpError("belongs in the schedule of a vortex.candidate");
  if (getOps().empty())
    return emitOpError("names no payload op");
  if (getMicro() && getLibrary())
    return emitOpError("is either a micro-kernel or a library call, not both");
  if (getLibrary() && getLibrary()->empty())
    return emitOpError("names a library without a name");
  return success();
}

//===----------------------------------------------------------------------===//
// MicroKernelOp
//===----------------------------------------------------------------------===//

LogicalResult MicroKernelOp::verify() {
  Block &block = getBody().front();
  if (block.getArgumentTypes() != getOperandTypes())
    return emitOpError("body arguments must have the types of the operands, "
                       "inputs first");
  if (getNumResults() != getInits().size())
    return emitOpError() << "has " << getNumResults() << " results for "
                         << getInits().size() << " inits";
  auto yield =
      dyn_cast_if_present<YieldOp>(block.empty() ? nullptr : &block.back());
  if (!yield || yield.getOperandTypes() != getResultTypes())
    return emitOpError("body must end in a vortex.yield of the results");
  for (Type type : getResultTypes())
    if (int64_t dim = getRowDim().value_or(2);
        getRowDim() &&
        (dim < 2 || dim > cast<RankedTensorType>(type).getRank()))
      return emitOpError() << "has rows along dimension " << dim
                           << " from the end of a result of type " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// DotProductOp
//===----------------------------------------------------------------------===//

LogicalResult DotProductOp::verify() {
  auto bits = [](Value value) {
    auto type = cast<VectorType>(value.getType());
    return type.getNumElements() * type.getElementTypeBitWidth();
  };
  if (!lookupDotInstruction(getOpcode(), bits(getSum())))
    return emitOpError() << "uses '" << getOpcode() << "' on vectors of "
                         << bits(getSum())
                         << " bits, for which no code is known";
  if (bits(getA()) != bits(getSum()) || bits(getB()) != bits(getSum()))
    return emitOpError() << "has a sum of " << bits(getSum())
                         << " bits and factors of " << bits(getA()) << " and "
                         << bits(getB()) << " bits";
  return success();
}

//===----------------------------------------------------------------------===//
// StoreTileOp
//===----------------------------------------------------------------------===//

LogicalResult StoreTileOp::verify() {
  RankedTensorType type = getInto().getType();
  int64_t perRow = getVectors(), rank = type.getRank();
  if (perRow < 1 || getValues().empty() || getValues().size() % perRow)
    return emitOpError() << "has " << getValues().size()
                         << " vectors, which are not rows of " << perRow;
  if (int64_t(getMasks().size()) > perRow)
    return emitOpError() << "has " << getMasks().size() << " masks for "
                         << perRow << " vectors of a row";
  if (rank == 0)
    return emitOpError("writes rows into a tensor without dimensions");
  Type first = getValues().front().getType();
  auto vector = cast<VectorType>(first);
  if (vector.getRank() != 1 || !llvm::all_equal(getValues().getTypes()) ||
      vector.getElementType() != type.getElementType())
    return emitOpError() << "writes " << getValues().getTypes() << " into "
                         << type;
  for (Type mask : getMasks().getTypes())
    if (cast<VectorType>(mask).getShape() != vector.getShape())
      return emitOpError() << "masks " << first << " by " << mask;
  if (int64_t row = getRowDim(); row < 0 || row == 1 || row > rank)
    return emitOpError() << "has its rows in dimension " << getRowDim()
                         << " from the end of " << type;
  if (getRowDim() == 0 && (int64_t(getValues().size()) > perRow || getFirst()))
    return emitOpError("has several rows and no dimension for them");
  if (getFlat() && (getRowDim() == 0 || getValues().size() != 1 ||
                    getMasks().size() != 1 || getColumn()))
    return emitOpError("writes flat lanes, which are one vector with a mask of "
                       "whole rows of a tensor");
  return success();
}

//===----------------------------------------------------------------------===//
// PermuteOp
//===----------------------------------------------------------------------===//

LogicalResult PermuteOp::verify() {
  auto type = cast<VectorType>(getType());
  auto indices = cast<VectorType>(getIndices().getType());
  if (type.getShape() != indices.getShape() ||
      type.getElementTypeBitWidth() != indices.getElementTypeBitWidth())
    return emitOpError() << "chooses lanes of " << type << " by " << indices;
  constexpr int64_t kBits = 512;
  if (int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
      bits != kBits)
    return emitOpError() << "takes vectors of " << kBits << " bits, not of "
                         << bits;
  return success();
}

//===----------------------------------------------------------------------===//
// KernelCallOp
//===----------------------------------------------------------------------===//

LogicalResult KernelCallOp::verify() {
  int64_t numOperands = getInputs().size() + getInits().size();
  for (auto [positions, what] :
       {std::pair(getDense(), "dense"), std::pair(getPacked(), "packed")})
    for (int64_t position : positions)
      if (position < 0 || position >= numOperands)
        return emitOpError()
               << "says that operand " << position << " is " << what
               << ", but has " << numOperands << " operands";
  bool tensors = llvm::any_of(getInits().getTypes(), llvm::IsaPred<TensorType>);
  if (tensors && getNumResults() != getInits().size())
    return emitOpError() << "has " << getNumResults() << " results for "
                         << getInits().size() << " inits";
  if (!tensors && getNumResults() != 0)
    return emitOpError("on memrefs has no results");
  if (!tensors)
    return success();
  for (auto [i, init, result] : llvm::enumerate(getInits(), getResults()))
    if (init.getType() != result.getType())
      return emitOpError() << "result " << i << " has type " << result.getType()
                           << ", its init " << init.getType();
  return success();
}

void KernelCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &input : getInputsMutable())
    if (isa<MemRefType>(input.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &input);
  for (OpOperand &init : getInitsMutable())
    if (isa<MemRefType>(init.get().getType())) {
      effects.emplace_back(MemoryEffects::Read::get(), &init);
      effects.emplace_back(MemoryEffects::Write::get(), &init);
    }
}

//===----------------------------------------------------------------------===//
// StrideOp
//===----------------------------------------------------------------------===//

LogicalResult StrideOp::verify() {
  int64_t rank = cast<ShapedType>(getSource().getType()).getRank();
  auto dimension = static_cast<int64_t>(getDimension());
  if (dimension < 0 || dimension >= rank)
    return emitOpError() << "asks for dimension " << dimension
                         << " of a value of rank " << rank;
  return success();
}

OpFoldResult StrideOp::fold(FoldAdaptor) {
  auto type = dyn_cast<MemRefType>(getSource().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(strides[getDimension()]))
    return {};
  return IntegerAttr::get(IndexType::get(getContext()),
                          strides[getDimension()]);
}

//===----------------------------------------------------------------------===//
// MatchOp
//===----------------------------------------------------------------------===//

LogicalResult MatchOp::verify() {
  int64_t rank = cast<RankedTensorType>(getSource().getType()).getRank();
  if (static_cast<int64_t>(getNames().size()) != rank)
    return emitOpError() << "names " << getNames().size()
                         << " sizes of a value of rank " << rank;
  for (Attribute attr : getNames()) {
    StringRef name = cast<StringAttr>(attr).getValue();
    if (name.empty())
      continue;
    bool start = llvm::isAlpha(name.front()) || name.front() == '_';
    if (!start || !llvm::all_of(name, [](char c) {
          return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
        }))
      return emitOpError() << "binds '" << name
                           << "', which is not a name; names are letters, "
                              "digits, '_', '.' and '$'";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// SelectOp
//===----------------------------------------------------------------------===//

LogicalResult SelectOp::verify() {
  if (getAllowed().size() != getCandidates().size() ||
      getCosts().size() != getCandidates().size())
    return emitOpError() << "needs a guard and a cost for each of its "
                         << getCandidates().size() << " candidates";
  return success();
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  // With one candidate there is nothing to force; with a constant choice the
  // kernel has been decided at compile time.
  if (adaptor.getChoice())
    return Value(getChoice());
  return {};
}

//===----------------------------------------------------------------------===//
// ReportOp
//===----------------------------------------------------------------------===//

LogicalResult ReportOp::verify() {
  size_t count = getChoice() ? getCandidates().size() : 0;
  if (getAllowed().size() != count || getCosts().size() != count)
    return emitOpError() << "needs a guard and a cost for each of its "
                         << getCandidates().size()
                         << " candidates, or none without a choice";
  return success();
}

//===----------------------------------------------------------------------===//
// ResultOp
//===----------------------------------------------------------------------===//

LogicalResult ResultOp::verify() {
  auto type = cast<ShapedType>(getStorage().getType());
  if (static_cast<size_t>(type.getNumDynamicDims()) != getDynamicSizes().size())
    return emitOpError() << "has " << getDynamicSizes().size() << " sizes for "
                         << type.getNumDynamicDims() << " unknown extents";
  return success();
}

#define GET_OP_CLASSES
#include "vortex/Dialect/Vortex/IR/VortexOps.cpp.inc"
