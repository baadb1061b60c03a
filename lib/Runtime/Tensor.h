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

/// Elements times element size; false when that is more than an address can
/// say. Extents are not negative.
bool tensorBytes(const int64_t *sizes, int64_t rank, int32_t dtype,
                 int64_t &bytes);

/// The address of element 0.
inline char *tensorData(const DLTensor &tensor) {
  return static_cast<char *>(tensor.data) + tensor.byte_offset;
}

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
