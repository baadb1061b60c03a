//===- SizeFactsTest.cpp - Answers about sizes are right ------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/Analysis/SizeFacts.h"

#include "gtest/gtest.h"

#include <random>

using namespace vortex;

namespace {
class SizeFactsTest : public ::testing::Test {
protected:
  SizeExpr c(int64_t value) { return sizes.constant(value); }

  SizeContext sizes;
  SizeRange extent{0, int64_t(1) << 48};
  SizeExpr a = sizes.symbol("a", extent), b = sizes.symbol("b", extent),
           d = sizes.symbol("d", extent);
  SizeFacts facts{sizes};
};
} // namespace

TEST_F(SizeFactsTest, EqualSymbolsBecomeTheOldest) {
  facts.addEqual(b, d);
  facts.addEqual(d, a);
  EXPECT_EQ(facts.simplify(sizes.mul(b, d)), sizes.mul(a, a));
  EXPECT_EQ(facts.areEqual(b, a), Answer::Yes);
  EXPECT_EQ(facts.areEqual(b, sizes.add(a, c(1))), Answer::No);
}

TEST_F(SizeFactsTest, EquationsAreSolved) {
  facts.addEqual(sizes.mul(c(2), b), sizes.mul(c(24), a));
  EXPECT_EQ(facts.simplify(b), sizes.mul(c(12), a));
  EXPECT_EQ(facts.areEqual(sizes.floorDiv(b, c(12)), a), Answer::Yes);
  EXPECT_EQ(facts.isDivisible(b, c(4)), Answer::Yes);
  // 3 a = 2 d leaves nothing to put in, but bounds.
  facts.addEqual(sizes.mul(c(3), a), sizes.mul(c(2), d));
  EXPECT_EQ(facts.areEqual(sizes.mul(c(3), a), sizes.mul(c(2), d)),
            Answer::Yes);
}

TEST_F(SizeFactsTest, Divisors) {
  facts.addDivisible(a, 4);
  facts.addDivisible(a, 6);
  EXPECT_EQ(facts.isDivisible(a, c(12)), Answer::Yes);
  EXPECT_EQ(facts.isDivisible(a, c(24)), Answer::Unknown);
  EXPECT_EQ(facts.isDivisible(sizes.add(a, c(1)), c(2)), Answer::No);
  EXPECT_EQ(facts.simplify(sizes.mul(sizes.floorDiv(a, c(12)), c(12))), a);
  // As a relation says it.
  facts.addEqual(sizes.mod(sizes.add(b, c(3)), c(8)), c(0));
  EXPECT_EQ(facts.isDivisible(sizes.add(b, c(3)), c(4)), Answer::Yes);
  facts.addEqual(sizes.mod(sizes.add(b, d), c(16)), c(0));
  EXPECT_EQ(facts.isDivisible(sizes.add(d, b), c(16)), Answer::Yes);
}

TEST_F(SizeFactsTest, Order) {
  facts.addLess(a, b);
  facts.addLessOrEqual(b, sizes.add(d, c(3)));
  EXPECT_EQ(facts.isLess(a, b), Answer::Yes);
  EXPECT_EQ(facts.isLess(b, a), Answer::No);
  EXPECT_EQ(facts.isLessOrEqual(a, sizes.add(d, c(2))), Answer::Yes);
  EXPECT_EQ(facts.isLess(a, d), Answer::Unknown);
  EXPECT_EQ(facts.areEqual(a, b), Answer::No);
  EXPECT_EQ(facts.range(b).min, 1);
  EXPECT_EQ(facts.simplify(sizes.max(b, a)), b);
}

TEST_F(SizeFactsTest, MaximaAreNotLessThanTheirOperands) {
  facts.addEqual(sizes.max(a, b), a);
  EXPECT_EQ(facts.isLessOrEqual(b, a), Answer::Yes);
  facts.addLessOrEqual(a, b);
  EXPECT_EQ(facts.areEqual(a, b), Answer::Yes);
}

TEST_F(SizeFactsTest, WordsThatFitAreNumbers) {
  SizeExpr product = sizes.wrap(sizes.mul(a, b));
  EXPECT_EQ(facts.areEqual(product, sizes.mul(a, b)), Answer::Unknown);
  facts.addLessOrEqual(a, c(4096));
  EXPECT_EQ(facts.areEqual(product, sizes.mul(a, b)), Answer::Yes);
}

