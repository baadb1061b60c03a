//===- Problem.h - One size of a kind of program -------------- -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_BENCH_PROBLEM_H
#define VORTEX_LIB_BENCH_PROBLEM_H

#include "Operand.h"

#include "vortex/Bench/Bench.h"

#include <random>
#include <string>
#include <vector>

namespace vortex {
namespace bench {

class Call;
class Peer;

/// A column of a table of sizes, and what a cell of it sets.
struct Column {
  /// The first of these that the table has counts.
  std::vector<std::string> names;
  std::vector<int64_t *> sizes;
  bool *flag = nullptr; ///< a column of true and false; then no sizes
  bool needed = false;
  int64_t least = 0;
};

/// What a row of results says about its size.
struct Field {
  std::string name;
  int64_t value = 0;
  bool flag = false; ///< it is there, without a value
};

/// The type of an argument or result.
struct TensorType {
  VortexDType dtype = VORTEX_F32;
  std::vector<int64_t> shape;
  bool weight = false;     ///< may be known before the call
  int range = 1;           ///< values are drawn from -range to range
  bool isUnsigned = false; ///< of i8

  double bytes() const;
};

using Operands = std::vector<std::unique_ptr<Operand>>;
/// The memory of the arguments in order, then that of the result.
using Buffers = std::vector<void *>;

/// One size of a kind of program: a function of some tensors with one result.
/// All that is particular to a kind is here; its program is compiled with every
/// size unknown.
class Problem {
public:
  VortexDType dtype = VORTEX_F32; ///< of the arguments

  virtual ~Problem() = default;

  // Types.
  /// Sets what the command line or a cell calls `dtype`. False when this is no
  /// name of a type.
  virtual bool setType(const std::string &name);
  virtual std::string typeName() const;

  // Sizes.
  virtual std::vector<Column> columns() = 0;
  /// Called when a row was read. Answers an error, or "".
  virtual std::string complete(const Options &options) { return ""; }
  /// Draws what is not read.
  virtual void draw(std::mt19937_64 &random) = 0;
  virtual std::vector<Field> fields() const = 0;

  // The function.
  /// What products of `dtype` are added up in: f32 for the short float types,
  /// i32 for i8, else the type itself.
  VortexDType sumType() const;
  virtual std::vector<TensorType> arguments() const = 0;
  virtual TensorType result() const = 0;
  /// MLIR with one function, @main. Problems of equal text share a program.
  /// `packed`: arguments that may be weights are.
  virtual std::string program(bool packed) const = 0;
  /// The same for these sizes alone; "" where there is none.
  virtual std::string staticProgram(bool packed) const { return ""; }
  /// 0: there is nothing to compute.
  virtual double flops() const = 0;
  /// Whether bytes, not operations, say how much is done.
  virtual bool isStream() const { return false; }

  // The reference.
  /// One element of the result in double precision.
  virtual double want(const Operands &operands, int64_t element) const = 0;
  /// What `want` adds up, roughly.
  virtual double terms() const = 0;
  /// How far results may be apart, relative to the largest of them or `floor`.
  virtual double tolerance() const = 0;
  virtual double floor() const { return 1; }

  /// The same by a peer, null when it cannot.
  virtual std::unique_ptr<Call> prepare(Peer &peer, const Buffers &at,
                                        bool packed) const = 0;

  std::string text() const;
  double largestOperandBytes() const;
  /// Of arguments and result.
  double bytes() const;
};

/// An extent from 1 to `most`, log-uniformly.
int64_t drawExtent(std::mt19937_64 &random, int64_t most);

/// Replaces each name, `$e` for one, in the text of a program.
std::string
expand(std::string text,
       const std::vector<std::pair<std::string, std::string>> &names);

/// A size that is not measured.
struct LeftOut {
  std::string size, reason;
};

/// Rows of a CSV file whose first line names the columns, those of the kind and
/// dtype; others are passed over. Equal rows count once. Rows over the limits,
/// and those without work, go to `leftOut`. Then the sizes that are to be
/// drawn. Answers an error, or "".
std::string readProblems(const Options &options, const Kind &kind,
                         std::vector<std::unique_ptr<Problem>> &problems,
                         std::vector<LeftOut> &leftOut);

} // namespace bench
} // namespace vortex

#endif // VORTEX_LIB_BENCH_PROBLEM_H
