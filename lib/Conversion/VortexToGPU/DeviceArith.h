//===- DeviceArith.h - Writing index arithmetic of device code ----*- C++
//-*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_DEVICEARITH_H
#define VORTEX_CONVERSION_VORTEXTOGPU_DEVICEARITH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vortex {

/// A 32-bit unsigned number of device code. Offsets inside a tile fit 32 bits,
/// and one register instead of two is what keeps large tiles free of spills.
struct Int {
  mlir::ImplicitLocOpBuilder *b = nullptr;
  mlir::Value value;

  Int constant(int64_t x) const {
    return {b, mlir::arith::ConstantIntOp::create(*b, b->getLoc(), x, 32)};
  }
  template <typename Op>
  Int binary(Int y) const {
    return {b, b->createOrFold<Op>(value, y.value)};
  }
  Int operator+(Int y) const { return binary<mlir::arith::AddIOp>(y); }
  Int operator-(Int y) const { return binary<mlir::arith::SubIOp>(y); }
  Int operator*(Int y) const { return binary<mlir::arith::MulIOp>(y); }
  Int operator/(Int y) const { return binary<mlir::arith::DivUIOp>(y); }
  Int operator%(Int y) const { return binary<mlir::arith::RemUIOp>(y); }
  Int operator^(Int y) const { return binary<mlir::arith::XOrIOp>(y); }
  Int operator+(int64_t y) const { return *this + constant(y); }
  Int operator*(int64_t y) const { return *this * constant(y); }
  Int operator/(int64_t y) const { return *this / constant(y); }
  Int operator%(int64_t y) const { return *this % constant(y); }

  mlir::Value compare(mlir::arith::CmpIPredicate predicate, Int y) const {
    return b->createOrFold<mlir::arith::CmpIOp>(predicate, value, y.value);
  }
  mlir::Value operator<(Int y) const {
    return compare(mlir::arith::CmpIPredicate::ult, y);
  }
  mlir::Value operator==(Int y) const {
    return compare(mlir::arith::CmpIPredicate::eq, y);
  }
  Int atMost(Int y) const { return binary<mlir::arith::MinUIOp>(y); }
  Int atLeast(Int y) const { return binary<mlir::arith::MaxUIOp>(y); }
  /// min(max(this - y, 0), most), the numbers being signed: how much of
  /// `most` elements that start at `y` lies below this limit.
  Int remaining(Int y, int64_t most) const {
    return (*this - y)
        .binary<mlir::arith::MaxSIOp>(constant(0))
        .binary<mlir::arith::MinSIOp>(constant(most));
  }
  Int select(mlir::Value condition, Int otherwise) const {
    return {b, b->createOrFold<mlir::arith::SelectOp>(condition, value,
                                                      otherwise.value)};
  }
  /// This number as i64.
  mlir::Value wide() const {
    return b->createOrFold<mlir::arith::ExtUIOp>(b->getI64Type(), value);
  }
};

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_DEVICEARITH_H
