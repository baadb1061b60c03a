//===- ValueSpec.cpp - Values on the command line -------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Runtime/Tooling/ValueSpec.h"

#include "vortex/Runtime/Tooling/Npy.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace vortex::runtime;

/// "2x3xf32" to its shape and element type.
static bool parseType(const std::string &text, std::vector<int64_t> &shape,
                      VortexDType &dtype) {
  size_t at = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
    size_t x = text.find('x', at);
    if (x == std::string::npos || x - at > 18)
      return false;
    char *end;
    shape.push_back(std::strtoll(text.c_str() + at, &end, 10));
    if (end != text.c_str() + x)
      return false;
    at = x + 1;
  }
  return parseElementName(text.substr(at), dtype);
}

namespace {
/// Reads elements one after another.
class Elements {
public:
  explicit Elements(const char *p) : p(p) { skip(); }
  bool done() const { return !*p; }
  const char *rest() const { return p; }

  bool next(HostTensor &tensor, int64_t i) {
    bool ok = isInteger(tensor.dtype)   ? nextInteger(tensor, i)
              : isComplex(tensor.dtype) ? nextComplex(tensor, i)
                                        : nextReal(tensor, i);
    ok &= !*p || std::strchr(" ,\t\n", *p);
    skip();
    return ok;
  }

private:
  void skip() { p += std::strspn(p, " ,\t\n"); }
  bool word(const char *text) {
    size_t length = std::strlen(text);
    if (std::strncmp(p, text, length) != 0)
      return false;
    p += length;
    return true;
  }
  bool real(double &value) {
    char *end;
    errno = 0;
    value = std::strtod(p, &end);
    bool ok = end != p && !(errno == ERANGE && std::isinf(value));
    p = end;
    return ok;
  }
  /// A number that is too large for its type is a mistake; infinity is not.
  static bool fits(double value, double stored) {
    return std::isinf(value) == std::isinf(stored) &&
           std::isnan(value) == std::isnan(stored);
  }
  bool nextReal(HostTensor &tensor, int64_t i) {
    double value;
    if (!real(value))
      return false;
    tensor.set(i, value);
    return fits(value, tensor.get(i).real());
  }
  bool nextComplex(HostTensor &tensor, int64_t i) {
    double re = 0, im = 0;
    if (*p != '(') {
      if (!real(re))
        return false;
    } else {
      ++p;
      if (!real(re))
        return false;
      p += std::strspn(p, " ,");
      if (!real(im) || *p++ != ')')
        return false;
    }
    tensor.set(i, {re, im});
    return fits(re, tensor.get(i).real()) && fits(im, tensor.get(i).imag());
  }
  bool nextInteger(HostTensor &tensor, int64_t i) {
    long long value;
    if (tensor.dtype == VORTEX_I1 && (word("true") || word("false"))) {
      value = p[-2] == 'u';
    } else {
      char *end;
      errno = 0;
      value = std::strtoll(p, &end, 0);
      // Also the unsigned spelling of 64 bits.
      if (errno == ERANGE && *p != '-') {
        errno = 0;
        value = static_cast<long long>(std::strtoull(p, &end, 0));
      }
      if (end == p || errno)
        return false;
      p = end;
      // A number that does not fit its type is a mistake, not a wrap.
      int bits = tensor.dtype == VORTEX_I1 ? 1
                 : tensor.dtype == VORTEX_I4
                     ? 4
                     : int(8 * elementBytes(tensor.dtype));
      if (bits < 64 && (value < -(1ll << (bits - 1)) || value >= 1ll << bits))
        return false;
    }
    tensor.setInteger(i, value);
    return true;
  }
  const char *p;
};
} // namespace

SpecOutcome vortex::runtime::parseValueSpec(const std::string &text,
                                            const VortexDType *want,
                                            HostTensor &tensor,
                                            std::string &error) {
  auto malformed = [&](const std::string &why) {
    error = "'" + (text.size() > 60 ? text.substr(0, 60) + "..." : text) +
            "': " + why;
    return SpecOutcome::Malformed;
  };
  if (!text.empty() && text[0] == '@')
    return readNpy(text.substr(1), want, tensor, error) ? SpecOutcome::Ok
                                                        : SpecOutcome::Failed;
  size_t equals = text.find('=');
  if (equals == std::string::npos)
    return malformed("expected TYPE=VALUES or @FILE.npy, as 2x3xf32=0");
  std::vector<int64_t> shape;
  VortexDType dtype;
  if (!parseType(text.substr(0, equals), shape, dtype))
    return malformed("'" + text.substr(0, equals) +
                     "' is not a type such as 2x3xf32");
  // Both are 64-bit integers; the signature knows which one is meant.
  if (want && dtype == VORTEX_I64 && *want == VORTEX_INDEX)
    dtype = VORTEX_INDEX;
  std::string values = text.substr(equals + 1);
  if (!values.empty() && values[0] == '@') {
    if (!readNpy(values.substr(1), &dtype, tensor, error))
      return SpecOutcome::Failed;
    if (tensor.shape != shape || tensor.dtype != dtype) {
      error = values.substr(1) + ": is " + typeText(tensor) + ", not " +
              text.substr(0, equals);
      return SpecOutcome::Failed;
    }
    return SpecOutcome::Ok;
  }
  if (values.size() >= 2 && (values[0] == '"' || values[0] == '\'') &&
      values.back() == values[0])
    values = values.substr(1, values.size() - 2);
  int64_t count;
  if (!elementCount(dtype, shape, count))
    return malformed("more elements than there are addresses");
  Elements elements(values.c_str());
  if (elements.done() && count)
    return malformed("no values; one is enough for all elements");
  tensor = HostTensor(dtype, shape);
  int64_t given = 0;
  for (; !elements.done(); ++given) {
    std::string at = elements.rest();
    if (given == count)
      return malformed("more than " + std::to_string(count) + " values");
    if (!elements.next(tensor, given))
      return malformed("'" + at.substr(0, at.find_first_of(" ,")) +
                       "' is not a value of type " + elementName(dtype));
  }
  if (given == 1 && count > 1) {
    size_t width = size_t(elementBytes(dtype));
    for (size_t i = width; i < tensor.bytes.size(); ++i)
      tensor.bytes[i] = tensor.bytes[i - width];
  } else if (given != count) {
    return malformed(std::to_string(given) + " values for " +
                     std::to_string(count) + " elements");
  }
  return SpecOutcome::Ok;
}
