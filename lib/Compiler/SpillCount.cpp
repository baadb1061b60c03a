//===- SpillCount.cpp - Spills in the innermost loops of code -------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpillCount.h"

#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachineMemOperand.h"
#include "llvm/CodeGen/PseudoSourceValue.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

/// No general-purpose or mask register is as wide as the narrowest vector
/// register.
static constexpr unsigned kNarrowestVector = 128;

static bool namesVectorRegister(const MachineInstr &instruction,
                                const TargetRegisterInfo &registers) {
  return any_of(instruction.operands(), [&](const MachineOperand &operand) {
    if (!operand.isReg() || !operand.getReg().isPhysical())
      return false;
    const TargetRegisterClass *rc =
        registers.getMinimalPhysRegClass(operand.getReg());
    return rc && registers.getRegSizeInBits(*rc) >= kNarrowestVector;
  });
}

/// Whether the instruction writes a register that trips of the loop hand on.
static bool writesCarried(const MachineInstr &instruction,
                          const MachineBasicBlock &header,
                          const TargetRegisterInfo &registers) {
  return any_of(instruction.defs(), [&](const MachineOperand &result) {
    return result.isReg() && result.getReg().isPhysical() &&
           any_of(header.liveins(), [&](const auto &in) {
             return registers.regsOverlap(in.PhysReg, result.getReg());
           });
  });
}

namespace {
/// What of a block adds products to sums: what the tile of a product is made
/// of, and neither the loops that lay out its operands nor those that compute
/// functions of its results have. Products of integers have instructions of
/// their own. Those of floating-point numbers take the form 231, as do some
/// terms of polynomials, but what they add to is a sum: a register that trips
/// of the loop hand on or, in a sweep over columns, one that is read from
/// memory and written back where it was.
class SumTracker {
public:
  SumTracker(const MachineBasicBlock &header, const TargetInstrInfo &info,
             const TargetRegisterInfo &registers)
      : header(header), info(info), registers(registers) {}

  /// Whether the next instruction of the block shows that it adds products.
  bool next(const MachineInstr &instruction);

private:
  /// A register that was read from memory and may have products in it.
  struct InPlace {
    const MachineMemOperand *from;
    bool added = false;
  };

  const MachineBasicBlock &header;
  const TargetInstrInfo &info;
  const TargetRegisterInfo &registers;
  SmallDenseMap<Register, InPlace, 16> inPlace;
};
} // namespace

/// Where in memory the instruction reads or writes, if that is one place that
/// the program names.
static const MachineMemOperand *getPlace(const MachineInstr &instruction) {
  if (!instruction.hasOneMemOperand())
    return nullptr;
  const MachineMemOperand *place = *instruction.memoperands_begin();
  return place->getValue() ? place : nullptr;
}

bool SumTracker::next(const MachineInstr &instruction) {
  StringRef name = info.getName(instruction.getOpcode());
  auto has = [&](ArrayRef<StringRef> parts) {
    return any_of(parts, [&](StringRef part) { return name.contains(part); });
  };
  if (has({"PMADD", "DPB", "DPW", "PMULLD"}))
    return true;
  const MachineMemOperand *place = getPlace(instruction);
  if (has({"FMADD231", "FNMADD231", "FMSUB231"})) {
    if (writesCarried(instruction, header, registers))
      return true;
    if (auto found = inPlace.find(instruction.getOperand(0).getReg());
        found != inPlace.end())
      found->second.added = true;
    return false;
  }
  if (place && instruction.mayStore()) {
    return any_of(inPlace, [&](const auto &entry) {
      const InPlace &sum = entry.second;
      return sum.added && sum.from->getValue() == place->getValue() &&
             sum.from->getOffset() == place->getOffset() &&
             instruction.readsRegister(entry.first, &registers);
    });
  }
  for (const MachineOperand &result : instruction.defs())
    if (result.isReg())
      inPlace.erase(result.getReg());
  if (place && instruction.mayLoad() && instruction.getNumDefs() == 1 &&
      instruction.getOperand(0).isReg())
    inPlace[instruction.getOperand(0).getReg()] = {place};
  return false;
}

/// Instructions of a loop for each spill that its time does not show. A tile
/// without the row that does not fit would take longer: estimate.
static constexpr unsigned kInstructionsForEach = 32;

/// Whether the instruction reads or writes the slot of a spilled register.
static bool touchesSpillSlot(const MachineInstr &instruction,
                             const TargetInstrInfo &info) {
  const MachineFrameInfo &frame = instruction.getMF()->getFrameInfo();
  SmallVector<const MachineMemOperand *, 2> accesses;
  info.hasLoadFromStackSlot(instruction, accesses);
  info.hasStoreToStackSlot(instruction, accesses);
  return any_of(accesses, [&](const MachineMemOperand *access) {
    auto *slot = cast<FixedStackPseudoSourceValue>(access->getPseudoValue());
    // A slot for a general-purpose register may be read into a vector one.
    return frame.isSpillSlotObjectIndex(slot->getFrameIndex()) &&
           frame.getObjectSize(slot->getFrameIndex()) * 8 >= kNarrowestVector;
  });
}

namespace {
class SpillCounter : public MachineFunctionPass {
public:
  static char ID;
  explicit SpillCounter(unsigned &count)
      : MachineFunctionPass(ID), count(count) {}

  StringRef getPassName() const override {
    return "Count spills in innermost loops";
  }

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<MachineLoopInfoWrapperPass>();
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(MachineFunction &function) override {
    const TargetSubtargetInfo &target = function.getSubtarget();
    const MachineLoopInfo &loops =
        getAnalysis<MachineLoopInfoWrapperPass>().getLI();
    struct Load {
      unsigned spills = 0, instructions = 0;
      bool multiplies = false;
    };
    DenseMap<const MachineLoop *, Load> innermost;
    for (const MachineBasicBlock &block : function) {
      const MachineLoop *loop = loops.getLoopFor(&block);
      if (!loop || !loop->isInnermost())
        continue;
      const TargetInstrInfo &info = *target.getInstrInfo();
      const TargetRegisterInfo &registers = *target.getRegisterInfo();
      Load &load = innermost[loop];
      SumTracker sums(*loop->getHeader(), info, registers);
      for (const MachineInstr &instruction : block) {
        ++load.instructions;
        load.multiplies |= sums.next(instruction);
        if (touchesSpillSlot(instruction, info) &&
            namesVectorRegister(instruction, registers))
          ++load.spills;
      }
    }
    for (auto &[loop, load] : innermost) {
      products |= load.multiplies;
      if (load.spills * kInstructionsForEach > load.instructions)
        (load.multiplies ? ofProducts : ofOthers) += load.spills;
    }
    return false;
  }

  /// Operands are laid out once for many tiles, in functions of their own
  /// where threads share the work, and results pass through their functions
  /// once for all steps: with products, those loops alone count.
  bool doFinalization(Module &) override {
    count += products ? ofProducts : ofOthers;
    return false;
  }

private:
  unsigned ofProducts = 0, ofOthers = 0;
  bool products = false;
  unsigned &count;
};
} // namespace

char SpillCounter::ID = 0;

FunctionPass *vortex::createSpillCounter(unsigned &count) {
  return new SpillCounter(count);
}
