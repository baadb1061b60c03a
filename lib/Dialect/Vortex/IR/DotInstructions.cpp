//===- DotInstructions.cpp - What makes a dot product ---------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/IR/DotInstructions.h"

using namespace vortex;

// Intel SDM volume 2, "VPDPBUSD", "VPDPBSSD", "VDPBF16PS", "VPMADDWD".
static constexpr DotInstruction kInstructions[] = {
    {"vpdpbusd", 512, "llvm.x86.avx512.vpdpbusd.512", true, false, true},
    {"vpdpbusd", 256, "llvm.x86.avx512.vpdpbusd.256", true, false, true},
    {"vpdpbssd", 512, "llvm.x86.avx10.vpdpbssd.512", false, false, true},
    {"vpdpbssd", 256, "llvm.x86.avx2.vpdpbssd.256", false, false, true},
    {"vdpbf16ps", 512, "llvm.x86.avx512bf16.dpbf16ps.512", false, false, true},
    {"vdpbf16ps", 256, "llvm.x86.avx512bf16.dpbf16ps.256", false, false, true},
    // LLVM joins it with the addition where the machine has vpdpwssd.
    {"vpmaddwd", 512, "llvm.x86.avx512.pmaddw.d.512", false, false, false},
    {"vpmaddwd", 256, "llvm.x86.avx2.pmadd.wd", false, false, false},
    {"vfmadd231ps_bf16", 512, "", false, false, true, true},
    {"vfmadd231ps_bf16", 256, "", false, false, true, true},
    {"vfmadd231ps_bf16_low", 512, "", false, false, true, true, 0},
    {"vfmadd231ps_bf16_low", 256, "", false, false, true, true, 0},
    {"vfmadd231ps_bf16_high", 512, "", false, false, true, true, 1},
    {"vfmadd231ps_bf16_high", 256, "", false, false, true, true, 1},
};

const DotInstruction *vortex::lookupDotInstruction(llvm::StringRef opcode,
                                                   int64_t bits) {
  for (const DotInstruction &entry : kInstructions)
    if (entry.opcode == opcode && entry.bits == bits)
      return &entry;
  return nullptr;
}
