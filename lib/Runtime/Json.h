//===- Json.h - A small JSON reader -----------------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_JSON_H
#define VORTEX_LIB_RUNTIME_JSON_H

#include <string>
#include <utility>
#include <vector>

namespace vortex {
namespace runtime {

/// A JSON value. Objects keep their order; numbers are doubles.
struct Json {
  enum Kind { Null, Bool, Number, String, Array, Object } kind = Null;
  double number = 0; ///< 0 or 1 for Bool
  std::string string;
  std::vector<Json> elements;                        ///< Array
  std::vector<std::pair<std::string, Json>> members; ///< Object

  /// The member of that name, null when there is none.
  const Json *find(const char *name) const;
};

/// Reads one JSON text. On failure returns false and says where and why.
bool parseJson(const std::string &text, Json &value, std::string &error);

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_JSON_H
