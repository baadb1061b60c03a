//===- OutlineLoops.cpp - Loops over a device's memory as kernels ---------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/VortexToGPU/Passes.h"

#include "DeviceModule.h"
#include "LoopKernel.h"

#include "vortex/Conversion/CallContext.h"
#include "vortex/Dialect/Vortex/Transforms/FallbackPlace.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringMap.h"

namespace vortex {
#define GEN_PASS_DEF_OUTLINELOOPS
#include "vortex/Conversion/VortexToGPU/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-outline-loops"

using namespace mlir;
using namespace vortex;

/// Warps of a block: two for each partition of a multiprocessor, as for rows.
static constexpr int64_t kWarpsPerPartition = 2;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// A parallel loop of one point before `op`, for `op` to go into.
static scf::ParallelOp createOnePoint(OpBuilder &b, Operation *op) {
  Location loc = op->getLoc();
  b.setInsertionPoint(op);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  return scf::ParallelOp::create(b, loc, ValueRange{zero}, ValueRange{one},
                                 ValueRange{one});
}

/// What the run time does by itself: fills of elements that need no conversion.
static bool isPlainFill(linalg::LinalgOp op) {
  auto fill = dyn_cast<linalg::FillOp>(op.getOperation());
  return fill && fill.getInputs()[0].getType() ==
                     getElementTypeOrSelf(fill.getOutputs()[0].getType());
}

/// Turns an op on memrefs into loops, the parallel ones around the others.
static LogicalResult lowerToLoops(IRRewriter &rewriter, linalg::LinalgOp op) {
  rewriter.setInsertionPoint(op);
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic) {
    FailureOr<linalg::GenericOp> named =
        linalg::generalizeNamedOp(rewriter, op);
    if (failed(named))
      return op->emitOpError("cannot be written as loops");
    generic = *named;
  }
  SmallVector<unsigned> order, sequential;
  for (auto [i, kind] : llvm::enumerate(generic.getIteratorTypesArray()))
    (kind == utils::IteratorType::parallel ? order : sequential).push_back(i);
  bool reducesOnly = order.empty();
  llvm::append_range(order, sequential);
  if (!llvm::is_sorted(order)) {
    FailureOr<linalg::GenericOp> changed =
        linalg::interchangeGenericOp(rewriter, generic, order);
    if (failed(changed))
      return generic.emitOpError("cannot have its parallel loops outside");
    generic = *changed;
  }
  if (reducesOnly) {
    scf::ParallelOp point = createOnePoint(rewriter, generic);
    rewriter.moveOpBefore(generic, point.getBody()->getTerminator());
  }
  rewriter.setInsertionPoint(generic);
  if (failed(linalg::linalgOpToParallelLoops(
          rewriter, cast<linalg::LinalgOp>(generic.getOperation()))))
    return generic.emitOpError("cannot be written as loops");
  rewriter.eraseOp(generic);
  return success();
}

/// Whether `loop` is worth a thread of the device: it touches memory, and what
/// is parallel in it would be lost.
static bool isForOneThread(Operation *loop) {
  bool touches = false, parallel = false;
  loop->walk([&](Operation *op) {
    touches |= isa<memref::LoadOp, memref::StoreOp>(op);
    parallel |= isa<scf::ParallelOp>(op);
  });
  return touches && !parallel && hasDeviceCode(loop);
}

/// Moves `loop` into a parallel loop of one point. Its results come back
/// through memory.
static scf::ParallelOp moveToOneThread(IRRewriter &rewriter, Operation *loop) {
  Location loc = loop->getLoc();
  scf::ParallelOp point = createOnePoint(rewriter, loop);
  for (Value result : loop->getResults()) {
    rewriter.setInsertionPoint(point);
    auto memory = memref::AllocOp::create(
        rewriter, loc, MemRefType::get({}, result.getType()));
    rewriter.setInsertionPointAfter(point);
    auto load = memref::LoadOp::create(rewriter, loc, memory, ValueRange());
    memref::DeallocOp::create(rewriter, loc, memory);
    rewriter.replaceAllUsesWith(result, load.getResult());
    rewriter.setInsertionPoint(point.getBody()->getTerminator());
    memref::StoreOp::create(rewriter, loc, result, memory, ValueRange());
  }
  rewriter.moveOpBefore(loop, point.getBody(), point.getBody()->begin());
  return point;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
struct OutlineLoopsPass : vortex::impl::OutlineLoopsBase<OutlineLoopsPass> {
  using OutlineLoopsBase::OutlineLoopsBase;
  void runOnOperation() override;

private:
  LogicalResult makeLoops(func::FuncOp function);
  LogicalResult outlineIn(Block &block);
  LogicalResult outline(scf::ParallelOp loop, StringRef what);
  FailureOr<HwAttr> getHardware(Operation *op);

  HwAttr hw;
  std::optional<SymbolTable> symbols;
  llvm::StringMap<int64_t> known; ///< kernels by their text
};
} // namespace

