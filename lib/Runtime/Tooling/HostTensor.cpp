//===- HostTensor.cpp - Tensors of the command-line tools -----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Runtime/Tooling/HostTensor.h"

#include "../Signature.h"
#include "SmallFloat.h"

#include <cstdio>
#include <cstring>

using namespace vortex::runtime;

const char *vortex::runtime::elementName(VortexDType dtype) {
  return dtypes[dtype].name;
}
int64_t vortex::runtime::elementBytes(VortexDType dtype) {
  return dtypes[dtype].bytes;
}
bool vortex::runtime::parseElementName(const std::string &name,
                                       VortexDType &dtype) {
  for (size_t i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); ++i)
    if (name == dtypes[i].name) {
      dtype = VortexDType(i);
      return true;
    }
  return false;
}
bool vortex::runtime::isInteger(VortexDType dtype) {
  return dtype >= VORTEX_I1 && dtype <= VORTEX_INDEX;
}
bool vortex::runtime::isComplex(VortexDType dtype) {
  return dtype == VORTEX_C64 || dtype == VORTEX_C128;
}

bool vortex::runtime::elementCount(VortexDType dtype,
                                   const std::vector<int64_t> &shape,
                                   int64_t &count) {
  count = 1;
  bool overflow = false, empty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return false;
    empty |= size == 0;
    overflow |= __builtin_mul_overflow(count, size, &count);
  }
  int64_t bytes;
  if (empty)
    count = 0;
  return empty || (!overflow &&
                   !__builtin_mul_overflow(count, elementBytes(dtype), &bytes));
}

HostTensor::HostTensor(VortexDType dtype, std::vector<int64_t> sizes)
    : dtype(dtype), shape(std::move(sizes)) {
  bytes.resize(size_t(count() * elementBytes(dtype)));
}

int64_t HostTensor::count() const {
  int64_t count = 0;
  elementCount(dtype, shape, count);
  return count;
}

template <typename T>
static T load(const HostTensor &tensor, int64_t i) {
  T value;
  std::memcpy(&value, tensor.bytes.data() + i * int64_t(sizeof(T)), sizeof(T));
  return value;
}
template <typename T>
static void store(HostTensor &tensor, int64_t i, T value) {
  std::memcpy(tensor.bytes.data() + i * int64_t(sizeof(T)), &value, sizeof(T));
}

int64_t HostTensor::integer(int64_t i) const {
  switch (dtype) {
  case VORTEX_I1:
    return load<uint8_t>(*this, i) != 0;
  case VORTEX_I4: // the low half, with its sign
    return int8_t(load<uint8_t>(*this, i) << 4) >> 4;
  case VORTEX_I8:
    return load<int8_t>(*this, i);
  case VORTEX_I16:
    return load<int16_t>(*this, i);
  case VORTEX_I32:
    return load<int32_t>(*this, i);
  default:
    return load<int64_t>(*this, i);
  }
}

std::complex<double> HostTensor::get(int64_t i) const {
  switch (dtype) {
  case VORTEX_F32:
    return double(load<float>(*this, i));
  case VORTEX_F64:
    return load<double>(*this, i);
  case VORTEX_F16:
    return half.decode(load<uint16_t>(*this, i));
  case VORTEX_BF16:
    return bfloat.decode(load<uint16_t>(*this, i));
  case VORTEX_C64:
    return load<std::complex<float>>(*this, i);
  case VORTEX_C128:
    return load<std::complex<double>>(*this, i);
  case VORTEX_F8E4M3FN:
    return float8E4M3FN.decode(load<uint8_t>(*this, i));
  case VORTEX_F8E5M2:
    return float8E5M2.decode(load<uint8_t>(*this, i));
  default:
    return double(integer(i));
  }
}

