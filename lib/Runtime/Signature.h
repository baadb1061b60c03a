//===- Signature.h - A function's sizes and relations -----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the loader makes of a function's signature at load: one symbol for each
// named size and for each size of each argument, and programs for the relations
// and for the sizes of the results.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_SIGNATURE_H
#define VORTEX_LIB_RUNTIME_SIGNATURE_H

#include "Expression.h"
#include "Status.h"

#include <string>
#include <vector>

namespace vortex {
namespace runtime {

/// Element `index` of an array of size-prefixed structs, which may be longer
/// than this library knows.
template <typename T>
const T *at(const T *array, int64_t index) {
  return reinterpret_cast<const T *>(reinterpret_cast<const char *>(array) +
                                     index * int64_t(array->size));
}

/// An element type: its name, bytes in memory (i1 and i4 take one), and its
/// DLPack spelling.
struct DTypeInfo {
  const char *name;
  int64_t bytes;
  DLDataType dlpack;
};
/// In the order of VortexDType.
inline constexpr DTypeInfo dtypes[] = {
    {"f32", 4, {kDLFloat, 32, 1}},
    {"f64", 8, {kDLFloat, 64, 1}},
    {"f16", 2, {kDLFloat, 16, 1}},
    {"bf16", 2, {kDLBfloat, 16, 1}},
    {"i1", 1, {kDLBool, 8, 1}},
    {"i4", 1, {kDLInt, 4, 1}},
    {"i8", 1, {kDLInt, 8, 1}},
    {"i16", 2, {kDLInt, 16, 1}},
    {"i32", 4, {kDLInt, 32, 1}},
    {"i64", 8, {kDLInt, 64, 1}},
    {"index", 8, {kDLInt, 64, 1}},
    {"complex<f32>", 8, {kDLComplex, 64, 1}},
    {"complex<f64>", 16, {kDLComplex, 128, 1}},
    {"f8E4M3FN", 1, {kDLFloat8_e4m3fn, 8, 1}},
    {"f8E5M2", 1, {kDLFloat8_e5m2, 8, 1}}};

/// "f32", "index", "complex<f64>", ...; null for a number out of range.
const char *dtypeName(int32_t dtype);
inline int64_t dtypeBytes(int32_t dtype) { return dtypes[dtype].bytes; }
/// "tensor<?x768xf32>"
std::string typeName(const VortexValueInfo &value);
/// "argument 1 ('w')" or "result 0"
std::string describe(const char *what, int64_t index,
                     const VortexValueInfo &value);

/// Shapes of one call: for each argument its sizes, null where not given.
using Shapes = const int64_t *const *;

class Signature {
public:
  /// Of the function at `position` of the artifact. INVALID_ARTIFACT when it
  /// contradicts itself.
  VortexStatus initialize(const VortexFunctionInfo &function, int64_t position);
  int64_t position() const { return place; }

  const VortexFunctionInfo &info() const { return *function; }
  const VortexValueInfo &arg(int64_t i) const { return *args[i]; }
  const VortexValueInfo &result(int64_t i) const { return *results[i]; }
  const VortexValueInfo &bound(int64_t i) const { return *bounds[i]; }
  int64_t numArgs() const { return int64_t(args.size()); }
  int64_t numResults() const { return int64_t(results.size()); }
  int64_t numBound() const { return int64_t(bounds.size()); }
  /// Positions of the arguments that are weights, and of the others.
  const std::vector<int64_t> &weights() const { return weightArgs; }
  const std::vector<int64_t> &inputs() const { return inputArgs; }

