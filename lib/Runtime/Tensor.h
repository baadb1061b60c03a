//===- Tensor.h - The caller's tensors --------------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_TENSOR_H
#define VORTEX_LIB_RUNTIME_TENSOR_H

#include "Signature.h"
#include "Status.h"

#include <cstring>

namespace vortex {
namespace runtime {

/// The DLPack spelling of an element type.
inline DLDataType toDLDataType(int32_t dtype) { return dtypes[dtype].dlpack; }

/// What a call needs to know of a tensor that was checked.
struct TensorLayout {
  int64_t bytes = 0; ///< elements times element size
  /// Whether generated code can use the memory as it is: row-major, contiguous,
  /// elements aligned. True without elements.
  bool inPlace = false;
};

/// Checks device, element type, rank and layout against the signature, and
/// tells the layout. `what` names the tensor in messages ("argument 1"). With
/// `shapeOnly` a tensor needs no data and may lie anywhere, but a scalar does.
/// Tensors are in the memory of CUDA device `device`, of the CPU when that is
/// negative; scalars are the CPU's.
VortexStatus checkTensor(const DLTensor *tensor, const VortexValueInfo &value,
                         const char *function, const char *what, int64_t index,
                         int device, TensorLayout &layout,
                         bool shapeOnly = false);

/// Compiled code takes the sizes of an argument, and their products, to be at
/// most this (`kMostExtent` of the compiler's SizeAnalysis), so that arithmetic
/// on them does not wrap.
inline constexpr int mostElementBits = 48;
inline constexpr int64_t mostElements = int64_t(1) << mostElementBits;

/// Why a tensor cannot have such sizes, null when it can: then `bytes` are
/// those of its elements.
const char *wrongSizes(const int64_t *sizes, int64_t rank, int32_t dtype,
                       int64_t &bytes);

/// What the address of an element is a multiple of: its size, and of a complex
/// number that of its parts. A power of two.
inline uintptr_t dtypeAlignment(int32_t dtype) {
  return dtypeBytes(dtype) > 8 ? 8 : uintptr_t(dtypeBytes(dtype));
}
inline bool isAligned(const void *data, int32_t dtype) {
  return !(reinterpret_cast<uintptr_t>(data) & (dtypeAlignment(dtype) - 1));
}

/// The address of element 0.
inline char *tensorData(const DLTensor &tensor) {
  return static_cast<char *>(tensor.data) + tensor.byte_offset;
}

/// Whether the tensor is one of the CPU's that generated code can use as it is:
/// dense and aligned, with elements and in range. False also where this cannot
/// tell. `bytes`: of its elements.
inline bool isUsable(const DLTensor &tensor, const Signature::Operand &operand,
                     int64_t &bytes) {
  uint32_t dtype;
  static_assert(sizeof dtype == sizeof tensor.dtype, "three small numbers");
  std::memcpy(&dtype, &tensor.dtype, sizeof dtype);
  uintptr_t data = reinterpret_cast<uintptr_t>(tensorData(tensor));
  if (tensor.device.device_type != kDLCPU || dtype != operand.dtype ||
      tensor.ndim != operand.rank || !tensor.data ||
      (data & operand.misaligned))
    return false;
  if (!tensor.shape)
    return bytes = operand.elementBytes, operand.rank == 0;
  int64_t elements = 1;
  for (int32_t d = operand.rank; d-- > 0;) {
    int64_t size = tensor.shape[d];
    if (size <= 0 ||
        (tensor.strides && size != 1 && tensor.strides[d] != elements) ||
        __builtin_mul_overflow(elements, size, &elements) ||
        elements > mostElements)
      return false;
  }
  bytes = elements * operand.elementBytes;
  return true;
}

/// Elements times element size; false when that is more than an address can
/// say. Extents are not negative.
bool tensorBytes(const int64_t *sizes, int64_t rank, int32_t dtype,
                 int64_t &bytes);

/// The lowest address and the one past the highest of a tensor that is not
/// empty.
void tensorExtent(const DLTensor &tensor, int64_t elementBytes,
                  const TensorLayout &layout, const char *&begin,
                  const char *&end);

/// Copies between a tensor of any strides and row-major contiguous memory.
void copyToContiguous(const DLTensor &tensor, int64_t elementBytes, void *to);
void copyFromContiguous(const void *from, int64_t elementBytes,
                        const DLTensor &tensor);

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_TENSOR_H
