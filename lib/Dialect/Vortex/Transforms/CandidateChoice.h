//===- CandidateChoice.h - The choice as arithmetic -------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_CANDIDATECHOICE_H
#define VORTEX_TRANSFORMS_CANDIDATECHOICE_H

#include "vortex/Dialect/Vortex/Analysis/SizeAnalysis.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/DenseMap.h"

#include <string>

namespace vortex {

/// Bytes. Where operands will be is not known before the program runs; a choice
/// made or told before takes them to be dense and aligned as the run time's own
/// results are.
inline constexpr int64_t kAssumedAlignment = 64;

/// The choice between a kernel's candidates, one entry each in the lists.
struct CandidateChoice {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::SmallVector<mlir::Value> allowed; ///< i1: does the guard hold
  llvm::SmallVector<mlir::Value> costs;   ///< f64: nanoseconds
  mlir::Value preferred; ///< index: the cheapest allowed one, -1 for none
};

/// Whether the choice takes one thread for known: a body of a parallel loop has
/// no more, whatever the call has.
bool isPlannedForOneThread(KernelOp kernel);

using AssumeFn = llvm::function_ref<mlir::Value(mlir::Operation *)>;

/// Copies arithmetic to one place, each value once: candidates, and kernels
/// that are alike, ask for much that is the same. What it copied, and what
/// from, must stay as long as it is at work.
class ArithmeticCopier {
public:
  explicit ArithmeticCopier(mlir::OpBuilder &b) : b(b) {}

  /// Copies `op` to the insertion point of the builder, unless its result is
  /// there, and maps it. What is asked about an operand that `map` lacks, an
  /// `assume` answers.
  void copy(mlir::Operation &op, mlir::IRMapping &map, AssumeFn assume);
  /// Copies the ops of a region with one yielded value and returns that value.
  mlir::Value inlineRegion(mlir::Region &region, mlir::IRMapping map,
                           AssumeFn assume);
  /// The first of the values that are computed as `value` is, of those that
  /// were asked for so far.
  mlir::Value findFirst(mlir::Value value);

private:
  struct Known {
    mlir::Operation *op;
    llvm::SmallVector<mlir::Value, 3> operands; ///< of the copy
    mlir::Value result;
  };
  /// What is known of an op like `op` with these operands; null: nothing, which
  /// the caller is to change.
  mlir::Value &lookUp(mlir::Operation &op,
                      llvm::SmallVector<mlir::Value, 3> operands);

  mlir::OpBuilder &b;
  llvm::DenseMap<size_t, llvm::SmallVector<Known, 1>> known; ///< by hash
  llvm::DenseMap<mlir::Value, mlir::Value> firsts;
};

/// Copies the guards and costs of `kernel`, which has candidates, to where
/// `copier` does. `map` has what the arguments of its candidates region stand
/// for. A question about an operand that it lacks is left to `assume`, which
/// gives the answer.
CandidateChoice createChoice(mlir::OpBuilder &b, ArithmeticCopier &copier,
                             KernelOp kernel, mlir::IRMapping map,
                             AssumeFn assume = {});

/// The candidates of `kernel` whose guard can hold at no size that its types
/// and what `sizes`, of its function, knows allow; empty if none would stay.
llvm::SmallVector<CandidateOp> findImpossible(KernelOp kernel,
                                              SizeAnalysis &sizes);

/// Erases `candidates`, found to be impossible; gives their names and guards.
llvm::SmallVector<std::string>
dropImpossible(KernelOp kernel, llvm::ArrayRef<CandidateOp> candidates);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_CANDIDATECHOICE_H