TEST_F(SizeFactsTest, Contradiction) {
  facts.addEqual(a, c(3));
  facts.addEqual(a, c(4));
  EXPECT_TRUE(facts.isContradictory());
}

//===----------------------------------------------------------------------===//
// Random expressions, facts and values
//===----------------------------------------------------------------------===//

namespace {
/// An expression beside its value, computed step by step without a normal form.
/// Steps that have no value, or one beyond 64 bits, are not taken.
struct Sample {
  SizeExpr expr;
  int64_t value;
};

class Random {
public:
  explicit Random(unsigned seed) : random(seed) {}
  int64_t below(int64_t n) { return random() % n; }
  int64_t between(int64_t low, int64_t high) {
    return low + below(high - low + 1);
  }

private:
  std::mt19937_64 random;
};

class Program {
public:
  explicit Program(unsigned seed) : random(seed) {
    for (unsigned i = 0; i < 4; ++i) {
      // Sizes as they are, small numbers of either sign, and large ones.
      bool negative = random.below(4) == 0, large = random.below(6) == 0;
      int64_t value = large      ? random.between(0, int64_t(1) << 40)
                      : negative ? random.between(-20, 20)
                                 : random.between(0, 12);
      SizeRange range;
      if (!negative)
        range = {0, int64_t(1) << 48};
      if (random.below(3) == 0)
        range = {value - random.below(5), value + random.below(5)};
      symbols.push_back({sizes.symbol(std::string(1, 'a' + i), range), value});
    }
  }

  Sample constant() {
    static constexpr int64_t values[] = {0, 1,  2,  3,  4,  6,
                                         8, 12, -1, -2, -3, 64};
    int64_t value = values[random.below(std::size(values))];
    return {sizes.constant(value), value};
  }

  Sample expression(unsigned depth) {
    if (depth == 0 || random.below(5) == 0)
      return random.below(4) ? symbols[random.below(symbols.size())]
                             : constant();
    Sample x = expression(depth - 1), y = expression(depth - 1);
    int64_t value = 0, rest = 0;
    switch (random.below(9)) {
    case 0:
      if (!__builtin_add_overflow(x.value, y.value, &value))
        return {sizes.add(x.expr, y.expr), value};
      return x;
    case 1:
      if (!__builtin_sub_overflow(x.value, y.value, &value))
        return {sizes.sub(x.expr, y.expr), value};
      return x;
    case 2:
      if (!__builtin_mul_overflow(x.value, y.value, &value))
        return {sizes.mul(x.expr, y.expr), value};
      return x;
    case 3:
    case 4:
    case 5:
      if (y.value == 0 || x.value == INT64_MIN)
        return x;
      value = x.value / y.value;
      rest = x.value % y.value;
      if (rest != 0 && (rest < 0) != (y.value < 0)) {
        --value;
        rest += y.value;
      }
      if (random.below(3) == 0)
        return {sizes.mod(x.expr, y.expr), rest};
      if (random.below(2) == 0)
        return {sizes.floorDiv(x.expr, y.expr), value};
      return {sizes.ceilDiv(x.expr, y.expr), value + (rest != 0)};
    case 6:
      return {sizes.min(x.expr, y.expr), std::min(x.value, y.value)};
    case 7:
      return {sizes.max(x.expr, y.expr), std::max(x.value, y.value)};
    default:
      return {sizes.wrap(sizes.mul(x.expr, y.expr)),
              int64_t(uint64_t(x.value) * uint64_t(y.value))};
    }
  }

  /// One that holds for the values.
  void addFact(SizeFacts &facts) {
    Sample x = expression(2), y = expression(2);
    int64_t difference;
    if (__builtin_sub_overflow(x.value, y.value, &difference))
      return;
    int64_t by = random.between(2, 8);
    switch (random.below(4)) {
    case 0:
      return facts.addEqual(x.expr,
                            sizes.add(y.expr, sizes.constant(difference)));
    case 1:
      if (x.value == y.value)
        return facts.addEqual(x.expr, y.expr);
      return facts.addNotEqual(x.expr, y.expr);
    case 2:
      if (x.value < y.value)
        return facts.addLess(x.expr, y.expr);
      return facts.addLessOrEqual(y.expr, x.expr);
    default:
      return facts.addDivisible(x.expr, by, (x.value % by + by) % by);
    }
  }

