//===- SizeExpr.cpp - Integer expressions in a normal form ----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeNodes.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <numeric>

using namespace vortex;
using namespace vortex::detail;
using llvm::ArrayRef;
using llvm::SmallVector;

int64_t vortex::detail::floorDivide(int64_t x, int64_t y) {
  int64_t quotient = x / y;
  return x % y != 0 && ((x < 0) != (y < 0)) ? quotient - 1 : quotient;
}

int64_t vortex::detail::floorModulo(int64_t x, int64_t y) {
  int64_t rest = x % y;
  return rest != 0 && ((rest < 0) != (y < 0)) ? rest + y : rest;
}

int64_t vortex::detail::greatestDivisor(int64_t x, int64_t y) {
  // -INT64_MIN is no number; a divisor too small is right, too.
  if (x == INT64_MIN || y == INT64_MIN)
    return 1;
  return std::gcd(x, y);
}

bool vortex::detail::divideAtoms(ArrayRef<const SizeAtom *> whole,
                                 ArrayRef<const SizeAtom *> part, Atoms &rest) {
  rest.clear();
  for (const SizeAtom *atom : whole) {
    if (!part.empty() && part.front() == atom)
      part = part.drop_front();
    else
      rest.push_back(atom);
  }
  return part.empty();
}

/// A monomial order: by degree, then as words; products keep it.
static bool isGreater(ArrayRef<const SizeAtom *> x,
                      ArrayRef<const SizeAtom *> y) {
  if (x.size() != y.size())
    return x.size() > y.size();
  for (auto [a, b] : llvm::zip(x, y))
    if (a != b)
      return a->id < b->id;
  return false;
}

static Atoms multiply(ArrayRef<const SizeAtom *> x,
                      ArrayRef<const SizeAtom *> y) {
  Atoms product;
  std::merge(
      x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(product),
      [](const SizeAtom *a, const SizeAtom *b) { return a->id < b->id; });
  return product;
}

//===----------------------------------------------------------------------===//
// Uniquing
//===----------------------------------------------------------------------===//

SizeExpr SizeContext::Impl::make(Polynomial polynomial) {
  llvm::sort(polynomial, [](const Term &x, const Term &y) {
    return isGreater(x.first, y.first);
  });
  Polynomial merged;
  for (Term &term : polynomial) {
    if (term.first.size() > kMostFactors)
      return {};
    if (merged.empty() || merged.back().first != term.first) {
      merged.push_back(std::move(term));
    } else if (llvm::AddOverflow(merged.back().second, term.second,
                                 merged.back().second)) {
      return {};
    }
  }
  llvm::erase_if(merged, [](const Term &term) { return term.second == 0; });
  if (merged.size() > kMostTerms)
    return {};

  SmallVector<SizeTerm> terms;
  for (const Term &term : merged)
    terms.push_back({term.first, term.second});
  llvm::FoldingSetNodeID id;
  SizeNode::profile(id, terms);
  void *place;
  if (SizeNode *known = uniqued.FindNodeOrInsertPos(id, place))
    return SizeExpr(known);
  for (SizeTerm &term : terms)
    term.atoms = term.atoms.copy(allocator);
  nodes.push_back(std::make_unique<SizeNode>());
  SizeNode *node = nodes.back().get();
  node->terms = ArrayRef(terms).copy(allocator);
  node->id = nodes.size();
  uniqued.InsertNode(node, place);
  return SizeExpr(node);
}

SizeExpr SizeContext::Impl::make(ArrayRef<const SizeAtom *> atoms,
                                 int64_t coefficient) {
  return make(Polynomial{{Atoms(atoms.begin(), atoms.end()), coefficient}});
}

SizeExpr SizeContext::Impl::make(const SizeAtom *atom) {
  return make(ArrayRef(atom), 1);
}

const SizeAtom *SizeContext::Impl::getAtom(SizeAtom::Kind kind,
                                           ArrayRef<SizeExpr> operands) {
  std::vector<const void *> key;
  for (SizeExpr operand : operands)
    key.push_back(operand.getOpaquePointer());
  const SizeAtom *&atom = uniquedAtoms[{kind, std::move(key)}];
  if (!atom) {
    atoms.push_back(
        std::make_unique<SizeAtom>(SizeAtom{kind,
                                            static_cast<unsigned>(atoms.size()),
                                            SmallVector<SizeExpr, 2>(operands),
                                            "",
                                            {}}));
    atom = atoms.back().get();
  }
  return atom;
}

const SizeAtom *SizeContext::Impl::asAtom(SizeExpr x) {
  ArrayRef<SizeTerm> all = terms(x);
  return all.size() == 1 && all[0].coefficient == 1 && all[0].atoms.size() == 1
             ? all[0].atoms[0]
             : nullptr;
}

