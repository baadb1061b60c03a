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

/// Whether the instruction adds a product to a sum of the loop, the form 231:
/// what the tile of a product is made of, and neither the loops that lay out
/// its operands nor those that compute functions of its results have.
/// Polynomials multiply what they have and add a factor, the form 213.
static bool addsProduct(const MachineInstr &instruction,
                        const MachineBasicBlock &header,
                        const TargetInstrInfo &info,
                        const TargetRegisterInfo &registers) {
  StringRef name = info.getName(instruction.getOpcode());
  auto has = [&](ArrayRef<StringRef> parts) {
    return any_of(parts, [&](StringRef part) { return name.contains(part); });
  };
  return has({"PMADD", "DPB", "DPW", "PMULLD"}) ||
         (has({"FMADD231", "FNMADD231", "FMSUB231"}) &&
          writesCarried(instruction, header, registers));
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
      for (const MachineInstr &instruction : block) {
        ++load.instructions;
        load.multiplies |=
            addsProduct(instruction, *loop->getHeader(), info, registers);
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
