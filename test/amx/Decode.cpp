//===- Decode.cpp - AMX instructions in machine code ----------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Intel SDM volume 2: section 2.3 (VEX prefix) and the pages of the
// instructions.
//
//===----------------------------------------------------------------------===//

#include "Decode.h"

#include <cstring>

using namespace amx;

const char *amx::getName(Kind kind) {
  static const char *const names[] = {"ldtilecfg",  "sttilecfg", "tilerelease",
                                      "tilezero",   "tileloadd", "tileloaddt1",
                                      "tilestored", "tdpbf16ps", "tdpbssd",
                                      "tdpbsud",    "tdpbusd",   "tdpbuud"};
  return names[int(kind)];
}

namespace {
/// Prefixes that VEX.pp stands for.
enum Prefix { None, P66, PF3, PF2 };

struct Encoding {
  uint8_t opcode;
  Prefix prefix;
  enum Form { Memory, Nothing, OneTile, Sib, ThreeTiles } form;
  Kind kind;
};
} // namespace

static const Encoding encodings[] = {
    {0x49, None, Encoding::Memory, Kind::LdTileCfg},
    {0x49, P66, Encoding::Memory, Kind::StTileCfg},
    {0x49, None, Encoding::Nothing, Kind::TileRelease},
    {0x49, PF2, Encoding::OneTile, Kind::TileZero},
    {0x4b, PF2, Encoding::Sib, Kind::TileLoad},
    {0x4b, P66, Encoding::Sib, Kind::TileLoadT1},
    {0x4b, PF3, Encoding::Sib, Kind::TileStore},
    {0x5c, PF3, Encoding::ThreeTiles, Kind::TdpBF16PS},
    {0x5e, PF2, Encoding::ThreeTiles, Kind::TdpBSSD},
    {0x5e, PF3, Encoding::ThreeTiles, Kind::TdpBSUD},
    {0x5e, P66, Encoding::ThreeTiles, Kind::TdpBUSD},
    {0x5e, None, Encoding::ThreeTiles, Kind::TdpBUUD},
};

/// Whether the bits of ModRM are those of `form`.
static bool fits(Encoding::Form form, int mod, int reg, int rm) {
  switch (form) {
  case Encoding::Memory:
    return mod != 3 && reg == 0;
  case Encoding::Nothing:
    return mod == 3 && reg == 0 && rm == 0;
  case Encoding::OneTile:
    return mod == 3 && rm == 0;
  case Encoding::Sib:
    return mod != 3 && rm == 4;
  case Encoding::ThreeTiles:
    return mod == 3;
  }
  return false;
}

/// The memory operand that starts with ModRM at `code`; its bytes.
static int decodeAddress(const uint8_t *code, int mod, int rm, int extendX,
                         int extendB, Instruction &to) {
  int length = 1;
  to.base = rm | extendB << 3;
  bool noBase = mod == 0 && rm == 5;
  to.nextRelative = noBase;
  if (rm == 4) {
    uint8_t sib = code[length++];
    to.scale = sib >> 6;
    to.index = (sib >> 3 & 7) | extendX << 3;
    if (to.index == 4)
      to.index = -1;
    to.base = (sib & 7) | extendB << 3;
    noBase = mod == 0 && (sib & 7) == 5;
  }
  if (noBase)
    to.base = -1;
  if (mod == 1) {
    to.displacement = int8_t(code[length++]);
  } else if (mod == 2 || noBase) {
    int32_t word;
    std::memcpy(&word, code + length, sizeof word);
    to.displacement = word;
    length += 4;
  }
  return length;
}

bool amx::decode(const uint8_t *code, Instruction &instruction) {
  // C4, inverted R X B and map 0F38, W and inverted vvvv and L and pp.
  if (code[0] != 0xc4 || (code[1] & 0x1f) != 2 || (code[2] & 0x84) != 0)
    return false;
  int extendX = !(code[1] & 0x40), extendB = !(code[1] & 0x20);
  int extendR = !(code[1] & 0x80);
  int third = ~(code[2] >> 3) & 15;
  auto prefix = Prefix(code[2] & 3);
  int mod = code[4] >> 6, reg = code[4] >> 3 & 7, rm = code[4] & 7;
  for (const Encoding &encoding : encodings) {
    if (encoding.opcode != code[3] || encoding.prefix != prefix ||
        !fits(encoding.form, mod, reg, rm))
      continue;
    // There are eight tiles, and only products have a third operand.
    bool product = encoding.form == Encoding::ThreeTiles;
    if (extendR || (product ? extendB || third > 7 : third != 0))
      return false;
    instruction = Instruction();
    instruction.kind = encoding.kind;
    instruction.sum = reg;
    instruction.length = 5;
    if (product) {
      instruction.a = rm;
      instruction.b = third;
    } else if (mod != 3) {
      instruction.length =
          4 + decodeAddress(code + 4, mod, rm, extendX, extendB, instruction);
    }
    return true;
  }
  return false;
}
