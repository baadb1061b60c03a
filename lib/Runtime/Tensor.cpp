//===- Tensor.cpp - The caller's tensors ----------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensor.h"

#include <algorithm>
#include <cstring>

using namespace vortex::runtime;

/// Integers have no sign of their own here, so either DLPack spelling fits.
static bool sameType(DLDataType got, DLDataType want) {
  if (got.code == kDLUInt && want.code == kDLInt)
    got.code = kDLInt;
  return got.code == want.code && got.bits == want.bits &&
         got.lanes == want.lanes;
}

static std::string typeText(DLDataType type) {
  static const char *const codes[] = {"int",           "uint",
                                      "float",         "handle",
                                      "bfloat",        "complex",
                                      "bool",          "float8_e3m4",
                                      "float8_e4m3",   "float8_e4m3b11fnuz",
                                      "float8_e4m3fn", "float8_e4m3fnuz",
                                      "float8_e5m2"};
  std::string text = type.code < sizeof(codes) / sizeof(codes[0])
                         ? codes[type.code]
                         : "type " + std::to_string(type.code) + " of ";
  if (type.code < kDLBool)
    text += std::to_string(type.bits);
  return type.lanes == 1 ? text : text + "x" + std::to_string(type.lanes);
}

/// Whether no element of a tensor that is not empty lies further from the first
/// than a difference of addresses can say: offsets are then computed safely.
static bool stridesFit(const DLTensor &tensor, int64_t elementBytes) {
  int64_t reach = elementBytes;
  for (int32_t d = 0; tensor.strides && d < tensor.ndim; ++d) {
    if (tensor.shape[d] == 1)
      continue;
    int64_t step;
    if (__builtin_mul_overflow(tensor.strides[d], elementBytes, &step) ||
        __builtin_mul_overflow(step, tensor.shape[d] - 1, &step) ||
        step == INT64_MIN ||
        __builtin_add_overflow(reach, step < 0 ? -step : step, &reach))
      return false;
  }
  return true;
}

/// Whether the product of the sizes is no more than that, also of those beside
/// a zero.
static bool sizesFit(const int64_t *sizes, int64_t rank) {
  int64_t product = 1;
  for (int64_t d = 0; d < rank; ++d)
    if (sizes[d] != 0 && (__builtin_mul_overflow(product, sizes[d], &product) ||
                          product > mostElements))
      return false;
  return true;
}

const char *vortex::runtime::wrongSizes(const int64_t *sizes, int64_t rank,
                                        int32_t dtype, int64_t &bytes) {
  for (int64_t d = 0; d < rank; ++d)
    if (sizes[d] < 0)
      return "has a negative size";
  if (!tensorBytes(sizes, rank, dtype, bytes))
    return "has more bytes than there are addresses";
  if (!sizesFit(sizes, rank))
    return "has sizes whose product, zeros left out, is beyond 2^48";
  return nullptr;
}

/// Of a tensor that is not empty: row-major, contiguous, elements aligned.
static bool isDense(const DLTensor &tensor, int32_t dtype) {
  int64_t stride = 1;
  for (int32_t d = tensor.ndim; tensor.strides && d-- > 0;) {
    // The stride of a size of one is never used.
    if (tensor.shape[d] != 1 && tensor.strides[d] != stride)
      return false;
    stride *= tensor.shape[d];
  }
  return isAligned(tensorData(tensor), dtype);
}

/// Whether the tensor is what nearly all are: all that `checkTensor` asks for,
/// and dense. Makes no message, so that it is short.
static bool isPlain(const DLTensor *tensor, const VortexValueInfo &value,
                    int device, bool isRead, TensorLayout &layout) {
  if (!tensor ||
      tensor->device.device_type != (device < 0 ? kDLCPU : kDLCUDA) ||
      (device >= 0 && tensor->device.device_id != device) ||
      !sameType(tensor->dtype, toDLDataType(value.dtype)) ||
      tensor->ndim != value.rank || (tensor->ndim && !tensor->shape) ||
      (isRead && !tensor->data))
    return false;
  int64_t elements = 1;
  for (int32_t d = tensor->ndim; d-- > 0;) {
    int64_t size = tensor->shape[d];
    if (size <= 0 ||
        (tensor->strides && size != 1 && tensor->strides[d] != elements) ||
        __builtin_mul_overflow(elements, size, &elements))
      return false;
  }
  int64_t elementBytes = dtypeBytes(value.dtype);
  if (elements > mostElements ||
      __builtin_mul_overflow(elements, elementBytes, &layout.bytes))
    return false;
  layout.inPlace = isAligned(tensorData(*tensor), value.dtype);
  return true;
}

/// "" where a tensor on `at` may be used, else what is wrong.
static std::string wrongPlace(DLDevice at, int device) {
  if (device < 0)
    return at.device_type == kDLCPU || at.device_type == kDLCUDAHost
               ? ""
               : "is not in the CPU's memory (DLPack device " +
                     std::to_string(at.device_type) + ")";
  std::string wanted =
      "; this instance runs on CUDA device " + std::to_string(device);
  // Managed memory is every device's.
  if (at.device_type == kDLCUDAManaged)
    return "";
  if (at.device_type != kDLCUDA)
    return at.device_type == kDLCPU || at.device_type == kDLCUDAHost
               ? "is in the CPU's memory" + wanted
               : "is on DLPack device " + std::to_string(at.device_type) +
                     wanted;
  return at.device_id == device
             ? ""
             : "is on CUDA device " + std::to_string(at.device_id) + wanted;
}

