//===- ConvertToNVVM.cpp - Device code for kernels -------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/VortexToGPU/Passes.h"

#include "ChainPlan.h"
#include "DeviceMath.h"
#include "DeviceModule.h"
#include "TileKernels.h"

#include "vortex/Dialect/Vortex/IR/GridLimit.h"
#include "vortex/Dialect/Vortex/IR/SplitReduction.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace vortex {
#define GEN_PASS_DEF_CONVERTTONVVM
#define GEN_PASS_DEF_CONVERTTOROCDL
#define GEN_PASS_DEF_CONVERTTOSPIRV
#include "vortex/Conversion/VortexToGPU/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-convert-to-nvvm"

using namespace mlir;
using namespace vortex;

std::unique_ptr<DeviceKernel>
vortex::createDeviceKernel(CandidateOp candidate, const LaunchShape &launch,
                           Operation *module) {
  auto kernel = cast<KernelOp>(candidate->getParentOp());
  auto owned =
      std::make_unique<DeviceKernel>(kernel.getLoc(), module->getContext());
  DeviceKernel &device = *owned;
  ImplicitLocOpBuilder &b = device.b;
  MLIRContext *context = b.getContext();
  SmallVector<Type> types;
  auto global = LLVM::LLVMPointerType::get(context, kGlobalSpace);
  for (Type type : kernel.getOperandTypes()) {
    if (isa<RankedTensorType>(type))
      types.push_back(global);
    else if (!type.isIndex())
      types.push_back(type);
  }
  types.append(kernel.getAxes().size(), b.getI32Type());
  for (Type type : kernel.getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      types.append(std::max<int64_t>(tensor.getRank() - 1, 0), b.getI64Type());

  size_t firstMap = types.size();
  types.append(launch.boxes.size(), LLVM::LLVMPointerType::get(context));

  b.setInsertionPointToEnd(&module->getRegion(0).front());
  device.function = createDeviceFunction(
      b, (kernel.getName() + "_" + candidate.getSymName()).str(), types,
      launch);
  device.ops = &DeviceOps::get(device.function);
  // A tensor map is the parameter itself, not memory that it points to.
  auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), kTensorMapBytes);
  for (size_t i = firstMap; i < types.size(); ++i) {
    device.function.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(),
                               TypeAttr::get(bytes));
    device.function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                               b.getI64IntegerAttr(kTensorMapAlignment));
    device.function.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                               b.getUnitAttr());
  }
  if (!launch.boxes.empty())
    device.function->setAttr(
        kBoxesAttr, b.getArrayAttr(llvm::map_to_vector(
                        launch.boxes, [&](const OperandBox &box) -> Attribute {
                          SmallVector<int64_t> numbers = {box.position};
                          numbers.append(box.extents);
                          return b.getDenseI64ArrayAttr(numbers);
                        })));

  Block *entry = device.function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  unsigned next = 0;
  for (Type type : kernel.getOperandTypes())
    device.operands.push_back(type.isIndex() ? Value()
                                             : entry->getArgument(next++));
  for (size_t i = 0; i < kernel.getAxes().size(); ++i)
    device.extents.push_back({&device.b, entry->getArgument(next++)});
  for (Type type : kernel.getOperandTypes()) {
    auto &strides = device.strides.emplace_back();
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      for (int64_t dim = 0; dim + 1 < tensor.getRank(); ++dim)
        strides.push_back(entry->getArgument(next++));
  }
  for (size_t i = 0; i < launch.boxes.size(); ++i)
    device.maps.push_back(entry->getArgument(next++));
  return owned;
}

/// The first GPU of `target`, or of the module, that `ops` are for.
static FailureOr<HwAttr> resolveTarget(ModuleOp module, StringRef target,
                                       const DeviceOps &ops) {
  SmallVector<HwAttr> targets = getTargets(module);
  if (!target.empty()) {
    FailureOr<SmallVector<HwAttr>> parsed = parseTargets(
        module.getContext(), target, [&] { return module.emitError(); });
    if (failed(parsed))
      return failure();
    targets = *parsed;
  }
  HwAttr other;
  for (HwAttr hw : targets) {
    if (!hw.isGPU())
      continue;
    if (&DeviceOps::get(hw) != &ops) {
      other = hw;
      continue;
    }
    if (int64_t lanes = getWarpLanes(hw); !llvm::isPowerOf2_64(lanes))
      return module.emitError()
             << "target " << hw.getIsa() << " has warps of " << lanes
             << " lanes; device code needs a power of two";
    return hw;
  }
  if (other)
    return module.emitError()
           << "target " << other.getIsa() << " is no GPU of " << ops.getVendor()
           << "; its device code comes from "
           << DeviceOps::get(other).getPass();
  return module.emitError(
      "has kernels for a GPU, but no GPU among its targets");
}

