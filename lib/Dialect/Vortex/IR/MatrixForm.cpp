//===- MatrixForm.cpp - Matrix instructions with device code ----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/IR/MatrixForm.h"
#include "vortex/Dialect/Vortex/IR/WarpLanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace vortex;

bool vortex::isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

int64_t vortex::getSumsPerElement(Type factor) {
  return isFloat8(factor) ? 2 : 1;
}

Type vortex::getFactorType(linalg::LinalgOp op, unsigned input) {
  Type type = getElementTypeOrSelf(op.getDpsInputs()[input].getType());
  auto precision = op->getAttrOfType<StringAttr>(kPrecisionAttr);
  return type.isF32() && precision && precision == "tf32"
             ? FloatTF32Type::get(op.getContext())
             : type;
}

/// Bits of an element in memory.
static int64_t getStorageBits(Type type) {
  return type.isTF32() ? 32 : type.getIntOrFloatBitWidth();
}

/// Whether `instruction` is an `mfma` of one block whose lanes have whole
/// registers of steps beside each other.
static bool hasMfmaForm(HwInstructionAttr instruction) {
  Type a = instruction.getA(), acc = instruction.getAcc();
  bool floats =
      (a.isF16() || a.isBF16() || a.isF32() || a.isTF32()) && acc.isF32();
  bool wide = a.isF64() && acc.isF64();
  bool integers = a.isInteger(8) && acc.isInteger(32);
  int64_t edge = instruction.getM();
  int64_t elements = edge * instruction.getK();
  int64_t bytes = elements / kMfmaLanes * getStorageBits(a) / 8;
  // Those of 16 bits that take less than two registers have several blocks, but
  // for the first generation's of bf16.
  bool pairs = a.isF16() || instruction.getName().ends_with("_1k");
  int64_t least = pairs ? 2 * kLaneBytes : kLaneBytes;
  return a == instruction.getB() && (floats || wide || integers) &&
         instruction.getN() == edge && (edge == 16 || (edge == 32 && !wide)) &&
         elements % kMfmaLanes == 0 && bytes >= least &&
         kMfmaReadBytes % bytes == 0;
}

MfmaForm vortex::getMfmaForm(HwInstructionAttr instruction) {
  MfmaForm form;
  form.edge = instruction.getM();
  form.run = form.edge * instruction.getK() / kMfmaLanes;
  form.together =
      kMfmaReadBytes * 8 / (form.run * getStorageBits(instruction.getA()));
  form.sums = form.edge * form.edge / kMfmaLanes;
  form.rows = instruction.getAcc().isF64() ? 1 : 4;
  return form;
}

int64_t vortex::getStepDepth(HwInstructionAttr instruction) {
  return instruction.getKind() == "mfma" ? getMfmaForm(instruction).depth()
                                         : instruction.getK();
}

int64_t vortex::getColumnStep(HwInstructionAttr instruction) {
  return instruction.getKind() == "mma_sync" ? 2 * instruction.getN()
                                             : instruction.getN();
}

int64_t vortex::getStoreRun(HwInstructionAttr instruction) {
  return instruction.getKind() == "mfma" ? getMfmaForm(instruction).rows : 2;
}

HwInstructionAttr vortex::findMatrixInstruction(HwAttr hw, StringRef kind,
                                                Type a, Type b, Type acc) {
  HwInstructionAttr found = hw.getInstruction(kind, a, b, acc);
  if (found || !a.isTF32() || !b.isTF32())
    return found;
  Type f32 = Float32Type::get(hw.getContext());
  return hw.getInstruction(kind, f32, f32, acc);
}

bool vortex::hasMatrixForm(HwInstructionAttr instruction) {
  if (instruction.getKind() == "mfma")
    return hasMfmaForm(instruction);
  Type a = instruction.getA(), acc = instruction.getAcc();
  bool group = instruction.getKind() == "wgmma";
  if (a != instruction.getB() ||
      (!group && instruction.getKind() != "mma_sync"))
    return false;
  bool wide = acc.isF64() && a.isF64() && !group;
  bool narrow =
      ((a.isF16() || a.isBF16() || a.isTF32() || (group && isFloat8(a))) &&
       acc.isF32()) ||
      (a.isInteger(8) && acc.isInteger(32));
  int64_t rows = instruction.getM(), depth = instruction.getK();
  if (!group && instruction.getN() != 8)
    return false;
  if (wide)
    return (rows == 8 && depth == 4) ||
           (rows == 16 && llvm::is_contained({4, 8, 16}, depth));
  return narrow && rows == (group ? 64 : 16) &&
         depth * getStorageBits(a) == kStepBytes * 8;
}

bool vortex::keepsPlaces(linalg::LinalgOp op) {
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    bool made = operand.get().getDefiningOp<linalg::LinalgOp>() ||
                op.isDpsInit(&operand);
    return !made || op.getMatchingIndexingMap(&operand).isIdentity();
  });
}

bool vortex::addsProducts(linalg::LinalgOp op) {
  if (op->getNumRegions() != 1 || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1)
    return false;
  Block &body = op->getRegion(0).front();
  Operation *sum = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_present<arith::AddFOp, arith::AddIOp>(sum))
    return false;
  BlockArgument acc = body.getArgument(2);
  bool first = sum->getOperand(0) == acc;
  if (!first && sum->getOperand(1) != acc)
    return false;
  Operation *product = sum->getOperand(first ? 1 : 0).getDefiningOp();
  if (!isa_and_present<arith::MulFOp, arith::MulIOp>(product))
    return false;
  auto source = [](Value value) {
    Operation *widen = value.getDefiningOp();
    return isa_and_present<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(widen)
               ? widen->getOperand(0)
               : value;
  };
  Value x = source(product->getOperand(0)), y = source(product->getOperand(1));
  Value a = body.getArgument(0), b = body.getArgument(1);
  return (x == a && y == b) || (x == b && y == a);
}

std::optional<IntegerSigns> vortex::getIntegerSigns(linalg::LinalgOp op) {
  Block &body = op->getRegion(0).front();
  Type acc = body.getArguments().back().getType();
  bool isUnsigned[2];
  for (unsigned i = 0; i < 2; ++i) {
    BlockArgument factor = body.getArgument(i);
    if (!factor.hasOneUse())
      return std::nullopt;
    Operation *user = *factor.user_begin();
    if (!isa<arith::ExtSIOp, arith::ExtUIOp>(user) ||
        user->getResult(0).getType() != acc)
      return std::nullopt;
    isUnsigned[i] = isa<arith::ExtUIOp>(user);
  }
  return IntegerSigns{isUnsigned[0], isUnsigned[1]};
}