ArrayRef<SizeTerm> SizeContext::Impl::terms(SizeExpr x) {
  return x.node->terms;
}

unsigned SizeContext::Impl::order(SizeExpr x) { return x.node->id; }

std::optional<int64_t> SizeExpr::getConstant() const {
  if (!node)
    return std::nullopt;
  if (node->terms.empty())
    return 0;
  return node->terms[0].atoms.empty()
             ? std::optional(node->terms[0].coefficient)
             : std::nullopt;
}

bool SizeExpr::isSymbol() const {
  if (!node)
    return false;
  const SizeAtom *atom = SizeContext::Impl::asAtom(*this);
  return atom && atom->kind == SizeAtom::Symbol;
}

SizeContext::SizeContext() : impl(std::make_unique<Impl>()) {}
SizeContext::~SizeContext() = default;

SizeExpr SizeContext::symbol(llvm::StringRef name, SizeRange range) {
  impl->atoms.push_back(std::make_unique<SizeAtom>(
      SizeAtom{SizeAtom::Symbol,
               static_cast<unsigned>(impl->atoms.size()),
               {},
               name.str(),
               range}));
  return impl->make(impl->atoms.back().get());
}

SizeExpr SizeContext::constant(int64_t value) {
  return impl->make(ArrayRef<const SizeAtom *>(), value);
}

//===----------------------------------------------------------------------===//
// The ring
//===----------------------------------------------------------------------===//

SizeExpr SizeContext::add(SizeExpr x, SizeExpr y) {
  if (!x || !y)
    return {};
  Impl::Polynomial sum;
  for (SizeExpr operand : {x, y})
    for (const SizeTerm &term : Impl::terms(operand))
      sum.push_back({Atoms(term.atoms), term.coefficient});
  return impl->make(std::move(sum));
}

SizeExpr SizeContext::mul(SizeExpr x, int64_t factor) {
  return mul(x, constant(factor));
}

SizeExpr SizeContext::sub(SizeExpr x, SizeExpr y) { return add(x, mul(y, -1)); }

SizeExpr SizeContext::mul(SizeExpr x, SizeExpr y) {
  if (!x || !y)
    return {};
  Impl::Polynomial product;
  for (const SizeTerm &a : Impl::terms(x))
    for (const SizeTerm &b : Impl::terms(y)) {
      int64_t coefficient;
      if (llvm::MulOverflow(a.coefficient, b.coefficient, coefficient))
        return {};
      product.push_back({multiply(a.atoms, b.atoms), coefficient});
    }
  return impl->make(std::move(product));
}

//===----------------------------------------------------------------------===//
// Quotients
//===----------------------------------------------------------------------===//

/// Divides every term of `x` by `coefficient` (rounding a constant down where
/// it is no multiple) and by `atoms`.
static SizeContext::Impl::Polynomial cancel(SizeExpr x, int64_t coefficient,
                                            ArrayRef<const SizeAtom *> atoms) {
  SizeContext::Impl::Polynomial result;
  for (const SizeTerm &term : SizeContext::Impl::terms(x)) {
    Atoms rest;
    divideAtoms(term.atoms, atoms, rest);
    result.push_back({rest, floorDivide(term.coefficient, coefficient)});
  }
  return result;
}

/// The atoms that every term of both has as factors.
static Atoms commonAtoms(SizeExpr x, SizeExpr y) {
  std::optional<Atoms> common;
  for (SizeExpr operand : {x, y})
    for (const SizeTerm &term : SizeContext::Impl::terms(operand)) {
      if (!common) {
        common = Atoms(term.atoms);
        continue;
      }
      Atoms both;
      std::set_intersection(
          common->begin(), common->end(), term.atoms.begin(), term.atoms.end(),
          std::back_inserter(both),
          [](const SizeAtom *a, const SizeAtom *b) { return a->id < b->id; });
      common = both;
    }
  return common.value_or(Atoms());
}

