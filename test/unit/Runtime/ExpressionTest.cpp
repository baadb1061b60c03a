//===- ExpressionTest.cpp - Relations between sizes -----------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expression.h"

#include "gtest/gtest.h"

#include <cstdint>

using namespace vortex::runtime;

static const int64_t values[] = {7, 2, Expression::unknown, INT64_MAX};
static int symbol(const std::string &name) {
  return name == "m"           ? 0
         : name == "arg0.dim1" ? 1
         : name == "u"         ? 2
         : name == "huge"      ? 3
                               : -1;
}
static int64_t valueOf(const std::string &text) {
  Expression e;
  EXPECT_EQ(e.compile(text, symbol), "") << text;
  int64_t result = -99;
  EXPECT_EQ(e.evaluate(values, result), Expression::Outcome::Value) << text;
  return result;
}
static Expression::Outcome outcomeOf(const std::string &text) {
  Expression e;
  EXPECT_EQ(e.compile(text, symbol), "") << text;
  int64_t result;
  return e.evaluate(values, result);
}

TEST(Expression, Arithmetic) {
  EXPECT_EQ(valueOf("1 + 2*m - 3"), 12);
  EXPECT_EQ(valueOf("(1 + 2) * m"), 21);
  EXPECT_EQ(valueOf("m // arg0.dim1"), 3);
  EXPECT_EQ(valueOf("-m // 2"), -4);
  EXPECT_EQ(valueOf("-m % 4"), 1);
  EXPECT_EQ(valueOf("m ceildiv 2"), 4);
  EXPECT_EQ(valueOf("-m ceildiv 2"), -3);
  EXPECT_EQ(valueOf("m mod 4 + m floordiv 4"), 4);
  EXPECT_EQ(valueOf("max(m, 9) - min(m, 2)"), 7);
  EXPECT_EQ(valueOf("max(m, 9, 11) - min(m, 2, 1)"), 10);
}

TEST(Expression, Comparisons) {
  EXPECT_EQ(valueOf("m <= 7"), 1);
  EXPECT_EQ(valueOf("m < 7"), 0);
  EXPECT_EQ(valueOf("m >= 8"), 0);
  EXPECT_EQ(valueOf("m > 6"), 1);
  EXPECT_EQ(valueOf("m == arg0.dim1 + 5"), 1);
  EXPECT_EQ(valueOf("m != 7"), 0);
  EXPECT_EQ(valueOf("m % 8 == 0"), 0);
}

TEST(Expression, NoValue) {
  EXPECT_EQ(outcomeOf("m + u"), Expression::Outcome::Unknown);
  EXPECT_EQ(outcomeOf("m % (m - 7)"), Expression::Outcome::DivisionByZero);
  EXPECT_EQ(outcomeOf("huge + 1"), Expression::Outcome::Overflow);
  EXPECT_EQ(outcomeOf("huge * huge"), Expression::Outcome::Overflow);
}

TEST(Expression, Errors) {
  Expression e;
  for (const char *text : {"", "m +", "m <=", "(m", "m)", "m m", "nosuch",
                           "max(m)", "&", "1 = 2", "99999999999999999999"})
    EXPECT_NE(e.compile(text, symbol), "") << text;
  EXPECT_EQ(e.compile("nosuch < 1", symbol), "there is no size 'nosuch'");
  EXPECT_NE(e.compile(std::string(1000, '('), symbol), "");
  EXPECT_NE(e.compile(std::string(1000, '-') + "m", symbol), "");
}

TEST(Expression, DeepestNestingFitsTheStack) {
  // Each level keeps a left operand.
  std::string text = "m";
  for (int i = 0; i < 28; ++i)
    text = "(1 + 1 * " + text + ")";
  EXPECT_EQ(valueOf(text), 35);
}
