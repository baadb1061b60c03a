//===- SizeFacts.cpp - What is known of sizes -----------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/Analysis/SizeFacts.h"

#include "SizeNodes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"

using namespace vortex;
using namespace vortex::detail;
using llvm::ArrayRef;
using Impl = SizeContext::Impl;

SizeFacts::Symbol SizeFacts::get(const SizeAtom *symbol) const {
  auto it = symbols.find(context->impl->make(symbol));
  return it == symbols.end() ? Symbol{symbol->range, {}, {}} : it->second;
}

template <typename Ask>
auto SizeFacts::ask(Ask ask) const {
  auto rangeOf = [&](const SizeAtom *symbol) { return get(symbol).range; };
  auto congruenceOf = [&](const SizeAtom *symbol) {
    return get(symbol).congruence;
  };
  SizeBounds bounds(*context, rangeOf, congruenceOf, ranges);
  return ask(bounds);
}

SizeRange SizeFacts::range(SizeExpr x) const {
  x = simplify(x);
  return ask([&](SizeBounds &bounds) { return bounds.range(x); });
}

SizeCongruence SizeFacts::congruence(SizeExpr x) const {
  x = simplify(x);
  return ask([&](SizeBounds &bounds) { return bounds.congruence(x); });
}

void SizeFacts::changed() {
  ++version;
  ranges.clear();
  simplified.clear();
}

//===----------------------------------------------------------------------===//
// Simplification
//===----------------------------------------------------------------------===//

SizeExpr SizeFacts::simplifyAtom(const SizeAtom *atom) const {
  SizeExpr same = context->impl->make(atom);
  auto rangeOf = [&](SizeExpr x) {
    return ask([&](SizeBounds &bounds) { return bounds.range(x); });
  };
  switch (atom->kind) {
  case SizeAtom::Symbol: {
    Symbol known = get(atom);
    if (known.same)
      return simplify(known.same);
    if (known.range.min && known.range.min == known.range.max)
      return context->constant(*known.range.min);
    return same;
  }
  case SizeAtom::FloorDiv: {
    SizeExpr x = simplify(atom->operands[0]), y = simplify(atom->operands[1]);
    SizeExpr quotient = context->floorDiv(x, y);
    if (quotient != same)
      return simplify(quotient);
    SizeRange bounds = rangeOf(same);
    if (bounds.min && bounds.min == bounds.max)
      return context->constant(*bounds.min);
    // Ranges of x and y alone do not see that x is below y.
    if (rangeOf(x).min.value_or(-1) >= 0 &&
        rangeOf(context->sub(y, x)).min.value_or(0) >= 1)
      return context->constant(0);
    return same;
  }
  case SizeAtom::Wrap: {
    SizeExpr x = simplify(atom->operands[0]);
    return rangeOf(x).isBounded() ? x : context->wrap(x);
  }
  case SizeAtom::Min:
  case SizeAtom::Max: {
    SizeExpr result;
    llvm::SmallVector<SizeExpr> kept;
    for (SizeExpr operand : atom->operands) {
      SizeExpr x = simplify(operand);
      if (!x)
        return same;
      bool wins = true;
      for (unsigned i = 0; wins && i < kept.size();) {
        SizeExpr less = atom->kind == SizeAtom::Max ? context->sub(kept[i], x)
                                                    : context->sub(x, kept[i]);
        if (isNonNegative(less, 1))
          wins = false;
        else if (isNonNegative(context->mul(less, -1), 1))
          kept.erase(kept.begin() + i);
        else
          ++i;
      }
      if (wins)
        kept.push_back(x);
    }
    result = kept[0];
    for (SizeExpr x : ArrayRef(kept).drop_front())
      result = atom->kind == SizeAtom::Max ? context->max(result, x)
                                           : context->min(result, x);
    return result;
  }
  }
  return same;
}

