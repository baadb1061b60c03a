//===- Attention.cpp - Scaled dot-product attention -----------------------===//
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

std::vector<Column> Attention::columns() {
  return {{{"batch"}, {&batch}},
          {{"heads"}, {&heads}},
          {{"m", "seq"}, {&m}, nullptr, true},
          {{"n", "kv"}, {&n}},
          {{"k", "d"}, {&k}, nullptr, true}};
}

std::string Attention::complete(const Options &) {
  if (n < 0)
    n = m;
  return "";
}

void Attention::draw(std::mt19937_64 &random) {
  batch = drawExtent(random, 8);
  heads = drawExtent(random, 16);
  m = drawExtent(random, 1024);
  n = drawExtent(random, 1024);
  k = drawExtent(random, 128);
}

std::vector<Field> Attention::fields() const {
  return {{"batch", batch}, {"heads", heads}, {"m", m}, {"n", n}, {"k", k}};
}

std::vector<TensorType> Attention::arguments() const {
  return {{dtype, {batch * heads, m, k}, false, 2},
          {dtype, {batch * heads, n, k}, false, 2},
          {dtype, {batch * heads, n, k}}};
}

TensorType Attention::result() const { return {dtype, {batch * heads, m, k}}; }

std::string Attention::program(bool) const {
  const std::string element = runtime::elementName(dtype);
  return expand(R"(
#id = affine_map<(b, i, j) -> (b, i, j)>
func.func @main(%q: $t, %k: $t, %v: $t) -> $t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : $e
  %batch = tensor.dim %q, %c0 : $t
  %m = tensor.dim %q, %c1 : $t
  %n = tensor.dim %k, %c1 : $t
  %d = tensor.dim %q, %c2 : $t
  %i = arith.index_cast %d : index to i64
  %size = arith.sitofp %i : i64 to $e
  %scale = math.rsqrt %size : $e
  %room = tensor.empty(%batch, %m, %n) : $t
  %zeros = linalg.fill ins(%zero : $e) outs(%room : $t) -> $t
  %products = linalg.batch_matmul
      indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>,
                       affine_map<(b, i, j, d) -> (b, i, j)>]
      ins(%q, %k : $t, $t) outs(%zeros : $t) -> $t
  %scores = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products : $t) outs(%room : $t) {
  ^bb0(%a: $e, %r: $e):
    %0 = arith.mulf %a, %scale : $e
    linalg.yield %0 : $e
  } -> $t
  %p = linalg.softmax dimension(2) ins(%scores : $t) outs(%room : $t) -> $t
  %out = tensor.empty(%batch, %m, %d) : $t
  %init = linalg.fill ins(%zero : $e) outs(%out : $t) -> $t
  %y = linalg.batch_matmul ins(%p, %v : $t, $t) outs(%init : $t) -> $t
  return %y : $t
}
)",
                {{"$t", "tensor<?x?x?x" + element + ">"}, {"$e", element}});
}

double Attention::flops() const { return 4.0 * batch * heads * m * n * k; }

double Attention::terms() const { return double(n) * double(k); }

double Attention::want(const Operands &operands, int64_t element) const {
  const Operand &q = *operands[0], &keys = *operands[1], &v = *operands[2];
  const int64_t query = element / k * k, first = element / (m * k) * n * k;
  std::vector<double> scores(static_cast<size_t>(n));
  double largest = -INFINITY;
  for (int64_t j = 0; j < n; ++j) {
    double sum = 0;
    for (int64_t i = 0; i < k; ++i)
      sum += q.get(query + i) * keys.get(first + j * k + i);
    scores[size_t(j)] = sum / std::sqrt(double(k));
    largest = std::max(largest, scores[size_t(j)]);
  }
  double sum = 0, weighted = 0;
  for (int64_t j = 0; j < n; ++j) {
    double weight = std::exp(scores[size_t(j)] - largest);
    sum += weight;
    weighted += weight * v.get(first + j * k + element % k);
  }
  return weighted / sum;
}

// A score's rounding error is its probability's relative one.
double Attention::tolerance() const {
  return (dtype == VORTEX_F64 ? 4e-15 : 2e-6) * std::sqrt(double(k) + 64);
}

// What averages of n values between -1 and 1 are.
double Attention::floor() const { return 1 / std::sqrt(double(n)); }

std::unique_ptr<Call> Attention::prepare(Peer &peer, const Buffers &at,
                                         bool) const {
  return peer.attention(*this, at[0], at[1], at[2], at[3]);
}
