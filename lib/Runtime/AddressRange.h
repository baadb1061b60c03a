//===- AddressRange.h - Addresses that become memory piece by piece -*- C++
//-*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_ADDRESSRANGE_H
#define VORTEX_LIB_RUNTIME_ADDRESSRANGE_H

#include <cstddef>

namespace vortex {
namespace runtime {

inline constexpr size_t hugePage = size_t(2) << 20;

/// `value` or the next multiple of `to`, a power of two.
inline constexpr size_t roundUp(size_t value, size_t to) {
  return (value + to - 1) & ~(to - 1);
}

/// Addresses of the process that are nobody else's. They cost nothing until
/// they are made memory, and that costs nothing until it is written to.
struct AddressRange {
  char *begin = nullptr; ///< a multiple of huge pages; null: there are none
  size_t bytes = 0;

  /// As many as the machine has memory: more could never be used. None where
  /// the process may not have so many.
  static AddressRange open() noexcept;
  void close() noexcept;
  /// Makes `size` bytes from `from` on memory, both multiples of pages, in huge
  /// pages where those are whole and the system has them.
  bool commit(char *from, size_t size) const noexcept;
};

/// Gives memory its pages, as writing to each would; the contents stay.
void touchPages(char *memory, size_t bytes) noexcept;

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_ADDRESSRANGE_H
