//===- FormulaPrinter.cpp - Arithmetic as text ----------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormulaPrinter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace vortex;

namespace {
/// How tightly an operator binds; operands that bind less get parentheses.
enum Precedence { Choice, Or, And, Comparison, Sum, Product, Atom };

struct Text {
  std::string text;
  Precedence precedence = Atom;
};

class FormulaPrinter {
public:
  explicit FormulaPrinter(const DenseMap<Value, std::string> &names)
      : names(names) {}

  std::string print(Value root) {
    count(root);
    std::string last = term(root, /*named=*/false).text;
    return lines + last;
  }

private:
  void count(Value value);
  Text term(Value value, bool named = true);
  Text operation(Operation *op);
  Text infix(Operation *op, const char *sign, Precedence precedence);
  Text infix(const Text &left, const char *sign, const Text &right,
             Precedence precedence);
  Text call(Operation *op, StringRef name);
  std::string operand(Operation *op, unsigned i, Precedence least) {
    return atLeast(term(op->getOperand(i)), least);
  }
  static std::string atLeast(const Text &text, Precedence least) {
    return text.precedence < least ? "(" + text.text + ")" : text.text;
  }

  const DenseMap<Value, std::string> &names;
  DenseMap<Value, unsigned> uses;
  DenseMap<Value, std::string> terms;
  std::string lines;
};
} // namespace

/// What stands behind conversions between number types.
static Value behindCasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::SIToFPOp,
             arith::UIToFPOp, arith::ExtSIOp, arith::ExtUIOp, arith::ExtFOp>(
            op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

static bool isLeaf(Operation *op) { return !op || op->getNumOperands() == 0; }

void FormulaPrinter::count(Value value) {
  value = behindCasts(value);
  if (names.contains(value) || isLeaf(value.getDefiningOp()))
    return;
  if (uses[value]++ == 0)
    for (Value operand : value.getDefiningOp()->getOperands())
      count(operand);
}

Text FormulaPrinter::term(Value value, bool named) {
  value = behindCasts(value);
  if (auto it = names.find(value); it != names.end())
    return {it->second};
  if (auto it = terms.find(value); it != terms.end())
    return {it->second};
  Operation *op = value.getDefiningOp();
  if (!op)
    return {"?"};
  Text text = operation(op);
  if (!named || uses.lookup(value) < 2)
    return text;
  std::string name = "t" + std::to_string(terms.size() + 1);
  lines += name + " = " + text.text + "\n";
  terms[value] = name;
  return {name};
}

Text FormulaPrinter::infix(Operation *op, const char *sign,
                           Precedence precedence) {
  // Folding keeps x + 0.0 for the sign of a zero.
  if (StringRef(sign) == "+")
    for (unsigned i : {0, 1})
      if (matchPattern(behindCasts(op->getOperand(i)), m_AnyZeroFloat()))
        return term(op->getOperand(1 - i));
  Text left = term(op->getOperand(0));
  return infix(left, sign, term(op->getOperand(1)), precedence);
}

Text FormulaPrinter::infix(const Text &left, const char *sign,
                           const Text &right, Precedence precedence) {
  // a - (b - c) and a / (b / c) need theirs; a + b + c does not.
  bool associates =
      StringRef(sign) == "+" || StringRef(sign) == "*" || precedence <= And;
  return {
      atLeast(left, precedence) + " " + sign + " " +
          atLeast(right, associates ? precedence : Precedence(precedence + 1)),
      precedence};
}

Text FormulaPrinter::call(Operation *op, StringRef name) {
  std::string text = name.str() + "(";
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    text += (i ? ", " : "") + operand(op, i, Choice);
  return {text + ")"};
}

static std::string printConstant(Attribute value) {
  if (auto boolean = dyn_cast<BoolAttr>(value))
    return boolean.getValue() ? "true" : "false";
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    SmallString<32> text;
    integer.getValue().toStringSigned(text);
    return text.str().str();
  }
  if (auto real = dyn_cast<FloatAttr>(value)) {
    SmallString<32> text;
    real.getValue().toString(text, /*FormatPrecision=*/6,
                             /*FormatMaxPadding=*/9);
    return text.str().str();
  }
  return "?";
}