SizeExpr SizeContext::floorDiv(SizeExpr x, SizeExpr y) {
  // Each step of a division of polynomials takes one term away.
  constexpr unsigned kMostSteps = 64;
  if (!x || !y || y.getConstant() == 0)
    return {};
  if (Impl::terms(y)[0].coefficient < 0) {
    x = mul(x, -1);
    y = mul(y, -1);
    if (!x || !y)
      return {};
  }
  if (y.getConstant() == 1)
    return x;
  if (x.getConstant() && y.getConstant())
    return constant(floorDivide(*x.getConstant(), *y.getConstant()));

  // x = whole * y + rest, and the quotient is whole + floor(rest / y).
  SizeExpr whole = constant(0), rest = x;
  const SizeTerm &leading = Impl::terms(y)[0];
  for (unsigned step = 0; step < kMostSteps; ++step) {
    SizeExpr part;
    for (const SizeTerm &term : Impl::terms(rest)) {
      Atoms atoms;
      int64_t quotient = floorDivide(term.coefficient, leading.coefficient);
      if (quotient == 0 || !divideAtoms(term.atoms, leading.atoms, atoms))
        continue;
      part = impl->make(atoms, quotient);
      break;
    }
    if (!part)
      break;
    SizeExpr less = sub(rest, mul(part, y)), more = add(whole, part);
    if (!less || !more)
      return {};
    rest = less;
    whole = more;
  }

  // What both have in common is not zero, since y is not.
  std::optional<int64_t> divisor = y.getConstant();
  int64_t common = 0;
  for (const SizeTerm &term : Impl::terms(y))
    common = greatestDivisor(common, term.coefficient);
  for (const SizeTerm &term : Impl::terms(rest))
    // floor((g * a + k) / (g * c)) = floor((a + floor(k / g)) / c), c positive
    if (!divisor || !term.atoms.empty())
      common = greatestDivisor(common, term.coefficient);
  Atoms atoms = commonAtoms(rest, y);
  if (rest.getConstant() == 0)
    return whole;
  if (common > 1 || !atoms.empty()) {
    SizeExpr fewer =
        impl->make(cancel(rest, std::max<int64_t>(common, 1), atoms));
    SizeExpr lower = impl->make(cancel(y, std::max<int64_t>(common, 1), atoms));
    return add(whole, floorDiv(fewer, lower));
  }

  SizeRange bounds = range(rest);
  if (divisor && bounds.isBounded() &&
      floorDivide(*bounds.min, *divisor) == floorDivide(*bounds.max, *divisor))
    return add(whole, constant(floorDivide(*bounds.min, *divisor)));
  if (!divisor && bounds.min.value_or(-1) >= 0 &&
      range(sub(y, rest)).min.value_or(0) >= 1)
    return whole;
  if (!divisor && bounds.max.value_or(0) < 0 &&
      range(add(y, rest)).min.value_or(-1) >= 0)
    return sub(whole, constant(1));

  // floor((floor(a / d) + k) / c) = floor((a + k * d) / (d * c)), c, d positive
  if (divisor) {
    ArrayRef<SizeTerm> terms = Impl::terms(rest);
    int64_t offset = terms.back().atoms.empty() ? terms.back().coefficient : 0;
    const SizeAtom *inner = Impl::asAtom(sub(rest, constant(offset)));
    if (inner && inner->kind == SizeAtom::FloorDiv)
      if (std::optional<int64_t> by = inner->operands[1].getConstant())
        if (SizeExpr product = mul(y, *by))
          if (SizeExpr dividend =
                  add(inner->operands[0], mul(constant(offset), *by)))
            return add(whole, floorDiv(dividend, product));
  }
  return add(whole, impl->make(impl->getAtom(SizeAtom::FloorDiv, {rest, y})));
}

SizeExpr SizeContext::ceilDiv(SizeExpr x, SizeExpr y) {
  if (!x || !y)
    return {};
  // The first form is the one that is written where sizes are rounded up.
  if (range(y).min.value_or(0) >= 1)
    return floorDiv(add(x, sub(y, constant(1))), y);
  return mul(floorDiv(mul(x, -1), y), -1);
}

SizeExpr SizeContext::mod(SizeExpr x, SizeExpr y) {
  return sub(x, mul(y, floorDiv(x, y)));
}

//===----------------------------------------------------------------------===//
// Minima, maxima, words
//===----------------------------------------------------------------------===//

/// Of operands whose order is known one is kept.
static SizeExpr combine(SizeContext &context, SizeContext::Impl &impl,
                        SizeAtom::Kind kind, SizeExpr x, SizeExpr y,
                        llvm::function_ref<SizeRange(SizeExpr)> rangeOf) {
  if (!x || !y)
    return {};
  SmallVector<SizeExpr> operands, kept;
  for (SizeExpr operand : {x, y}) {
    const SizeAtom *atom = SizeContext::Impl::asAtom(operand);
    if (atom && atom->kind == kind)
      llvm::append_range(operands, atom->operands);
    else
      operands.push_back(operand);
  }
  for (SizeExpr operand : operands) {
    bool wins = true;
    for (unsigned i = 0; wins && i < kept.size();) {
      SizeExpr less = kind == SizeAtom::Max ? context.sub(kept[i], operand)
                                            : context.sub(operand, kept[i]);
      SizeRange range = less ? rangeOf(less) : SizeRange();
      if (range.min.value_or(-1) >= 0)
        wins = false;
      else if (range.max.value_or(1) <= 0)
        kept.erase(kept.begin() + i);
      else
        ++i;
    }
    if (wins)
      kept.push_back(operand);
  }
  if (kept.size() == 1)
    return kept[0];
  llvm::sort(kept, [&](SizeExpr a, SizeExpr b) {
    return impl.order(a) < impl.order(b);
  });
  return impl.make(impl.getAtom(kind, kept));
}

