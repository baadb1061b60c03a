//===- Compare.h - Comparing tensors ----------------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_RUNTIME_TOOLING_COMPARE_H
#define VORTEX_RUNTIME_TOOLING_COMPARE_H

#include "vortex/Runtime/Tooling/HostTensor.h"

namespace vortex {
namespace runtime {

/// How far results may be from what is expected. Either `tol`:
///   |got - want| <= tol * max(1, max |want|), the maximum over finite elements
/// or, elementwise:
///   |got - want| <= atol + rtol * |want|
/// NaN equals NaN, infinities must match, and neither has a tolerance.
struct Tolerance {
  bool elementwise = false;
  double tol = -1; ///< negative: defaultTolerance of the element type
  double atol = 0, rtol = 0;
};

/// 0 for integers; 1e-4 for f32, 1e-9 for f64, 1e-2 for f16, 4e-2 for bf16,
/// 0.15 and 0.3 for f8E4M3FN and f8E5M2: some rounding errors of a sum of a
/// few thousand terms, or about two units in the last place of short types.
double defaultTolerance(VortexDType dtype);

/// True when `got` is as expected; otherwise `report` says how many elements
/// differ and where the worst is. Another shape or element type is a
/// difference.
bool compare(const HostTensor &got, const HostTensor &want,
             const Tolerance &tolerance, std::string &report);

/// How far a tensor is from another of its shape, over the elements that are
/// finite in both.
struct Difference {
  double largest = 0;    ///< max |got - want|
  double magnitude = 0;  ///< max |want|
  double meanSquare = 0; ///< of got - want, its root
  double meanWant = 0;   ///< of want, its root
  int64_t special = 0;   ///< elements that are NaN or infinite in one alone,
                         ///< or differ as such
};

Difference measureDifference(const HostTensor &got, const HostTensor &want);

} // namespace runtime
} // namespace vortex

#endif // VORTEX_RUNTIME_TOOLING_COMPARE_H