  std::optional<int64_t> evaluate(SizeExpr x) {
    return sizes.evaluate(x, [&](SizeExpr symbol) {
      for (const Sample &known : symbols)
        if (known.expr == symbol)
          return known.value;
      ADD_FAILURE() << "an expression has a symbol of its own";
      return int64_t(0);
    });
  }

  Random random;
  SizeContext sizes;
  std::vector<Sample> symbols;
};

class Checker {
public:
  void check(const char *question, Answer answer, bool truth, Program &program,
             const SizeFacts &facts, const Sample &x, const Sample &y) {
    ++questions;
    if (answer == Answer::Unknown)
      return;
    ++answers;
    if ((answer == Answer::Yes) == truth)
      return;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << question << " says " << (truth ? "no" : "yes") << ": "
       << program.sizes.str(x.expr) << " = " << x.value << ", "
       << program.sizes.str(y.expr) << " = " << y.value << "\nwhere\n";
    for (const Sample &symbol : program.symbols)
      os << program.sizes.str(symbol.expr) << " = " << symbol.value << "\n";
    os << "and\n";
    facts.print(os);
    ADD_FAILURE() << text;
  }

  unsigned questions = 0, answers = 0;
};
} // namespace

TEST(SizeFactsRandom, NormalFormsKeepTheValue) {
  unsigned checked = 0;
  for (unsigned seed = 0; seed < 8000; ++seed) {
    Program program(seed);
    for (unsigned i = 0; i < 10; ++i) {
      Sample x = program.expression(4);
      if (!x.expr)
        continue;
      SizeRange range = program.sizes.range(x.expr);
      ASSERT_TRUE(SizeRange::exactly(x.value).isWithin(range))
          << program.sizes.str(x.expr) << " = " << x.value << ", seed " << seed;
      // What the normal form cancels may have kept it within 64 bits.
      if (auto value = program.evaluate(x.expr)) {
        ++checked;
        ASSERT_EQ(*value, x.value)
            << program.sizes.str(x.expr) << ", seed " << seed;
      }
    }
  }
  EXPECT_GT(checked, 60000u);
}

TEST(SizeFactsRandom, AnswersHold) {
  Checker checker;
  for (unsigned seed = 0; seed < 6000 && !::testing::Test::HasFailure();
       ++seed) {
    Program program(seed);
    SizeFacts facts(program.sizes);
    for (int64_t i = program.random.below(6); i > 0; --i)
      program.addFact(facts);
    ASSERT_FALSE(facts.isContradictory()) << "seed " << seed;
    for (unsigned i = 0; i < 6; ++i) {
      Sample x = program.expression(3), y = program.expression(2);
      // Equal numbers are rare by themselves.
      if (program.random.below(3) == 0 && x.value > -1000 && x.value < 1000 &&
          y.value > -1000 && y.value < 1000)
        y = {program.sizes.add(y.expr,
                               program.sizes.constant(x.value - y.value)),
             x.value};
      checker.check("equal", facts.areEqual(x.expr, y.expr), x.value == y.value,
                    program, facts, x, y);
      checker.check("less", facts.isLess(x.expr, y.expr), x.value < y.value,
                    program, facts, x, y);
      checker.check("less or equal", facts.isLessOrEqual(x.expr, y.expr),
                    x.value <= y.value, program, facts, x, y);
      if (y.value != 0 && x.value != INT64_MIN)
        checker.check("divisible", facts.isDivisible(x.expr, y.expr),
                      x.value % y.value == 0, program, facts, x, y);
      SizeRange range = facts.range(x.expr);
      checker.check("range",
                    SizeRange::exactly(x.value).isWithin(range) ? Answer::Yes
                                                                : Answer::No,
                    true, program, facts, x, y);
      SizeCongruence congruence = facts.congruence(x.expr);
      __int128 off = __int128(x.value) - congruence.remainder;
      bool holds =
          congruence.modulus ? off % congruence.modulus == 0 : off == 0;
      checker.check("congruence", holds ? Answer::Yes : Answer::No, true,
                    program, facts, x, y);
    }
  }
  EXPECT_GT(checker.questions, 200000u);
  // An analysis that never answers is right, too.
  EXPECT_GT(checker.answers, checker.questions / 3);
}
