//===- HostParams.cpp - Measured numbers of this machine ------ -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Probe/HostParams.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace vortex;

std::string vortex::getHostParamsPath() {
  // The run time's variable: a file, or "none".
  if (const char *path = std::getenv("VORTEX_MACHINE_PARAMS"))
    return std::strcmp(path, "none") == 0 ? "" : path;
  const char *cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache)
    return std::string(cache) + "/vortex/host.json";
  const char *home = std::getenv("HOME");
  if (home && *home)
    return std::string(home) + "/.cache/vortex/host.json";
  return {};
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static std::string quote(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

static std::string number(double value) {
  char buffer[64];
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value)
      break;
  }
  return buffer;
}

std::string vortex::printHostParams(const HostParams &params) {
  std::ostringstream os;
  os << "{\n";
  for (const auto &[key, value] : params.numbers)
    os << "  " << quote(key) << ": " << number(value) << ",\n";
  auto object = [&](const char *name, const auto &map, auto print) {
    os << "  " << quote(name) << ": {";
    const char *separator = "\n";
    for (const auto &[key, value] : map) {
      os << separator << "    " << quote(key) << ": " << print(value);
      separator = ",\n";
    }
    os << (map.empty() ? "}" : "\n  }");
  };
  object("_spread", params.spread, number);
  os << ",\n";
  object("_machine", params.machine, quote);
  os << "\n}\n";
  return os.str();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Reads the subset of JSON that the file is made of: objects whose values are
/// numbers, strings or objects.
class Reader {
public:
  explicit Reader(const std::string &text) : text(text) {}

  bool read(HostParams &params) {
    bool done = object([&](const std::string &key) {
      if (key == "_spread")
        return object([&](const std::string &name) {
          return readNumber(params.spread[name]);
        });
      if (key == "_machine")
        return object([&](const std::string &name) {
          return readString(params.machine[name]);
        });
      return readNumber(params.numbers[key]);
    });
    skipSpace();
    if (done && position != text.size())
      return fail("text after the object");
    return done;
  }

  std::string takeError() const {
    size_t line = 1;
    for (size_t i = 0; i != std::min(position, text.size()); ++i)
      line += text[i] == '\n';
    return "line " + std::to_string(line) + ": " + message;
  }

private:
  void skipSpace() {
    while (position < text.size() && std::strchr(" \t\r\n", text[position]))
      ++position;
  }

  bool fail(const char *what) {
    if (message.empty())
      message = what;
    return false;
  }

  bool consume(char c) {
    skipSpace();
    if (position >= text.size() || text[position] != c)
      return false;
    ++position;
    return true;
  }

  template <typename F>
  bool object(F member) {
    if (!consume('{'))
      return fail("expected '{'");
    if (consume('}'))
      return true;
    do {
      std::string key;
      if (!readString(key))
        return false;
      if (!consume(':'))
        return fail("expected ':'");
      if (!member(key))
        return false;
    } while (consume(','));
    return consume('}') || fail("expected ',' or '}'");
  }

  bool readString(std::string &value) {
    if (!consume('"'))
      return fail("expected a string");
    value.clear();
    for (; position < text.size() && text[position] != '"'; ++position) {
      if (text[position] == '\n')
        return fail("string is not closed");
      if (text[position] == '\\' && ++position == text.size())
        break;
      value += text[position];
    }
    return consume('"') || fail("string is not closed");
  }

  bool readNumber(double &value) {
    skipSpace();
    const char *begin = text.c_str() + position;
    char *end = nullptr;
    value = std::strtod(begin, &end);
    if (end == begin || !std::isfinite(value))
      return fail("expected a number");
    position += end - begin;
    return true;
  }

  const std::string &text;
  size_t position = 0;
  std::string message;
};
} // namespace

bool vortex::parseHostParams(const std::string &text, HostParams &params,
                             std::string &error) {
  Reader reader(text);
  if (reader.read(params))
    return true;
  error = reader.takeError();
  return false;
}

ReadResult vortex::readHostParams(const std::string &path, HostParams &params,
                                  std::string &error) {
  std::ifstream file(path);
  if (!file)
    return ReadResult::NoFile;
  std::stringstream text;
  text << file.rdbuf();
  if (parseHostParams(text.str(), params, error))
    return ReadResult::Done;
  error = "'" + path + "', " + error;
  return ReadResult::Malformed;
}
