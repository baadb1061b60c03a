//===- SmallFloat.h - Floats of 16 and 8 bits -------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_TOOLING_SMALLFLOAT_H
#define VORTEX_LIB_RUNTIME_TOOLING_SMALLFLOAT_H

#include <cmath>
#include <cstdint>

namespace vortex {
namespace runtime {

/// A binary floating-point format of at most 16 bits.
struct SmallFloat {
  int exponentBits, mantissaBits;
  /// False for formats whose largest exponent holds numbers and whose only
  /// special value is NaN with all bits set (f8E4M3FN).
  bool hasInfinity;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  int maxExponent() const { return (1 << exponentBits) - 1; }

  double decode(uint32_t bits) const {
    uint32_t mantissa = bits & ((1u << mantissaBits) - 1);
    int exponent = int(bits >> mantissaBits) & maxExponent();
    double sign = bits >> (exponentBits + mantissaBits) & 1 ? -1.0 : 1.0;
    if (exponent == maxExponent()) {
      if (hasInfinity)
        return mantissa ? NAN : sign * INFINITY;
      if (mantissa == (1u << mantissaBits) - 1)
        return NAN;
    }
    if (exponent == 0)
      return sign * std::ldexp(mantissa, 1 - bias() - mantissaBits);
    return sign * std::ldexp(mantissa + (1u << mantissaBits),
                             exponent - bias() - mantissaBits);
  }

  /// Rounds to nearest, ties to even. What is too large becomes infinity, or
  /// NaN where there is none.
  uint32_t encode(double value) const {
    uint32_t sign = uint32_t(std::signbit(value))
                    << (exponentBits + mantissaBits);
    uint32_t infinity = hasInfinity ? uint32_t(maxExponent()) << mantissaBits
                                    : (1u << (exponentBits + mantissaBits)) - 1;
    if (std::isnan(value))
      return sign | infinity | (hasInfinity ? 1u << (mantissaBits - 1) : 0);
    if (std::isinf(value))
      return sign | infinity;
    value = std::fabs(value);
    if (value == 0)
      return sign;
    // The unit in the last place: that of the smallest normal at the least.
    int exponent = std::ilogb(value);
    if (exponent < 1 - bias())
      exponent = 1 - bias();
    double units = std::nearbyint(std::ldexp(value, mantissaBits - exponent));
    // Carries into the exponent fall out of the addition.
    double bits = units + std::ldexp(exponent + bias() - 1, mantissaBits);
    return sign | (bits >= infinity ? infinity : uint32_t(bits));
  }
};

constexpr SmallFloat half{5, 10, true}, bfloat{8, 7, true},
    float8E4M3FN{4, 3, false}, float8E5M2{5, 2, true};

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_TOOLING_SMALLFLOAT_H
