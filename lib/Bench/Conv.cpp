//===- Conv.cpp - Convolutions --------------------------------------------===//
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

// DeepBench's names come second.
std::vector<Column> Conv::columns() {
  Axis &v = vertical, &h = horizontal;
  return {{{"n"}, {&n}, nullptr, true},
          {{"c"}, {&c}, nullptr, true},
          {{"h"}, {&v.size}, nullptr, true},
          {{"w"}, {&h.size}, nullptr, true},
          {{"f", "k"}, {&f}, nullptr, true},
          {{"kh", "filter_h(r)"}, {&v.filter}, nullptr, true},
          {{"kw", "filter_w(s)"}, {&h.filter}, nullptr, true},
          {{"stride"}, {&v.stride, &h.stride}, nullptr, false, 1},
          {{"stride_h", "hstride"}, {&v.stride}, nullptr, false, 1},
          {{"stride_w", "wstride"}, {&h.stride}, nullptr, false, 1},
          {{"pad"}, {&v.pad, &h.pad}},
          {{"pad_h"}, {&v.pad}},
          {{"pad_w"}, {&h.pad}},
          {{"dil"}, {&v.dilation, &h.dilation}, nullptr, false, 1},
          {{"dil_h"}, {&v.dilation}, nullptr, false, 1},
          {{"dil_w"}, {&h.dilation}, nullptr, false, 1},
          {{"groups"}, {&groups}, nullptr, false, 1}};
}

bool Conv::setType(const std::string &name) {
  imageUnsigned = name == "u8s8";
  return Problem::setType(imageUnsigned ? "i8" : name);
}

std::string Conv::typeName() const {
  return imageUnsigned ? "u8s8" : Problem::typeName();
}

std::string Conv::complete(const Options &options) {
  filterKnown = options.knownFilters;
  if (groups == 1 || (groups == c && groups == f))
    return "";
  return "groups = " + std::to_string(groups) +
         " with c = " + std::to_string(c) + " and f = " + std::to_string(f) +
         ": groups are 1, or c and f (depthwise)";
}

void Conv::draw(std::mt19937_64 &random) {
  n = drawExtent(random, 8);
  c = drawExtent(random, 512);
  f = drawExtent(random, 512);
  vertical.size = drawExtent(random, 128);
  horizontal.size = drawExtent(random, 128);
  // Few strides and pads: each pair is a program.
  const int64_t filter = int64_t(random() % 3) * 2 + 1;
  const int64_t stride = int64_t(random() % 2) + 1;
  for (Axis *axis : {&vertical, &horizontal}) {
    axis->filter = filter;
    axis->stride = stride;
    axis->pad = filter / 2;
  }
}

std::vector<Field> Conv::fields() const {
  const Axis &v = vertical, &h = horizontal;
  std::vector<Field> fields = {{"n", n},        {"c", c}, {"h", v.size},
                               {"w", h.size},   {"f", f}, {"kh", v.filter},
                               {"kw", h.filter}};
  // Of both axes, or where they differ of each.
  auto add = [&](const std::string &name, int64_t Axis::*of) {
    if (v.*of == h.*of)
      fields.push_back({name, v.*of});
    else
      fields.insert(fields.end(), {{name + "_h", v.*of}, {name + "_w", h.*of}});
  };
  add("stride", &Axis::stride);
  add("pad", &Axis::pad);
  if (v.dilation != 1 || h.dilation != 1)
    add("dil", &Axis::dilation);
  if (groups != 1)
    fields.push_back({"groups", groups});
  return fields;
}

std::vector<TensorType> Conv::arguments() const {
  std::vector<int64_t> filter = {vertical.filter, horizontal.filter, c};
  if (!depthwise())
    filter.push_back(f);
  return {
      {dtype, {n, vertical.size, horizontal.size, c}, false, 1, imageUnsigned},
      {dtype, filter, true}};
}

TensorType Conv::result() const {
  return {sumType(), {n, vertical.out(), horizontal.out(), f}};
}

// No named op extends its operands in two ways.
static const char *const extendInTwoWays = R"( {
  ^bb0(%p: i8, %q: i8, %r: i32):
    %0 = arith.extui %p : i8 to i32
    %1 = arith.extsi %q : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %r, %2 : i32
    linalg.yield %3 : i32
  })";

/// The op and its attributes.
std::string Conv::operation() const {
  const char *steps = "{strides = dense<[$stride1, $stride2]> : tensor<2xi64>, "
                      "dilations = dense<[$dil1, $dil2]> : tensor<2xi64>}";
  if (!imageUnsigned)
    return std::string(depthwise() ? "depthwise_conv_2d_nhwc_hwc "
                                   : "conv_2d_nhwc_hwcf ") +
           steps;
  const std::string loops = depthwise() ? "(n, y, x, f, i, j)"
                                        : "(n, y, x, f, i, j, k)",
                    pixel = "y * $stride1 + i * $dil1, "
                            "x * $stride2 + j * $dil2";
  auto map = [&](const std::string &results) {
    return "affine_map<" + loops + " -> (" + results + ")>";
  };
  return "generic {indexing_maps = [" +
         map("n, " + pixel + (depthwise() ? ", f" : ", k")) + ", " +
         map(depthwise() ? "i, j, f" : "i, j, k, f") + ", " +
         map("n, y, x, f") +
         R"(], iterator_types = ["parallel", "parallel", "parallel", )"
         R"("parallel", "reduction", "reduction")" +
         (depthwise() ? "]}" : R"(, "reduction"]})");
}