namespace {
/// A part of a reduction: its axis, and the operand that is its length.
struct Part {
  unsigned axis, length;
};
} // namespace

/// What emits a candidate's body depends on its instruction and on whether a
/// ring of shared memory feeds it.
static FailureOr<std::unique_ptr<DeviceKernel>>
emitKernel(CandidateOp candidate, HwAttr hw, Operation *module,
           std::optional<Part> part) {
  auto kernel = cast<KernelOp>(candidate->getParentOp());
  auto anchor = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  // An axis behind those of the anchor is one of a chain.
  if (anchor && anchor.getNumLoops() < kernel.getAxes().size()) {
    FailureOr<ChainPlan> plan = readChainPlan(candidate, hw);
    if (failed(plan))
      return failure();
    auto device =
        createDeviceKernel(candidate, plan->product.launchShape(), module);
    if (failed(emitChainKernel(*plan, *device)))
      return failure();
    return device;
  }
  StringRef instruction;
  bool ring = false;
  candidate.getSchedule().walk([&](Operation *op) {
    if (auto stage = dyn_cast<StageOp>(op); stage && stage.getMicro())
      instruction = stage.getMicroAttr().getInstruction();
    if (auto level = dyn_cast<LevelOp>(op))
      ring |= !level.getLoads().empty();
  });
  bool tiles = !ring && (instruction == "simt" || instruction == "square" ||
                         instruction == "vector");
  if (tiles) {
    FailureOr<TilePlan> plan =
        part ? readPartPlan(candidate, hw, part->axis, part->length)
             : readTilePlan(candidate, hw);
    if (failed(plan))
      return failure();
    auto device = createDeviceKernel(candidate, plan->launchShape(), module);
    if (failed(instruction == "vector"   ? emitRowKernel(*plan, *device)
               : instruction == "square" ? emitSquareKernel(*plan, *device)
                                         : emitPointKernel(*plan, *device)))
      return failure();
    return device;
  }
  FailureOr<ContractionPlan> plan = readContractionPlan(
      candidate, hw, part ? std::optional(part->length) : std::nullopt);
  if (failed(plan))
    return failure();
  auto device = createDeviceKernel(candidate, plan->launchShape(), module);
  if (failed(plan->producers ? emitWgmmaKernel(*plan, *device)
             : plan->scalar  ? emitSimtKernel(*plan, *device)
             : plan->staged  ? emitMfmaKernel(*plan, *device)
                             : emitMmaKernel(*plan, *device)))
    return failure();
  return device;
}

/// As emitKernel(), of a kernel whose anchor may be a part of a reduction: then
/// of a copy whose body has no condition, the steps being the loop's.
static FailureOr<std::unique_ptr<DeviceKernel>>
emitPart(CandidateOp candidate, HwAttr hw, Operation *module) {
  auto kernel = cast<KernelOp>(candidate->getParentOp());
  auto anchorOf = [](KernelOp kernel) {
    return dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  };
  linalg::LinalgOp anchor = anchorOf(kernel);
  std::optional<SplitReduction> split =
      anchor ? matchSplit(anchor) : std::nullopt;
  auto length =
      split ? dyn_cast<BlockArgument>(split->length) : BlockArgument();
  if (!length || split->parts != 0)
    return emitKernel(candidate, hw, module, std::nullopt);
  OpBuilder b(kernel);
  auto copy = cast<KernelOp>(b.clone(*kernel));
  removeSplit(anchorOf(copy));
  auto device = emitKernel(copy.getCandidateOps()[0], hw, module,
                           Part{split->reduction, length.getArgNumber()});
  copy.erase();
  return device;
}

