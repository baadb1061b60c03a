//===- PayloadEmitter.h - Elements of a kernel's values --------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_PAYLOADEMITTER_H
#define VORTEX_CONVERSION_VORTEXTOGPU_PAYLOADEMITTER_H

#include "DeviceKernel.h"

#include <functional>
#include <map>
#include <vector>

namespace vortex {

/// Emits single elements of the values of a kernel's payload: those of operands
/// are loaded, those of ops computed from the elements they are made of. What a
/// thread has already, such as sums that it keeps in registers, is remembered
/// and not computed again.
class PayloadEmitter {
public:
  PayloadEmitter(KernelOp kernel, DeviceKernel &device);

  /// Whether every op is one whose elements can be computed; says which is
  /// not. Reductions may be ops whose loops are, in order, axes of the kernel.
  mlir::LogicalResult verify();

  /// The element of `value` at `at`, a coordinate for each dimension.
  mlir::Value element(mlir::Value value, llvm::ArrayRef<Int> at);

  /// Makes `element` what `element(value, at)` gives in this scope.
  void remember(mlir::Value value, llvm::ArrayRef<Int> at, mlir::Value element);

  /// What loads elements of operands instead, such as several at once that it
  /// remembers; null for those that it leaves.
  using Loader =
      std::function<mlir::Value(mlir::BlockArgument, llvm::ArrayRef<Int>)>;
  void setLoader(Loader newLoader) { loader = std::move(newLoader); }

  /// The body of `op` at the coordinates `loops` of its loops, the init's
  /// element being `accumulator`; null where the body does not read it.
  mlir::Value apply(mlir::linalg::LinalgOp op, llvm::ArrayRef<Int> loops,
                    mlir::Value accumulator);

  /// The body of `op` for these elements of its operands; null where the body
  /// does not read one. It may ask for the indices of `loops` alone.
  mlir::Value applyTo(mlir::linalg::LinalgOp op,
                      llvm::ArrayRef<mlir::Value> elements,
                      llvm::ArrayRef<Int> loops = {});

  /// Emits products of `op` that are added up as one operation with the sum: as
  /// `contract` of its micro-kernel says.
  void joinProducts(mlir::linalg::LinalgOp op, bool contract) {
    joined = op;
    this->contract = contract;
  }

  /// Coordinates of the dimensions of `map`'s results.
  llvm::SmallVector<Int> coordinates(mlir::AffineMap map,
                                     llvm::ArrayRef<Int> loops);

  /// What `combine` leaves as it is, for a reduction.
  mlir::Value neutral(mlir::linalg::LinalgOp op);
  /// Joins two partial results of a reduction.
  mlir::Value combine(mlir::linalg::LinalgOp op, mlir::Value x, mlir::Value y);

  /// Makes nest() walk `axis` from `first` to in front of `last`.
  void setRange(unsigned axis, Int first, Int last) {
    ranges[axis] = {first, last};
  }

  /// Emits `body` for all coordinates of `axes` (some loops of `loops`), from
  /// the outside in, one after the other, and gives what is carried through.
  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      llvm::ArrayRef<Int> loops, mlir::ValueRange carried)>;
  llvm::SmallVector<mlir::Value> nest(llvm::ArrayRef<unsigned> axes,
                                      llvm::SmallVector<Int> loops,
                                      mlir::ValueRange carried, Body body);

  /// While it lives, what is computed is remembered in a scope of its own:
  /// values of a region are not known outside.
  class Scope {
  public:
    explicit Scope(PayloadEmitter &payload) : payload(payload) {
      payload.known.emplace_back();
    }
    ~Scope() { payload.known.pop_back(); }

  private:
    PayloadEmitter &payload;
  };

private:
  /// A value or expression, and the coordinates it is taken at.
  using Key = std::pair<const void *, std::vector<const void *>>;
  static Key keyOf(const void *what, llvm::ArrayRef<Int> at);
  mlir::Value lookup(const Key &key) const;
  mlir::Value compute(mlir::Value value, llvm::ArrayRef<Int> at);
  mlir::Value scalar(mlir::Value value);
  Int evaluate(mlir::AffineExpr expr, llvm::ArrayRef<Int> loops);
  bool emitJoined(mlir::Operation &inner, mlir::IRMapping &map);

  KernelOp kernel;
  DeviceKernel &device;
  mlir::ImplicitLocOpBuilder &b;
  Loader loader;
  llvm::DenseMap<unsigned, std::pair<Int, Int>> ranges;
  llvm::SmallVector<std::map<Key, mlir::Value>> known;
  mlir::Operation *joined = nullptr; ///< whose products are one with sums
  bool contract = true;              ///< LLVM joins them, where it likes
};

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_PAYLOADEMITTER_H
