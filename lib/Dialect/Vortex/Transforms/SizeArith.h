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

/// Creates the ops; holds the insertion point.
class SizeArith {
public:
  SizeArith(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  Size size(mlir::Value value) { return {this, value}; }
  Size size(int64_t value) {
    return {this, mlir::arith::ConstantIndexOp::create(b, loc, value)};
  }
  Real real(double value) {
    return {this, mlir::arith::ConstantFloatOp::create(b, loc, b.getF64Type(),
                                                       llvm::APFloat(value))};
  }
  Real real(Size s) {
    mlir::Value i =
        mlir::arith::IndexCastOp::create(b, loc, b.getI64Type(), s.value);
    return {this, mlir::arith::SIToFPOp::create(b, loc, b.getF64Type(), i)};
  }
  /// Machine parameter `name`, with the description's value as default.
  Real param(HwAttr hw, llvm::StringRef name, double otherwise = 0) {
    double value = hw.getNumber(name).value_or(otherwise);
    return {this, MachineParamOp::create(b, loc, b.getF64Type(),
                                         b.getStringAttr(name),
                                         b.getF64FloatAttr(value))};
  }
  /// Bytes: the largest power of two that divides an operand's address.
  Size alignment(mlir::Value operand) {
    return {this, AlignmentOp::create(b, loc, b.getIndexType(), operand)};
  }
  /// Elements between an operand's neighbours along `dimension`.
  Size stride(mlir::Value operand, int64_t dimension) {
    return {this, StrideOp::create(b, loc, b.getIndexType(), operand,
                                   b.getI64IntegerAttr(dimension))};
  }
  Size toSize(Real r) {
    mlir::Value i =
        mlir::arith::FPToSIOp::create(b, loc, b.getI64Type(), r.value);
    return {this,
            mlir::arith::IndexCastOp::create(b, loc, b.getIndexType(), i)};
  }

  template <typename Op, typename T>
  T binary(T x, T y) {
    return {this, Op::create(b, loc, x.value, y.value)};
  }
  template <typename T>
  T select(Flag flag, T yes, T no) {
    return {this, mlir::arith::SelectOp::create(b, loc, flag.value, yes.value,
                                                no.value)};
  }
  Flag compare(mlir::arith::CmpIPredicate predicate, Size x, Size y) {
    return {this,
            mlir::arith::CmpIOp::create(b, loc, predicate, x.value, y.value)};
  }
  Flag compare(mlir::arith::CmpFPredicate predicate, Real x, Real y) {
    return {this,
            mlir::arith::CmpFOp::create(b, loc, predicate, x.value, y.value)};
  }

  mlir::OpBuilder &b;
  mlir::Location loc;
};

inline Size operator+(Size x, Size y) {
  return x.arith->binary<mlir::arith::AddIOp>(x, y);
}
inline Size operator-(Size x, Size y) {
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
  mlir::Value yes =
      mlir::arith::ConstantIntOp::create(arith.b, arith.loc, 1, /*width=*/1);
  return arith.binary<mlir::arith::XOrIOp>(x, {&arith, yes});
}
inline Real operator+(Real x, Real y) {
  return x.arith->binary<mlir::arith::AddFOp>(x, y);
}
inline Real operator-(Real x, Real y) {
  return x.arith->binary<mlir::arith::SubFOp>(x, y);
}
inline Real operator*(Real x, Real y) {
  return x.arith->binary<mlir::arith::MulFOp>(x, y);
}
inline Real operator/(Real x, Real y) {
  return x.arith->binary<mlir::arith::DivFOp>(x, y);
}
inline Real operator*(Real x, double y) { return x * x.arith->real(y); }
inline Real operator+(Real x, double y) { return x + x.arith->real(y); }
inline Real max(Real x, Real y) {
  return x.arith->binary<mlir::arith::MaximumFOp>(x, y);
}
inline Real min(Real x, Real y) {
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