std::string Conv::program(bool packed) const {
  const std::string element = runtime::elementName(dtype),
                    sum = runtime::elementName(sumType());
  auto zero = [](const std::string &type) {
    return type[0] == 'i' ? "0" : "0.0";
  };
  const Axis &v = vertical, &h = horizontal;
  auto number = [](int64_t value) { return std::to_string(value); };
  std::string text = R"(
func.func @main(%x: $x, %f: $k$w) -> $y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant $zs : $s
  %padding = arith.constant $ze : $e
)";
  const bool padded = v.pad || h.pad;
  if (padded)
    text += R"(
  %padded = tensor.pad %x low[0, $pv, $ph, 0] high[0, $pv, $ph, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %padding : $e
  } : $x to $x
)";
  text += R"(
  %n = tensor.dim %x, %c0 : $x
  %channels = tensor.dim %f, $fd : $k
)";
  // (size - (filter - 1) * dilation - 1) / stride + 1 of each axis.
  for (const char *axis : {"1", "2"})
    text += expand(R"(
  %size$a = tensor.dim $in, %c$a : $x
  %filter$a = tensor.dim %f, $tap : $k
  %steps$a = arith.subi %filter$a, %c1 : index
  %dilation$a = arith.constant $dil$a : index
  %reach$a = arith.muli %steps$a, %dilation$a : index
  %last$a = arith.subi %size$a, %reach$a : index
  %room$a = arith.subi %last$a, %c1 : index
  %stride$a = arith.constant $stride$a : index
  %whole$a = arith.divui %room$a, %stride$a : index
  %out$a = arith.addi %whole$a, %c1 : index
)",
                   {{"$a", axis}, {"$tap", *axis == '1' ? "%c0" : "%c1"}});
  text += R"(
  %empty = tensor.empty(%n, %out1, %out2$extent) : $y
  %init = linalg.fill ins(%zero : $s) outs(%empty : $y) -> $y
  %y = linalg.$op ins($in, %f : $x, $k) outs(%init : $y)$body -> $y
  return %y : $y
}
)";
  // An extent of the filter, in a type: known or not.
  auto extent = [&](int64_t value) {
    return (filterKnown ? number(value) : "?") + "x";
  };
  const std::string filter = extent(v.filter) + extent(h.filter) + extent(c) +
                             (depthwise() ? "" : extent(f));
  return expand(text, {{"$op", operation()},
                       {"$body", imageUnsigned ? extendInTwoWays : ""},
                       {"$pv", number(v.pad)},
                       {"$ph", number(h.pad)},
                       {"$fd", depthwise() ? "%c2" : "%c3"},
                       {"$stride1", number(v.stride)},
                       {"$stride2", number(h.stride)},
                       {"$dil1", number(v.dilation)},
                       {"$dil2", number(h.dilation)},
                       {"$in", padded ? "%padded" : "%x"},
                       {"$w", packed ? " {vortex.weight}" : ""},
                       {"$extent", filterKnown ? "" : ", %channels"},
                       {"$k", "tensor<" + filter + element + ">"},
                       {"$x", "tensor<?x?x?x" + extent(c) + element + ">"},
                       {"$y", "tensor<?x?x?x" + extent(f) + sum + ">"},
                       {"$ze", zero(element)},
                       {"$zs", zero(sum)},
                       {"$e", element},
                       {"$s", sum}});
}

double Conv::flops() const {
  return 2 * terms() * double(n) * double(vertical.out()) *
         double(horizontal.out()) * double(f);
}

double Conv::terms() const {
  return double(vertical.filter) * double(horizontal.filter) *
         double(c / groups);
}

double Conv::want(const Operands &operands, int64_t element) const {
  const Operand &x = *operands[0], &filter = *operands[1];
  const Axis &v = vertical, &h = horizontal;
  const int64_t channel = element % f, column = element / f % h.out(),
                row = element / f / h.out() % v.out(),
                image = element / f / h.out() / v.out();
  double sum = 0;
  for (int64_t i = 0; i < v.filter; ++i)
    for (int64_t j = 0; j < h.filter; ++j) {
      const int64_t y = row * v.stride + i * v.dilation - v.pad,
                    z = column * h.stride + j * h.dilation - h.pad;
      if (y < 0 || y >= v.size || z < 0 || z >= h.size)
        continue;
      const int64_t pixel = ((image * v.size + y) * h.size + z) * c,
                    tap = (i * h.filter + j) * c;
      if (depthwise())
        sum += x.get(pixel + channel) * filter.get(tap + channel);
      else
        for (int64_t k = 0; k < c; ++k)
          sum += x.get(pixel + k) * filter.get((tap + k) * f + channel);
    }
  return sum;
}

double Conv::tolerance() const {
  double unit = dtype == VORTEX_I8 ? 0 : dtype == VORTEX_F64 ? 2e-15 : 1e-6;
  return unit * std::sqrt(terms() + 64);
}

std::unique_ptr<Call> Conv::prepare(Peer &peer, const Buffers &at,
                                    bool packed) const {
  return peer.conv(*this, at[0], at[1], at[2], packed);
}
