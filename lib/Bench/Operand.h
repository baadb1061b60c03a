//===- Operand.h - Memory of a contender's tensors --------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_BENCH_OPERAND_H
#define VORTEX_LIB_BENCH_OPERAND_H

#include "vortex-c/Artifact.h"
#include "vortex-c/dlpack.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace vortex {
namespace bench {

/// A row-major tensor in zeroed memory of its own, at the start of a page and
/// in large pages where the system has them: all contenders see the same.
class Operand {
public:
  Operand(VortexDType dtype, std::vector<int64_t> shape,
          bool isUnsigned = false);
  Operand(const Operand &) = delete;
  Operand &operator=(const Operand &) = delete;

  /// Multiples of range/64 between -range and range: with a range of 1 exact in
  /// every element type. For i8 any of its values.
  void randomize(uint64_t seed, int range = 1);
  /// Fills with a value that no product gives (NaN, or the least integer).
  void poison();
  void copyFrom(const Operand &other);
  double get(int64_t i) const;
  int64_t count() const { return elements; }
  /// The memory; false when there is not enough.
  explicit operator bool() const { return bool(memory); }

  const VortexDType dtype;
  const bool isUnsigned; ///< how i8 is read
  DLTensor tensor{};
  void *data() const { return memory.get(); }

private:
  struct Free {
    void operator()(void *p) const { std::free(p); }
  };
  std::vector<int64_t> shape;
  int64_t elements = 1;
  size_t bytes = 0;
  std::unique_ptr<void, Free> memory;
};

} // namespace bench
} // namespace vortex

#endif // VORTEX_LIB_BENCH_OPERAND_H