  int64_t numSymbols() const { return int64_t(symbols.size()); }
  /// Checks the sizes of the given arguments against static extents, named
  /// sizes and relations, those that only depend on given ones. `values` has
  /// numSymbols() entries and receives the symbols' values.
  VortexStatus check(Shapes shapes, int64_t *values) const;
  /// What `check` and the sizes of results come down to for nearly all calls,
  /// in a fraction of the time: whether nothing is wrong with the sizes of the
  /// arguments, all given, none negative and with products in range, and behind
  /// them of the caller's results, null where there is none. False also where
  /// this cannot tell.
  bool fits(Shapes shapes) const noexcept {
    bool wrong = !quick;
    auto at = [shapes](Place place) {
      return shapes[place.tensor] + place.dim;
    };
    for (const Fixed &fixed : fixedSizes)
      wrong |= shapes[fixed.at.tensor] && *at(fixed.at) != fixed.extent;
    for (const Same &same : sameSizes)
      wrong |= shapes[same.one.tensor] && *at(same.one) != *at(same.other);
    return !wrong;
  }
  /// An input or a result as a call looks at it.
  struct Operand {
    uintptr_t misaligned; ///< bits that the address of an element has not
    int32_t position;     ///< among the arguments or results
    int32_t rank;
    int64_t elementBytes;
    uint32_t dtype; ///< DLDataType's bits
    bool isScalar;
  };
  int64_t numInputs() const { return int64_t(inputArgs.size()); }
  /// How many of each there are, read in one place by each call.
  struct Counts {
    int64_t args, inputs, results;
    bool weights;          ///< some arguments are
    VortexAccepts accepts; ///< VortexFunctionInfo.accepts
  };
  const Counts &counts() const { return numbers; }
  /// One entry for each input, in order, and for each result.
  const Operand *inputOperands() const { return operands.data(); }
  const Operand *resultOperands() const {
    return operands.data() + inputArgs.size();
  }
  /// Where no size of an input or of a result reaches this, no product is
  /// beyond 2^48.
  uint64_t safeSize() const { return mostSize; }
  /// Whether the result gives names their values, so that `nameResult` is due.
  bool namesResult(int64_t result) const { return naming[result]; }
  /// Gives `size`, which the program found for a result, to the name that only
  /// results have. The answer is the size that the signature declares when that
  /// is another, else -1.
  int64_t nameResult(int64_t result, int64_t dim, int64_t size,
                     int64_t *values) const;
  /// Checks the relations that use names of results, all of which are given.
  VortexStatus checkResults(const int64_t *values) const;
  /// The most bytes of intermediates at once; -1 where data decides.
  int64_t peakBytes(const int64_t *values) const;
  /// What that never exceeds at sizes that a call may have; 0 where it may be
  /// anything.
  int64_t mostBytes() const {
    return function->most_bytes > 0 ? function->most_bytes : 0;
  }
  /// The extent of a result as far as the symbols tell; -1 for unknown.
  int64_t resultExtent(int64_t result, int64_t dim,
                       const int64_t *values) const;

private:
  /// A size of a tensor: of an argument or, behind them, of a result.
  struct Place {
    uint32_t tensor, dim;
  };
  struct Fixed {
    Place at;
    int64_t extent;
  };
  struct Same {
    Place one, other; ///< `other` is an argument's
  };
  void makeQuick();
  bool addSame(Place one, int symbol);
  bool quick = false;
  Counts numbers = {};
  std::vector<Operand> operands;
  std::vector<Fixed> fixedSizes;
  std::vector<Same> sameSizes;
  uint64_t mostSize = 0; ///< so that products are in range

  Expression peak;
  bool hasPeak = false;
  struct Symbol {
    std::string name;
    int64_t arg, dim; ///< where it comes from first
  };
  struct Dim {
    int64_t arg, dim;
    int named = -1; ///< symbol of its name
    int own = -1;   ///< symbol "argA.dimD"
  };
  struct Relation {
    std::string text;
    Expression expression;
    bool ofResults = false; ///< Uses a name that only results have.
    /// Of "name == name", which nearly all are, the two symbols.
    int left = -1, right = -1;
  };
  VortexStatus holds(const Relation &relation, const int64_t *values,
                     VortexStatus otherwise) const;
  int symbolOf(const std::string &name) const;
  std::string symbolValues(const Expression &expression,
                           const int64_t *values) const;

  const VortexFunctionInfo *function = nullptr;
  int64_t place = 0;
  std::vector<const VortexValueInfo *> args, results, bounds;
  std::vector<int64_t> weightArgs, inputArgs;
  std::vector<Symbol> symbols;
  std::vector<Dim> dims;
  std::vector<Relation> relations;
  /// For each result and dim: how to compute it, no steps when unknown.
  struct Extent {
    int64_t fixed = -1;
    bool computed = false;
    int named = -1;  ///< Symbol of a name that only results have.
    int symbol = -1; ///< of an expression that is one
    Expression expression;
  };
  std::vector<std::vector<Extent>> extents;
  std::vector<bool> naming; ///< for each result: some extent is `named`
};

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_SIGNATURE_H
