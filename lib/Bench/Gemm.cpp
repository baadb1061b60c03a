//===- Gemm.cpp - Matrix products -----------------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kinds.h"
#include "Peers/Peer.h"

#include "vortex/Runtime/Tooling/HostTensor.h"

#include <cmath>

using namespace vortex;
using namespace vortex::bench;

std::vector<Column> Gemm::columns() {
  return {{{"m"}, {&m}, nullptr, true}, {{"n"}, {&n}, nullptr, true},
          {{"k"}, {&k}, nullptr, true}, {{"batch"}, {&batch}},
          {{"a_t"}, {}, &aTransposed},  {{"b_t"}, {}, &bTransposed}};
}

// u8s8: activations without a sign, weights with one, as quantized models are.
bool Gemm::setType(const std::string &name) {
  aUnsigned = name == "u8s8";
  return Problem::setType(aUnsigned ? "i8" : name);
}

std::string Gemm::typeName() const {
  return aUnsigned ? "u8s8" : Problem::typeName();
}

std::string Gemm::complete(const Options &options) {
  // A column-major C = A B is the row-major C' = B' A'. Which of them are
  // activations is the row-major order's.
  if (options.columnMajor) {
    std::swap(m, n);
    std::swap(aTransposed, bTransposed);
  }
  return "";
}

void Gemm::draw(std::mt19937_64 &random) {
  for (int64_t *extent : {&m, &n, &k})
    *extent = drawExtent(random, 4096);
}

std::vector<Field> Gemm::fields() const {
  std::vector<Field> fields;
  if (batch != 1)
    fields.push_back({"batch", batch});
  fields.insert(fields.end(), {{"m", m}, {"n", n}, {"k", k}});
  if (aTransposed)
    fields.push_back({"a_t", 1, true});
  if (bTransposed)
    fields.push_back({"b_t", 1, true});
  return fields;
}

static std::vector<int64_t> shape(int64_t batch, int64_t rows,
                                  int64_t columns) {
  if (batch == 1)
    return {rows, columns};
  return {batch, rows, columns};
}

std::vector<TensorType> Gemm::arguments() const {
  return {{dtype, aTransposed ? shape(batch, k, m) : shape(batch, m, k), false,
           1, aUnsigned},
          // A batched product is one of two activations.
          {dtype, bTransposed ? shape(batch, n, k) : shape(batch, k, n),
           batch == 1}};
}

TensorType Gemm::result() const { return {sumType(), shape(batch, m, n)}; }

std::string Gemm::program(bool packed) const {
  return programText(packed, /*sizesKnown=*/false);
}

std::string Gemm::staticProgram(bool packed) const {
  return programText(packed, /*sizesKnown=*/true);
}

std::string Gemm::programText(bool packed, bool sizesKnown) const {
  const bool batched = batch != 1;
  auto tensor = [&](const TensorType &type) {
    std::string text = "tensor<";
    for (int64_t extent : type.shape)
      text += (sizesKnown ? std::to_string(extent) : "?") + "x";
    return text + runtime::elementName(type.dtype) + ">";
  };
  const std::string inA = tensor(arguments()[0]), inB = tensor(arguments()[1]),
                    out = tensor(result());
  const std::string element = runtime::elementName(sumType());
  auto map = [&](const char *first, const char *second) {
    std::string b = batched ? "b, " : "";
    return "affine_map<(" + b + "m, n, k) -> (" + b + first + ", " + second +
           ")>";
  };
  auto dim = [&](const char *name, const char *of, int axis) {
    return std::string("  %") + name + " = tensor.dim %" + of + ", %c" +
           std::to_string(axis) + " : " + (*of == 'a' ? inA : inB) + "\n";
  };
  std::string text = "func.func @main(%a: " + inA + ", %b: " + inB +
                     (packed && !batched ? " {vortex.weight}" : "") + ") -> " +
                     out + " {\n" +
                     "  %c0 = arith.constant 0 : index\n"
                     "  %c1 = arith.constant 1 : index\n"
                     "  %c2 = arith.constant 2 : index\n"
                     "  %zero = arith.constant " +
                     (element[0] == 'i' ? "0" : "0.0") + " : " + element + "\n";
  std::string sizes;
  if (!sizesKnown) {
    text += (batched ? dim("batch", "a", 0) : "") +
            dim("m", "a", batched + aTransposed) +
            dim("n", "b", batched + !bTransposed);
    sizes = batched ? "%batch, %m, %n" : "%m, %n";
  }
  text += "  %empty = tensor.empty(" + sizes + ") : " + out + "\n" +
          "  %init = linalg.fill ins(%zero : " + element +
          ") outs(%empty : " + out + ") -> " + out + "\n" + "  %c = linalg.";
  const std::string maps =
      "indexing_maps = [" + (aTransposed ? map("k", "m") : map("m", "k")) +
      ", " + (bTransposed ? map("n", "k") : map("k", "n")) + ", " +
      map("m", "n") + "]";
  if (aUnsigned)
    text += "generic {" + maps + ", iterator_types = [" +
            (batched ? "\"parallel\", " : "") +
            R"("parallel", "parallel", "reduction"]})";
  else
    text += std::string(batched ? "batch_matmul" : "matmul") +
            (aTransposed || bTransposed ? " " + maps : "");
  text += " ins(%a, %b : " + inA + ", " + inB + ") outs(%init : " + out + ")";
  // No named op extends its operands in two ways.
  if (aUnsigned)
    text += R"( {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %0 = arith.extui %x : i8 to i32
    %1 = arith.extsi %y : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %z, %2 : i32
    linalg.yield %3 : i32
  })";
  return text + " -> " + out + "\n  return %c : " + out + "\n}\n";
}

double Gemm::flops() const { return 2.0 * batch * m * n * k; }

double Gemm::terms() const { return double(k); }

double Gemm::want(const Operands &operands, int64_t element) const {
  const Operand &a = *operands[0], &b = *operands[1];
  int64_t at = element / (m * n), row = element / n % m, column = element % n;
  double sum = 0;
  for (int64_t i = 0; i < k; ++i)
    sum += a.get(at * m * k + (aTransposed ? i * m + row : row * k + i)) *
           b.get(at * k * n + (bTransposed ? column * k + i : i * n + column));
  return sum;
}

// Rounding errors of a sum grow with the root of its length.
double Gemm::tolerance() const {
  double unit = dtype == VORTEX_I8 ? 0 : dtype == VORTEX_F64 ? 2e-15 : 1e-6;
  return unit * std::sqrt(double(k) + 64);
}

std::unique_ptr<Call> Gemm::prepare(Peer &peer, const Buffers &at,
                                    bool packed) const {
  return peer.gemm(*this, at[0], at[1], at[2], packed && batch == 1);
}