/// Lets blocks behind the last tile do nothing, of which a grid that is folded
/// into two dimensions may have some.
static void skipSpareBlocks(DeviceKernel &device) {
  ImplicitLocOpBuilder &b = device.b;
  OpBuilder::InsertionGuard guard(b);
  Block &body = device.function.getBody().front();
  b.setInsertionPointToStart(&body);
  Int tiles = device.number(1), points = device.number(1);
  auto tile = device.function->getAttrOfType<DenseI64ArrayAttr>("vortex.tile");
  for (auto [extent, size] : llvm::zip(device.extents, tile.asArrayRef())) {
    if (size == 0)
      continue;
    // Counted with the next axis.
    points = points * extent;
    if (size < 0)
      continue;
    tiles = tiles * ((points + (size - 1)) / size);
    points = device.number(1);
  }
  Int block{&b, device.ops->blockId(b)};
  auto some = scf::IfOp::create(b, block < tiles, /*withElseRegion=*/false);
  some.thenBlock()->getOperations().splice(
      some.thenBlock()->begin(), body.getOperations(),
      std::next(some->getIterator()), std::prev(body.end()));
}

static LogicalResult convert(ModuleOp program, CandidateOp candidate, HwAttr hw,
                             SymbolTable &symbols) {
  auto kernel = cast<KernelOp>(candidate->getParentOp());
  gpu::GPUModuleOp module = createDeviceModule(program, kernel.getLoc(),
                                               kernel.getName(), hw, symbols);
  FailureOr<std::unique_ptr<DeviceKernel>> device =
      emitPart(candidate, hw, module);
  if (succeeded(device) && foldsGrids(hw))
    skipSpareBlocks(**device);
  // LLVM's AMDGPU backend ends at some arithmetic on them (LLVM 22, f64).
  bool oneLane = &DeviceOps::get(hw) == &getNvvmOps();
  if (failed(device) || failed(expandMath((*device)->function)) ||
      (!oneLane && failed(dropOneLaneVectors((*device)->function)))) {
    symbols.erase(module);
    return failure();
  }
  kernel->setAttr(
      "vortex.device_kernel",
      SymbolRefAttr::get(module.getSymNameAttr(),
                         {SymbolRefAttr::get((*device)->function)}));
  if (Attribute boxes = (*device)->function->getAttr(kBoxesAttr))
    kernel->setAttr(kBoxesAttr, boxes);
  return success();
}

/// Gives all kernels with one candidate device code; how many there were.
static FailureOr<int64_t> convertAll(ModuleOp program, StringRef target,
                                     const DeviceOps &ops) {
  SmallVector<CandidateOp> work;
  program->walk([&](KernelOp kernel) {
    SmallVector<CandidateOp> candidates = kernel.getCandidateOps();
    if (candidates.size() != 1 || !isDeviceCandidate(candidates[0]))
      return;
    work.push_back(candidates[0]);
  });
  if (work.empty())
    return 0;
  FailureOr<HwAttr> hw = resolveTarget(program, target, ops);
  if (failed(hw))
    return failure();
  program->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                   UnitAttr::get(program.getContext()));
  SymbolTable symbols(program);
  for (CandidateOp candidate : work)
    if (failed(convert(program, candidate, *hw, symbols)))
      return failure();
  return work.size();
}

namespace {
struct ConvertToNVVMPass : vortex::impl::ConvertToNVVMBase<ConvertToNVVMPass> {
  using ConvertToNVVMBase::ConvertToNVVMBase;
  void runOnOperation() override {
    FailureOr<int64_t> count = convertAll(getOperation(), target, getNvvmOps());
    if (failed(count))
      return signalPassFailure();
    numConverted += *count;
  }
};

struct ConvertToROCDLPass
    : vortex::impl::ConvertToROCDLBase<ConvertToROCDLPass> {
  using ConvertToROCDLBase::ConvertToROCDLBase;
  void runOnOperation() override {
    FailureOr<int64_t> count =
        convertAll(getOperation(), target, getRocdlOps());
    if (failed(count))
      return signalPassFailure();
    numConverted += *count;
  }
};

struct ConvertToSPIRVPass
    : vortex::impl::ConvertToSPIRVBase<ConvertToSPIRVPass> {
  using ConvertToSPIRVBase::ConvertToSPIRVBase;
  void runOnOperation() override {
    FailureOr<int64_t> count =
        convertAll(getOperation(), target, getSpirvOps());
    if (failed(count))
      return signalPassFailure();
    numConverted += *count;
  }
};
} // namespace