LogicalResult OutlineLoopsPass::makeLoops(func::FuncOp function) {
  IRRewriter rewriter(&getContext());
  SmallVector<linalg::LinalgOp> ops;
  function.walk([&](linalg::LinalgOp op) {
    if (op.hasPureBufferSemantics() && !isPlainFill(op))
      ops.push_back(op);
  });
  for (linalg::LinalgOp op : ops)
    if (failed(lowerToLoops(rewriter, op)))
      return failure();
  SmallVector<scf::ForallOp> loops;
  function.walk([&](scf::ForallOp op) { loops.push_back(op); });
  for (scf::ForallOp op : loops) {
    rewriter.setInsertionPoint(op);
    if (failed(scf::forallToParallelLoop(rewriter, op)))
      return op.emitOpError("has results, which have no device code");
  }
  return success();
}

FailureOr<HwAttr> OutlineLoopsPass::getHardware(Operation *op) {
  if (!hw)
    for (HwAttr target : getTargets(getOperation()))
      if (!hw && target.isGPU())
        hw = target;
  if (!hw)
    return op->emitOpError(
        "is to run on a GPU, and none is among the module's targets");
  return hw;
}

/// The parameters of a launch, each in eight bytes.
static SmallVector<Value> getParameters(OpBuilder &b, Location loc,
                                        const LoopArguments &arguments) {
  SmallVector<Value> values;
  auto wide = [&](Value index) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  };
  for (Value memref : arguments.memrefs) {
    auto type = cast<MemRefType>(memref.getType());
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
    Value bytes = arith::ConstantIndexOp::create(
        b, loc, getElementBytes(type.getElementType()));
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
    values.push_back(wide(arith::AddIOp::create(
        b, loc, base,
        arith::MulIOp::create(b, loc, metadata.getOffset(), bytes))));
    auto take = [&](ArrayRef<int64_t> known, ValueRange found) {
      for (auto [x, value] : llvm::zip(known, found))
        if (ShapedType::isDynamic(x))
          values.push_back(wide(value));
    };
    take(type.getShape(), metadata.getSizes());
    take(type.getStridesAndOffset().first, metadata.getStrides());
  }
  for (Value number : arguments.numbers)
    values.push_back(number.getType().isIndex() ? wide(number) : number);
  return values;
}

static void createLaunch(OpBuilder &b, scf::ParallelOp loop, int64_t index,
                         int64_t threads, const LoopArguments &arguments) {
  Location loc = loop.getLoc();
  Value context = getCallContext(loop);
  auto number = [&](int64_t x) -> Value {
    return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(x));
  };
  // More points than all blocks of the largest grid have threads are taken
  // several a thread (CUDA C++ programming guide: largest grid along x).
  constexpr int64_t largestGrid = (int64_t(1) << 31) - 1;
  Value points = arith::ConstantIndexOp::create(b, loc, 1);
  for (Value extent :
       getLoopExtents(b, loop, [](Value operand) { return operand; }))
    points = b.createOrFold<arith::MulIOp>(loc, points, extent);
  Value blocks = arith::CeilDivUIOp::create(
      b, loc, points, arith::ConstantIndexOp::create(b, loc, threads));
  blocks = arith::MinUIOp::create(
      b, loc, blocks, arith::ConstantIndexOp::create(b, loc, largestGrid));
  Type i64 = b.getI64Type();
  Value extents =
      spillToStack(b, loc, context, i64,
                   ValueRange{arith::IndexCastOp::create(b, loc, i64, blocks)});
  SmallVector<Value> values = getParameters(b, loc, arguments);
  Value slots = allocateOnStack(b, loc, context, i64, values.size());
  SmallVector<Value> parameters;
  for (auto [i, value] : llvm::enumerate(values)) {
    parameters.push_back(
        LLVM::GEPOp::create(b, loc, slots.getType(), i64, slots,
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)}));
    LLVM::StoreOp::create(b, loc, value, parameters.back());
  }
  parameters.push_back(LLVM::ZeroOp::create(b, loc, slots.getType()));
  callContext(
      b, loc, context, ContextField::Launch, {},
      ValueRange{context, number(index), extents,
                 spillToStack(b, loc, context, slots.getType(), parameters)});
}

