//===- SizeNodes.h - What expressions of sizes are made of ------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_ANALYSIS_SIZENODES_H
#define VORTEX_LIB_ANALYSIS_SIZENODES_H

#include "vortex/Dialect/Vortex/Analysis/SizeExpr.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"

#include <map>
#include <vector>

namespace vortex {
namespace detail {

struct SizeAtom {
  enum Kind { Symbol, FloorDiv, Min, Max, Wrap };

  Kind kind;
  unsigned id; ///< in order of creation
  llvm::SmallVector<SizeExpr, 2> operands;
  std::string name; ///< of a symbol
  SizeRange range;  ///< of a symbol
};

struct SizeNode : llvm::FoldingSetNode {
  llvm::ArrayRef<SizeTerm> terms; ///< the greatest first, the constant last
  unsigned id;                    ///< in order of creation

  static void profile(llvm::FoldingSetNodeID &id,
                      llvm::ArrayRef<SizeTerm> terms) {
    for (const SizeTerm &term : terms) {
      id.AddInteger(term.coefficient);
      id.AddInteger(term.atoms.size());
      for (const SizeAtom *atom : term.atoms)
        id.AddPointer(atom);
    }
  }
  void Profile(llvm::FoldingSetNodeID &id) const { profile(id, terms); }
};

using Atoms = llvm::SmallVector<const SizeAtom *, 4>;

/// `whole = factor * (dividend % divisor) + rest`.
struct Remainder {
  int64_t factor;
  SizeExpr dividend, divisor, rest;
};

/// Ranges and congruences, given those of symbols.
class SizeBounds {
public:
  SizeBounds(
      SizeContext &context,
      llvm::function_ref<SizeRange(const SizeAtom *)> symbolRange,
      llvm::function_ref<SizeCongruence(const SizeAtom *)> symbolCongruence,
      llvm::DenseMap<SizeExpr, SizeRange> &ranges)
      : context(context), symbolRange(symbolRange),
        symbolCongruence(symbolCongruence), ranges(ranges) {}

  SizeRange range(SizeExpr x);
  SizeCongruence congruence(SizeExpr x);

private:
  /// Quotients in quotients deeper than this have no range.
  static constexpr unsigned kMostDepth = 12;

  SizeRange computeRange(SizeExpr x);
  SizeRange atomRange(const SizeAtom *atom);
  SizeCongruence atomCongruence(const SizeAtom *atom);
  SizeRange remainderRange(const Remainder &remainder);

  SizeContext &context;
  llvm::function_ref<SizeRange(const SizeAtom *)> symbolRange;
  llvm::function_ref<SizeCongruence(const SizeAtom *)> symbolCongruence;
  llvm::DenseMap<SizeExpr, SizeRange> &ranges;
  unsigned depth = 0;
  bool isCut = false; ///< Some expression was nested too deeply.
};

int64_t floorDivide(int64_t x, int64_t y);
int64_t floorModulo(int64_t x, int64_t y);
/// 0 when both are.
int64_t greatestDivisor(int64_t x, int64_t y);
/// Whether all of `part` are factors of `whole`; `rest` is what is left.
bool divideAtoms(llvm::ArrayRef<const SizeAtom *> whole,
                 llvm::ArrayRef<const SizeAtom *> part, Atoms &rest);

} // namespace detail

struct SizeContext::Impl {
  using Term = std::pair<detail::Atoms, int64_t>;
  using Polynomial = llvm::SmallVector<Term, 4>;

  /// More terms or factors than these are no size that someone wrote.
  static constexpr size_t kMostTerms = 48, kMostFactors = 8;

  SizeExpr make(Polynomial terms);
  SizeExpr make(llvm::ArrayRef<const detail::SizeAtom *> atoms,
                int64_t coefficient);
  /// The expression of one atom.
  SizeExpr make(const detail::SizeAtom *atom);
  const detail::SizeAtom *getAtom(detail::SizeAtom::Kind kind,
                                  llvm::ArrayRef<SizeExpr> operands);
  /// The only atom of `x`, if `x` is one.
  static const detail::SizeAtom *asAtom(SizeExpr x);
  static llvm::ArrayRef<detail::SizeTerm> terms(SizeExpr x);
  /// Older expressions first, so that texts do not depend on addresses.
  static unsigned order(SizeExpr x);

  unsigned printDepth = 0;
  llvm::BumpPtrAllocator allocator;
  std::vector<std::unique_ptr<detail::SizeAtom>> atoms;
  std::vector<std::unique_ptr<detail::SizeNode>> nodes;
  llvm::FoldingSet<detail::SizeNode> uniqued;
  std::map<std::pair<int, std::vector<const void *>>, const detail::SizeAtom *>
      uniquedAtoms;
  std::vector<std::pair<detail::Atoms, SizeRange>> products;
  llvm::DenseMap<SizeExpr, SizeRange> ranges;
};

namespace detail {
/// What of `x` is a multiple of a remainder: `k * a - k * b * (a // b)`.
llvm::SmallVector<Remainder, 2> findRemainders(SizeContext &context,
                                               SizeExpr x);
} // namespace detail
} // namespace vortex

#endif // VORTEX_LIB_ANALYSIS_SIZENODES_H