void HostTensor::setInteger(int64_t i, int64_t value) {
  switch (dtype) {
  case VORTEX_I1:
    return store(*this, i, uint8_t(value & 1));
  case VORTEX_I4:
    return store(*this, i, uint8_t(value & 15));
  case VORTEX_I8:
    return store(*this, i, int8_t(value));
  case VORTEX_I16:
    return store(*this, i, int16_t(value));
  case VORTEX_I32:
    return store(*this, i, int32_t(value));
  case VORTEX_I64:
  case VORTEX_INDEX:
    return store(*this, i, value);
  default:
    return set(i, double(value));
  }
}

void HostTensor::set(int64_t i, std::complex<double> value) {
  switch (dtype) {
  case VORTEX_F32:
    return store(*this, i, float(value.real()));
  case VORTEX_F64:
    return store(*this, i, value.real());
  case VORTEX_F16:
    return store(*this, i, uint16_t(half.encode(value.real())));
  case VORTEX_BF16:
    return store(*this, i, uint16_t(bfloat.encode(value.real())));
  case VORTEX_C64:
    return store(*this, i, std::complex<float>(value));
  case VORTEX_C128:
    return store(*this, i, value);
  case VORTEX_F8E4M3FN:
    return store(*this, i, uint8_t(float8E4M3FN.encode(value.real())));
  case VORTEX_F8E5M2:
    return store(*this, i, uint8_t(float8E5M2.encode(value.real())));
  default:
    return setInteger(i, int64_t(value.real()));
  }
}

std::string vortex::runtime::typeText(const HostTensor &tensor) {
  std::string text;
  for (int64_t size : tensor.shape)
    text += std::to_string(size) + "x";
  return text + elementName(tensor.dtype);
}

std::string vortex::runtime::valueText(const HostTensor &tensor,
                                       int64_t limit) {
  std::string text = typeText(tensor) + "=";
  int digits = tensor.dtype == VORTEX_F64 || tensor.dtype == VORTEX_C128  ? 17
               : tensor.dtype == VORTEX_F32 || tensor.dtype == VORTEX_C64 ? 9
                                                                          : 6;
  int64_t count = tensor.count();
  for (int64_t i = 0; i < count; ++i) {
    if (i)
      text += ' ';
    if (i == limit) {
      text += "...";
      break;
    }
    char number[80];
    std::complex<double> value = tensor.get(i);
    if (isInteger(tensor.dtype))
      std::snprintf(number, sizeof number, "%lld",
                    static_cast<long long>(tensor.integer(i)));
    else if (isComplex(tensor.dtype))
      std::snprintf(number, sizeof number, "(%.*g,%.*g)", digits, value.real(),
                    digits, value.imag());
    else
      std::snprintf(number, sizeof number, "%.*g", digits, value.real());
    text += number;
  }
  return text;
}

DLTensor vortex::runtime::dlTensor(HostTensor &tensor) {
  DLTensor view{};
  view.data = tensor.bytes.data();
  view.device = {kDLCPU, 0};
  view.ndim = int32_t(tensor.shape.size());
  view.dtype = dtypes[tensor.dtype].dlpack;
  view.shape = tensor.shape.data();
  return view;
}

HostTensor vortex::runtime::copyOf(const DLTensor &tensor, VortexDType dtype) {
  HostTensor copy(dtype, {tensor.shape, tensor.shape + tensor.ndim});
  const char *data = static_cast<char *>(tensor.data) + tensor.byte_offset;
  int64_t bytes = elementBytes(dtype), count = copy.count();
  std::vector<int64_t> index(copy.shape.size());
  for (int64_t i = 0; i < count; ++i) {
    int64_t offset = i;
    if (tensor.strides) {
      offset = 0;
      for (size_t d = 0; d < index.size(); ++d)
        offset += index[d] * tensor.strides[d];
    }
    std::memcpy(copy.bytes.data() + i * bytes, data + offset * bytes,
                size_t(bytes));
    for (size_t d = index.size(); d-- > 0 && ++index[d] == copy.shape[d];)
      index[d] = 0;
  }
  return copy;
}