SizeExpr SizeContext::min(SizeExpr x, SizeExpr y) {
  return combine(*this, *impl, SizeAtom::Min, x, y,
                 [&](SizeExpr e) { return range(e); });
}

SizeExpr SizeContext::max(SizeExpr x, SizeExpr y) {
  return combine(*this, *impl, SizeAtom::Max, x, y,
                 [&](SizeExpr e) { return range(e); });
}

SizeExpr SizeContext::wrap(SizeExpr x) {
  if (!x || range(x).isBounded())
    return x;
  // Sums and products of words are those of what was cut to them.
  SizeExpr inner = constant(0);
  for (const SizeTerm &term : Impl::terms(x)) {
    SizeExpr product = constant(term.coefficient);
    for (const SizeAtom *atom : term.atoms)
      product = mul(product, atom->kind == SizeAtom::Wrap ? atom->operands[0]
                                                          : impl->make(atom));
    inner = add(inner, product);
  }
  if (!inner)
    inner = x;
  if (inner != x && range(inner).isBounded())
    return inner;
  return impl->make(impl->getAtom(SizeAtom::Wrap, inner));
}

//===----------------------------------------------------------------------===//
// Walks
//===----------------------------------------------------------------------===//

// Expressions share their parts: each is walked once.

SizeExpr SizeContext::substitute(SizeExpr x,
                                 llvm::function_ref<SizeExpr(SizeExpr)> of) {
  llvm::DenseMap<SizeExpr, SizeExpr> done;
  return substitute(x, of, done);
}

SizeExpr SizeContext::substitute(SizeExpr x,
                                 llvm::function_ref<SizeExpr(SizeExpr)> of,
                                 llvm::DenseMap<SizeExpr, SizeExpr> &done) {
  if (!x)
    return {};
  if (auto it = done.find(x); it != done.end())
    return it->second;
  SizeExpr sum = constant(0);
  for (const SizeTerm &term : Impl::terms(x)) {
    SizeExpr product = constant(term.coefficient);
    for (const SizeAtom *atom : term.atoms) {
      SizeExpr same = impl->make(atom);
      SmallVector<SizeExpr, 2> operands;
      for (SizeExpr operand : atom->operands)
        operands.push_back(substitute(operand, of, done));
      switch (atom->kind) {
      case SizeAtom::Symbol:
        if (SizeExpr other = of(same))
          same = other;
        break;
      case SizeAtom::FloorDiv:
        same = floorDiv(operands[0], operands[1]);
        break;
      case SizeAtom::Min:
      case SizeAtom::Max:
        same = operands[0];
        for (SizeExpr operand : ArrayRef(operands).drop_front())
          same = atom->kind == SizeAtom::Min ? min(same, operand)
                                             : max(same, operand);
        break;
      case SizeAtom::Wrap:
        same = wrap(operands[0]);
        break;
      }
      product = mul(product, same);
    }
    sum = add(sum, product);
  }
  return done[x] = sum;
}

void SizeContext::collectSymbols(SizeExpr x,
                                 llvm::SetVector<SizeExpr> &symbols) {
  llvm::DenseSet<SizeExpr> seen;
  SmallVector<SizeExpr> open{x};
  while (!open.empty()) {
    SizeExpr next = open.pop_back_val();
    if (!next || !seen.insert(next).second)
      continue;
    for (const SizeTerm &term : Impl::terms(next))
      for (const SizeAtom *atom : term.atoms) {
        if (atom->kind == SizeAtom::Symbol)
          symbols.insert(impl->make(atom));
        llvm::append_range(open, atom->operands);
      }
  }
}

