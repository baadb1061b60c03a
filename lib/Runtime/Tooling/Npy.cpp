//===- Npy.cpp - NumPy files ----------------------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Runtime/Tooling/Npy.h"
#include "vortex/Runtime/Tooling/ReplaceFile.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

using namespace vortex::runtime;

namespace {
struct Close {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;
} // namespace

/// The text after 'key': in the header's dictionary; null when it is absent.
static const char *field(const std::string &header, const char *key) {
  size_t at = header.find("'" + std::string(key) + "'");
  if (at == std::string::npos)
    return nullptr;
  at = header.find(':', at);
  if (at == std::string::npos)
    return nullptr;
  at = header.find_first_not_of(' ', at + 1);
  return at == std::string::npos ? nullptr : header.c_str() + at;
}

/// The element type for NumPy's kind and width, and as what it may be read.
static bool elementType(char kind, long width, const VortexDType *want,
                        VortexDType &dtype) {
  if (want) {
    dtype = *want;
    bool bits = *want == VORTEX_BF16 || *want == VORTEX_F8E4M3FN ||
                *want == VORTEX_F8E5M2;
    if (width == elementBytes(*want) &&
        ((isInteger(*want) && (kind == 'i' || kind == 'u')) ||
         (*want == VORTEX_I1 && kind == 'b') ||
         (bits && (kind == 'u' || kind == 'V'))))
      return true;
  }
  switch (kind) {
  case 'f':
    dtype = width == 2 ? VORTEX_F16 : width == 4 ? VORTEX_F32 : VORTEX_F64;
    return width == 2 || width == 4 || width == 8;
  case 'c':
    dtype = width == 8 ? VORTEX_C64 : VORTEX_C128;
    return width == 8 || width == 16;
  case 'b':
    dtype = VORTEX_I1;
    return width == 1;
  case 'i':
  case 'u':
    dtype = width == 1   ? VORTEX_I8
            : width == 2 ? VORTEX_I16
            : width == 4 ? VORTEX_I32
                         : VORTEX_I64;
    return width == 1 || width == 2 || width == 4 || width == 8;
  default:
    return false;
  }
}

/// Fortran order to C order.
static void transpose(HostTensor &tensor) {
  size_t rank = tensor.shape.size();
  int64_t width = elementBytes(tensor.dtype), count = tensor.count();
  std::vector<int64_t> index(rank), strides(rank);
  int64_t stride = 1;
  for (size_t d = 0; d < rank; ++d) {
    strides[d] = stride;
    stride *= tensor.shape[d];
  }
  std::vector<uint8_t> out(tensor.bytes.size());
  for (int64_t i = 0; i < count; ++i) {
    int64_t from = 0;
    for (size_t d = 0; d < rank; ++d)
      from += index[d] * strides[d];
    std::memcpy(&out[size_t(i * width)], &tensor.bytes[size_t(from * width)],
                size_t(width));
    for (size_t d = rank; d-- > 0 && ++index[d] == tensor.shape[d];)
      index[d] = 0;
  }
  tensor.bytes = std::move(out);
}

bool vortex::runtime::readNpy(const std::string &path, const VortexDType *want,
                              HostTensor &tensor, std::string &error) {
  auto fail = [&](const std::string &why) {
    error = path + ": " + why;
    return false;
  };
  File file(std::fopen(path.c_str(), "rb"));
  if (!file)
    return fail(std::strerror(errno));
  unsigned char head[12];
  if (std::fread(head, 1, 8, file.get()) != 8 ||
      std::memcmp(head, "\x93NUMPY", 6) != 0)
    return fail("not a .npy file");
  unsigned lengthBytes = head[6] == 1 ? 2 : 4;
  if (head[6] < 1 || head[6] > 3 ||
      std::fread(head + 8, 1, lengthBytes, file.get()) != lengthBytes)
    return fail("an unknown version of .npy");
  uint32_t length = head[8] | uint32_t(head[9]) << 8;
  if (lengthBytes == 4)
    length |= uint32_t(head[10]) << 16 | uint32_t(head[11]) << 24;
  if (length > (1u << 20))
    return fail("the header is too long");
  std::string header(length, '\0');
  if (std::fread(&header[0], 1, length, file.get()) != length)
    return fail("the header ends early");
  const char *descr = field(header, "descr"),
             *order = field(header, "fortran_order"),
             *shape = field(header, "shape");
  if (!descr || !order || !shape || *shape != '(' ||
      (*descr != '\'' && *descr != '"'))
    return fail("the header has no descr, fortran_order or shape (or "
                "structured elements)");

  char endianness = descr[1], kind = 0;
  bool hasEndianness = endianness && std::strchr("<>|=", endianness);
  const char *p = descr + 1 + hasEndianness;
  kind = *p ? *p++ : 0;
  char *end;
  long width = kind == '?' ? 1 : std::strtol(p, &end, 10);
  if (kind == '?')
    kind = 'b';
  VortexDType dtype;
  if (!elementType(kind, width, want, dtype))
    return fail("elements of type '" +
                std::string(descr + 1, std::strcspn(descr + 1, "'\"")) +
                "' are not supported");

  std::vector<int64_t> sizes;
  for (p = shape + 1; *p && *p != ')';) {
    if (*p == ' ' || *p == ',') {
      ++p;
      continue;
    }
    errno = 0;
    long long size = std::strtoll(p, &end, 10);
    if (end == p || size < 0 || errno)
      return fail("bad shape");
    sizes.push_back(size);
    p = end + (*end == 'L'); // as Python 2 wrote it
  }
  int64_t count;
  if (!elementCount(dtype, sizes, count))
    return fail("more elements than there are addresses");
  // A header can promise anything: what is not there is not allocated.
  long start = std::ftell(file.get());
  std::fseek(file.get(), 0, SEEK_END);
  int64_t available = std::ftell(file.get()) - start;
  std::fseek(file.get(), start, SEEK_SET);
  if (available < count * elementBytes(dtype))
    return fail("the file ends early");
  tensor = HostTensor(dtype, sizes);
  if (std::fread(tensor.bytes.data(), 1, tensor.bytes.size(), file.get()) !=
      tensor.bytes.size())
    return fail("the file ends early");
  if (endianness == '>') {
    // The parts of a complex number are swapped each.
    size_t part = size_t(kind == 'c' ? width / 2 : width);
    for (size_t i = 0; i + part <= tensor.bytes.size(); i += part)
      std::reverse(&tensor.bytes[i], &tensor.bytes[i] + part);
  }
  if (std::strncmp(order, "True", 4) == 0)
    transpose(tensor);
  return true;
}

bool vortex::runtime::writeNpy(const std::string &path,
                               const HostTensor &tensor, std::string &error) {
  static const char *const descr[] = {"<f4", "<f8", "<f2",  "<u2", "|b1",
                                      "|i1", "|i1", "<i2",  "<i4", "<i8",
                                      "<i8", "<c8", "<c16", "|u1", "|u1"};
  std::string header = std::string("{'descr': '") + descr[tensor.dtype] +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t size : tensor.shape)
    header += std::to_string(size) + ",";
  // One size keeps its comma, as Python writes a tuple of one.
  if (tensor.shape.size() > 1)
    header.pop_back();
  header += "), }";
  // Elements begin at a multiple of 64.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  unsigned char head[10] = {0x93,
                            'N',
                            'U',
                            'M',
                            'P',
                            'Y',
                            1,
                            0,
                            static_cast<unsigned char>(header.size() & 255),
                            static_cast<unsigned char>(header.size() >> 8)};
  if (header.size() > 65535) {
    error = path + ": too many dimensions";
    return false;
  }
  error = replaceFile(path, [&](std::FILE *file) {
    return std::fwrite(head, 1, 10, file) == 10 &&
           std::fwrite(header.data(), 1, header.size(), file) ==
               header.size() &&
           std::fwrite(tensor.bytes.data(), 1, tensor.bytes.size(), file) ==
               tensor.bytes.size();
  });
  return error.empty();
}
