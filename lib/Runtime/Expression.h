//===- Expression.h - Relations between sizes -------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer expressions over named sizes, as they stand in a function's
// relations: "seq <= 4096", "total == past + seq", "c % 8 == 0",
// "max(m, n) // 2 < 100". Compiled once at load, evaluated at each call
// without allocation.
//
//   relation := sum (("=="|"!="|"<="|">="|"<"|">") sum)?
//   sum      := term (("+"|"-") term)*
//   term     := unary (("*"|"//"|"%"|"floordiv"|"ceildiv"|"mod") unary)*
//   unary    := "-" unary | integer | name | "(" relation ")"
//             | ("min"|"max") "(" sum ("," sum)+ ")"
//   name     := letter (letter | digit | "_" | "." | "$")*
//
// Division rounds down, and the remainder has the divisor's sign.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_EXPRESSION_H
#define VORTEX_LIB_RUNTIME_EXPRESSION_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace vortex {
namespace runtime {

class Expression {
public:
  /// The value of a symbol that is not known.
  static constexpr int64_t unknown = INT64_MIN;

  enum class Outcome { Value, Unknown, DivisionByZero, Overflow };

  /// `symbol` gives the position of a name's value, negative for a name that
  /// there is not. Returns "" or why the text is not an expression.
  std::string compile(const std::string &text,
                      const std::function<int(const std::string &)> &symbol);

  /// Comparisons give 0 or 1.
  Outcome evaluate(const int64_t *values, int64_t &result) const;

  /// Whether this is "name == name": what most relations are, answered without
  /// a stack.
  bool isEquality(int &left, int &right) const {
    if (steps.size() != 3 || steps[2].op != Eq || steps[0].op != Symbol ||
        steps[1].op != Symbol)
      return false;
    left = int(steps[0].value);
    right = int(steps[1].value);
    return true;
  }
  /// Whether this is a name.
  bool isSymbol(int &symbol) const {
    if (steps.size() != 1 || steps[0].op != Symbol)
      return false;
    symbol = int(steps[0].value);
    return true;
  }

  /// The positions of the symbols used, each once, in order of appearance.
  const std::vector<int> &symbols() const { return used; }

private:
  enum Op : uint8_t {
    Constant,
    Symbol,
    Negate,
    Add,
    Sub,
    Mul,
    FloorDiv,
    CeilDiv,
    Mod,
    Min,
    Max,
    Eq,
    Ne,
    Le,
    Ge,
    Lt,
    Gt
  };
  struct Step {
    Op op;
    int64_t value; ///< of a Constant, position of a Symbol
  };
  friend class ExpressionParser;
  std::vector<Step> steps; ///< postfix
  std::vector<int> used;
};

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_EXPRESSION_H
