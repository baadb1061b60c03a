//===- SizeExprTest.cpp - One form for every spelling ---------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/Analysis/SizeExpr.h"

#include "gtest/gtest.h"

using namespace vortex;

namespace {
class SizeExprTest : public ::testing::Test {
protected:
  SizeExpr c(int64_t value) { return sizes.constant(value); }
  SizeExpr add(SizeExpr x, SizeExpr y) { return sizes.add(x, y); }
  SizeExpr sub(SizeExpr x, SizeExpr y) { return sizes.sub(x, y); }
  SizeExpr mul(SizeExpr x, SizeExpr y) { return sizes.mul(x, y); }
  SizeExpr div(SizeExpr x, SizeExpr y) { return sizes.floorDiv(x, y); }
  SizeExpr mod(SizeExpr x, SizeExpr y) { return sizes.mod(x, y); }
  std::string str(SizeExpr x) { return sizes.str(x); }

  SizeContext sizes;
  SizeRange extent{0, int64_t(1) << 48};
  SizeExpr a = sizes.symbol("a", extent), b = sizes.symbol("b", extent),
           x = sizes.symbol("x"), y = sizes.symbol("y");
};
} // namespace

TEST_F(SizeExprTest, Ring) {
  EXPECT_EQ(mul(a, b), mul(b, a));
  EXPECT_EQ(mul(add(a, b), sub(a, b)), sub(mul(a, a), mul(b, b)));
  EXPECT_EQ(sub(add(a, b), b), a);
  EXPECT_EQ(sub(a, a), c(0));
  EXPECT_NE(a, b);
  EXPECT_EQ(str(add(mul(c(12), b), c(-3))), "12*b - 3");
}

TEST_F(SizeExprTest, Quotients) {
  EXPECT_EQ(div(mul(c(12), b), c(12)), b);
  EXPECT_EQ(div(mul(x, y), y), x);
  EXPECT_EQ(div(add(mul(c(12), x), c(5)), c(12)), x);
  EXPECT_EQ(div(add(mul(x, y), y), y), add(x, c(1)));
  EXPECT_EQ(div(mul(c(6), x), c(4)), div(mul(c(3), x), c(2)));
  EXPECT_EQ(div(add(mul(c(4), x), c(3)), c(8)), div(x, c(2)));
  EXPECT_EQ(div(div(x, c(2)), c(3)), div(x, c(6)));
  EXPECT_EQ(div(div(x, c(3)), c(2)), div(x, c(6)));
  EXPECT_EQ(div(x, c(-3)), div(sub(c(0), x), c(3)));
  EXPECT_EQ(add(div(sub(x, c(1)), c(2)), c(1)), div(add(x, c(1)), c(2)));
  EXPECT_EQ(sizes.ceilDiv(x, c(4)), div(add(x, c(3)), c(4)));
  EXPECT_EQ(div(c(-7), c(2)), c(-4));
  EXPECT_FALSE(div(x, c(0)));
  // The size of a dimension divided by one more than it.
  EXPECT_EQ(div(a, add(a, c(1))), c(0));
}

TEST_F(SizeExprTest, Remainders) {
  EXPECT_EQ(mod(add(x, y), y), mod(x, y));
  EXPECT_EQ(mod(mul(c(12), x), c(4)), c(0));
  EXPECT_EQ(mod(add(mul(c(12), x), c(7)), c(4)), c(3));
  EXPECT_EQ(mod(mod(x, c(8)), c(8)), mod(x, c(8)));
  EXPECT_EQ(str(mod(x, c(8))), "x % 8");
  EXPECT_EQ(sizes.range(mod(x, c(8))), (SizeRange{0, 7}));
}

TEST_F(SizeExprTest, MinimaAndMaxima) {
  EXPECT_EQ(sizes.max(a, a), a);
  EXPECT_EQ(sizes.max(x, y), sizes.max(y, x));
  EXPECT_EQ(sizes.max(x, sizes.max(y, x)), sizes.max(x, y));
  EXPECT_EQ(sizes.max(x, add(x, c(1))), add(x, c(1)));
  EXPECT_EQ(sizes.min(a, c(-1)), c(-1));
  EXPECT_EQ(sizes.max(a, c(0)), a);
}

TEST_F(SizeExprTest, Words) {
  // 12 * 2^48 is a word, the product of two sizes may not be.
  EXPECT_EQ(sizes.wrap(mul(c(12), a)), mul(c(12), a));
  SizeExpr product = sizes.wrap(mul(a, b));
  EXPECT_NE(product, mul(a, b));
  EXPECT_EQ(product, sizes.wrap(mul(b, a)));
  EXPECT_EQ(sizes.wrap(mul(product, x)), sizes.wrap(mul(mul(a, b), x)));
  // A quotient sees the word, not the number.
  EXPECT_NE(div(product, b), a);
  sizes.boundProduct(mul(a, b), extent);
  EXPECT_EQ(sizes.wrap(mul(a, b)), mul(a, b));
}

TEST_F(SizeExprTest, Unknown) {
  SizeExpr large = mul(c(INT64_MAX), a);
  EXPECT_TRUE(large);
  EXPECT_FALSE(add(large, large));
  EXPECT_FALSE(mul(large, c(2)));
  EXPECT_EQ(str(add(large, large)), "?");
  EXPECT_FALSE(add(SizeExpr(), a));
}

TEST_F(SizeExprTest, Values) {
  auto value = [&](SizeExpr e) {
    return sizes.evaluate(e, [&](SizeExpr s) { return s == x ? -7 : 2; });
  };
  EXPECT_EQ(value(div(x, y)), -4);
  EXPECT_EQ(value(mod(x, y)), 1);
  EXPECT_EQ(value(div(x, sub(y, c(2)))), std::nullopt);
  EXPECT_EQ(value(sizes.max(x, mul(y, y))), 4);
}

// Parts are shared: what is written out would be of exponential length.
TEST_F(SizeExprTest, DeepExpressionsAreWalkedOnce) {
  SizeExpr deep = add(x, a);
  for (int i = 0; i < 26; ++i)
    deep = sub(deep, mul(c(i + 3), div(deep, y)));
  llvm::SetVector<SizeExpr> symbols;
  sizes.collectSymbols(deep, symbols);
  EXPECT_EQ(symbols.size(), 3u);
  EXPECT_TRUE(sizes.substitute(
      deep, [&](SizeExpr symbol) { return symbol == a ? b : symbol; }));
  EXPECT_NE(str(deep).find("..."), std::string::npos);
}
