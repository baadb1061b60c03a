//===- SizeArith.h - Writing formulas on sizes as IR ------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Guards, costs and tile sizes are arith ops. These two wrappers let their
// formulas read like formulas: `Size` for counts (index, never negative, with
// truncating division), `Real` for times and rates (f64).
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_SIZEARITH_H
#define VORTEX_TRANSFORMS_SIZEARITH_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <tuple>

namespace vortex {

class SizeArith;

struct Size {
  SizeArith *arith;
  mlir::Value value;
};
struct Real {
  SizeArith *arith;
  mlir::Value value;
};
struct Flag {
  SizeArith *arith;
  mlir::Value value;
};

/// Creates the ops; holds the insertion point. At the end of a block an op that
/// is there already is not made again: formulas name what they need wherever
/// they need it. What this made must stay as long as it is at work. Numbers are
/// finite, so that zero times one of them is zero and no op.
class SizeArith {
public:
  SizeArith(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  Size size(mlir::Value value) { return {this, value}; }
  Size size(int64_t value) {
    return {this, make<mlir::arith::ConstantIndexOp>(b.getIndexAttr(value), {},
                                                     value)};
  }
  Real real(double value) {
    return {this, make<mlir::arith::ConstantFloatOp>(b.getF64FloatAttr(value),
                                                     {}, b.getF64Type(),
                                                     llvm::APFloat(value))};
  }
  Real real(Size s) {
    llvm::APInt known;
    if (mlir::matchPattern(s.value, mlir::m_ConstantInt(&known)))
      return real(known.signedRoundToDouble());
    mlir::Value i =
        make<mlir::arith::IndexCastOp>({}, {s.value}, b.getI64Type(), s.value);
    return {this, make<mlir::arith::SIToFPOp>({}, {i}, b.getF64Type(), i)};
  }
  /// Machine parameter `name`, with the description's value as default.
  Real param(HwAttr hw, llvm::StringRef name, double otherwise = 0) {
    mlir::StringAttr key = b.getStringAttr(name);
    mlir::FloatAttr value =
        b.getF64FloatAttr(hw.getNumber(name).value_or(otherwise));
    return {this, make<MachineParamOp>(b.getArrayAttr({key, value}), {},
                                       b.getF64Type(), key, value)};
  }
  /// Bytes: the largest power of two that divides an operand's address.
  Size alignment(mlir::Value operand) {
    return {this, make<AlignmentOp>({}, {operand}, b.getIndexType(), operand)};
  }
  /// Elements between an operand's neighbours along `dimension`.
  Size stride(mlir::Value operand, int64_t dimension) {
    mlir::IntegerAttr along = b.getI64IntegerAttr(dimension);
    return {this,
            make<StrideOp>(along, {operand}, b.getIndexType(), operand, along)};
  }
  Size toSize(Real r) {
    mlir::Value i =
        make<mlir::arith::FPToSIOp>({}, {r.value}, b.getI64Type(), r.value);
    return {this, make<mlir::arith::IndexCastOp>({}, {i}, b.getIndexType(), i)};
  }

  template <typename Op, typename T>
  T binary(T x, T y) {
    return {this, make<Op>({}, {x.value, y.value}, x.value, y.value)};
  }
  Flag flag(bool value) {
    return {this, make<mlir::arith::ConstantIntOp>(b.getBoolAttr(value), {},
                                                   int64_t(value),
                                                   /*width=*/1)};
  }
  template <typename T>
  T select(Flag flag, T yes, T no) {
    if (yes.value == no.value)
      return yes;
    if (mlir::matchPattern(flag.value, mlir::m_One()))
      return yes;
    if (mlir::matchPattern(flag.value, mlir::m_Zero()))
      return no;
    return {this,
            make<mlir::arith::SelectOp>({}, {flag.value, yes.value, no.value},
                                        flag.value, yes.value, no.value)};
  }
  Flag compare(mlir::arith::CmpIPredicate predicate, Size x, Size y) {
    return {this, make<mlir::arith::CmpIOp>(
                      b.getI64IntegerAttr(int64_t(predicate)),
                      {x.value, y.value}, predicate, x.value, y.value)};
  }
  Flag compare(mlir::arith::CmpFPredicate predicate, Real x, Real y) {
    return {this, make<mlir::arith::CmpFOp>(
                      b.getI64IntegerAttr(int64_t(predicate)),
                      {x.value, y.value}, predicate, x.value, y.value)};
  }

  mlir::OpBuilder &b;
  mlir::Location loc;

private:
  using Key = std::tuple<const void *, mlir::Attribute, mlir::Value,
                         mlir::Value, mlir::Value>;

  /// The value of an `Op`, which `attribute` and `operands` tell from others of
  /// its kind: made from `arguments`, or one that the block has.
  template <typename Op, typename... Arguments>
  mlir::Value make(mlir::Attribute attribute,
                   std::array<mlir::Value, 3> operands,
                   Arguments &&...arguments) {
    mlir::Block *now = b.getInsertionBlock();
    // A block without ops is another than one that had the same address.
    if (now != block || now->empty()) {
      block = now;
      made.clear();
    }
    // In front of other ops nothing says which of them are further up.
    bool atEnd = b.getInsertionPoint() == now->end();
    if (!atEnd)
      made.clear();
    mlir::Value &known =
        made[Key(mlir::TypeID::get<Op>().getAsOpaquePointer(), attribute,
                 operands[0], operands[1], operands[2])];
    if (!known || !atEnd)
      known = Op::create(b, loc, std::forward<Arguments>(arguments)...);
    return known;
  }

  mlir::Block *block = nullptr;
  llvm::DenseMap<Key, mlir::Value> made; ///< in `block`
};

inline Size operator+(Size x, Size y) {
  return x.arith->binary<mlir::arith::AddIOp>(x, y);
}
inline Size operator-(Size x, Size y) {
  if (x.value == y.value)
    return x.arith->size(0);
  return x.arith->binary<mlir::arith::SubIOp>(x, y);
}
inline Size operator*(Size x, Size y) {
  return x.arith->binary<mlir::arith::MulIOp>(x, y);
}
inline Size operator*(Size x, int64_t y) { return x * x.arith->size(y); }
/// Truncating; the divisor must not be zero.
inline Size operator/(Size x, Size y) {
  return x.arith->binary<mlir::arith::DivUIOp>(x, y);
}
/// The divisor must not be zero.
inline Size operator%(Size x, Size y) {
  return x.arith->binary<mlir::arith::RemUIOp>(x, y);
}
inline Size ceilDiv(Size x, Size y) {
  return x.arith->binary<mlir::arith::CeilDivUIOp>(x, y);
}
inline Size max(Size x, Size y) {
  return x.arith->binary<mlir::arith::MaxUIOp>(x, y);
}
inline Size min(Size x, Size y) {
  return x.arith->binary<mlir::arith::MinUIOp>(x, y);
}
inline Size atLeast(Size x, int64_t y) { return max(x, x.arith->size(y)); }
inline Size atMost(Size x, int64_t y) { return min(x, x.arith->size(y)); }
/// The largest power of two that divides `x`; 0 of 0.
inline Size lowestBit(Size x) {
  return x.arith->binary<mlir::arith::AndIOp>(x, x.arith->size(0) - x);
}
inline Flag operator<(Size x, Size y) {
  return x.arith->compare(mlir::arith::CmpIPredicate::ult, x, y);
}
inline Flag operator<=(Size x, Size y) {
  return x.arith->compare(mlir::arith::CmpIPredicate::ule, x, y);
}
inline Flag operator>=(Size x, Size y) { return y <= x; }
inline Flag operator>(Size x, Size y) { return y < x; }
inline Flag operator&(Flag x, Flag y) {
  return x.arith->binary<mlir::arith::AndIOp>(x, y);
}
inline Flag operator|(Flag x, Flag y) {
  return x.arith->binary<mlir::arith::OrIOp>(x, y);
}
inline Flag operator!(Flag x) {
  SizeArith &arith = *x.arith;
  return arith.binary<mlir::arith::XOrIOp>(x, arith.flag(true));
}
inline bool isZero(Real x) {
  return mlir::matchPattern(x.value, mlir::m_AnyZeroFloat());
}
inline bool isOne(Real x) {
  return mlir::matchPattern(x.value, mlir::m_OneFloat());
}
inline Real operator+(Real x, Real y) {
  if (isZero(x) || isZero(y))
    return isZero(x) ? y : x;
  return x.arith->binary<mlir::arith::AddFOp>(x, y);
}
inline Real operator-(Real x, Real y) {
  if (isZero(y))
    return x;
  return x.arith->binary<mlir::arith::SubFOp>(x, y);
}
inline Real operator*(Real x, Real y) {
  if (isZero(x) || isOne(y))
    return x;
  if (isZero(y) || isOne(x))
    return y;
  return x.arith->binary<mlir::arith::MulFOp>(x, y);
}
/// The divisor must not be zero.
inline Real operator/(Real x, Real y) {
  if (isZero(x) || isOne(y))
    return x;
  return x.arith->binary<mlir::arith::DivFOp>(x, y);
}
inline Real operator*(Real x, double y) { return x * x.arith->real(y); }
inline Real operator+(Real x, double y) { return x + x.arith->real(y); }
inline Real max(Real x, Real y) {
  if (x.value == y.value)
    return x;
  return x.arith->binary<mlir::arith::MaximumFOp>(x, y);
}
inline Real min(Real x, Real y) {
  if (x.value == y.value)
    return x;
  return x.arith->binary<mlir::arith::MinimumFOp>(x, y);
}
inline Flag operator<(Real x, Real y) {
  return x.arith->compare(mlir::arith::CmpFPredicate::OLT, x, y);
}
inline Flag operator<=(Real x, Real y) {
  return x.arith->compare(mlir::arith::CmpFPredicate::OLE, x, y);
}

} // namespace vortex

#endif // VORTEX_TRANSFORMS_SIZEARITH_H
