//===- SizeFacts.h - What is known of sizes ---------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A set of facts about the symbols of one SizeContext, and the questions that
// they answer. Yes and No hold for all values of the symbols for which all
// facts hold and every quotient has a value; Unknown is always right.
//
//   SizeContext context;
//   SizeExpr a = context.symbol("a", {0, {}}), b = context.symbol("b", {0,
//   {}}); SizeFacts facts(context); facts.addEqual(b, context.mul(a, 12));
//   facts.areEqual(context.floorDiv(b, context.constant(12)), a); // Yes
//
// Facts are only ever added; a copy is cheap enough to go into a branch with.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_ANALYSIS_SIZEFACTS_H
#define VORTEX_DIALECT_VORTEX_ANALYSIS_SIZEFACTS_H

#include "vortex/Dialect/Vortex/Analysis/SizeExpr.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace vortex {

enum class Answer { No, Yes, Unknown };

/// Unknown stays unknown.
inline Answer operator!(Answer x) {
  return x == Answer::Yes  ? Answer::No
         : x == Answer::No ? Answer::Yes
                           : Answer::Unknown;
}

class SizeFacts {
public:
  explicit SizeFacts(SizeContext &context) : context(&context) {}

  /// Facts that cannot be used are left out, so that adding always succeeds.
  /// With an empty expression nothing is added.
  void addEqual(SizeExpr x, SizeExpr y);
  void addNotEqual(SizeExpr x, SizeExpr y);
  void addLess(SizeExpr x, SizeExpr y);
  void addLessOrEqual(SizeExpr x, SizeExpr y);
  /// `x` is a multiple of `divisor`, plus `remainder`; `divisor` is positive.
  void addDivisible(SizeExpr x, int64_t divisor, int64_t remainder = 0);

  /// `x` in the fewest symbols: equal symbols become the oldest of them, and
  /// what ranges and divisors decide is done. Two expressions whose simplified
  /// forms are the same are equal. Empty for an empty one.
  SizeExpr simplify(SizeExpr x) const;
  SizeRange range(SizeExpr x) const;
  SizeCongruence congruence(SizeExpr x) const;
  Answer areEqual(SizeExpr x, SizeExpr y) const;
  Answer isLess(SizeExpr x, SizeExpr y) const;
  Answer isLessOrEqual(SizeExpr x, SizeExpr y) const;
  /// Whether `x` is a multiple of `divisor`, which is not zero.
  Answer isDivisible(SizeExpr x, SizeExpr divisor) const;

  /// Facts contradict each other: no program gets here. Those that came too
  /// late are left out.
  bool isContradictory() const { return contradictory; }
  /// Goes up with each fact that says something new.
  unsigned getVersion() const { return version; }
  SizeContext &getContext() const { return *context; }

  /// One fact a line, in the order in which they came to be known.
  void print(llvm::raw_ostream &os) const;

private:
  struct Symbol {
    SizeRange range;
    SizeCongruence congruence;
    SizeExpr same; ///< what takes its place, if anything does
  };

  /// Facts beyond these are not kept: each question walks over them.
  static constexpr size_t kMostInequalities = 64;

  Symbol get(const detail::SizeAtom *symbol) const;
  template <typename Ask>
  auto ask(Ask ask) const;
  void changed();
  void refine(SizeExpr symbol, SizeRange range);
  void refine(SizeExpr symbol, SizeCongruence congruence);
  void substitute(SizeExpr symbol, SizeExpr by);
  bool addRemainder(SizeExpr zero);
  void addNonNegative(SizeExpr x);
  bool isNonNegative(SizeExpr x, unsigned steps) const;
  SizeExpr simplifyAtom(const detail::SizeAtom *atom) const;
  SizeExpr dropExactQuotients(SizeExpr x) const;

  SizeContext *context;
  llvm::DenseMap<SizeExpr, Symbol> symbols;
  llvm::SmallVector<SizeExpr> order;       ///< of symbols that facts are about
  llvm::SmallVector<SizeExpr> nonNegative; ///< none of these is below zero
  llvm::SmallVector<SizeExpr> nonZero;
  bool contradictory = false;
  unsigned version = 0;

  /// Answers until the next fact.
  mutable llvm::DenseMap<SizeExpr, SizeRange> ranges;
  mutable llvm::DenseMap<SizeExpr, SizeExpr> simplified;
  mutable unsigned depth = 0;
};

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_ANALYSIS_SIZEFACTS_H