/// What tells two kernels apart: all but their names.
static std::string getText(LLVM::LLVMFuncOp function) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  StringAttr name = function.getSymNameAttr();
  function.setSymName("loop");
  function.print(stream, OpPrintingFlags().useLocalScope());
  function.setSymNameAttr(name);
  return text;
}

/// Loops beside candidates are no part of most calls.
static std::string getWhen(scf::ParallelOp loop) {
  StringRef kernel = getFallbackKernel(loop.getLoc());
  if (kernel.empty())
    return "";
  return ("beside the candidates of '" + kernel +
          "', for sizes at which none of them may run: ")
      .str();
}

LogicalResult OutlineLoopsPass::outline(scf::ParallelOp loop, StringRef what) {
  FailureOr<HwAttr> target = getHardware(loop);
  if (failed(target))
    return failure();
  int64_t threads = target->getLevel("warp").getUnits() * kWarpsPerPartition *
                    getWarpLanes(*target);
  auto function = loop->getParentOfType<func::FuncOp>();
  std::string name =
      (function.getSymName() + ".loop." + Twine(known.size())).str();
  gpu::GPUModuleOp module = createDeviceModule(getOperation(), loop.getLoc(),
                                               name, *target, *symbols);
  LoopArguments arguments(loop);
  FailureOr<LLVM::LLVMFuncOp> kernel =
      emitLoopKernel(loop, arguments, name, threads, module);
  if (failed(kernel))
    return failure();
  int64_t next = first + static_cast<int64_t>(known.size());
  auto [it, fresh] = known.try_emplace(getText(*kernel), next);
  if (!fresh)
    symbols->erase(module);
  remark::passed(loop.getLoc(),
                 remark::RemarkOpts::name("loop").category(DEBUG_TYPE))
      << "'" << name << "': " << getWhen(loop) << what.str();
  OpBuilder b(loop);
  createLaunch(b, loop, it->second, threads, arguments);
  loop.erase();
  ++numOutlined;
  return success();
}

LogicalResult OutlineLoopsPass::outlineIn(Block &block) {
  IRRewriter rewriter(&getContext());
  for (Operation *op = block.empty() ? nullptr : &block.front(); op;) {
    Operation *next = op->getNextNode();
    if (auto loop = dyn_cast<scf::ParallelOp>(op)) {
      if (loop->getNumResults() == 0 && hasDeviceCode(loop)) {
        if (failed(outline(
                loop, "a loop outside of kernels, a thread for each point")))
          return failure();
      } else {
        // The host runs it, one point after the other.
        rewriter.setInsertionPoint(loop);
        FailureOr<scf::LoopNest> nest =
            scf::parallelForToNestedFors(rewriter, loop);
        if (failed(nest))
          return failure();
        next = nest->loops.front();
      }
    } else if (isa<scf::ForOp, scf::WhileOp>(op) && isForOneThread(op)) {
      if (failed(outline(moveToOneThread(rewriter, op),
                         "a sequential loop, on one thread of the device")))
        return failure();
    } else {
      for (Region &region : op->getRegions())
        for (Block &inner : region)
          if (failed(outlineIn(inner)))
            return failure();
    }
    op = next;
  }
  return success();
}

void OutlineLoopsPass::runOnOperation() {
  symbols.emplace(getOperation());
  known.clear();
  hw = {};
  // Functions without the context are declarations.
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (function.isExternal() || !getCallContext(function))
      continue;
    if (failed(makeLoops(function)))
      return signalPassFailure();
    for (Block &block : function.getBody())
      if (failed(outlineIn(block)))
        return signalPassFailure();
  }
  if (!known.empty())
    getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                            UnitAttr::get(&getContext()));
}