/// `c * (x // c)` is `x - r` where the divisors of symbols say that `r` is
/// left.
SizeExpr SizeFacts::dropExactQuotients(SizeExpr x) const {
  for (const SizeTerm &term : Impl::terms(x))
    for (const SizeAtom *atom : term.atoms) {
      if (atom->kind != SizeAtom::FloorDiv)
        continue;
      auto by = atom->operands[1].getConstant();
      if (!by || term.coefficient % *by != 0)
        continue;
      SizeCongruence known = ask([&](SizeBounds &bounds) {
        return bounds.congruence(atom->operands[0]);
      });
      if (known.modulus % *by != 0)
        continue;
      int64_t left = floorModulo(known.remainder, *by);
      Atoms others;
      divideAtoms(term.atoms, ArrayRef(atom), others);
      SizeExpr exact =
          context->mul(context->sub(atom->operands[0], context->constant(left)),
                       context->impl->make(others, term.coefficient / *by));
      SizeExpr rest =
          context->sub(x, context->impl->make(term.atoms, term.coefficient));
      if (SizeExpr result = context->add(rest, exact))
        return dropExactQuotients(result);
    }
  return x;
}

SizeExpr SizeFacts::simplify(SizeExpr x) const {
  // Deeper than this, an expression is simple enough as it is.
  constexpr unsigned kMostDepth = 24;
  if (!x || depth >= kMostDepth)
    return x;
  auto known = simplified.find(x);
  if (known != simplified.end())
    return known->second;
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  SizeExpr sum = context->constant(0);
  for (const SizeTerm &term : Impl::terms(x)) {
    SizeExpr product = context->constant(term.coefficient);
    for (const SizeAtom *atom : term.atoms)
      product = context->mul(product, simplifyAtom(atom));
    sum = context->add(sum, product);
  }
  if (!sum)
    sum = x;
  sum = dropExactQuotients(sum);
  SizeRange bounds = ask([&](SizeBounds &bounds) { return bounds.range(sum); });
  if (bounds.min && bounds.min == bounds.max)
    sum = context->constant(*bounds.min);
  return simplified[x] = sum;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

void SizeFacts::refine(SizeExpr symbol, SizeRange range) {
  const SizeAtom *atom = Impl::asAtom(symbol);
  Symbol known = get(atom);
  SizeRange both = known.range.intersect(range);
  // Ends move to the next number that the divisor allows.
  if (known.congruence.modulus > 1) {
    auto [modulus, remainder] = known.congruence;
    int64_t up = 0, down = 0;
    if (both.min && !llvm::SubOverflow(remainder, *both.min, up) &&
        !llvm::AddOverflow(*both.min, floorModulo(up, modulus), up))
      both.min = up;
    if (both.max && !llvm::SubOverflow(*both.max, remainder, down) &&
        !llvm::SubOverflow(*both.max, floorModulo(down, modulus), down))
      both.max = down;
  }
  if (both == known.range)
    return;
  if (both.isEmpty()) {
    contradictory = true;
    return;
  }
  if (!symbols.contains(symbol))
    order.push_back(symbol);
  known.range = both;
  symbols[symbol] = known;
  changed();
}

/// The number below |x| * |y| that leaves both remainders, by steps of the
/// greater modulus.
static std::optional<SizeCongruence> meet(SizeCongruence x, SizeCongruence y) {
  constexpr int64_t kMostSteps = 4096;
  if (x.modulus < y.modulus)
    std::swap(x, y);
  if (y.modulus == 0 || x.modulus == 0)
    return std::nullopt;
  int64_t common = greatestDivisor(x.modulus, y.modulus), product;
  if (floorModulo(x.remainder, common) != floorModulo(y.remainder, common))
    return SizeCongruence{-1, 0};
  if (y.modulus / common > kMostSteps ||
      llvm::MulOverflow(x.modulus, y.modulus / common, product))
    return std::nullopt;
  int64_t remainder = x.remainder;
  while (floorModulo(remainder, y.modulus) !=
         floorModulo(y.remainder, y.modulus))
    remainder += x.modulus;
  return SizeCongruence{product, remainder};
}

void SizeFacts::refine(SizeExpr symbol, SizeCongruence congruence) {
  const SizeAtom *atom = Impl::asAtom(symbol);
  Symbol known = get(atom);
  std::optional<SizeCongruence> both = meet(known.congruence, congruence);
  if (!both || both->modulus == known.congruence.modulus)
    return;
  if (both->modulus < 0) {
    contradictory = true;
    return;
  }
  if (!symbols.contains(symbol))
    order.push_back(symbol);
  known.congruence = *both;
  symbols[symbol] = known;
  changed();
  refine(symbol, known.range);
}

void SizeFacts::substitute(SizeExpr symbol, SizeExpr by) {
  Symbol known = get(Impl::asAtom(symbol));
  if (!symbols.contains(symbol))
    order.push_back(symbol);
  symbols[symbol].same = by;
  changed();
  // What was known of the symbol is known of what takes its place.
  if (by.isSymbol()) {
    refine(by, known.range);
    refine(by, known.congruence);
    return;
  }
  if (known.range.min)
    addNonNegative(context->sub(by, context->constant(*known.range.min)));
  if (known.range.max)
    addNonNegative(context->sub(context->constant(*known.range.max), by));
  if (known.congruence.modulus > 1)
    addDivisible(by, known.congruence.modulus, known.congruence.remainder);
}

/// Of `k * (x % c) + r == 0` that it says what `x` leaves.
bool SizeFacts::addRemainder(SizeExpr zero) {
  for (const Remainder &found : findRemainders(*context, zero)) {
    auto by = found.divisor.getConstant(), rest = found.rest.getConstant();
    if (!by || !rest || *rest == INT64_MIN || *rest % found.factor != 0)
      continue;
    int64_t left = -*rest / found.factor;
    if (left < 0 || left >= *by) {
      contradictory = true;
      return true;
    }
    addDivisible(found.dividend, *by, left);
    return true;
  }
  return false;
}

void SizeFacts::addEqual(SizeExpr x, SizeExpr y) {
  SizeExpr zero = context->sub(simplify(x), simplify(y));
  zero = simplify(zero);
  if (!zero)
    return;
  if (auto number = zero.getConstant()) {
    contradictory |= *number != 0;
    return;
  }
  // Where simplification gave up, a symbol could come to stand for itself.
  llvm::SetVector<SizeExpr> all;
  context->collectSymbols(zero, all);
  if (llvm::any_of(all,
                   [&](SizeExpr s) { return bool(symbols.lookup(s).same); }))
    return;
  // Divide by what all terms have in common, if it is not zero.
  ArrayRef<SizeTerm> terms = Impl::terms(zero);
  int64_t factor = 0;
  Atoms common(terms[0].atoms);
  for (const SizeTerm &term : terms) {
    factor = greatestDivisor(factor, term.coefficient);
    llvm::erase_if(common, [&](const SizeAtom *atom) {
      return !llvm::is_contained(term.atoms, atom);
    });
  }
  Impl::Polynomial divided;
  for (const SizeTerm &term : terms)
    divided.push_back({Atoms(term.atoms), term.coefficient / factor});
  zero = context->impl->make(divided);
  for (const SizeAtom *atom : common) {
    SizeRange bounds = range(context->impl->make(atom));
    if (bounds.min.value_or(0) <= 0 && bounds.max.value_or(0) >= 0)
      continue;
    Impl::Polynomial without;
    for (const SizeTerm &term : Impl::terms(zero)) {
      Atoms rest;
      if (!divideAtoms(term.atoms, ArrayRef(atom), rest))
        return;
      without.push_back({rest, term.coefficient});
    }
    return addEqual(context->impl->make(without), context->constant(0));
  }
  if (addRemainder(zero))
    return;

  // The newest symbol that the others give.
  SizeExpr symbol, by;
  const SizeAtom *newest = nullptr;
  for (const SizeTerm &term : Impl::terms(zero)) {
    if (term.atoms.size() != 1 ||
        (term.coefficient != 1 && term.coefficient != -1))
      continue;
    const SizeAtom *atom = term.atoms[0];
    if (atom->kind != SizeAtom::Symbol || (newest && atom->id < newest->id))
      continue;
    SizeExpr here = context->impl->make(atom);
    SizeExpr rest = context->sub(zero, context->mul(here, term.coefficient));
    llvm::SetVector<SizeExpr> inside;
    context->collectSymbols(rest, inside);
    if (!rest || inside.contains(here))
      continue;
    newest = atom;
    symbol = here;
    by = context->mul(rest, -term.coefficient);
  }
  if (symbol && by) {
    substitute(symbol, by);
    return;
  }
  addNonNegative(zero);
  addNonNegative(context->mul(zero, -1));
}

void SizeFacts::addNotEqual(SizeExpr x, SizeExpr y) {
  SizeExpr zero = simplify(context->sub(x, y));
  if (!zero)
    return;
  SizeRange bounds = range(zero);
  if (bounds.min == 0) {
    addNonNegative(context->sub(zero, context->constant(1)));
  } else if (bounds.max == 0) {
    addNonNegative(context->sub(context->mul(zero, -1), context->constant(1)));
  } else if (nonZero.size() < kMostInequalities && !zero.getConstant()) {
    nonZero.push_back(zero);
    changed();
  }
}

void SizeFacts::addLess(SizeExpr x, SizeExpr y) {
  addNonNegative(context->sub(context->sub(y, x), context->constant(1)));
}

void SizeFacts::addLessOrEqual(SizeExpr x, SizeExpr y) {
  addNonNegative(context->sub(y, x));
}

void SizeFacts::addDivisible(SizeExpr x, int64_t divisor, int64_t remainder) {
  SizeExpr multiple = simplify(context->sub(x, context->constant(remainder)));
  if (!multiple || divisor <= 1)
    return;
  // s + r = 0 (mod c)
  ArrayRef<SizeTerm> terms = Impl::terms(multiple);
  if (terms.empty())
    return;
  int64_t offset = terms.back().atoms.empty() ? terms.back().coefficient : 0;
  SizeExpr symbol = context->sub(multiple, context->constant(offset));
  if (symbol && symbol.isSymbol() && offset != INT64_MIN) {
    refine(symbol, SizeCongruence{divisor, floorModulo(-offset, divisor)});
    return;
  }
  if (multiple.getConstant()) {
    contradictory |= offset % divisor != 0;
    return;
  }
  // Of more symbols, one is given by the others and the unknown quotient.
  if (congruence(multiple).isDivisibleBy(divisor))
    return;
  SizeRange bounds = range(multiple), quotients;
  if (bounds.min)
    quotients.min = floorDivide(*bounds.min, divisor);
  if (bounds.max)
    quotients.max = floorDivide(*bounds.max, divisor);
  SizeExpr quotient = context->symbol(
      "q" + std::to_string(context->impl->atoms.size()), quotients);
  addEqual(multiple, context->mul(quotient, divisor));
}

void SizeFacts::addNonNegative(SizeExpr x) {
  x = simplify(x);
  if (!x)
    return;
  SizeRange bounds = range(x);
  if (bounds.min.value_or(-1) >= 0)
    return;
  if (bounds.max.value_or(0) < 0) {
    contradictory = true;
    return;
  }
  ArrayRef<SizeTerm> terms = Impl::terms(x);
  if (!llvm::is_contained(nonNegative, x) &&
      nonNegative.size() < kMostInequalities && terms.size() > 0) {
    nonNegative.push_back(x);
    changed();
  }
  // Not less than a maximum is not less than any of its operands.
  for (const SizeTerm &term : terms) {
    const SizeAtom *atom = term.atoms.size() == 1 ? term.atoms[0] : nullptr;
    if (!atom ||
        atom->kind != (term.coefficient < 0 ? SizeAtom::Max : SizeAtom::Min))
      continue;
    SizeExpr rest =
        context->sub(x, context->impl->make(term.atoms, term.coefficient));
    for (SizeExpr operand : atom->operands)
      addNonNegative(
          context->add(rest, context->mul(operand, term.coefficient)));
  }
  // c * s + rest >= 0 bounds s where the rest has a greatest value.
  for (const SizeTerm &term : terms) {
    if (term.atoms.size() != 1 || term.atoms[0]->kind != SizeAtom::Symbol ||
        term.coefficient == INT64_MIN)
      continue;
    SizeExpr symbol = context->impl->make(term.atoms[0]);
    auto most =
        range(context->sub(x, context->mul(symbol, term.coefficient))).max;
    if (!most || *most == INT64_MIN)
      continue;
    if (term.coefficient > 0)
      refine(symbol,
             SizeRange{-floorDivide(*most, term.coefficient), std::nullopt});
    else
      refine(symbol,
             SizeRange{std::nullopt, floorDivide(*most, -term.coefficient)});
  }
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// Whether ranges say so, or do once up to `steps` facts are taken away.
bool SizeFacts::isNonNegative(SizeExpr x, unsigned steps) const {
  if (!x)
    return false;
  SizeRange bounds = range(x);
  if (bounds.min.value_or(-1) >= 0)
    return true;
  if (steps == 0 || (bounds.max && *bounds.max < 0))
    return false;
  SizeExpr target = simplify(x);
  for (SizeExpr fact : nonNegative) {
    SizeExpr known = simplify(fact);
    if (!known)
      continue;
    // As much of it as makes one term disappear.
    int64_t factor = 0;
    for (const SizeTerm &term : Impl::terms(target))
      for (const SizeTerm &other : Impl::terms(known))
        if (factor == 0 && !term.atoms.empty() && term.atoms == other.atoms &&
            (term.coefficient < 0) == (other.coefficient < 0))
          factor = std::max<int64_t>(1, term.coefficient / other.coefficient);
    if (factor == 0)
      continue;
    if (isNonNegative(context->sub(target, context->mul(known, factor)),
                      steps - 1))
      return true;
  }
  return false;
}

/// How many facts a proof may use.
static constexpr unsigned kProofSteps = 2;

Answer SizeFacts::areEqual(SizeExpr x, SizeExpr y) const {
  SizeExpr zero = simplify(context->sub(simplify(x), simplify(y)));
  if (!zero)
    return Answer::Unknown;
  if (auto number = zero.getConstant())
    return *number == 0 ? Answer::Yes : Answer::No;
  SizeCongruence known = congruence(zero);
  if (known.modulus > 1 && known.remainder % known.modulus != 0)
    return Answer::No;
  SizeExpr one = context->constant(1), negated = context->mul(zero, -1);
  for (SizeExpr other : nonZero) {
    SizeExpr now = simplify(other);
    if (now == zero || now == negated)
      return Answer::No;
  }
  bool above = isNonNegative(zero, kProofSteps),
       below = isNonNegative(negated, kProofSteps);
  if (above && below)
    return Answer::Yes;
  if (isNonNegative(context->sub(zero, one), kProofSteps) ||
      isNonNegative(context->sub(negated, one), kProofSteps))
    return Answer::No;
  return Answer::Unknown;
}

Answer SizeFacts::isLess(SizeExpr x, SizeExpr y) const {
  SizeExpr one = context->constant(1);
  SizeExpr difference = context->sub(simplify(y), simplify(x));
  if (isNonNegative(context->sub(difference, one), kProofSteps))
    return Answer::Yes;
  if (isNonNegative(context->mul(difference, -1), kProofSteps))
    return Answer::No;
  return Answer::Unknown;
}

Answer SizeFacts::isLessOrEqual(SizeExpr x, SizeExpr y) const {
  return !isLess(y, x);
}

Answer SizeFacts::isDivisible(SizeExpr x, SizeExpr divisor) const {
  x = simplify(x);
  divisor = simplify(divisor);
  if (!x || !divisor)
    return Answer::Unknown;
  if (auto by = divisor.getConstant()) {
    if (*by == 0 || *by == INT64_MIN)
      return Answer::Unknown;
    SizeCongruence known = congruence(x);
    if (known.isDivisibleBy(*by))
      return Answer::Yes;
    // What both have in common with the modulus divides a multiple, too.
    int64_t common = greatestDivisor(known.modulus, *by);
    if (common != 0 && known.remainder % common != 0)
      return Answer::No;
  }
  return areEqual(context->mod(x, divisor), context->constant(0));
}

void SizeFacts::print(llvm::raw_ostream &os) const {
  for (SizeExpr symbol : order) {
    Symbol known = symbols.lookup(symbol);
    if (known.same) {
      os << context->str(symbol) << " == " << context->str(simplify(known.same))
         << "\n";
      continue;
    }
    SizeRange always = Impl::asAtom(symbol)->range;
    // An end that only moved to the next multiple says nothing new.
    int64_t step = known.congruence.modulus;
    if (known.range.min &&
        (!always.min || *known.range.min - step >= *always.min))
      os << context->str(symbol) << " >= " << *known.range.min << "\n";
    if (known.range.max &&
        (!always.max || *known.range.max + step <= *always.max))
      os << context->str(symbol) << " <= " << *known.range.max << "\n";
    if (known.congruence.modulus > 1)
      os << context->str(symbol) << " % " << known.congruence.modulus
         << " == " << known.congruence.remainder << "\n";
  }
  for (SizeExpr fact : nonNegative) {
    SizeExpr now = simplify(fact);
    if (range(now).min.value_or(-1) < 0)
      os << context->str(now) << " >= 0\n";
  }
  for (SizeExpr fact : nonZero)
    os << context->str(simplify(fact)) << " != 0\n";
}
