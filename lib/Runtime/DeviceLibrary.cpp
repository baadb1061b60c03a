//===- DeviceLibrary.cpp - Libraries that multiply on a device ------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceLibrary.h"

#include "CudaDevice.h"

#include <algorithm>

using namespace vortex::runtime;

//===----------------------------------------------------------------------===//
// Users
//===----------------------------------------------------------------------===//

std::unique_ptr<LibraryUser> LibraryUser::create(const VortexLibrary &library,
                                                 CudaDevice &device,
                                                 std::string &why) {
  const VortexDeviceLibrary *table = deviceLibrary(library);
  if (!table) {
    why = "it has nothing for devices";
    return nullptr;
  }
  std::unique_ptr<LibraryUser> made(
      new LibraryUser(*table, library.most, device));
  int64_t bytes = table->workspace_bytes(device.capability());
  if (bytes > 0 && !(made->workspace = device.allocate(size_t(bytes)))) {
    why = "the device has no memory for its " + std::to_string(bytes) +
          " bytes of workspace";
    return nullptr;
  }
  char text[512] = "";
  made->user = table->create(made->workspace, bytes, text, sizeof text);
  if (!made->user) {
    why = *text ? text : "it gives no reason";
    return nullptr;
  }
  return made;
}

LibraryUser::~LibraryUser() {
  CudaDevice::Current use(&device);
  if (user)
    table.destroy(user);
  device.release(workspace);
}

int LibraryUser::setStream(cuda::Stream stream) {
  return table.set_stream(user, stream);
}

int LibraryUser::multiply(const LibraryProduct &product, bool &fits) const {
  return multiplyOnDevice(table, user, most, product, fits);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
/// A matrix of rows and columns, as far apart as it says.
struct MatrixLayout {
  int64_t rows, columns, rowStride, columnStride;

  MatrixLayout transposed() const {
    return {columns, rows, columnStride, rowStride};
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

/// Matrices of A, B and C at the points of one dimension of the batch.
struct BatchDim {
  int64_t size;
  int64_t strides[3];
};

/// Dimensions of a batch that no other dimension walks on; more are refused.
constexpr int64_t kMostDims = 16;
} // namespace

static int64_t bytesOf(int32_t dtype) {
  return dtype == VORTEX_F64 ? 8 : dtype == VORTEX_F32 ? 4 : 2;
}

/// Dimensions of the batch without those of one point, and with those as one
/// that walk all three operands as one would; negative where there are too
/// many.
static int64_t joinBatch(const LibraryProduct &product, int64_t most,
                         BatchDim (&dims)[kMostDims], bool &isEmpty) {
  int64_t count = 0, next = product.batches + 2;
  for (int64_t i = 0; i < product.batches; ++i) {
    BatchDim dim{product.sizes[i],
                 {product.strides[i], product.strides[next + i],
                  product.strides[2 * next + i]}};
    isEmpty |= dim.size == 0;
    if (dim.size <= 1)
      continue;
    if (count) {
      BatchDim &outer = dims[count - 1];
      bool isOne = outer.size <= most / dim.size;
      for (int operand = 0; operand < 3; ++operand)
        isOne &= outer.strides[operand] == dim.strides[operand] * dim.size;
      if (isOne) {
        dim.size *= outer.size;
        outer = dim;
        continue;
      }
    }
    if (count == kMostDims)
      return -1;
    dims[count++] = dim;
  }
  return count;
}

/// Calls once for each point of the first `count` dimensions.
static int multiplyAll(const VortexDeviceLibrary &library, void *user,
                       const VortexDeviceProduct &product, const BatchDim *dims,
                       int64_t count) {
  if (!count)
    return library.multiply(user, &product);
  VortexDeviceProduct one = product;
  for (int64_t i = 0; i < dims->size; ++i) {
    auto at = [&](const void *data, int operand, int32_t dtype) {
      return static_cast<const char *>(data) +
             i * dims->strides[operand] * bytesOf(dtype);
    };
    one.a = at(product.a, 0, product.factors);
    one.b = at(product.b, 1, product.factors);
    one.c = const_cast<char *>(at(product.c, 2, product.result));
    if (int error = multiplyAll(library, user, one, dims + 1, count - 1))
      return error;
  }
  return 0;
}

int vortex::runtime::multiplyOnDevice(const VortexDeviceLibrary &library,
                                      void *user, int64_t most,
                                      const LibraryProduct &p, bool &fits) {
  const int64_t *sizes = p.sizes + p.batches, *strides = p.strides + p.batches;
  int64_t m = sizes[0], n = sizes[1], k = sizes[2], next = p.batches + 2;
  MatrixLayout a{m, k, strides[0], strides[1]},
      b{k, n, strides[next], strides[next + 1]},
      c{m, n, strides[2 * next], strides[2 * next + 1]};
  fits = true;
  BatchDim dims[kMostDims];
  bool isEmpty = m == 0 || n == 0;
  int64_t count = joinBatch(p, most, dims, isEmpty);
  if (isEmpty)
    return 0;
  // The transposed problem has a result with rows where this one has columns.
  int first = 0, second = 1;
  if (!c.hasRows(most) && c.transposed().hasRows(most)) {
    MatrixLayout left = b.transposed();
    b = a.transposed();
    a = left;
    c = c.transposed();
    std::swap(first, second);
  }
  bool rowsOfA = a.hasRows(most), rowsOfB = b.hasRows(most);
  fits = count >= 0 && k > 0 && std::max({m, n, k}) <= most &&
         c.hasRows(most) && (rowsOfA || a.transposed().hasRows(most)) &&
         (rowsOfB || b.transposed().hasRows(most));
  if (!fits)
    return 0;
  VortexDeviceProduct product = {};
  product.size = sizeof product;
  product.factors = p.factors;
  product.result = p.result;
  product.transposed_a = !rowsOfA;
  product.transposed_b = !rowsOfB;
  product.accumulate = p.accumulate;
  product.tf32 = p.tf32;
  product.m = c.rows;
  product.n = c.columns;
  product.k = k;
  product.a = p.data[first];
  product.b = p.data[second];
  product.c = p.data[2];
  product.lda = (rowsOfA ? a : a.transposed()).distance();
  product.ldb = (rowsOfB ? b : b.transposed()).distance();
  product.ldc = c.distance();
  product.batch = 1;
  for (BatchDim *dim = dims; dim != dims + count; ++dim)
    if (first)
      std::swap(dim->strides[0], dim->strides[1]);
  // The last dimension is the batch of a call, others are calls.
  if (count && *std::min_element(dims[count - 1].strides,
                                 dims[count - 1].strides + 3) >= 0) {
    const BatchDim &dim = dims[--count];
    product.batch = dim.size;
    product.a_step = dim.strides[0];
    product.b_step = dim.strides[1];
    product.c_step = dim.strides[2];
  }
  return multiplyAll(library, user, product, dims, count);
}
