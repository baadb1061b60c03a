//===- Rows.cpp - Softmax, layer normalisation, GELU, transpose -----------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kinds.h"
#include "Peers/Peer.h"

#include "vortex/Runtime/Tooling/HostTensor.h"

#include <algorithm>
#include <cmath>

using namespace vortex;
using namespace vortex::bench;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

std::vector<Column> Rows::columns() {
  return {{{"m"}, {&m}, nullptr, true}, {{"n"}, {&n}, nullptr, true}};
}

void Rows::draw(std::mt19937_64 &random) {
  m = drawExtent(random, 4096);
  n = drawExtent(random, 4096);
}

std::vector<Field> Rows::fields() const { return {{"m", m}, {"n", n}}; }

std::vector<TensorType> Rows::arguments() const {
  // Wide enough for exponentials and error functions to be of all sizes.
  return {{dtype, {m, n}, false, 6}};
}

TensorType Rows::result() const { return {dtype, {m, n}}; }

double Rows::flops() const { return operations() * double(m) * double(n); }

double Rows::tolerance() const {
  return (dtype == VORTEX_F64 ? 2e-15 : 1e-6) * std::sqrt(double(n) + 64);
}

/// The text of a program: `$t` is the type of the rows, `$v` of one, `$e` of an
/// element, `$w` the attribute of a weight.
static std::string expandRows(const char *text, VortexDType dtype,
                              bool packed) {
  const std::string element = runtime::elementName(dtype);
  return expand(text, {{"$t", "tensor<?x?x" + element + ">"},
                       {"$v", "tensor<?x" + element + ">"},
                       {"$e", element},
                       {"$w", packed ? " {vortex.weight}" : ""}});
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

std::string Softmax::program(bool packed) const {
  return expandRows(R"(
func.func @main(%x: $t) -> $t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : $t
  %n = tensor.dim %x, %c1 : $t
  %room = tensor.empty(%m, %n) : $t
  %y = linalg.softmax dimension(1) ins(%x : $t) outs(%room : $t) -> $t
  return %y : $t
}
)",
                    dtype, packed);
}

double Softmax::want(const Operands &operands, int64_t element) const {
  const Operand &x = *operands[0];
  const int64_t row = element / n * n;
  double largest = x.get(row), sum = 0;
  for (int64_t i = 1; i < n; ++i)
    largest = std::max(largest, x.get(row + i));
  for (int64_t i = 0; i < n; ++i)
    sum += std::exp(x.get(row + i) - largest);
  return std::exp(x.get(element) - largest) / sum;
}

std::unique_ptr<Call> Softmax::prepare(Peer &peer, const Buffers &at,
                                       bool) const {
  return peer.softmax(*this, at[0], at[1]);
}

//===----------------------------------------------------------------------===//
// Layer normalisation
//===----------------------------------------------------------------------===//

std::vector<TensorType> Layernorm::arguments() const {
  return {{dtype, {m, n}}, {dtype, {n}, true}, {dtype, {n}, true}};
}

