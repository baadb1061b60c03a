//===- Signature.cpp - A function's sizes and relations -------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Signature.h"

#include "Tensor.h"

#include <algorithm>
#include <cctype>

using namespace vortex::runtime;

static constexpr int32_t numDTypes = sizeof(dtypes) / sizeof(dtypes[0]);

const char *vortex::runtime::dtypeName(int32_t dtype) {
  return dtype >= 0 && dtype < numDTypes ? dtypes[dtype].name : nullptr;
}

std::string vortex::runtime::typeName(const VortexValueInfo &value) {
  std::string element = dtypeName(value.dtype);
  if (value.kind == VORTEX_SCALAR)
    return element;
  std::string text = value.kind == VORTEX_MEMREF ? "memref<" : "tensor<";
  for (int32_t d = 0; d < value.rank; ++d)
    text +=
        (value.extents[d] < 0 ? "?" : std::to_string(value.extents[d])) + "x";
  return text + element + ">";
}

std::string vortex::runtime::describe(const char *what, int64_t index,
                                      const VortexValueInfo &value) {
  std::string text = std::string(what) + " " + std::to_string(index);
  if (value.name && *value.name)
    text += std::string(" ('") + value.name + "')";
  return text;
}

static bool isName(const char *text) {
  if (!std::isalpha(static_cast<unsigned char>(*text)) && *text != '_')
    return false;
  for (; *text; ++text)
    if (!std::isalnum(static_cast<unsigned char>(*text)) && *text != '_' &&
        *text != '.' && *text != '$')
      return false;
  return true;
}

static const char *dimName(const VortexValueInfo &value, int64_t dim) {
  const char *name = value.dims ? value.dims[dim] : nullptr;
  return name ? name : "";
}

int Signature::symbolOf(const std::string &name) const {
  for (size_t i = 0; i < symbols.size(); ++i)
    if (symbols[i].name == name)
      return int(i);
  return -1;
}

/// Collects the entries of an array of values, checking each.
static VortexStatus collect(const VortexFunctionInfo &function,
                            const char *what, int64_t count,
                            const VortexValueInfo *array,
                            std::vector<const VortexValueInfo *> &out) {
  if (count < 0 || count > (1 << 20) || (count && !array))
    return report(VORTEX_STATUS_INVALID_ARTIFACT,
                  "function '%s': impossible number of %ss", function.name,
                  what);
  for (int64_t i = 0; i < count; ++i) {
    const VortexValueInfo *value = at(array, i);
    if (array->size < sizeof(VortexValueInfo) || value->size != array->size ||
        value->kind < VORTEX_SCALAR || value->kind > VORTEX_MEMREF ||
        !dtypeName(value->dtype) || value->rank < 0 || value->rank > 64 ||
        (value->kind == VORTEX_SCALAR && value->rank) ||
        (value->rank && !value->extents))
      return report(VORTEX_STATUS_INVALID_ARTIFACT,
                    "function '%s': %s %lld is described wrongly",
                    function.name, what, static_cast<long long>(i));
    out.push_back(value);
  }
  return VORTEX_STATUS_OK;
}

