//===- HostTensor.h - Tensors of the command-line tools ---------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors in memory with the element types of vortex-c/Artifact.h, for tools
// that read, make, compare and print them. Failures come back as text in an
// `error` argument, with a false result.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_RUNTIME_TOOLING_HOSTTENSOR_H
#define VORTEX_RUNTIME_TOOLING_HOSTTENSOR_H

#include "vortex-c/Runtime.h"

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

namespace vortex {
namespace runtime {

/// A row-major tensor that owns its elements, laid out as generated code sees
/// them (i1 and i4: one element a byte; f16, bf16, f8: their bits).
struct HostTensor {
  VortexDType dtype = VORTEX_F32;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;

  HostTensor() = default;
  /// Zeros. `shape` must have passed `elementCount`.
  HostTensor(VortexDType dtype, std::vector<int64_t> shape);

  int64_t count() const;
  /// Element `i` in row-major order. Integers up to 64 bits are exact in
  /// `integer`, everything is in `get`, rounded to double.
  std::complex<double> get(int64_t i) const;
  int64_t integer(int64_t i) const;
  /// Rounds to nearest even; integers wrap to their width.
  void set(int64_t i, std::complex<double> value);
  void setInteger(int64_t i, int64_t value);
};

/// "f32", "index", "complex<f32>", ...
const char *elementName(VortexDType dtype);
bool parseElementName(const std::string &name, VortexDType &dtype);
int64_t elementBytes(VortexDType dtype);
bool isInteger(VortexDType dtype); ///< i1 to i64 and index
bool isComplex(VortexDType dtype);
/// The product of the sizes; false when there are too many bytes to address.
bool elementCount(VortexDType dtype, const std::vector<int64_t> &shape,
                  int64_t &count);

/// "2x3xf32"; "f32" for rank 0.
std::string typeText(const HostTensor &tensor);
/// "2x3xf32=1 2 3 4 5 6", as the value specifications of the tools read it; at
/// most `limit` elements, then "...".
std::string valueText(const HostTensor &tensor, int64_t limit);

/// A view that lives as long as the tensor; `view.shape` points into it.
DLTensor dlTensor(HostTensor &tensor);
/// A row-major contiguous copy of a tensor on the CPU.
HostTensor copyOf(const DLTensor &tensor, VortexDType dtype);

} // namespace runtime
} // namespace vortex

#endif // VORTEX_RUNTIME_TOOLING_HOSTTENSOR_H
