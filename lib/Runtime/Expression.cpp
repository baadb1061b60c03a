//===- Expression.cpp - Relations between sizes ---------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expression.h"

#include <algorithm>
#include <cctype>
#include <cstring>

using namespace vortex::runtime;

// Bounds the value stack of `evaluate`; every nesting level adds at most two.
static constexpr int maxDepth = 30, stackSize = 64;

namespace vortex {
namespace runtime {
class ExpressionParser {
public:
  ExpressionParser(const std::string &text, Expression &out,
                   const std::function<int(const std::string &)> &symbol)
      : p(text.c_str()), out(out), symbol(symbol) {}

  std::string parse() {
    if (!relation(0))
      return error;
    space();
    return *p ? std::string("unexpected '") + p + "'" : "";
  }

private:
  bool fail(std::string why) {
    error = std::move(why);
    return false;
  }
  void emit(Expression::Op op, int64_t value = 0) {
    out.steps.push_back({op, value});
  }
  void space() {
    while (std::isspace(static_cast<unsigned char>(*p)))
      ++p;
  }
  static bool nameChar(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
           c == '.' || c == '$';
  }
  bool accept(const char *token) {
    space();
    size_t length = std::strlen(token);
    if (std::strncmp(p, token, length) != 0 ||
        (nameChar(token[0]) && nameChar(p[length])))
      return false;
    p += length;
    return true;
  }

  bool relation(int depth) {
    if (!sum(depth))
      return false;
    static const struct {
      const char *token;
      Expression::Op op;
    } comparisons[] = {{"==", Expression::Eq}, {"!=", Expression::Ne},
                       {"<=", Expression::Le}, {">=", Expression::Ge},
                       {"<", Expression::Lt},  {">", Expression::Gt}};
    for (const auto &c : comparisons)
      if (accept(c.token)) {
        if (!sum(depth))
          return false;
        emit(c.op);
        return true;
      }
    return true;
  }

  bool sum(int depth) {
    if (!term(depth))
      return false;
    for (;;) {
      Expression::Op op;
      if (accept("+"))
        op = Expression::Add;
      else if (accept("-"))
        op = Expression::Sub;
      else
        return true;
      if (!term(depth))
        return false;
      emit(op);
    }
  }

  bool term(int depth) {
    if (!unary(depth))
      return false;
    for (;;) {
      Expression::Op op;
      if (accept("*"))
        op = Expression::Mul;
      else if (accept("//") || accept("floordiv"))
        op = Expression::FloorDiv;
      else if (accept("ceildiv"))
        op = Expression::CeilDiv;
      else if (accept("%") || accept("mod"))
        op = Expression::Mod;
      else
        return true;
      if (!unary(depth))
        return false;
      emit(op);
    }
  }

  bool unary(int depth) {
    if (depth >= maxDepth)
      return fail("nested too deeply");
    if (accept("-")) {
      if (!unary(depth + 1))
        return false;
      emit(Expression::Negate);
      return true;
    }
    if (accept("("))
      return relation(depth + 1) && (accept(")") || fail("expected ')'"));
    for (bool isMin : {true, false})
      if (accept(isMin ? "min" : "max")) {
        if (!accept("("))
          return fail("expected '(' after min or max");
        if (!sum(depth + 1))
          return false;
        if (!accept(","))
          return fail("expected ','");
        do {
          if (!sum(depth + 1))
            return false;
          emit(isMin ? Expression::Min : Expression::Max);
        } while (accept(","));
        return accept(")") || fail("expected ')'");
      }
    space();
    if (std::isdigit(static_cast<unsigned char>(*p)))
      return integer();
    const char *begin = p;
    if (std::isalpha(static_cast<unsigned char>(*p)) || *p == '_')
      while (nameChar(*p))
        ++p;
    if (p == begin)
      return fail(*p ? std::string("unexpected '") + p + "'"
                     : std::string("it ends early"));
    std::string name(begin, p);
    int position = symbol(name);
    if (position < 0)
      return fail("there is no size '" + name + "'");
    if (std::find(out.used.begin(), out.used.end(), position) == out.used.end())
      out.used.push_back(position);
    emit(Expression::Symbol, position);
    return true;
  }

  bool integer() {
    int64_t value = 0;
    for (; std::isdigit(static_cast<unsigned char>(*p)); ++p)
      if (__builtin_mul_overflow(value, int64_t(10), &value) ||
          __builtin_add_overflow(value, int64_t(*p - '0'), &value))
        return fail("a number is too large");
    emit(Expression::Constant, value);
    return true;
  }

  const char *p;
  Expression &out;
  const std::function<int(const std::string &)> &symbol;
  std::string error;
};
} // namespace runtime
} // namespace vortex

std::string
Expression::compile(const std::string &text,
                    const std::function<int(const std::string &)> &symbol) {
  steps.clear();
  used.clear();
  return ExpressionParser(text, *this, symbol).parse();
}

static int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

Expression::Outcome Expression::evaluate(const int64_t *values,
                                         int64_t &result) const {
  int64_t stack[stackSize];
  int top = 0;
  for (const Step &step : steps) {
    if (step.op == Constant || step.op == Symbol) {
      if (top == stackSize)
        return Outcome::Overflow;
      int64_t value = step.op == Constant ? step.value : values[step.value];
      if (step.op == Symbol && value == unknown)
        return Outcome::Unknown;
      stack[top++] = value;
      continue;
    }
    int64_t b = stack[top - 1], r = 0;
    if (step.op == Negate) {
      if (__builtin_sub_overflow(int64_t(0), b, &stack[top - 1]))
        return Outcome::Overflow;
      continue;
    }
    int64_t a = stack[--top - 1];
    bool overflow = false;
    if (step.op == FloorDiv || step.op == CeilDiv || step.op == Mod) {
      if (b == 0)
        return Outcome::DivisionByZero;
      if (a == INT64_MIN && b == -1)
        return Outcome::Overflow;
    }
    switch (step.op) {
    case Add:
      overflow = __builtin_add_overflow(a, b, &r);
      break;
    case Sub:
      overflow = __builtin_sub_overflow(a, b, &r);
      break;
    case Mul:
      overflow = __builtin_mul_overflow(a, b, &r);
      break;
    case FloorDiv:
      r = floorDiv(a, b);
      break;
    case CeilDiv:
      r = floorDiv(a, b) + (a % b != 0);
      break;
    case Mod:
      r = a - b * floorDiv(a, b);
      break;
    case Min:
      r = std::min(a, b);
      break;
    case Max:
      r = std::max(a, b);
      break;
    case Eq:
      r = a == b;
      break;
    case Ne:
      r = a != b;
      break;
    case Le:
      r = a <= b;
      break;
    case Ge:
      r = a >= b;
      break;
    case Lt:
      r = a < b;
      break;
    case Gt:
      r = a > b;
      break;
    default:
      break;
    }
    if (overflow)
      return Outcome::Overflow;
    stack[top - 1] = r;
  }
  result = stack[0];
  return Outcome::Value;
}