std::optional<int64_t>
SizeContext::evaluate(SizeExpr x, llvm::function_ref<int64_t(SizeExpr)> of) {
  if (!x)
    return std::nullopt;
  auto evaluateAtom = [&](const SizeAtom *atom) -> std::optional<int64_t> {
    if (atom->kind == SizeAtom::Symbol)
      return of(impl->make(atom));
    if (atom->kind == SizeAtom::Wrap) {
      uint64_t sum = 0;
      for (const SizeTerm &term : Impl::terms(atom->operands[0])) {
        uint64_t product = term.coefficient;
        for (const SizeAtom *factor : term.atoms) {
          auto value = evaluate(impl->make(factor), of);
          if (!value)
            return std::nullopt;
          product *= static_cast<uint64_t>(*value);
        }
        sum += product;
      }
      return static_cast<int64_t>(sum);
    }
    SmallVector<int64_t, 2> values;
    for (SizeExpr operand : atom->operands) {
      auto value = evaluate(operand, of);
      if (!value)
        return std::nullopt;
      values.push_back(*value);
    }
    switch (atom->kind) {
    case SizeAtom::FloorDiv:
      if (values[1] == 0 || (values[0] == INT64_MIN && values[1] == -1))
        return std::nullopt;
      return floorDivide(values[0], values[1]);
    case SizeAtom::Min:
      return *llvm::min_element(values);
    default:
      return *llvm::max_element(values);
    }
  };
  __int128 sum = 0;
  for (const SizeTerm &term : Impl::terms(x)) {
    __int128 product = term.coefficient;
    for (const SizeAtom *atom : term.atoms) {
      auto value = evaluateAtom(atom);
      if (!value || __builtin_mul_overflow(product, __int128(*value), &product))
        return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum))
      return std::nullopt;
  }
  if (sum < INT64_MIN || sum > INT64_MAX)
    return std::nullopt;
  return static_cast<int64_t>(sum);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printOperand(SizeContext &context, SizeExpr x,
                         llvm::raw_ostream &os) {
  bool simple = x && (x.isSymbol() || x.getConstant().value_or(-1) >= 0);
  os << (simple ? "" : "(");
  context.print(x, os);
  os << (simple ? "" : ")");
}

static void printAtom(SizeContext &context, const SizeAtom *atom,
                      llvm::raw_ostream &os) {
  switch (atom->kind) {
  case SizeAtom::Symbol:
    os << atom->name;
    return;
  case SizeAtom::FloorDiv:
    printOperand(context, atom->operands[0], os);
    os << " // ";
    printOperand(context, atom->operands[1], os);
    return;
  default:
    os << (atom->kind == SizeAtom::Min   ? "min("
           : atom->kind == SizeAtom::Max ? "max("
                                         : "wrap(");
    llvm::interleaveComma(atom->operands, os,
                          [&](SizeExpr e) { context.print(e, os); });
    os << ")";
  }
}

void SizeContext::print(SizeExpr x, llvm::raw_ostream &os) {
  if (!x) {
    os << "?";
    return;
  }
  // What is this deep nobody reads, and written out it may be of any length.
  constexpr unsigned kDeepest = 8;
  llvm::SaveAndRestore depth(impl->printDepth, impl->printDepth + 1);
  if (impl->printDepth > kDeepest) {
    os << "...";
    return;
  }
  ArrayRef<SizeTerm> terms = Impl::terms(x);
  if (terms.empty())
    os << "0";
  // The remainder is what was meant where it makes the text shorter.
  for (const Remainder &found : findRemainders(*this, x)) {
    if (found.factor < 0 || !found.rest ||
        Impl::terms(found.rest).size() + 2 > terms.size())
      continue;
    if (found.factor != 1)
      os << found.factor << "*(";
    printOperand(*this, found.dividend, os);
    os << " % ";
    printOperand(*this, found.divisor, os);
    os << (found.factor != 1 ? ")" : "");
    if (found.rest.getConstant() != 0) {
      os << " + ";
      print(found.rest, os);
    }
    return;
  }
  bool first = true;
  for (const SizeTerm &term : terms) {
    uint64_t magnitude = term.coefficient < 0
                             ? -static_cast<uint64_t>(term.coefficient)
                             : term.coefficient;
    if (first)
      os << (term.coefficient < 0 ? "-" : "");
    else
      os << (term.coefficient < 0 ? " - " : " + ");
    first = false;
    bool factors = magnitude != 1 || term.atoms.size() > 1;
    if (magnitude != 1 || term.atoms.empty())
      os << magnitude << (term.atoms.empty() ? "" : "*");
    llvm::interleave(
        term.atoms, os,
        [&](const SizeAtom *atom) {
          bool grouped = factors && atom->kind == SizeAtom::FloorDiv;
          os << (grouped ? "(" : "");
          printAtom(*this, atom, os);
          os << (grouped ? ")" : "");
        },
        "*");
  }
}

std::string SizeContext::str(SizeExpr x) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(x, os);
  return text;
}
