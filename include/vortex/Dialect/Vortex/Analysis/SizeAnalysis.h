//===- SizeAnalysis.h - The sizes of a program ------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers of a program and dimensions of its tensors as expressions, and what
// is known of them at each op. Nothing is written into the program: a pass
// makes the analysis when it has a question, and throws it away.
//
//   SizeAnalysis sizes(function);
//   const SizeFacts &facts = sizes.getFactsAt(op);
//   if (facts.areEqual(sizes.getDim(a, 0), sizes.getDim(b, 1)) == Answer::Yes)
//
// An expression follows from the op that computes the value and means the same
// wherever the value is visible. Facts hold at a place: those of the ops that
// every way there has passed (`cf.assert`, `vortex.match`, and what `scf.if`,
// `scf.for` or `cf.cond_br` asked on the way). What only a later op says is not
// known earlier, so that an assertion is never proved by what it protects.
//
// While an analysis is in use, ops may be added, moved forward and lose their
// uses, but none may be erased or get other operands of shape or integer type
// that have another value.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_ANALYSIS_SIZEANALYSIS_H
#define VORTEX_DIALECT_VORTEX_ANALYSIS_SIZEANALYSIS_H

#include "vortex/Dialect/Vortex/Analysis/SizeFacts.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"

namespace vortex {

/// An extent of an argument, and the product of those of one argument that are
/// not zero, is at most this. The run time refuses calls with more.
inline constexpr int64_t kMostExtent = int64_t(1) << 48;

/// Whether an op is believed that its operands fit it.
enum class SizeTrust {
  /// No: only what is computed, checked or declared. For whoever takes checks
  /// away.
  Checked,
  /// Yes: operands of a linalg op that share a loop have equal sizes, an
  /// expanded tensor has as many elements as before, and so on. For whoever
  /// asks what may be computed together.
  Ops
};

class SizeAnalysis {
public:
  /// `root` is a function or a module; callers and callees are looked at within
  /// it.
  explicit SizeAnalysis(mlir::Operation *root,
                        SizeTrust trust = SizeTrust::Checked);

  SizeContext &getContext() { return context; }

  /// The value of an index or integer of at most 64 bits, with its sign; empty
  /// for other types and for i1.
  SizeExpr get(mlir::Value number);
  /// The extent of dimension `dim` of a ranked tensor or memref.
  SizeExpr getDim(mlir::Value shaped, int64_t dim);

  /// What is known just before `op`; valid until the next question.
  const SizeFacts &getFactsAt(mlir::Operation *op);
  /// Whether the i1 `condition` is true at `op`.
  Answer decide(mlir::Value condition, mlir::Operation *op);

  /// What a symbol stands for: a number, or a dimension of a shaped value.
  struct Origin {
    mlir::Value value;
    int64_t dim = -1; ///< -1 for the number itself
  };
  /// None for symbols that facts brought with them.
  std::optional<Origin> getOrigin(SizeExpr symbol) const;

private:
  /// What is known at a place.
  struct Scope {
    explicit Scope(SizeContext &context) : facts(context) {}

    SizeFacts facts;
    llvm::DenseMap<mlir::Value, bool> conditions;
    llvm::StringMap<SizeExpr> names;
  };
  /// A walk down a block that can go on.
  struct Cursor {
    mlir::Block *block;
    mlir::Operation *next; ///< null at the end
    Scope scope;
  };
  using Key = std::pair<mlir::Value, int64_t>;

  // SizesOfValues.cpp
  SizeExpr remember(Key key, llvm::function_ref<SizeExpr()> compute);
  SizeExpr opaque(Key key, SizeRange range, llvm::StringRef name = "");
  SizeExpr get(mlir::OpFoldResult number);
  SizeExpr getElement(mlir::Value tensor, int64_t position);
  SizeExpr computeNumber(mlir::Value number);
  SizeExpr computeArith(mlir::Operation *op);
  SizeExpr computeSelect(mlir::Operation *op);
  SizeExpr computeAffine(mlir::Operation *op);
  SizeExpr computeKernelArgument(mlir::Operation *kernel,
                                 mlir::BlockArgument argument);
  SizeExpr computeDim(mlir::Value shaped, int64_t dim);
  SizeExpr computeArgumentDim(mlir::BlockArgument argument, int64_t dim);
  SizeExpr computeCarriedDim(mlir::BlockArgument argument, int64_t dim);
  SizeExpr computeResultDim(mlir::OpResult result, int64_t dim);
  SizeExpr computeCalledDim(mlir::Operation *call, unsigned result,
                            int64_t dim);
  SizeExpr common(mlir::Operation *branch, unsigned result,
                  llvm::function_ref<SizeExpr(mlir::Value)> of);
  SizeExpr fit(SizeExpr x, mlir::Type type, bool cannotWrap = false);
  /// All calls of a function that only this module can call.
  std::optional<llvm::SmallVector<mlir::Operation *>>
  getCalls(mlir::FunctionOpInterface function);

  // SizeAnalysis.cpp
  bool isEntry(mlir::FunctionOpInterface function);
  void declare(mlir::FunctionOpInterface function);
  Scope enterFunction(mlir::FunctionOpInterface function);
  Scope enter(mlir::Block *block, const Scope &around);
  Scope &getScopeAt(mlir::Operation *op);
  void addFactsOf(mlir::Operation *op, Scope &scope);
  void addTrusted(mlir::Operation *op, SizeFacts &facts);
  void addRelation(llvm::StringRef text, mlir::Location loc, Scope &scope);
  void addEqualShapes(mlir::Value x, mlir::Value y, SizeFacts &facts,
                      int64_t except = -1);
  void assume(mlir::Value condition, bool truth, Scope &scope);
  Answer decide(mlir::Value condition, const Scope &scope);

  mlir::Operation *root;
  SizeTrust trust;
  SizeContext context;
  mlir::DominanceInfo dominance;
  llvm::DenseMap<Key, SizeExpr> known;
  llvm::SmallVector<Key> order; ///< keys of `known`, so that the latest can go
  llvm::DenseMap<SizeExpr, Origin> origins;
  /// Names of a function's sizes that its arguments give.
  llvm::DenseMap<mlir::Operation *, llvm::StringMap<SizeExpr>> declared;
  llvm::DenseMap<mlir::Operation *, bool> entries;
  std::vector<Cursor> cursors; ///< the outermost first
  /// Relations as ops; values of `known` are among them.
  std::vector<std::unique_ptr<mlir::Block>> scratch;
  unsigned counter = 0;
};

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_ANALYSIS_SIZEANALYSIS_H