VortexStatus Signature::initialize(const VortexFunctionInfo &f,
                                   int64_t position) {
  function = &f;
  place = position;
  VortexStatus status = collect(f, "argument", f.num_args, f.args, args);
  if (!status)
    status = collect(f, "result", f.num_results, f.results, results);
  if (!status)
    status =
        collect(f, "bound value", f.bind ? f.num_bound : 0, f.bound, bounds);
  if (status)
    return status;
  if (!f.run || f.num_relations < 0 || (f.num_relations && !f.relations))
    return report(VORTEX_STATUS_INVALID_ARTIFACT,
                  "function '%s' is described wrongly", f.name);

  for (int64_t a = 0; a < numArgs(); ++a) {
    (arg(a).is_weight ? weightArgs : inputArgs).push_back(a);
    for (int64_t d = 0; d < arg(a).rank; ++d) {
      Dim dim{a, d};
      const char *name = dimName(arg(a), d);
      if (*name && isName(name) && (dim.named = symbolOf(name)) < 0) {
        dim.named = int(symbols.size());
        symbols.push_back({name, a, d});
      }
      dims.push_back(dim);
    }
  }
  for (Dim &dim : dims) {
    dim.own = int(symbols.size());
    symbols.push_back(
        {"arg" + std::to_string(dim.arg) + ".dim" + std::to_string(dim.dim),
         dim.arg, dim.dim});
  }

  // Names of sizes that only appear in results, as data decides them, are
  // symbols without a value until the program has run.
  for (const VortexValueInfo *value : results)
    for (int64_t d = 0; d < value->rank; ++d) {
      const char *name = dimName(*value, d);
      if (isName(name) && symbolOf(name) < 0)
        symbols.push_back({name, -1, -1});
    }

  auto symbol = [this](const std::string &name) { return symbolOf(name); };
  for (int64_t i = 0; i < f.num_relations; ++i) {
    Relation relation;
    relation.text = f.relations[i] ? f.relations[i] : "";
    std::string error = relation.expression.compile(relation.text, symbol);
    if (!error.empty())
      return report(VORTEX_STATUS_INVALID_ARTIFACT,
                    "function '%s': relation '%s': %s", f.name,
                    relation.text.c_str(), error.c_str());
    for (int s : relation.expression.symbols())
      relation.ofResults |= symbols[s].arg < 0;
    relation.expression.isEquality(relation.left, relation.right);
    relations.push_back(std::move(relation));
  }
  // An argument's size may also be given as an expression: the same as a
  // relation.
  for (const Dim &dim : dims) {
    const char *name = dimName(arg(dim.arg), dim.dim);
    if (!*name || dim.named >= 0)
      continue;
    Relation relation;
    relation.text = symbols[dim.own].name + " == " + name;
    std::string error = relation.expression.compile(relation.text, symbol);
    if (!error.empty())
      return report(VORTEX_STATUS_INVALID_ARTIFACT,
                    "function '%s': size '%s' of argument %lld: %s", f.name,
                    name, static_cast<long long>(dim.arg), error.c_str());
    relation.expression.isEquality(relation.left, relation.right);
    relations.push_back(std::move(relation));
  }
  for (int64_t r = 0; r < numResults(); ++r) {
    const VortexValueInfo &value = result(r);
    extents.emplace_back(value.rank);
    naming.push_back(false);
    for (int64_t d = 0; d < value.rank; ++d) {
      Extent &extent = extents.back()[d];
      extent.fixed = value.extents[d];
      const char *name = dimName(value, d);
      if (!*name)
        continue;
      std::string error = extent.expression.compile(name, symbol);
      if (!error.empty())
        return report(VORTEX_STATUS_INVALID_ARTIFACT,
                      "function '%s': size '%s' of result %lld: %s", f.name,
                      name, static_cast<long long>(r), error.c_str());
      extent.computed = true;
      extent.expression.isSymbol(extent.symbol);
      if (isName(name) && symbols[symbolOf(name)].arg < 0) {
        extent.named = symbolOf(name);
        naming.back() = true;
      }
    }
  }
  if (f.peak_bytes && *f.peak_bytes) {
    std::string error = peak.compile(f.peak_bytes, symbol);
    if (!error.empty())
      return report(VORTEX_STATUS_INVALID_ARTIFACT,
                    "function '%s': peak of its memory '%s': %s", f.name,
                    f.peak_bytes, error.c_str());
    hasPeak = true;
  }
  makeQuick();
  return VORTEX_STATUS_OK;
}

int64_t Signature::peakBytes(const int64_t *values) const {
  int64_t bytes;
  if (!hasPeak || peak.evaluate(values, bytes) != Expression::Outcome::Value)
    return -1;
  return bytes;
}

std::string Signature::symbolValues(const Expression &expression,
                                    const int64_t *values) const {
  std::string text;
  for (int s : expression.symbols()) {
    const Symbol &symbol = symbols[s];
    const char *declared =
        symbol.arg >= 0 ? dimName(arg(symbol.arg), symbol.dim) : "";
    text += (text.empty() ? "" : ", ") + symbol.name;
    if (*declared && symbol.name != declared)
      text += std::string(" (") + declared + ")";
    text += " = " + std::to_string(values[s]);
  }
  return text;
}

VortexStatus Signature::holds(const Relation &relation, const int64_t *values,
                              VortexStatus otherwise) const {
  if (relation.left >= 0 && values[relation.left] == values[relation.right])
    return VORTEX_STATUS_OK;
  int64_t holds = 0;
  switch (relation.expression.evaluate(values, holds)) {
  case Expression::Outcome::Unknown:
    return VORTEX_STATUS_OK;
  case Expression::Outcome::Value:
    if (holds)
      return VORTEX_STATUS_OK;
    return report(otherwise, "function '%s': '%s' does not hold: %s",
                  function->name, relation.text.c_str(),
                  symbolValues(relation.expression, values).c_str());
  case Expression::Outcome::DivisionByZero:
  case Expression::Outcome::Overflow:
    break;
  }
  return report(otherwise,
                "function '%s': '%s' has no value (division by zero or "
                "overflow): %s",
                function->name, relation.text.c_str(),
                symbolValues(relation.expression, values).c_str());
}

VortexStatus Signature::checkResults(const int64_t *values) const {
  for (const Relation &relation : relations)
    if (relation.ofResults)
      if (VortexStatus status =
              holds(relation, values, VORTEX_STATUS_PROGRAM_FAILED))
        return status;
  return VORTEX_STATUS_OK;
}

/// The size at `one` is that of `symbol`. False when no argument says it.
bool Signature::addSame(Place one, int symbol) {
  const Symbol &from = symbols[symbol];
  if (from.arg < 0)
    return false;
  Place other = {uint32_t(from.arg), uint32_t(from.dim)};
  if (other.tensor != one.tensor || other.dim != one.dim)
    sameSizes.push_back({one, other});
  return true;
}

