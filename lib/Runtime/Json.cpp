//===- Json.cpp - A small JSON reader -------------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Json.h"

#include <cstdlib>
#include <cstring>

using namespace vortex::runtime;

const Json *Json::find(const char *name) const {
  for (const auto &member : members)
    if (member.first == name)
      return &member.second;
  return nullptr;
}

namespace {
class Parser {
public:
  explicit Parser(const std::string &text)
      : begin(text.c_str()), p(begin), end(begin + text.size()) {}

  bool parseText(Json &value, std::string &error) {
    bool ok = parseValue(value, 0);
    if (ok) {
      skipSpace();
      if (p != end)
        ok = fail("text after the value");
    }
    if (!ok) {
      int line = 1;
      for (const char *q = begin; q < p; ++q)
        line += *q == '\n';
      error = "line " + std::to_string(line) + ": " + message;
    }
    return ok;
  }

private:
  bool fail(const char *why) {
    message = why;
    return false;
  }
  void skipSpace() {
    while (p != end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
      ++p;
  }
  bool accept(char c) {
    skipSpace();
    if (p == end || *p != c)
      return false;
    ++p;
    return true;
  }
  bool word(const char *text) {
    size_t length = std::strlen(text);
    if (size_t(end - p) < length || std::memcmp(p, text, length) != 0)
      return false;
    p += length;
    return true;
  }

  bool parseValue(Json &value, int depth) {
    // Depth is bounded so that no text can exhaust the stack.
    if (depth > 64)
      return fail("nested too deeply");
    skipSpace();
    if (p == end)
      return fail("the text ends early");
    if (*p == '{')
      return parseObject(value, depth);
    if (*p == '[')
      return parseArray(value, depth);
    if (*p == '"') {
      value.kind = Json::String;
      return parseString(value.string);
    }
    if (word("true") || word("false")) {
      value.kind = Json::Bool;
      value.number = p[-2] == 'u';
      return true;
    }
    if (word("null"))
      return true;
    if (*p != '-' && (*p < '0' || *p > '9'))
      return fail("expected a value");
    char *after;
    value.kind = Json::Number;
    value.number = std::strtod(p, &after);
    if (after > end)
      return fail("bad number");
    p = after;
    return true;
  }

  bool parseObject(Json &value, int depth) {
    value.kind = Json::Object;
    ++p;
    if (accept('}'))
      return true;
    do {
      skipSpace();
      std::pair<std::string, Json> member;
      if (p == end || *p != '"')
        return fail("expected a name in quotes");
      if (!parseString(member.first))
        return false;
      if (!accept(':'))
        return fail("expected ':'");
      if (!parseValue(member.second, depth + 1))
        return false;
      value.members.push_back(std::move(member));
    } while (accept(','));
    return accept('}') || fail("expected ',' or '}'");
  }

  bool parseArray(Json &value, int depth) {
    value.kind = Json::Array;
    ++p;
    if (accept(']'))
      return true;
    do {
      value.elements.emplace_back();
      if (!parseValue(value.elements.back(), depth + 1))
        return false;
    } while (accept(','));
    return accept(']') || fail("expected ',' or ']'");
  }

  bool parseString(std::string &out) {
    for (++p; p != end && *p != '"'; ++p) {
      if (*p != '\\') {
        out += *p;
        continue;
      }
      if (++p == end)
        break;
      switch (*p) {
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case 'r':
        out += '\r';
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'u': {
        if (end - p < 5)
          return fail("bad \\u escape");
        unsigned long code =
            std::strtoul(std::string(p + 1, 4).c_str(), nullptr, 16);
        p += 4;
        if (code < 0x80) {
          out += char(code);
        } else if (code < 0x800) {
          out += char(0xC0 | code >> 6);
          out += char(0x80 | (code & 63));
        } else {
          out += char(0xE0 | code >> 12);
          out += char(0x80 | (code >> 6 & 63));
          out += char(0x80 | (code & 63));
        }
        break;
      }
      default:
        out += *p;
      }
    }
    if (p == end)
      return fail("a string does not end");
    ++p;
    return true;
  }

  const char *begin, *p, *end;
  const char *message = "";
};
} // namespace

bool vortex::runtime::parseJson(const std::string &text, Json &value,
                                std::string &error) {
  value = Json();
  return Parser(text).parseText(value, error);
}
