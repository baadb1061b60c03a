//===- RelationEmitter.cpp - Relations between sizes become ops -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/Analysis/RelationEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace vortex;

namespace {
/// Recursive descent; every step gives null once `error` is set.
class Parser {
public:
  Parser(OpBuilder &b, Location loc, StringRef text,
         function_ref<Value(StringRef)> size, function_ref<void(Value)> divisor,
         std::string &error)
      : b(b), loc(loc), rest(text), size(size), divisor(divisor), error(error) {
  }

  Value run() {
    Value left = sum();
    std::optional<arith::CmpIPredicate> predicate;
    for (auto [token, meaning] : {std::pair{"==", arith::CmpIPredicate::eq},
                                  {"!=", arith::CmpIPredicate::ne},
                                  {"<=", arith::CmpIPredicate::sle},
                                  {">=", arith::CmpIPredicate::sge},
                                  {"<", arith::CmpIPredicate::slt},
                                  {">", arith::CmpIPredicate::sgt}})
      if (left && !predicate && accept(token))
        predicate = meaning;
    if (left && !predicate)
      return fail(skipSpace().empty() ? "it compares nothing"
                                      : "unexpected '" + rest.str() + "'");
    Value right = left ? sum() : Value();
    if (right && !skipSpace().empty())
      return fail("unexpected '" + rest.str() + "'");
    return right ? make<arith::CmpIOp>(*predicate, left, right) : Value();
  }

private:
  /// Nested deeper than this, text is no relation that someone wrote.
  static constexpr int kMostDepth = 30;

  Value fail(std::string why) {
    if (error.empty())
      error = std::move(why);
    return {};
  }
  template <typename Op, typename... Args>
  Value make(Args &&...args) {
    return b.createOrFold<Op>(loc, std::forward<Args>(args)...);
  }
  template <typename Op>
  Value binary(Value x, Value y) {
    return x && y ? make<Op>(x, y) : Value();
  }
  StringRef skipSpace() { return rest = rest.ltrim(); }
  static bool isNameChar(char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
  }
  bool accept(StringRef token) {
    skipSpace();
    if (!rest.starts_with(token))
      return false;
    StringRef behind = rest.drop_front(token.size());
    if (isNameChar(token[0]) && !behind.empty() && isNameChar(behind[0]))
      return false;
    rest = behind;
    return true;
  }

  Value sum() {
    Value value = term();
    while (value) {
      if (accept("+"))
        value = binary<arith::AddIOp>(value, term());
      else if (accept("-"))
        value = binary<arith::SubIOp>(value, term());
      else
        break;
    }
    return value;
  }

  Value term() {
    Value value = unary();
    while (value) {
      if (accept("*"))
        value = binary<arith::MulIOp>(value, unary());
      else if (accept("//") || accept("floordiv"))
        value = binary<arith::FloorDivSIOp>(value, divide());
      else if (accept("ceildiv"))
        value = binary<arith::CeilDivSIOp>(value, divide());
      else if (accept("%") || accept("mod"))
        value = modulo(value, divide());
      else
        break;
    }
    return value;
  }

  Value divide() {
    Value value = unary();
    APInt constant;
    if (!value)
      return {};
    if (!matchPattern(value, m_ConstantInt(&constant)))
      divisor(value);
    else if (constant.isZero())
      return fail("it divides by zero");
    return value;
  }

  /// With the sign of the divisor.
  Value modulo(Value x, Value y) {
    Value whole = binary<arith::FloorDivSIOp>(x, y);
    return whole ? binary<arith::SubIOp>(x, binary<arith::MulIOp>(whole, y))
                 : Value();
  }

  Value unary() {
    if (depth == kMostDepth)
      return fail("it is nested too deeply");
    ++depth;
    Value value = atom();
    --depth;
    return value;
  }

  Value atom() {
    if (accept("-"))
      return binary<arith::SubIOp>(make<arith::ConstantIndexOp>(0), unary());
    if (accept("(")) {
      Value value = sum();
      return !value || accept(")") ? value : fail("expected ')'");
    }
    for (bool isMin : {true, false})
      if (accept(isMin ? "min" : "max")) {
        if (!accept("("))
          return fail("expected '(' after min or max");
        Value x = sum();
        if (x && !accept(","))
          return fail("expected ','");
        Value y = x ? sum() : Value();
        if (y && !accept(")"))
          return fail("expected ')'");
        return isMin ? binary<arith::MinSIOp>(x, y)
                     : binary<arith::MaxSIOp>(x, y);
      }
    if (skipSpace().empty())
      return fail("it ends early");
    if (llvm::isDigit(rest.front())) {
      int64_t number;
      if (rest.consumeInteger(10, number))
        return fail("a number is too large");
      return make<arith::ConstantIndexOp>(number);
    }
    if (!llvm::isAlpha(rest.front()) && rest.front() != '_')
      return fail("unexpected '" + rest.str() + "'");
    StringRef name = rest.take_while(isNameChar);
    rest = rest.drop_front(name.size());
    Value value = size(name);
    return value ? value : fail("there is no size '" + name.str() + "' here");
  }

  OpBuilder &b;
  Location loc;
  StringRef rest;
  function_ref<Value(StringRef)> size;
  function_ref<void(Value)> divisor;
  std::string &error;
  int depth = 0;
};
} // namespace

Value vortex::emitRelation(OpBuilder &b, Location loc, StringRef text,
                           function_ref<Value(StringRef)> size,
                           function_ref<void(Value)> divisor,
                           std::string &error) {
  return Parser(b, loc, text, size, divisor, error).run();
}
