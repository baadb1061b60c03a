//===- FormulaText.cpp - Formulas on sizes as text --------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormulaText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vortex;

namespace {
/// Text and how tightly its outermost sign binds.
struct Term {
  enum Binding { Or, And, Compare, Sum, Product, Atom };
  std::string text;
  Binding binding = Atom;
};
} // namespace

static std::string inside(const Term &term, Term::Binding around) {
  return term.binding < around ? "(" + term.text + ")" : term.text;
}

static StringRef signOf(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return "==";
  case arith::CmpIPredicate::ne:
    return "!=";
  case arith::CmpIPredicate::ult:
  case arith::CmpIPredicate::slt:
    return "<";
  case arith::CmpIPredicate::ule:
  case arith::CmpIPredicate::sle:
    return "<=";
  case arith::CmpIPredicate::ugt:
  case arith::CmpIPredicate::sgt:
    return ">";
  case arith::CmpIPredicate::uge:
  case arith::CmpIPredicate::sge:
    return ">=";
  }
  llvm_unreachable("every predicate has a sign");
}

/// The sign with its sides exchanged.
static StringRef mirrored(StringRef sign) {
  if (sign.starts_with("<"))
    return sign == "<" ? ">" : ">=";
  if (sign.starts_with(">"))
    return sign == ">" ? "<" : "<=";
  return sign;
}

static Term describe(KernelOp kernel, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned number = argument.getArgNumber();
    if (number < kernel.getAxes().size())
      return {cast<StringAttr>(kernel.getAxes()[number]).getValue().str()};
    return {"operand " + std::to_string(number - kernel.getAxes().size())};
  }
  APInt integer;
  if (matchPattern(value, m_ConstantInt(&integer))) {
    if (integer.getBitWidth() == 1)
      return {integer.isOne() ? "true" : "false"};
    return {std::to_string(integer.getSExtValue())};
  }
  APFloat real(0.0);
  if (matchPattern(value, m_ConstantFloat(&real))) {
    SmallString<16> text;
    real.toString(text, /*FormatPrecision=*/6);
    return {text.str().str()};
  }
  Operation *op = value.getDefiningOp();
  if (auto param = dyn_cast<MachineParamOp>(op))
    return {param.getParam().str()};
  auto infix = [&](StringRef sign, Term::Binding binding) -> Term {
    // The right side of a difference, quotient or remainder keeps its
    // brackets.
    Term left = describe(kernel, op->getOperand(0));
    Term right = describe(kernel, op->getOperand(1));
    bool tight = sign != "+" && sign != "*" && binding >= Term::Sum;
    std::string rightText =
        inside(right, tight ? Term::Binding(binding + 1) : binding);
    return {inside(left, binding) + " " + sign.str() + " " + rightText,
            binding};
  };
  auto comparison = [&](StringRef sign) -> Term {
    // Sizes to the left of limits.
    Value left = op->getOperand(0), right = op->getOperand(1);
    if (matchPattern(left, m_Constant()) && !matchPattern(right, m_Constant()))
      return {inside(describe(kernel, right), Term::Sum) + " " +
                  mirrored(sign).str() + " " +
                  inside(describe(kernel, left), Term::Sum),
              Term::Compare};
    return infix(sign, Term::Compare);
  };
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return comparison(signOf(compare.getPredicate()));
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    switch (compare.getPredicate()) {
    case arith::CmpFPredicate::OLT:
      return comparison("<");
    case arith::CmpFPredicate::OLE:
      return comparison("<=");
    case arith::CmpFPredicate::OGT:
      return comparison(">");
    case arith::CmpFPredicate::OGE:
      return comparison(">=");
    default:
      break;
    }
  if (isa<arith::AndIOp>(op) && value.getType().isInteger(1))
    return infix("and", Term::And);
  if (isa<arith::OrIOp>(op) && value.getType().isInteger(1))
    return infix("or", Term::Or);
  if (isa<arith::AddIOp, arith::AddFOp>(op))
    return infix("+", Term::Sum);
  if (isa<arith::SubIOp, arith::SubFOp>(op))
    return infix("-", Term::Sum);
  if (isa<arith::MulIOp, arith::MulFOp>(op))
    return infix("*", Term::Product);
  if (isa<arith::DivUIOp, arith::DivSIOp, arith::DivFOp>(op))
    return infix("/", Term::Product);
  if (isa<arith::RemUIOp, arith::RemSIOp>(op))
    return infix("%", Term::Product);
  if (isa<arith::IndexCastOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
          arith::ExtUIOp>(op))
    return describe(kernel, op->getOperand(0));
  std::string text = op->getName().stripDialect().str() + "(";
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    text += (i ? ", " : "") + describe(kernel, operand).text;
  return {text + ")"};
}

std::string vortex::getFormulaText(KernelOp kernel, Value value) {
  return describe(kernel, value).text;
}
