//===- Compare.cpp - Comparing tensors ------------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Runtime/Tooling/Compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace vortex::runtime;

double vortex::runtime::defaultTolerance(VortexDType dtype) {
  switch (dtype) {
  case VORTEX_F32:
  case VORTEX_C64:
    return 1e-4;
  case VORTEX_F64:
  case VORTEX_C128:
    return 1e-9;
  case VORTEX_F16:
    return 1e-2;
  case VORTEX_BF16:
    return 4e-2;
  case VORTEX_F8E4M3FN:
    return 0.15;
  case VORTEX_F8E5M2:
    return 0.3;
  default:
    return 0;
  }
}

static bool special(double x) { return !std::isfinite(x); }

/// The distance of two elements; infinite when only one is special or both are
/// and differ.
static double distance(std::complex<double> got, std::complex<double> want) {
  const double a[] = {got.real(), got.imag()}, b[] = {want.real(), want.imag()};
  double d[2];
  for (int i = 0; i < 2; ++i) {
    if (special(a[i]) || special(b[i]))
      d[i] =
          a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])) ? 0 : INFINITY;
    else
      d[i] = std::fabs(a[i] - b[i]);
  }
  return std::hypot(d[0], d[1]);
}

static double magnitude(std::complex<double> x) {
  return special(x.real()) || special(x.imag()) ? 0 : std::abs(x);
}

static std::string elementText(const HostTensor &tensor, int64_t i) {
  HostTensor one(tensor.dtype, {});
  size_t width = one.bytes.size();
  std::copy_n(tensor.bytes.begin() + long(size_t(i) * width), width,
              one.bytes.begin());
  std::string text = valueText(one, 1);
  return text.substr(text.find('=') + 1);
}

bool vortex::runtime::compare(const HostTensor &got, const HostTensor &want,
                              const Tolerance &tolerance, std::string &report) {
  if (got.dtype != want.dtype || got.shape != want.shape) {
    report = "is " + typeText(got) + ", expected " + typeText(want);
    return false;
  }
  double tol =
      tolerance.tol >= 0 ? tolerance.tol : defaultTolerance(want.dtype);
  int64_t count = want.count(), wrong = 0, worst = -1;
  double largest = 0;
  if (!tolerance.elementwise)
    for (int64_t i = 0; i < count; ++i)
      largest = std::max(largest, magnitude(want.get(i)));
  double bound = tol * std::max(1.0, largest), worstExcess = -1;
  for (int64_t i = 0; i < count; ++i) {
    if (tolerance.elementwise)
      bound = tolerance.atol + tolerance.rtol * magnitude(want.get(i));
    double d;
    if (isInteger(want.dtype)) {
      // Doubles do not tell large integers apart.
      __int128 difference = __int128(got.integer(i)) - want.integer(i);
      d = std::fabs(double(difference));
    } else {
      d = distance(got.get(i), want.get(i));
    }
    if (d <= bound)
      continue;
    ++wrong;
    if (d - bound > worstExcess) {
      worstExcess = d - bound;
      worst = i;
    }
  }
  if (!wrong)
    return true;
  std::string index;
  int64_t rest = worst;
  for (size_t d = want.shape.size(); d-- > 0; rest /= want.shape[d])
    index = std::to_string(rest % want.shape[d]) + (index.empty() ? "" : ", ") +
            index;
  char text[128];
  if (tolerance.elementwise)
    std::snprintf(text, sizeof text, "atol %g, rtol %g", tolerance.atol,
                  tolerance.rtol);
  else
    std::snprintf(text, sizeof text, "tol %g * max(1, %g)", tol, largest);
  report = std::to_string(wrong) + " of " + std::to_string(count) +
           " elements differ; the worst at [" + index + "]: got " +
           elementText(got, worst) + ", expected " + elementText(want, worst) +
           " (" + text + ")";
  return false;
}

Difference vortex::runtime::measureDifference(const HostTensor &got,
                                              const HostTensor &want) {
  Difference result;
  int64_t finite = 0;
  for (int64_t i = 0; i < want.count(); ++i) {
    std::complex<double> x = got.get(i), y = want.get(i);
    double d = distance(x, y);
    if (std::isinf(d)) {
      ++result.special;
      continue;
    }
    if (special(y.real()) || special(y.imag()))
      continue;
    ++finite;
    result.largest = std::max(result.largest, d);
    result.magnitude = std::max(result.magnitude, magnitude(y));
    result.meanSquare += d * d;
    result.meanWant += std::norm(y);
  }
  if (finite) {
    result.meanSquare = std::sqrt(result.meanSquare / double(finite));
    result.meanWant = std::sqrt(result.meanWant / double(finite));
  }
  return result;
}
