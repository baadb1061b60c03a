//===- Library.cpp - Libraries that artifacts may call -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <sstream>
#include <unistd.h>

using namespace vortex::runtime;

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

namespace {
struct Found {
  const VortexLibrary *library = nullptr;
  std::string why;
};
} // namespace

/// Where this code was loaded from, and the `lib` beside a program's `bin`.
static std::string ownFolders() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&ownFolders), &info) || !info.dli_fname)
    return "";
  // A program that was found by its name alone has no folder there.
  bool isProgram = !std::strchr(info.dli_fname, '/');
  char *full = realpath(isProgram ? "/proc/self/exe" : info.dli_fname, nullptr);
  std::string file = full ? full : "";
  std::free(full);
  size_t slash = file.rfind('/');
  if (slash == std::string::npos)
    return "";
  std::string folder = file.substr(0, slash);
  return folder + ":" + folder + "/../lib";
}

static Found open(const std::string &name) {
  const char *told = std::getenv("VORTEX_LIBRARY_PATH");
  std::string folders = told ? told : "", file;
  std::string object = "libvortex_library_" + name + ".so";
  std::stringstream all(folders + ":" + ownFolders());
  for (std::string folder; file.empty() && std::getline(all, folder, ':');)
    if (!folder.empty() && access((folder + "/" + object).c_str(), R_OK) == 0)
      file = folder + "/" + object;
  // Kept for the life of the process: libraries leave threads behind.
  void *handle =
      dlopen((file.empty() ? object : file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *error = dlerror();
    return {nullptr, error ? error : object + " cannot be loaded"};
  }
  auto query =
      reinterpret_cast<VortexLibraryOpen>(dlsym(handle, VORTEX_LIBRARY_OPEN));
  if (!query)
    return {nullptr, object + " does not export " VORTEX_LIBRARY_OPEN};
  char why[512] = "";
  const VortexLibrary *library =
      query(VORTEX_LIBRARY_ABI, folders.c_str(), why, sizeof why);
  if (!library)
    return {nullptr, *why ? why : object + " gives no reason"};
  if (library->abi != VORTEX_LIBRARY_ABI ||
      library->size < offsetof(VortexLibrary, device) || library->most < 1)
    return {nullptr, object + " is not made for this run time"};
  return {library, ""};
}

const VortexLibrary *vortex::runtime::findLibrary(const std::string &name,
                                                  std::string &why) {
  static std::mutex mutex;
  static auto *known = new std::map<std::string, Found>();
  std::lock_guard<std::mutex> lock(mutex);
  auto [it, isNew] = known->try_emplace(name);
  if (isNew)
    it->second = open(name);
  why = it->second.why;
  return it->second.library;
}

const VortexDeviceLibrary *
vortex::runtime::deviceLibrary(const VortexLibrary &library) {
  const VortexDeviceLibrary *device =
      library.size >= sizeof(VortexLibrary) ? library.device : nullptr;
  return device && device->size >= sizeof(VortexDeviceLibrary) ? device
                                                               : nullptr;
}

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

namespace {
/// A matrix of rows and columns, as far apart as it says.
template <typename T>
struct Matrix {
  T *data;
  int64_t rows, columns, rowStride, columnStride;

  Matrix transposed() const {
    return {data, columns, rows, columnStride, rowStride};
  }
  Matrix part(int64_t row, int64_t column, int64_t height,
              int64_t width) const {
    return {data + row * rowStride + column * columnStride, height, width,
            rowStride, columnStride};
  }
  /// Rows of elements that lie beside each other, which do not overlap and are
  /// at most `most` apart.
  bool hasRows(int64_t most) const {
    bool dense = columns <= 1 || columnStride == 1;
    return dense && (rows <= 1 || (rowStride >= columns && rowStride <= most));
  }
  int64_t distance() const {
    return rows <= 1 ? std::max<int64_t>(columns, 1) : rowStride;
  }
};
} // namespace

/// What no library takes: any strides.
template <typename T>
static void multiplyHere(Matrix<const T> a, Matrix<const T> b, Matrix<T> c,
                         bool accumulate) {
  for (int64_t i = 0; i < c.rows; ++i)
    for (int64_t j = 0; j < c.columns; ++j) {
      T &out = c.data[i * c.rowStride + j * c.columnStride];
      T sum = accumulate ? out : T(0);
      for (int64_t k = 0; k < a.columns; ++k)
        sum += a.data[i * a.rowStride + k * a.columnStride] *
               b.data[k * b.rowStride + j * b.columnStride];
      out = sum;
    }
}

template <typename T, typename Gemm>
static void multiplyPart(Gemm gemm, int64_t most, Matrix<const T> a,
                         Matrix<const T> b, Matrix<T> c, bool accumulate) {
  // The transposed problem has a result with rows where this one has columns.
  if (!c.hasRows(most) && c.transposed().hasRows(most)) {
    std::swap(a, b);
    a = a.transposed();
    b = b.transposed();
    c = c.transposed();
  }
  bool rowsOfA = a.hasRows(most), rowsOfB = b.hasRows(most);
  if (!gemm || !c.hasRows(most) || !(rowsOfA || a.transposed().hasRows(most)) ||
      !(rowsOfB || b.transposed().hasRows(most)))
    return multiplyHere(a, b, c, accumulate);
  gemm(!rowsOfA, !rowsOfB, c.rows, c.columns, a.columns, a.data,
       (rowsOfA ? a : a.transposed()).distance(), b.data,
       (rowsOfB ? b : b.transposed()).distance(), accumulate ? T(1) : T(0),
       c.data, c.distance());
}

/// The matrices at `at`, a point of the batch.
template <typename T, typename Gemm>
static void multiplyAs(Gemm gemm, int64_t most, const LibraryProduct &p,
                       const int64_t (&at)[3]) {
  const int64_t *sizes = p.sizes + p.batches, *strides = p.strides + p.batches;
  int64_t m = sizes[0], n = sizes[1], k = sizes[2], next = p.batches + 2;
  const int64_t *as = strides, *bs = as + next, *cs = bs + next;
  Matrix<const T> a{static_cast<const T *>(p.data[0]) + at[0], m, k, as[0],
                    as[1]};
  Matrix<const T> b{static_cast<const T *>(p.data[1]) + at[1], k, n, bs[0],
                    bs[1]};
  Matrix<T> c{static_cast<T *>(p.data[2]) + at[2], m, n, cs[0], cs[1]};
  if (k == 0)
    return multiplyHere(a, b, c, p.accumulate);
  for (int64_t i = 0; i < m; i += most)
    for (int64_t j = 0; j < n; j += most)
      for (int64_t l = 0; l < k; l += most) {
        int64_t rows = std::min(most, m - i), columns = std::min(most, n - j),
                steps = std::min(most, k - l);
        multiplyPart(gemm, most, a.part(i, l, rows, steps),
                     b.part(l, j, steps, columns), c.part(i, j, rows, columns),
                     p.accumulate || l > 0);
      }
}

/// One matrix after the other from dimension `dim` of the batch on.
static void multiplyBatch(const VortexLibrary &library, const LibraryProduct &p,
                          int64_t dim, const int64_t (&at)[3]) {
  if (dim == p.batches && p.result == VORTEX_F64)
    return multiplyAs<double>(library.gemm_f64, library.most, p, at);
  if (dim == p.batches)
    return multiplyAs<float>(library.gemm_f32, library.most, p, at);
  int64_t next = p.batches + 2;
  for (int64_t i = 0; i < p.sizes[dim]; ++i)
    multiplyBatch(library, p, dim + 1,
                  {at[0] + i * p.strides[dim],
                   at[1] + i * p.strides[next + dim],
                   at[2] + i * p.strides[2 * next + dim]});
}

void vortex::runtime::multiply(const VortexLibrary &library,
                               const LibraryProduct &product) {
  multiplyBatch(library, product, 0, {0, 0, 0});
}
