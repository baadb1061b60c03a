//===- LaneExchange.cpp - Values of other lanes -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneExchange.h"

#include "TilePlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace vortex;

Value vortex::exchangeLanes(ImplicitLocOpBuilder &b, Value value,
                            int64_t distance) {
  auto number = [&](int64_t x) -> Value {
    return arith::ConstantIntOp::create(b, b.getLoc(), x, 32);
  };
  Type type = value.getType(), i32 = b.getI32Type();
  auto word = [&](Value x) -> Value {
    return NVVM::ShflOp::create(b, i32, number(-1), x, number(distance),
                                number(kWarpLanes - 1), NVVM::ShflKind::bfly,
                                UnitAttr());
  };
  unsigned width = type.getIntOrFloatBitWidth();
  Type bitsType = b.getIntegerType(width);
  Value bits =
      type == bitsType ? value : arith::BitcastOp::create(b, bitsType, value);
  if (width == 64) {
    Value half = arith::ConstantIntOp::create(b, b.getLoc(), 32, 64);
    Value low = word(arith::TruncIOp::create(b, i32, bits));
    Value high = word(
        arith::TruncIOp::create(b, i32, arith::ShRUIOp::create(b, bits, half)));
    bits = arith::OrIOp::create(
        b, arith::ExtUIOp::create(b, bitsType, low),
        arith::ShLIOp::create(b, arith::ExtUIOp::create(b, bitsType, high),
                              half));
  } else if (width == 32) {
    bits = word(bits);
  } else {
    bits = arith::TruncIOp::create(b, bitsType,
                                   word(arith::ExtUIOp::create(b, i32, bits)));
  }
  return type == bitsType ? bits : arith::BitcastOp::create(b, type, bits);
}
