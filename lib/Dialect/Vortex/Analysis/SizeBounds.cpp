//===- SizeBounds.cpp - Ranges and divisors of expressions ----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeNodes.h"

#include "llvm/Support/MathExtras.h"

using namespace vortex;
using namespace vortex::detail;
using llvm::ArrayRef;

//===----------------------------------------------------------------------===//
// Intervals with room for products of sizes
//===----------------------------------------------------------------------===//

namespace {
using Wide = __int128;
constexpr Wide kInfinity = Wide(1) << 120;

Wide clamp(Wide x) {
  return x >= kInfinity ? kInfinity : x <= -kInfinity ? -kInfinity : x;
}
bool isInfinite(Wide x) { return x == kInfinity || x == -kInfinity; }

Wide multiplied(Wide x, Wide y) {
  Wide product;
  if (!__builtin_mul_overflow(x, y, &product))
    return clamp(product);
  return (x < 0) == (y < 0) ? kInfinity : -kInfinity;
}

struct Interval {
  Wide min = -kInfinity, max = kInfinity;

  Interval() = default;
  Interval(Wide min, Wide max) : min(min), max(max) {}
  Interval(const SizeRange &range)
      : min(range.min ? Wide(*range.min) : -kInfinity),
        max(range.max ? Wide(*range.max) : kInfinity) {}

  SizeRange get() const {
    auto word = [](Wide x) {
      return x >= INT64_MIN && x <= INT64_MAX
                 ? std::optional(static_cast<int64_t>(x))
                 : std::nullopt;
    };
    return {word(min), word(max)};
  }
  Interval operator+(Interval o) const {
    // A side that has no end keeps having none.
    Interval sum(
        isInfinite(min) || isInfinite(o.min) ? -kInfinity : clamp(min + o.min),
        isInfinite(max) || isInfinite(o.max) ? kInfinity : clamp(max + o.max));
    return sum;
  }
  Interval operator*(Interval o) const {
    Wide ends[] = {multiplied(min, o.min), multiplied(min, o.max),
                   multiplied(max, o.min), multiplied(max, o.max)};
    return {*std::min_element(ends, ends + 4),
            *std::max_element(ends, ends + 4)};
  }
  Interval operator&(Interval o) const {
    return {std::max(min, o.min), std::min(max, o.max)};
  }
};

Wide floorDivided(Wide x, Wide y) {
  if (isInfinite(x))
    return (x < 0) == (y < 0) ? kInfinity : -kInfinity;
  if (isInfinite(y))
    return x != 0 && (x < 0) != (y < 0) ? -1 : 0;
  Wide quotient = x / y;
  return x % y != 0 && ((x < 0) != (y < 0)) ? quotient - 1 : quotient;
}
} // namespace

SizeRange SizeRange::ofWidth(unsigned width) {
  return {llvm::minIntN(width), llvm::maxIntN(width)};
}

bool SizeRange::isWithin(const SizeRange &other) const {
  return (!other.min || (min && *min >= *other.min)) &&
         (!other.max || (max && *max <= *other.max));
}

SizeRange SizeRange::intersect(const SizeRange &other) const {
  SizeRange both = *this;
  if (other.min && (!min || *other.min > *min))
    both.min = other.min;
  if (other.max && (!max || *other.max < *max))
    both.max = other.max;
  return both;
}

