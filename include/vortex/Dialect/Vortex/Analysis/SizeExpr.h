//===- SizeExpr.h - Integer expressions in a normal form --------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes of a program as integers, not as machine words: polynomials with
// integer coefficients over atoms. An atom is a symbol, a quotient rounded
// down, a minimum or maximum, or a word that a polynomial was cut to:
//
//   expr := coefficient * atom * ... * atom + ... + constant
//   atom := symbol | floordiv(expr, expr) | min(expr, ...) | max(expr, ...)
//         | wrap(expr)
//
// Terms and factors have one order, and every rewriting is done when an
// expression is made, so `a * b` and `b * a`, or `(12 * b) floordiv 12` and
// `b`, are the same object: comparing two expressions compares two pointers.
// A remainder is no atom but `x - y * (x floordiv y)`, and `ceildiv` is written
// with `floordiv`, so that what is the same however it is spelled is found to
// be.
//
// What cannot be told is the empty expression: a coefficient beyond 64 bits, a
// division by zero, more terms than anyone wrote. Every operation on it gives
// it again.
//
// A quotient whose divisor is zero has no value; nothing is said of programs
// that compute one.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_ANALYSIS_SIZEEXPR_H
#define VORTEX_DIALECT_VORTEX_ANALYSIS_SIZEEXPR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace vortex {
class SizeContext;
class SizeFacts;

/// The least and the greatest value, where they are known to be 64-bit numbers.
struct SizeRange {
  std::optional<int64_t> min, max;

  static SizeRange exactly(int64_t value) { return {value, value}; }
  /// All numbers of `width` bits, with a sign.
  static SizeRange ofWidth(unsigned width);
  /// Whether every value is a word of 64 bits.
  bool isBounded() const { return min && max; }
  /// Whether every value is one of `other`.
  bool isWithin(const SizeRange &other) const;
  bool isEmpty() const { return min && max && *min > *max; }
  SizeRange intersect(const SizeRange &other) const;
  SizeRange join(const SizeRange &other) const;
  bool operator==(const SizeRange &o) const {
    return min == o.min && max == o.max;
  }
};

/// The value is `remainder` and a multiple of `modulus`, which is 1 when
/// nothing is known and 0 when the value is `remainder`.
struct SizeCongruence {
  int64_t modulus = 1, remainder = 0;

  bool isDivisibleBy(int64_t divisor) const;
};

namespace detail {
class SizeBounds;
struct SizeAtom;
struct SizeNode;

/// `coefficient` times the product of atoms, in ascending order of their ids.
struct SizeTerm {
  llvm::ArrayRef<const SizeAtom *> atoms;
  int64_t coefficient;
};
} // namespace detail

/// A handle of an expression, which its context owns. Equal handles of one
/// context are equal expressions; expressions that are equal for all values of
/// their symbols may still differ (see docs/sizes.md).
class SizeExpr {
public:
  SizeExpr() = default;

  explicit operator bool() const { return node; }
  bool operator==(SizeExpr other) const { return node == other.node; }
  bool operator!=(SizeExpr other) const { return node != other.node; }

  /// The value, if it is a number.
  std::optional<int64_t> getConstant() const;
  /// Whether this is one symbol and nothing else.
  bool isSymbol() const;

  const void *getOpaquePointer() const { return node; }

private:
  friend class SizeContext;
  friend class SizeFacts;
  friend struct llvm::DenseMapInfo<SizeExpr>;
  explicit SizeExpr(const detail::SizeNode *node) : node(node) {}

  const detail::SizeNode *node = nullptr;
};

/// Makes and owns expressions. Not for several threads at a time.
class SizeContext {
public:
  struct Impl;

  SizeContext();
  ~SizeContext();
  SizeContext(const SizeContext &) = delete;
  SizeContext &operator=(const SizeContext &) = delete;

  /// A new unknown, named `name` where expressions are printed. It has a value
  /// of `range` wherever it has one.
  SizeExpr symbol(llvm::StringRef name, SizeRange range = {});
  SizeExpr constant(int64_t value);

  SizeExpr add(SizeExpr x, SizeExpr y);
  SizeExpr sub(SizeExpr x, SizeExpr y);
  SizeExpr mul(SizeExpr x, SizeExpr y);
  SizeExpr mul(SizeExpr x, int64_t factor);
  /// The quotient rounded down, for either sign of the divisor.
  SizeExpr floorDiv(SizeExpr x, SizeExpr y);
  /// The quotient rounded up.
  SizeExpr ceilDiv(SizeExpr x, SizeExpr y);
  /// What `floorDiv` leaves, with the sign of the divisor.
  SizeExpr mod(SizeExpr x, SizeExpr y);
  SizeExpr min(SizeExpr x, SizeExpr y);
  SizeExpr max(SizeExpr x, SizeExpr y);
  /// `x` as arithmetic of 64 bits leaves it: reduced modulo 2^64 to a number
  /// with a sign. It is `x` where the ranges of symbols say that it fits.
  SizeExpr wrap(SizeExpr x);

  /// No value of `product`, a product of symbols, is outside of `range`: the
  /// elements of a tensor fit in memory.
  void boundProduct(SizeExpr product, SizeRange range);
  /// What the ranges of symbols say, without facts.
  SizeRange range(SizeExpr x);
  /// The greatest common divisor of the coefficients of `x` and its remainder.
  SizeCongruence congruence(SizeExpr x);

  /// `x` with `of(symbol)` in place of each symbol; the empty expression leaves
  /// a symbol as it is.
  SizeExpr substitute(SizeExpr x, llvm::function_ref<SizeExpr(SizeExpr)> of);
  /// Adds the symbols of `x`, also those within quotients, minima and maxima.
  void collectSymbols(SizeExpr x, llvm::SetVector<SizeExpr> &symbols);
  /// The value where each symbol has the value that `of` gives; none when a
  /// divisor is zero or a number is beyond 64 bits.
  std::optional<int64_t> evaluate(SizeExpr x,
                                  llvm::function_ref<int64_t(SizeExpr)> of);

  /// In the notation of `vortex.where`: `12*b + a // 4 % 3`; `?` when empty.
  void print(SizeExpr x, llvm::raw_ostream &os);
  std::string str(SizeExpr x);

private:
  SizeExpr substitute(SizeExpr x, llvm::function_ref<SizeExpr(SizeExpr)> of,
                      llvm::DenseMap<SizeExpr, SizeExpr> &done);
  friend class SizeFacts;
  friend class detail::SizeBounds;
  std::unique_ptr<Impl> impl;
};

} // namespace vortex

template <>
struct llvm::DenseMapInfo<vortex::SizeExpr> {
  using Node = const vortex::detail::SizeNode *;
  static vortex::SizeExpr getEmptyKey() {
    return vortex::SizeExpr(
        static_cast<Node>(DenseMapInfo<const void *>::getEmptyKey()));
  }
  static vortex::SizeExpr getTombstoneKey() {
    return vortex::SizeExpr(
        static_cast<Node>(DenseMapInfo<const void *>::getTombstoneKey()));
  }
  static unsigned getHashValue(vortex::SizeExpr x) {
    return DenseMapInfo<const void *>::getHashValue(x.node);
  }
  static bool isEqual(vortex::SizeExpr x, vortex::SizeExpr y) { return x == y; }
};

#endif // VORTEX_DIALECT_VORTEX_ANALYSIS_SIZEEXPR_H
