//===- Decode.h - AMX instructions in machine code --------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TEST_AMX_DECODE_H
#define VORTEX_TEST_AMX_DECODE_H

#include <cstdint>

namespace amx {

enum class Kind : uint8_t {
  LdTileCfg,
  StTileCfg,
  TileRelease,
  TileZero,
  TileLoad,
  TileLoadT1,
  TileStore,
  TdpBF16PS,
  TdpBSSD,
  TdpBSUD,
  TdpBUSD,
  TdpBUUD,
  Count
};

/// The mnemonic of `kind`.
const char *getName(Kind kind);

struct Instruction {
  Kind kind;
  int length;                ///< bytes
  int sum = 0, a = 0, b = 0; ///< tiles; `sum` is the only one of most
  int base = -1, index = -1; ///< general registers by number; -1: none
  int scale = 0;             ///< of the index, as a shift
  int64_t displacement = 0;  ///< without a base it is the address,
  bool nextRelative = false; ///< or counts from behind the instruction
};

/// Decodes what stands at `code`; false for anything but an AMX instruction of
/// `Kind`, in 64-bit mode, without a segment or address size of its own.
bool decode(const uint8_t *code, Instruction &instruction);

} // namespace amx

#endif // VORTEX_TEST_AMX_DECODE_H