/// Most relations say that a size is a number or another size.
void Signature::makeQuick() {
  numbers = {numArgs(), numInputs(), numResults(), !weightArgs.empty(),
             function->accepts};
  int32_t mostRank = 1;
  auto operandOf = [](const VortexValueInfo &value, int64_t position) {
    Operand operand = {dtypeAlignment(value.dtype) - 1,
                       int32_t(position),
                       value.rank,
                       dtypeBytes(value.dtype),
                       /*dtype=*/0,
                       value.kind == VORTEX_SCALAR};
    DLDataType dtype = toDLDataType(value.dtype);
    std::memcpy(&operand.dtype, &dtype, sizeof operand.dtype);
    return operand;
  };
  for (int64_t input : inputArgs) {
    operands.push_back(operandOf(arg(input), input));
    mostRank = std::max(mostRank, arg(input).rank);
  }
  for (int64_t r = 0; r < numResults(); ++r) {
    operands.push_back(operandOf(result(r), r));
    mostRank = std::max(mostRank, result(r).rank);
  }
  mostSize = uint64_t(1) << (mostElementBits / mostRank);
  for (const Dim &dim : dims) {
    Place at = {uint32_t(dim.arg), uint32_t(dim.dim)};
    if (int64_t extent = arg(dim.arg).extents[dim.dim]; extent >= 0)
      fixedSizes.push_back({at, extent});
    if (dim.named >= 0)
      addSame(at, dim.named);
  }
  quick = true;
  for (const Relation &relation : relations) {
    const bool sizes = relation.left >= 0 && symbols[relation.left].arg >= 0;
    const Symbol *left = sizes ? &symbols[relation.left] : nullptr;
    quick &= left && addSame({uint32_t(left->arg), uint32_t(left->dim)},
                             relation.right);
  }
  for (int64_t r = 0; r < numResults(); ++r) {
    quick &= !namesResult(r);
    for (int32_t d = 0; d < result(r).rank; ++d) {
      const Extent &extent = extents[r][d];
      Place at = {uint32_t(numArgs() + r), uint32_t(d)};
      if (extent.fixed >= 0)
        fixedSizes.push_back({at, extent.fixed});
      if (extent.symbol >= 0)
        quick &= addSame(at, extent.symbol);
      else
        quick &= !extent.computed;
    }
  }
}

VortexStatus Signature::check(Shapes shapes, int64_t *values) const {
  for (int64_t s = 0; s < numSymbols(); ++s)
    values[s] = Expression::unknown;
  for (const Dim &dim : dims) {
    if (!shapes[dim.arg])
      continue;
    int64_t size = shapes[dim.arg][dim.dim];
    int64_t extent = arg(dim.arg).extents[dim.dim];
    auto argument = [&] { return describe("argument", dim.arg, arg(dim.arg)); };
    if (size < 0)
      return report(VORTEX_STATUS_INVALID_ARGUMENT,
                    "function '%s': %s, dimension %lld is negative: %lld",
                    function->name, argument().c_str(),
                    static_cast<long long>(dim.dim),
                    static_cast<long long>(size));
    if (extent >= 0 && size != extent)
      return report(
          VORTEX_STATUS_INVALID_ARGUMENT,
          "function '%s': %s, dimension %lld is %lld, but the "
          "signature says %lld",
          function->name, argument().c_str(), static_cast<long long>(dim.dim),
          static_cast<long long>(size), static_cast<long long>(extent));
    values[dim.own] = size;
    if (dim.named < 0)
      continue;
    int64_t &value = values[dim.named];
    if (value == Expression::unknown) {
      value = size;
      continue;
    }
    if (value == size)
      continue;
    // The argument that gave the name its value is the first that was given.
    int64_t from = dim.arg;
    for (const Dim &other : dims)
      if (other.named == dim.named && shapes[other.arg]) {
        from = other.arg;
        break;
      }
    return report(VORTEX_STATUS_INVALID_ARGUMENT,
                  "function '%s': %s, dimension %lld is %lld, but '%s' is %lld "
                  "from argument %lld",
                  function->name, argument().c_str(),
                  static_cast<long long>(dim.dim), static_cast<long long>(size),
                  symbols[dim.named].name.c_str(),
                  static_cast<long long>(value), static_cast<long long>(from));
  }
  for (const Relation &relation : relations)
    if (VortexStatus status =
            holds(relation, values, VORTEX_STATUS_INVALID_ARGUMENT))
      return status;
  return VORTEX_STATUS_OK;
}

int64_t Signature::resultExtent(int64_t result, int64_t dim,
                                const int64_t *values) const {
  const Extent &extent = extents[result][dim];
  int64_t value = -1;
  if (extent.symbol >= 0)
    value = values[extent.symbol];
  else if (extent.computed && extent.expression.evaluate(values, value) !=
                                  Expression::Outcome::Value)
    value = -1;
  // What a type says is so; what is declared besides has to be the same.
  return value < 0 ? extent.fixed : value;
}

int64_t Signature::nameResult(int64_t result, int64_t dim, int64_t size,
                              int64_t *values) const {
  const Extent &extent = extents[result][dim];
  if (extent.named >= 0 && values[extent.named] == Expression::unknown)
    values[extent.named] = size;
  int64_t declared = resultExtent(result, dim, values);
  return declared == size ? -1 : declared;
}