template <typename Predicate>
static const char *sign(Predicate predicate) {
  StringRef text = stringifyEnum(predicate);
  // "ult", "sle", "oge": the letter in front is the kind of comparison.
  if (text == "eq" || text == "oeq" || text == "ueq")
    return "==";
  if (text == "ne" || text == "one" || text == "une")
    return "!=";
  return llvm::StringSwitch<const char *>(text.drop_front())
      .Case("lt", "<")
      .Case("le", "<=")
      .Case("gt", ">")
      .Case("ge", ">=")
      .Default("?");
}

Text FormulaPrinter::operation(Operation *op) {
  return llvm::TypeSwitch<Operation *, Text>(op)
      .Case([&](arith::ConstantOp c) {
        return Text{printConstant(c.getValue())};
      })
      .Case([&](MachineParamOp p) { return Text{p.getParam().str()}; })
      .Case<arith::AddIOp, arith::AddFOp>(
          [&](auto) { return infix(op, "+", Sum); })
      .Case<arith::SubIOp, arith::SubFOp>(
          [&](auto) { return infix(op, "-", Sum); })
      .Case<arith::MulIOp, arith::MulFOp>(
          [&](auto) { return infix(op, "*", Product); })
      .Case([&](arith::DivFOp) { return infix(op, "/", Product); })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(
          [&](auto) { return infix(op, "//", Product); })
      .Case<arith::RemUIOp, arith::RemSIOp>(
          [&](auto) { return infix(op, "%", Product); })
      .Case([&](arith::CmpIOp c) {
        Text left = term(c.getLhs()), right = term(c.getRhs());
        // One size may have been asked for twice.
        if (c.getPredicate() == arith::CmpIPredicate::eq &&
            left.text == right.text)
          return Text{"true"};
        return infix(left, sign(c.getPredicate()), right, Comparison);
      })
      .Case([&](arith::CmpFOp c) {
        return infix(op, sign(c.getPredicate()), Comparison);
      })
      .Case([&](arith::AndIOp) {
        // lowestBit() of SizeArith.h.
        auto minus = op->getOperand(1).getDefiningOp<arith::SubIOp>();
        if (minus && matchPattern(minus.getLhs(), m_Zero()) &&
            minus.getRhs() == op->getOperand(0))
          return Text{"lowbit(" + operand(op, 0, Choice) + ")"};
        // Each term once: they are as deep as there are conditions.
        Text left = term(op->getOperand(0)), right = term(op->getOperand(1));
        if (left.text == "true")
          return right;
        return right.text == "true" ? left : infix(left, "and", right, And);
      })
      .Case([&](arith::OrIOp) { return infix(op, "or", Or); })
      .Case([&](arith::XOrIOp) {
        if (op->getResult(0).getType().isInteger(1) &&
            matchPattern(op->getOperand(1), m_One()))
          return Text{"not (" + operand(op, 0, Or) + ")"};
        return infix(op, "xor", Or);
      })
      .Case([&](arith::SelectOp) {
        return Text{operand(op, 0, Or) + " ? " + operand(op, 1, Or) + " : " +
                        operand(op, 2, Choice),
                    Choice};
      })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>(
          [&](auto) { return call(op, "ceildiv"); })
      .Case<arith::MaxUIOp, arith::MaxSIOp, arith::MaximumFOp,
            arith::MaxNumFOp>([&](auto) { return call(op, "max"); })
      .Case<arith::MinUIOp, arith::MinSIOp, arith::MinimumFOp,
            arith::MinNumFOp>([&](auto) { return call(op, "min"); })
      .Case<arith::FPToSIOp, arith::FPToUIOp>(
          [&](auto) { return call(op, "int"); })
      .Default(
          [&](Operation *) { return call(op, op->getName().stripDialect()); });
}

std::string vortex::printFormula(Value value,
                                 const DenseMap<Value, std::string> &names) {
  return FormulaPrinter(names).print(value);
}