std::string Layernorm::program(bool packed) const {
  return expandRows(R"(
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#one = affine_map<(i) -> (i)>
func.func @main(%x: $t, %gamma: $v$w, %beta: $v$w) -> $t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : $e
  %epsilon = arith.constant 1.0e-5 : $e
  %m = tensor.dim %x, %c0 : $t
  %n = tensor.dim %x, %c1 : $t
  %i = arith.index_cast %n : index to i64
  %count = arith.sitofp %i : i64 to $e
  %rows = tensor.empty(%m) : $v
  %room = tensor.empty(%m, %n) : $t
  %zeros = linalg.fill ins(%zero : $e) outs(%rows : $v) -> $v
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : $t) outs(%zeros : $v) {
  ^bb0(%a: $e, %r: $e):
    %0 = arith.addf %a, %r : $e
    linalg.yield %0 : $e
  } -> $v
  %mean = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%sum : $v) outs(%rows : $v) {
  ^bb0(%a: $e, %r: $e):
    %0 = arith.divf %a, %count : $e
    linalg.yield %0 : $e
  } -> $v
  %squares = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %mean : $t, $v) outs(%zeros : $v) {
  ^bb0(%a: $e, %b: $e, %r: $e):
    %0 = arith.subf %a, %b : $e
    %1 = arith.mulf %0, %0 : $e
    %2 = arith.addf %r, %1 : $e
    linalg.yield %2 : $e
  } -> $v
  %y = linalg.generic {indexing_maps = [#id, #row, #row, #column, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean, %squares, %gamma, %beta : $t, $v, $v, $v, $v) outs(%room : $t) {
  ^bb0(%a: $e, %b: $e, %s: $e, %g: $e, %h: $e, %r: $e):
    %0 = arith.divf %s, %count : $e
    %1 = arith.addf %0, %epsilon : $e
    %2 = math.rsqrt %1 : $e
    %3 = arith.subf %a, %b : $e
    %4 = arith.mulf %3, %2 : $e
    %5 = arith.mulf %4, %g : $e
    %6 = arith.addf %5, %h : $e
    linalg.yield %6 : $e
  } -> $t
  return %y : $t
}
)",
                    dtype, packed);
}

double Layernorm::want(const Operands &operands, int64_t element) const {
  const Operand &x = *operands[0];
  const int64_t row = element / n * n, column = element % n;
  double mean = 0, variance = 0;
  for (int64_t i = 0; i < n; ++i)
    mean += x.get(row + i) / double(n);
  for (int64_t i = 0; i < n; ++i)
    variance += std::pow(x.get(row + i) - mean, 2) / double(n);
  return (x.get(element) - mean) / std::sqrt(variance + epsilon) *
             operands[1]->get(column) +
         operands[2]->get(column);
}

std::unique_ptr<Call> Layernorm::prepare(Peer &peer, const Buffers &at,
                                         bool) const {
  return peer.layernorm(*this, at[0], at[1], at[2], at[3]);
}

//===----------------------------------------------------------------------===//
// GELU
//===----------------------------------------------------------------------===//

std::string Gelu::program(bool packed) const {
  return expandRows(R"(
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%x: $t) -> $t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : $e
  %one = arith.constant 1.0 : $e
  %rsqrt2 = arith.constant 0.70710678118654752 : $e
  %m = tensor.dim %x, %c0 : $t
  %n = tensor.dim %x, %c1 : $t
  %room = tensor.empty(%m, %n) : $t
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : $t) outs(%room : $t) {
  ^bb0(%a: $e, %r: $e):
    %0 = arith.mulf %a, %rsqrt2 : $e
    %1 = math.erf %0 : $e
    %2 = arith.addf %1, %one : $e
    %3 = arith.mulf %a, %half : $e
    %4 = arith.mulf %3, %2 : $e
    linalg.yield %4 : $e
  } -> $t
  return %y : $t
}
)",
                    dtype, packed);
}

double Gelu::want(const Operands &operands, int64_t element) const {
  double x = operands[0]->get(element);
  return x / 2 * (1 + std::erf(x * std::sqrt(0.5)));
}

std::unique_ptr<Call> Gelu::prepare(Peer &peer, const Buffers &at, bool) const {
  return peer.gelu(*this, at[0], at[1]);
}

//===----------------------------------------------------------------------===//
// Transpose
//===----------------------------------------------------------------------===//

std::string Transpose::program(bool packed) const {
  return expandRows(R"(
func.func @main(%x: $t) -> $t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : $t
  %n = tensor.dim %x, %c1 : $t
  %room = tensor.empty(%n, %m) : $t
  %y = linalg.transpose ins(%x : $t) outs(%room : $t) permutation = [1, 0]
  return %y : $t
}
)",
                    dtype, packed);
}

double Transpose::want(const Operands &operands, int64_t element) const {
  return operands[0]->get(element % m * n + element / m);
}

std::unique_ptr<Call> Transpose::prepare(Peer &peer, const Buffers &at,
                                         bool) const {
  return peer.transpose(*this, at[0], at[1]);
}
