//===- MfmaKernel.cpp - Contractions on mfma --------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tree and the ring are those of mma.sync; tiles go through registers to
// shared memory, as copies there are not asynchronous. MfmaForm says where the
// lanes have the elements of an instruction.
//
// A lane reads 16 bytes at a time. Where the reduction is innermost they are
// steps of one row, for one instruction or several. Otherwise they are rows
// beside each other at one step, which then are those of as many tiles: row i
// of tile j of such a group is row i * tiles + j of the warp's tile. The lane
// puts together its steps of each tile.
//
// B is the left operand, so that a lane has columns of the result which lie
// beside each other in memory.
//
//===----------------------------------------------------------------------===//

#include "Accumulators.h"
#include "TileRing.h"

#include "vortex/Dialect/Vortex/IR/MatrixForm.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace vortex;

namespace {
class MfmaEmitter {
public:
  MfmaEmitter(ContractionPlan &plan, DeviceKernel &device)
      : plan(plan), device(device), b(device.b), epilogue(plan, device),
        place(plan, device), form(getMfmaForm(plan.instruction)),
        a{plan.a, place.warpM, plan.warpM / form.edge},
        columns{plan.b, place.warpN, plan.warpN / form.edge},
        line(place.lane % form.edge), group(place.lane / form.edge) {}
  LogicalResult emit();

private:
  /// An operand as the warp reads it.
  struct Side {
    const TileOperand &operand;
    Int origin;    ///< of the warp's rows (columns of B) in the block's tile
    int64_t tiles; ///< of the instruction

    /// Tiles whose rows take turns, as a lane reads several beside each other.
    int64_t turns() const {
      int64_t powerOfTwo = tiles & -tiles;
      return operand.reductionInner
                 ? 1
                 : std::min(powerOfTwo,
                            kMfmaReadBytes / operand.elementBytes());
    }
    /// Row `row` of tile `tile` in the warp's tile.
    int64_t rowOf(int64_t tile, int64_t row, int64_t edge) const {
      int64_t t = turns();
      return tile / t * (edge * t) + row * t + tile % t;
    }
  };
  /// Operands of the instructions of one step: for each tile, each of those
  /// that one read feeds.
  using Fragments = SmallVector<SmallVector<Value>>;

  Value load(const TileOperand &operand, Value pointer, int64_t count);
  SmallVector<Value> elementsOf(Value loaded);
  Value pack(ArrayRef<Value> elements, Type element);
  Fragments loadFragments(const Side &side, Int stage, int64_t step);
  SmallVector<Value> multiply(SmallVector<Value> sums, Int stage);
  Accumulators::Place makePlace();
  SmallVector<Value> join(ValueRange scalars);
  SmallVector<Value> divide(ValueRange vectors);

  ContractionPlan &plan;
  DeviceKernel &device;
  ImplicitLocOpBuilder &b;
  Epilogue epilogue;
  ContractionPlace place;
  MfmaForm form;
  Side a, columns;
  Int line, group; ///< of the lane: row of A or column of B, group of steps
  std::optional<TileRing> ring;
};
} // namespace

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// `count` elements beside each other in shared memory, as memory has them.
Value MfmaEmitter::load(const TileOperand &operand, Value pointer,
                        int64_t count) {
  Type type = getMemoryType(operand.element);
  if (count > 1)
    type = VectorType::get({count}, type);
  return LLVM::LoadOp::create(b, type, pointer, count * operand.elementBytes());
}

SmallVector<Value> MfmaEmitter::elementsOf(Value loaded) {
  auto type = dyn_cast<VectorType>(loaded.getType());
  if (!type)
    return {loaded};
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    elements.push_back(vector::ExtractOp::create(b, loaded, i));
  return elements;
}

/// Consecutive steps of a lane as the instruction takes them: integers of 8
/// bits as one of all bits, bf16 as integers.
Value MfmaEmitter::pack(ArrayRef<Value> elements, Type element) {
  if (elements.size() == 1)
    return elements[0];
  auto count = static_cast<int64_t>(elements.size());
  Value whole = vector::FromElementsOp::create(
      b, VectorType::get({count}, elements[0].getType()), elements);
  if (element.isInteger(8))
    return LLVM::BitcastOp::create(b, b.getIntegerType(count * 8), whole);
  if (element.isBF16())
    return LLVM::BitcastOp::create(
        b, VectorType::get({count}, b.getIntegerType(16)), whole);
  return whole;
}

