//===- DeviceKernel.h - A device function and its arguments --------*- C++
//-*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_DEVICEKERNEL_H
#define VORTEX_CONVERSION_VORTEXTOGPU_DEVICEKERNEL_H

#include "ContractionPlan.h"
#include "DeviceArith.h"
#include "DeviceOps.h"
#include "Float8.h"

#include "vortex/Conversion/VortexToGPU/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace vortex {

/// Global memory and shared memory in the address spaces of NVPTX.
inline constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3;
/// CUtensorMap of the driver's interface.
inline constexpr int64_t kTensorMapBytes = 128, kTensorMapAlignment = 64;

/// The function being emitted, with its arguments by what they stand for. Its
/// numbers point at its builder, so it stays where it is.
struct DeviceKernel {
  DeviceKernel(mlir::Location loc, mlir::MLIRContext *context)
      : b(loc, context) {}
  DeviceKernel(const DeviceKernel &) = delete;

  mlir::ImplicitLocOpBuilder b;
  mlir::LLVM::LLVMFuncOp function;
  const DeviceOps *ops = nullptr;
  llvm::SmallVector<mlir::Value> operands; ///< of the kernel; null for index
  llvm::SmallVector<Int> extents;          ///< one for each axis
  /// Strides of each operand, the innermost (one) left out.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> strides;
  llvm::SmallVector<mlir::Value> maps; ///< tensor maps, one for each box

  Int number(int64_t x) {
    return {&b, mlir::arith::ConstantIntOp::create(b, b.getLoc(), x, 32)};
  }
  /// Points of `axes`, and the coordinates of number `point` of them, the last
  /// axis the fastest.
  Int countPoints(llvm::ArrayRef<unsigned> axes) {
    Int count = extents[axes.front()];
    for (unsigned axis : axes.drop_front())
      count = count * extents[axis];
    return count;
  }
  llvm::SmallVector<Int> divide(llvm::ArrayRef<unsigned> axes, Int point) {
    llvm::SmallVector<Int> coordinates(axes.size());
    for (size_t i = axes.size(); i-- > 0;) {
      coordinates[i] = i ? point % extents[axes[i]] : point;
      if (i)
        point = point / extents[axes[i]];
    }
    return coordinates;
  }
  /// `pointer` moved by `offset` (i32 or i64) elements of `type`.
  mlir::Value move(mlir::Value pointer, mlir::Value offset, mlir::Type type) {
    return mlir::LLVM::GEPOp::create(b, pointer.getType(), getMemoryType(type),
                                     pointer, mlir::ValueRange{offset});
  }
  /// Whether runs of `run` elements of `bytes` that begin at a multiple of
  /// `run` columns lie whole in the rows of `operand`, `columns` long, and
  /// aligned: the same for all threads.
  mlir::Value holdsRuns(unsigned operand, Int columns, int64_t run,
                        int64_t bytes) {
    auto isMultiple = [&](mlir::Value number, int64_t of) {
      auto constant = [&](int64_t x) {
        return mlir::arith::ConstantIntOp::create(b, number.getType(), x);
      };
      return b.createOrFold<mlir::arith::CmpIOp>(
          mlir::arith::CmpIPredicate::eq,
          b.createOrFold<mlir::arith::AndIOp>(number, constant(of - 1)),
          constant(0));
    };
    mlir::Value address =
        mlir::LLVM::PtrToIntOp::create(b, b.getI64Type(), operands[operand]);
    mlir::Value holds = b.createOrFold<mlir::arith::AndIOp>(
        isMultiple(address, run * bytes), isMultiple(columns.value, run));
    for (mlir::Value stride : strides[operand])
      holds =
          b.createOrFold<mlir::arith::AndIOp>(holds, isMultiple(stride, run));
    return holds;
  }
  /// Offset in elements, as i64, of the element of `operand` at `coordinates`;
  /// those without a value count for nothing.
  mlir::Value offset(unsigned operand, llvm::ArrayRef<Int> coordinates) {
    mlir::Value sum;
    for (auto [i, coordinate] : llvm::enumerate(coordinates)) {
      if (!coordinate.value)
        continue;
      mlir::Value term = coordinate.wide();
      if (i + 1 < coordinates.size())
        term = b.createOrFold<mlir::arith::MulIOp>(term, strides[operand][i]);
      sum = sum ? b.createOrFold<mlir::arith::AddIOp>(sum, term) : term;
    }
    if (!sum)
      sum = mlir::arith::ConstantIntOp::create(b, b.getLoc(), 0, 64);
    return sum;
  }
};

/// Starts the device function of `candidate` in `module`: signature, launch
/// bounds, entry block. Names are those of kernel and candidate.
std::unique_ptr<DeviceKernel> createDeviceKernel(CandidateOp candidate,
                                                 const LaunchShape &launch,
                                                 mlir::Operation *module);

/// Emits the body of a contraction on `mma.sync`. Fails where the epilogue is
/// not a chain behind the contraction.
mlir::LogicalResult emitMmaKernel(ContractionPlan &plan, DeviceKernel &device);

/// Emits the body of a contraction on `mfma`. Fails as emitMmaKernel, and where
/// there is no op of the instruction's name.
mlir::LogicalResult emitMfmaKernel(ContractionPlan &plan, DeviceKernel &device);

/// Emits the body of a contraction on `wgmma` behind a ring that producers
/// fill. Fails as emitMmaKernel.
mlir::LogicalResult emitWgmmaKernel(ContractionPlan &plan,
                                    DeviceKernel &device);

/// Emits the body of a contraction on scalar units behind a ring.
mlir::LogicalResult emitSimtKernel(ContractionPlan &plan, DeviceKernel &device);

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_DEVICEKERNEL_H
