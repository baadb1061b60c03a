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

namespace {
/// Reads the header: a dictionary as Python writes it, of these three keys.
class Header {
public:
  explicit Header(const std::string &text) : p(text.c_str()) {}

  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;

  /// "" or what is wrong.
  std::string read() {
    bool given[3] = {};
    if (!accept('{'))
      return "the header is not a dictionary";
    while (!accept('}')) {
      std::string key;
      if (!string(key) || !accept(':'))
        return "the header is not a dictionary";
      int which = key == "descr"           ? 0
                  : key == "fortran_order" ? 1
                  : key == "shape"         ? 2
                                           : -1;
      if (which < 0)
        return "the header has a key '" + key + "'";
      if (given[which])
        return "the header has '" + key + "' more than once";
      given[which] = true;
      if (which == 0 && !string(descr))
        return "bad descr (structured elements are not supported)";
      if (which == 1 && !boolean())
        return "bad fortran_order";
      if (which == 2 && !tuple())
        return "bad shape";
      if (!accept(',') && *p != '}')
        return "the header is not a dictionary";
    }
    if (!given[0] || !given[1] || !given[2])
      return "the header has no descr, fortran_order or shape";
    space();
    return *p ? "the header goes on behind its dictionary" : "";
  }

private:
  void space() { p += std::strspn(p, " \t\r\n"); }
  bool accept(char c) {
    space();
    if (*p != c)
      return false;
    ++p;
    space();
    return true;
  }
  bool string(std::string &text) {
    space();
    const char *end =
        *p == '\'' || *p == '"' ? std::strchr(p + 1, *p) : nullptr;
    if (!end)
      return false;
    text.assign(p + 1, end);
    p = end + 1;
    return true;
  }
  bool boolean() {
    space();
    for (const char *word : {"False", "True"})
      if (std::strncmp(p, word, std::strlen(word)) == 0) {
        fortranOrder = *word == 'T';
        p += std::strlen(word);
        return true;
      }
    return false;
  }
  bool tuple() {
    if (!accept('('))
      return false;
    bool comma = true;
    while (!accept(')')) {
      char *end;
      errno = 0;
      long long size = std::strtoll(p, &end, 10);
      if (!comma || *p < '0' || *p > '9' || errno)
        return false;
      shape.push_back(size);
      p = end + (*end == 'L'); // as Python 2 wrote it
      comma = accept(',');
    }
    // A number in parentheses is no tuple.
    return shape.size() != 1 || comma;
  }
  const char *p;
};
} // namespace

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
  if (!count)
    return;
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
  if (head[6] < 1 || head[6] > 3 || head[7] != 0 ||
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
  if (header.find('\0') != std::string::npos)
    return fail("the header has a zero byte");
  Header fields(header);
  if (std::string why = fields.read(); !why.empty())
    return fail(why);

  const std::vector<int64_t> &sizes = fields.shape;
  const char *p = fields.descr.c_str();
  char endianness = *p && std::strchr("<>|=", *p) ? *p++ : '=';
  char kind = *p ? *p++ : 0, *end = nullptr;
  long width = kind == '?' ? 1 : std::strtol(p, &end, 10);
  bool whole = kind == '?' ? !*p : *p >= '0' && *p <= '9' && !*end;
  if (kind == '?')
    kind = 'b';
  VortexDType dtype;
  if (!whole || !elementType(kind, width, want, dtype))
    return fail("elements of type '" + fields.descr + "' are not supported");

  int64_t count;
  if (!elementCount(dtype, sizes, count))
    return fail("more elements than there are addresses");
  // A header can promise anything: what is not there is not allocated.
  long start = std::ftell(file.get());
  std::fseek(file.get(), 0, SEEK_END);
  int64_t available = std::ftell(file.get()) - start;
  std::fseek(file.get(), start, SEEK_SET);
  int64_t bytes = count * elementBytes(dtype);
  if (available < bytes)
    return fail("the file ends early");
  if (available > bytes)
    return fail("there are " + std::to_string(available - bytes) +
                " bytes behind the elements");
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
  // Elements narrower than a byte do not use all of its values.
  if (dtype == VORTEX_I1 || dtype == VORTEX_I4)
    for (uint8_t byte : tensor.bytes) {
      int value = int8_t(byte);
      if (dtype == VORTEX_I1 ? value >> 1 != 0 : value < -8 || value > 15)
        return fail(std::to_string(value) + " is not a value of type " +
                    elementName(dtype));
    }
  if (fields.fortranOrder)
    transpose(tensor);
  return true;
}

/// Why the tensor cannot be written, or "".
static std::string writeTensor(const std::string &path,
                               const HostTensor &tensor,
                               FileReplacement &replacement) {
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
  if (header.size() > 65535)
    return path + ": too many dimensions";
  return replacement.write([&](std::FILE *file) {
    return std::fwrite(head, 1, 10, file) == 10 &&
           std::fwrite(header.data(), 1, header.size(), file) ==
               header.size() &&
           std::fwrite(tensor.bytes.data(), 1, tensor.bytes.size(), file) ==
               tensor.bytes.size();
  });
}

bool vortex::runtime::writeNpys(
    const std::vector<std::pair<std::string, const HostTensor *>> &files,
    std::string &error) {
  std::vector<FileReplacement> replacements;
  for (const auto &file : files)
    replacements.emplace_back(file.first);
  // What is written in place cannot be taken back: it comes behind the rest.
  for (bool inPlace : {false, true})
    for (size_t i = 0; i < files.size(); ++i)
      if (replacements[i].inPlace() == inPlace &&
          !(error =
                writeTensor(files[i].first, *files[i].second, replacements[i]))
               .empty())
        return false;
  for (FileReplacement &replacement : replacements)
    if (!(error = replacement.commit()).empty())
      return false;
  return true;
}

bool vortex::runtime::writeNpy(const std::string &path,
                               const HostTensor &tensor, std::string &error) {
  return writeNpys({{path, &tensor}}, error);
}