VortexStatus vortex::runtime::checkTensor(const DLTensor *tensor,
                                          const VortexValueInfo &value,
                                          const char *function,
                                          const char *what, int64_t index,
                                          int device, TensorLayout &layout,
                                          bool shapeOnly) {
  bool isRead = !shapeOnly || value.kind == VORTEX_SCALAR;
  if (value.kind == VORTEX_SCALAR)
    device = -1;
  if (isPlain(tensor, value, device, isRead, layout))
    return VORTEX_STATUS_OK;
  auto wrong = [&](const std::string &why) {
    return report(VORTEX_STATUS_INVALID_ARGUMENT, "function '%s': %s %s",
                  function, describe(what, index, value).c_str(), why.c_str());
  };
  if (!tensor)
    return wrong("is null");
  if (std::string why = wrongPlace(tensor->device, device);
      !why.empty() && !(shapeOnly && device >= 0))
    return wrong(why);
  if (!sameType(tensor->dtype, toDLDataType(value.dtype)))
    return wrong("has elements of " + typeText(tensor->dtype) +
                 ", the signature says " + dtypeName(value.dtype));
  if (tensor->ndim != value.rank)
    return wrong("has rank " + std::to_string(tensor->ndim) +
                 ", the signature says " + std::to_string(value.rank) + ": " +
                 typeName(value));
  if (tensor->ndim && !tensor->shape)
    return wrong("has no shape");
  for (int32_t d = 0; d < tensor->ndim; ++d)
    if (tensor->shape[d] < 0)
      return wrong("has a negative size in dimension " + std::to_string(d));
  int64_t bytes;
  if (const char *why =
          wrongSizes(tensor->shape, tensor->ndim, value.dtype, bytes))
    return wrong(why);
  if (bytes && isRead && !tensor->data)
    return wrong("has no data");
  if (bytes && isRead && !stridesFit(*tensor, dtypeBytes(value.dtype)))
    return wrong("has strides that reach further than there are addresses");
  layout = {bytes, !bytes || isDense(*tensor, value.dtype)};
  return VORTEX_STATUS_OK;
}

bool vortex::runtime::tensorBytes(const int64_t *sizes, int64_t rank,
                                  int32_t dtype, int64_t &bytes) {
  bool overflow = false;
  bytes = dtypeBytes(dtype);
  for (int64_t d = 0; d < rank; ++d) {
    if (sizes[d] == 0) {
      bytes = 0;
      return true;
    }
    overflow |= __builtin_mul_overflow(bytes, sizes[d], &bytes);
  }
  return !overflow;
}

/// The other sizes of such a tensor may be any.
static bool isEmpty(const DLTensor &tensor) {
  return std::find(tensor.shape, tensor.shape + tensor.ndim, 0) !=
         tensor.shape + tensor.ndim;
}

void vortex::runtime::tensorExtent(const DLTensor &tensor, int64_t elementBytes,
                                   const TensorLayout &layout,
                                   const char *&begin, const char *&end) {
  begin = end = tensorData(tensor);
  if (layout.inPlace) {
    end += layout.bytes;
    return;
  }
  int64_t dense = elementBytes;
  for (int32_t d = tensor.ndim; d-- > 0;) {
    // The stride of a size of one is never used.
    if (tensor.shape[d] == 1)
      continue;
    int64_t step = tensor.strides ? tensor.strides[d] * elementBytes : dense;
    dense *= tensor.shape[d];
    (step < 0 ? begin : end) += step * (tensor.shape[d] - 1);
  }
  end += elementBytes;
}

/// Walks the tensor in row-major order; `move(element, contiguous, bytes)`.
template <typename Move>
static void walk(const DLTensor &tensor, int64_t elementBytes, char *flat,
                 Move move) {
  if (isEmpty(tensor))
    return;
  int64_t index[64] = {0}, strides[64];
  int rank = tensor.ndim;
  int64_t dense = 1;
  for (int d = rank; d-- > 0;) {
    strides[d] = tensor.strides ? tensor.strides[d] : dense;
    dense *= tensor.shape[d];
  }
  // The innermost dimensions that are contiguous move together.
  int64_t run = 1;
  while (rank > 0 &&
         (strides[rank - 1] == run || tensor.shape[rank - 1] == 1)) {
    run *= tensor.shape[rank - 1];
    --rank;
  }
  char *data = tensorData(tensor);
  for (;;) {
    int64_t offset = 0;
    for (int d = 0; d < rank; ++d)
      offset += index[d] * strides[d];
    move(data + offset * elementBytes, flat, run * elementBytes);
    flat += run * elementBytes;
    int d = rank;
    while (d > 0 && ++index[d - 1] == tensor.shape[d - 1])
      index[--d] = 0;
    if (d == 0)
      return;
  }
}

void vortex::runtime::copyToContiguous(const DLTensor &tensor,
                                       int64_t elementBytes, void *to) {
  walk(tensor, elementBytes, static_cast<char *>(to),
       [](char *element, char *flat, int64_t bytes) {
         std::memcpy(flat, element, bytes);
       });
}

void vortex::runtime::copyFromContiguous(const void *from, int64_t elementBytes,
                                         const DLTensor &tensor) {
  walk(tensor, elementBytes, static_cast<char *>(const_cast<void *>(from)),
       [](char *element, char *flat, int64_t bytes) {
         std::memcpy(element, flat, bytes);
       });
}
