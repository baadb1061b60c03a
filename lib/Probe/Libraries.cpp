//===- Libraries.cpp - What products of a library take -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hockney's half lengths: a product of M x N x K takes
// 2 (M + m) (N + n) (K + k) / rate, where m, n and k say how many more rows,
// columns and steps would take as long as what a product of any size pays once.
// A cube and three products that are short in one direction give the four
// numbers; one of a single element gives what a call costs.
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include "../Runtime/Library.h"

#include <algorithm>
#include <cmath>

using namespace vortex;
using namespace vortex::probe;

namespace {
template <typename T>
using Gemm = void (*)(int, int, int64_t, int64_t, int64_t, const T *, int64_t,
                      const T *, int64_t, T, T *, int64_t);

/// Rests in L2 or the level behind it, as operands of a loaded core do.
constexpr int64_t kLong = 384;
/// Few, but more than a million products beside two sides of `kLong`: libraries
/// have another code for less (OpenBLAS below 100 x 100 x 100), which neither
/// packs nor pays what the others pay for it.
constexpr int64_t kShort = 16;

template <typename T>
class Products {
public:
  Products(Gemm<T> gemm, const Effort &effort)
      : gemm(gemm), effort(effort), a(kLong * kLong, T(0.5)), b(a), c(a) {}

  /// Nanoseconds a product, as `key` in `params`.
  double measure(HostParams &params, const std::string &key, int64_t m,
                 int64_t n, int64_t k) {
    auto run = [&](int64_t times) {
      double begin = now();
      for (int64_t i = 0; i < times; ++i)
        gemm(0, 0, m, n, k, a.data(), k, b.data(), n, T(0), c.data(), n);
      return (now() - begin) * 1e9;
    };
    run(2);
    double once = std::max(run(1), 1.0);
    auto times =
        std::max<int64_t>(int64_t(effort.sampleSeconds * 1e9 / once), 1);
    record(params, key, effort, [&] { return run(times) / double(times); });
    return params.numbers[key];
  }

private:
  Gemm<T> gemm;
  const Effort &effort;
  std::vector<T> a, b, c;
};
} // namespace

/// By how much a side of `kLong` is longer for the cost than it is, when a side
/// of `kShort` in its place takes `less` and not `whole`.
static double halfLength(double whole, double less) {
  double length =
      whole > less
          ? (less * double(kLong) - whole * double(kShort)) / (whole - less)
          : 0;
  return std::clamp(length, 0.0, double(kLong));
}

template <typename T>
static void measureProducts(HostParams &params, const std::string &prefix,
                            Gemm<T> gemm, const Effort &effort) {
  Products<T> products(gemm, effort);
  HostParams times;
  double start = products.measure(times, "start", 1, 1, 1);
  auto time = [&](const char *key, int64_t m, int64_t n, int64_t k) {
    return std::max(products.measure(times, key, m, n, k) - start, 1.0);
  };
  double cube = time("cube", kLong, kLong, kLong);
  double rows = halfLength(cube, time("rows", kShort, kLong, kLong));
  double columns = halfLength(cube, time("columns", kLong, kShort, kLong));
  double steps = halfLength(cube, time("steps", kLong, kLong, kShort));
  auto set = [&](const char *field, double value, const char *from) {
    params.numbers[prefix + "." + field] = std::round(value * 10) / 10;
    params.spread[prefix + "." + field] = times.spread[from];
  };
  auto side = [](double half) { return double(kLong) + half; };
  set("rate", 2 * side(rows) * side(columns) * side(steps) / cube, "cube");
  set("rows", rows, "rows");
  set("columns", columns, "columns");
  set("steps", steps, "steps");
  set("start", start, "start");
}

bool probe::addLibrary(std::vector<Step> &steps, const std::string &name,
                       const Effort &effort, std::string &error) {
  const VortexLibrary *library = runtime::findLibrary(name, error);
  if (!library)
    return false;
  if (!library->gemm_f32 && !library->gemm_f64) {
    error = "it computes on GPUs alone, whose costs descriptions tell";
    return false;
  }
  auto run = [=](HostParams &params) {
    std::string prefix = "library." + name;
    if (library->gemm_f32)
      measureProducts<float>(params, prefix + ".f32", library->gemm_f32,
                             effort);
    if (library->gemm_f64)
      measureProducts<double>(params, prefix + ".f64", library->gemm_f64,
                              effort);
    params.machine[prefix] = library->version ? library->version : "";
  };
  steps.push_back({"products of " + name, run});
  return true;
}
