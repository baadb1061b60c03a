//===- LaneExchange.cpp - Values of other lanes -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneExchange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace vortex;

Value vortex::exchangeLanes(DeviceKernel &device, Value value,
                            int64_t distance) {
  ImplicitLocOpBuilder &b = device.b;
  Type type = value.getType(), i32 = b.getI32Type();
  auto word = [&](Value x) -> Value {
    return device.ops->exchange(b, x, distance);
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