MfmaEmitter::Fragments MfmaEmitter::loadFragments(const Side &side, Int stage,
                                                  int64_t step) {
  const TileOperand &operand = side.operand;
  int64_t run = form.run * form.together, turns = side.turns();
  Int first = group * run + step * form.depth();
  Fragments fragments;
  for (int64_t tile = 0; tile < side.tiles; tile += turns) {
    Int row = side.origin + line * turns + side.rowOf(tile, 0, form.edge);
    // What the lane has of each tile, by its steps.
    Fragments steps(turns);
    if (operand.reductionInner)
      steps[0] = elementsOf(
          load(operand, ring->elementAt(operand, stage, row, first), run));
    for (int64_t i = 0; !operand.reductionInner && i < run; ++i)
      for (auto [of, element] : llvm::enumerate(elementsOf(
               load(operand, ring->elementAt(operand, stage, first + i, row),
                    turns))))
        steps[of].push_back(element);
    for (ArrayRef<Value> elements : steps) {
      auto &fragment = fragments.emplace_back();
      for (int64_t i = 0; i < run; i += form.run)
        fragment.push_back(pack(elements.slice(i, form.run), operand.element));
    }
  }
  return fragments;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The op of an instruction: that of its name.
static std::string getOpName(HwInstructionAttr instruction) {
  std::string name = "rocdl." + instruction.getName().str();
  llvm::replace(name, '_', '.');
  return name;
}

SmallVector<Value> MfmaEmitter::multiply(SmallVector<Value> sums, Int stage) {
  // Nothing is broadcast, permuted or negated.
  Value none = device.number(0).value;
  for (int64_t step = 0; step < plan.blockK / form.depth(); ++step) {
    Fragments left = loadFragments(columns, stage, step),
              right = loadFragments(a, stage, step);
    for (int64_t s = 0; s < form.together; ++s)
      for (int64_t i = 0; i < a.tiles; ++i)
        for (int64_t j = 0; j < columns.tiles; ++j) {
          Value &sum = sums[i * columns.tiles + j];
          OperationState state(b.getLoc(), getOpName(plan.instruction));
          state.addOperands({left[j][s], right[i][s], sum, none, none, none});
          state.addTypes(sum.getType());
          sum = b.create(state)->getResult(0);
        }
  }
  return sums;
}

/// A lane has one row of each tile of the result, and rows of the instruction
/// are columns of it.
Accumulators::Place MfmaEmitter::makePlace() {
  Accumulators::Place at{place.m0 + a.origin + line * a.turns(),
                         place.n0 + columns.origin +
                             group * form.rows * columns.turns(),
                         {},
                         {},
                         place.batch};
  for (int64_t i = 0; i < a.tiles; ++i)
    at.acrossOffsets.push_back(
        {a.rowOf(i, 0, form.edge), i * columns.tiles * form.sums});
  for (int64_t j = 0; j < columns.tiles; ++j)
    for (int64_t e = 0; e < form.sums; ++e)
      at.alongOffsets.push_back(
          {columns.rowOf(j, form.rowOf(e), form.edge), j * form.sums + e});
  llvm::sort(at.alongOffsets,
             [](auto x, auto y) { return x.offset < y.offset; });
  return at;
}

SmallVector<Value> MfmaEmitter::join(ValueRange scalars) {
  auto type = VectorType::get({form.sums}, plan.sumType());
  SmallVector<Value> vectors;
  for (size_t i = 0; i < scalars.size(); i += form.sums)
    vectors.push_back(
        vector::FromElementsOp::create(b, type, scalars.slice(i, form.sums)));
  return vectors;
}

SmallVector<Value> MfmaEmitter::divide(ValueRange vectors) {
  SmallVector<Value> scalars;
  for (Value value : vectors)
    llvm::append_range(scalars, elementsOf(value));
  return scalars;
}

LogicalResult MfmaEmitter::emit() {
  std::string name = getOpName(plan.instruction);
  if (!RegisteredOperationName::lookup(name, b.getContext()))
    return plan.candidate.emitOpError()
           << "multiplies by instruction '" << plan.instruction.getName()
           << "', but there is no op '" << name << "'";
  if (plan.lanes != kMfmaLanes)
    return plan.candidate.emitOpError()
           << "multiplies by mfma in warps of " << plan.lanes
           << " lanes; a wavefront has " << kMfmaLanes;
  if (failed(epilogue.analyze()))
    return failure();
  ring.emplace(plan, device, place);
  Accumulators accumulators(plan, device, epilogue, makePlace());
  accumulators.store(divide(ring->reduce(
      join(accumulators.start()), [&](SmallVector<Value> sums, Int stage, Int) {
        return multiply(std::move(sums), stage);
      })));
  LLVM::ReturnOp::create(b, ValueRange{});
  return success();
}

LogicalResult vortex::emitMfmaKernel(ContractionPlan &plan,
                                     DeviceKernel &device) {
  return MfmaEmitter(plan, device).emit();
}