SizeRange SizeRange::join(const SizeRange &other) const {
  SizeRange either;
  if (min && other.min)
    either.min = std::min(*min, *other.min);
  if (max && other.max)
    either.max = std::max(*max, *other.max);
  return either;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

llvm::SmallVector<Remainder, 2>
vortex::detail::findRemainders(SizeContext &context, SizeExpr x) {
  llvm::SmallVector<Remainder, 2> found;
  for (const SizeTerm &term : SizeContext::Impl::terms(x))
    for (const SizeAtom *atom : term.atoms) {
      if (atom->kind != SizeAtom::FloorDiv)
        continue;
      SizeExpr dividend = atom->operands[0], divisor = atom->operands[1];
      ArrayRef<SizeTerm> by = SizeContext::Impl::terms(divisor);
      Atoms others;
      if (by.size() != 1 || !divideAtoms(term.atoms, ArrayRef(atom), others) ||
          ArrayRef(others) != by[0].atoms ||
          term.coefficient % by[0].coefficient != 0 ||
          term.coefficient == INT64_MIN)
        continue;
      int64_t factor = -(term.coefficient / by[0].coefficient);
      // mod() would find the remainder again, written with this very atom.
      SizeExpr rest =
          context.sub(x, context.mul(context.mod(dividend, divisor), factor));
      if (rest)
        found.push_back({factor, dividend, divisor, rest});
    }
  return found;
}

SizeRange SizeBounds::remainderRange(const Remainder &remainder) {
  if (std::optional<int64_t> by = remainder.divisor.getConstant()) {
    SizeCongruence known = congruence(remainder.dividend);
    if (known.isDivisibleBy(*by))
      return SizeRange::exactly(0);
    if (known.modulus % *by == 0)
      return SizeRange::exactly(floorModulo(known.remainder, *by));
  }
  SizeRange by = range(remainder.divisor), of = range(remainder.dividend);
  if (by.min.value_or(-1) < 0)
    return {};
  // It is not zero, or there would be no value.
  SizeRange result{0, std::nullopt};
  if (by.max)
    result.max = std::max<int64_t>(*by.max, 1) - 1;
  if (of.min.value_or(-1) >= 0)
    result = result.intersect({std::nullopt, of.max});
  return result;
}

SizeRange SizeBounds::atomRange(const SizeAtom *atom) {
  if (atom->kind == SizeAtom::Symbol)
    return symbolRange(atom);
  SizeRange first = range(atom->operands[0]);
  switch (atom->kind) {
  case SizeAtom::Wrap:
    return first.isBounded() ? first : SizeRange::ofWidth(64);
  case SizeAtom::FloorDiv: {
    Interval of(first), by(range(atom->operands[1]));
    if (by.min < 0)
      return {};
    by.min = std::max(by.min, Wide(1));
    by.max = std::max(by.max, Wide(1));
    return Interval(floorDivided(of.min, of.min < 0 ? by.min : by.max),
                    floorDivided(of.max, of.max < 0 ? by.max : by.min))
        .get();
  }
  default: {
    bool isMax = atom->kind == SizeAtom::Max;
    for (SizeExpr operand : ArrayRef(atom->operands).drop_front()) {
      SizeRange other = range(operand);
      SizeRange both = first.join(other);
      // One end is that of any operand that has one.
      auto &end = isMax ? both.min : both.max;
      auto a = isMax ? first.min : first.max, b = isMax ? other.min : other.max;
      end = a && b ? (isMax ? std::max(*a, *b) : std::min(*a, *b)) : a ? a : b;
      first = both;
    }
    return first;
  }
  }
}

SizeRange SizeBounds::range(SizeExpr x) {
  if (!x || depth >= kMostDepth) {
    isCut = true;
    return {};
  }
  auto known = ranges.find(x);
  if (known != ranges.end())
    return known->second;
  ++depth;
  SizeRange result = computeRange(x);
  --depth;
  if (!isCut)
    ranges[x] = result;
  return result;
}

SizeRange SizeBounds::computeRange(SizeExpr x) {
  Interval sum(0, 0);
  for (const SizeTerm &term : SizeContext::Impl::terms(x)) {
    auto rangeOf = [&](ArrayRef<const SizeAtom *> atoms) {
      Interval product(1, 1);
      for (const SizeAtom *atom : atoms)
        product = product * Interval(atomRange(atom));
      return product;
    };
    Interval product = rangeOf(term.atoms);
    if (term.atoms.size() > 1)
      for (const auto &[atoms, bound] : context.impl->products) {
        Atoms rest;
        if (divideAtoms(term.atoms, atoms, rest))
          product = product & (Interval(bound) * rangeOf(rest));
      }
    sum = sum + product * Interval(term.coefficient, term.coefficient);
  }
  for (const Remainder &found : findRemainders(context, x))
    sum = sum & (Interval(remainderRange(found)) *
                     Interval(found.factor, found.factor) +
                 Interval(range(found.rest)));
  return sum.get();
}

SizeRange SizeContext::range(SizeExpr x) {
  return SizeBounds(
             *this, [](const SizeAtom *symbol) { return symbol->range; },
             [](const SizeAtom *) { return SizeCongruence(); }, impl->ranges)
      .range(x);
}

void SizeContext::boundProduct(SizeExpr product, SizeRange range) {
  ArrayRef<SizeTerm> terms = Impl::terms(product);
  if (terms.size() == 1 && terms[0].coefficient == 1)
    impl->products.push_back({Atoms(terms[0].atoms), range});
  impl->ranges.clear();
}

//===----------------------------------------------------------------------===//
// Congruences
//===----------------------------------------------------------------------===//

bool SizeCongruence::isDivisibleBy(int64_t divisor) const {
  return divisor != 0 && divisor != INT64_MIN && modulus % divisor == 0 &&
         remainder % divisor == 0;
}

static SizeCongruence normalized(Wide modulus, Wide remainder) {
  if (modulus > INT64_MAX || modulus < 0)
    return {};
  if (modulus > 0) {
    remainder %= modulus;
    remainder += remainder < 0 ? modulus : 0;
  }
  if (remainder > INT64_MAX || remainder < INT64_MIN)
    return {};
  return {static_cast<int64_t>(modulus), static_cast<int64_t>(remainder)};
}

static Wide common(Wide x, Wide y) {
  x = x < 0 ? -x : x;
  y = y < 0 ? -y : y;
  while (y != 0)
    std::swap(x %= y, y);
  return x;
}

static SizeCongruence add(SizeCongruence x, SizeCongruence y) {
  return normalized(common(x.modulus, y.modulus),
                    Wide(x.remainder) + y.remainder);
}

static SizeCongruence multiply(SizeCongruence x, SizeCongruence y) {
  Wide modulus =
      common(common(Wide(x.modulus) * y.modulus, Wide(x.modulus) * y.remainder),
             Wide(y.modulus) * x.remainder);
  return normalized(modulus, Wide(x.remainder) * y.remainder);
}

SizeCongruence SizeBounds::atomCongruence(const SizeAtom *atom) {
  if (atom->kind == SizeAtom::Symbol)
    return symbolCongruence(atom);
  SizeCongruence first = congruence(atom->operands[0]);
  switch (atom->kind) {
  case SizeAtom::Wrap: {
    // 2^64 takes all but powers of two away.
    int64_t power = first.modulus & -static_cast<uint64_t>(first.modulus);
    return first.modulus ? normalized(power, first.remainder)
                         : SizeCongruence();
  }
  case SizeAtom::FloorDiv: {
    auto by = atom->operands[1].getConstant();
    if (!by || *by <= 0 || first.modulus % *by != 0)
      return {};
    return normalized(first.modulus / *by, floorDivide(first.remainder, *by));
  }
  default:
    for (SizeExpr operand : ArrayRef(atom->operands).drop_front()) {
      SizeCongruence other = congruence(operand);
      first = normalized(common(common(first.modulus, other.modulus),
                                Wide(first.remainder) - other.remainder),
                         first.remainder);
    }
    return first;
  }
}

SizeCongruence SizeBounds::congruence(SizeExpr x) {
  if (!x || depth >= kMostDepth)
    return {};
  ++depth;
  SizeCongruence sum{0, 0};
  for (const SizeTerm &term : SizeContext::Impl::terms(x)) {
    SizeCongruence product{0, term.coefficient};
    for (const SizeAtom *atom : term.atoms)
      product = multiply(product, atomCongruence(atom));
    sum = add(sum, product);
  }
  --depth;
  return sum;
}

SizeCongruence SizeContext::congruence(SizeExpr x) {
  return SizeBounds(
             *this, [](const SizeAtom *symbol) { return symbol->range; },
             [](const SizeAtom *) { return SizeCongruence(); }, impl->ranges)
      .congruence(x);
}
