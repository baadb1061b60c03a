//===- OneDnn3.cpp - oneDNN 3 ---------------------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dnnl3.h"

#include <cmath>
#include <optional>

using namespace vortex::bench;
using namespace vortex::bench::dnnl3;

static std::optional<DataType> oneDnnType(VortexDType dtype,
                                          bool isUnsigned = false) {
  switch (dtype) {
  case VORTEX_F32:
    return F32;
  case VORTEX_F64:
    return F64;
  case VORTEX_BF16:
    return BF16;
  case VORTEX_F16:
    return F16;
  case VORTEX_I8:
    return isUnsigned ? U8 : S8;
  case VORTEX_I32:
    return S32;
  default:
    return std::nullopt;
  }
}

namespace {
/// What both peers have.
class OneDnn3Products : public Peer {
public:
  Library dnnl;

  std::string version() const override {
    const Version &v = *dnnl.version();
    return std::to_string(v.major) + "." + std::to_string(v.minor) + "." +
           std::to_string(v.patch);
  }

protected:
  /// A primitive for `m` rows, which may be runtimeExtent.
  std::unique_ptr<Call> gemmFor(const Gemm &p, int64_t m, const void *a,
                                const void *b, void *c, bool packed);
};

/// A primitive is made for the exact sizes; packed weights are in the layout
/// that it asks for.
class OneDnn3 : public OneDnn3Products {
public:
  std::unique_ptr<Call> gemm(const Gemm &p, const void *a, const void *b,
                             void *c, bool packed) override {
    return gemmFor(p, p.m, a, b, c, packed);
  }
  std::unique_ptr<Call> conv(const Conv &p, const void *x, const void *filter,
                             void *y, bool packed) override;
  std::unique_ptr<Call> softmax(const Softmax &p, const void *x,
                                void *y) override;
  std::unique_ptr<Call> layernorm(const Layernorm &p, const void *x,
                                  const void *gamma, const void *beta,
                                  void *y) override;
  std::unique_ptr<Call> gelu(const Gelu &p, const void *x, void *y) override;
  std::unique_ptr<Call> transpose(const Transpose &p, const void *x,
                                  void *y) override;
  std::unique_ptr<Call> attention(const Attention &p, const void *q,
                                  const void *k, const void *v,
                                  void *out) override;

private:
  /// `blocked`: image and result are put into a layout of the library's choice
  /// and back in each call, otherwise they stay as they are.
  std::unique_ptr<Call> convIn(const Conv &p, const void *x, const void *filter,
                               void *y, bool packed, bool blocked);
};

/// One primitive for every number of rows, made without knowing it: of all
/// peers the one that compiles once, too. N and K are known to it.
class OneDnn3Runtime : public OneDnn3Products {
public:
  std::unique_ptr<Call> gemm(const Gemm &p, const void *a, const void *b,
                             void *c, bool packed) override {
    return gemmFor(p, runtimeExtent, a, b, c, packed);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Matrices of rows x columns, stored the other way round when `transposed`.
static Tensor matrices(DataType type, int64_t batch, int64_t rows,
                       int64_t columns, bool transposed) {
  auto times = [](int64_t x, int64_t y) {
    return x == runtimeExtent || y == runtimeExtent ? runtimeExtent : x * y;
  };
  Tensor tensor = {
      type,
      {batch, rows, columns},
      {times(rows, columns), transposed ? 1 : columns, transposed ? rows : 1}};
  if (batch == 1) {
    tensor.shape.erase(tensor.shape.begin());
    tensor.strides.erase(tensor.strides.begin());
  }
  return tensor;
}

std::unique_ptr<Call> OneDnn3Products::gemmFor(const Gemm &p, int64_t m,
                                               const void *a, const void *b,
                                               void *c, bool packed) {
  const auto typeA = oneDnnType(p.dtype, p.aUnsigned),
             typeB = oneDnnType(p.dtype), typeC = oneDnnType(p.sumType());
  if (!typeA || !typeB || !typeC)
    return nullptr;
  auto call = std::make_unique<Steps>(dnnl);
  auto layoutA = [&](int64_t rows) {
    return call->layout(matrices(*typeA, p.batch, rows, p.k, p.aTransposed));
  };
  auto layoutC = [&](int64_t rows) {
    return call->layout(matrices(*typeC, p.batch, rows, p.n, false));
  };
  const Tensor tensorB = matrices(*typeB, p.batch, p.k, p.n, p.bTransposed);
  const Layout plainB = call->layout(tensorB);
  const Layout askedB = packed ? call->anyLayout(tensorB) : plainB;
  const Description matmul = call->describe([&](auto made, auto attributes) {
    return dnnl.matmul_primitive_desc_create(
        made, dnnl.engine, layoutA(m), askedB, nullptr, layoutC(m), attributes);
  });
  if (!matmul)
    return nullptr;
  const Memory weights =
      call->moved(call->memory(plainB, b), plainB,
                  call->wanted(matmul, WeightsLayout), /*now=*/true);
  if (!call->add(matmul, {{Source, call->memory(layoutA(p.m), a)},
                          {Weights, weights},
                          {Target, call->memory(layoutC(p.m), c)}}))
    return nullptr;
  return call;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

std::unique_ptr<Call> OneDnn3::convIn(const Conv &p, const void *x,
                                      const void *filter, void *y, bool packed,
                                      bool blocked) {
  const auto type = oneDnnType(p.dtype),
             in = oneDnnType(p.dtype, p.imageUnsigned),
             out = oneDnnType(p.sumType());
  if (!type || !in || !out)
    return nullptr;
  auto call = std::make_unique<Steps>(dnnl);
  const Conv::Axis &v = p.vertical, &h = p.horizontal;
  // The library's order of axes is N, C, H, W, whatever the layout.
  auto image = [&](DataType type, int64_t channels, int64_t height,
                   int64_t width) {
    return Tensor{type,
                  {p.n, channels, height, width},
                  {height * width * channels, 1, width * channels, channels}};
  };
  const Tensor tensorX = image(*in, p.c, v.size, h.size);
  const Tensor tensorY = image(*out, p.f, v.out(), h.out());
  const Tensor tensorF =
      p.depthwise() ? Tensor{*type,
                             {p.c, 1, 1, v.filter, h.filter},
                             {1, 1, 1, h.filter * p.c, p.c}}
                    : Tensor{*type,
                             {p.f, p.c, v.filter, h.filter},
                             {1, p.f, h.filter * p.c * p.f, p.c * p.f}};
  const Layout plainX = call->layout(tensorX), plainY = call->layout(tensorY),
               plainF = call->layout(tensorF);
  const Dims strides = {v.stride, h.stride}, pads = {v.pad, h.pad},
             dilations = {v.dilation - 1, h.dilation - 1};
  const Description conv = call->describe([&](auto made, auto attributes) {
    return dnnl.convolution_forward_primitive_desc_create(
        made, dnnl.engine, ForwardInference, ConvolutionDirect,
        blocked ? call->anyLayout(tensorX) : plainX, call->anyLayout(tensorF),
        nullptr, blocked ? call->anyLayout(tensorY) : plainY, strides,
        dilations, pads, pads, attributes);
  });
  if (!conv)
    return nullptr;
  const Memory source = call->moved(call->memory(plainX, x), plainX,
                                    call->wanted(conv, SourceLayout), false);
  const Memory weights = call->moved(call->memory(plainF, filter), plainF,
                                     call->wanted(conv, WeightsLayout), packed);
  const Layout made = call->wanted(conv, TargetLayout);
  const Memory result = call->memory(plainY, y);
  const bool direct = dnnl.memory_desc_equal(made, plainY);
  const Memory target = direct ? result : call->memory(made);
  if (!call->add(conv,
                 {{Source, source}, {Weights, weights}, {Target, target}}))
    return nullptr;
  if (!direct && !call->reorder(target, made, result, plainY))
    return nullptr;
  return call;
}

// Which way is faster depends on the size; a careful user would try both.
std::unique_ptr<Call> OneDnn3::conv(const Conv &p, const void *x,
                                    const void *filter, void *y, bool packed) {
  std::vector<std::unique_ptr<Call>> ways;
  for (bool blocked : {false, true})
    if (auto call = convIn(p, x, filter, y, packed, blocked))
      ways.push_back(std::move(call));
  return fastest(std::move(ways));
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

std::unique_ptr<Call> OneDnn3::softmax(const Softmax &p, const void *x,
                                       void *y) {
  const auto type = oneDnnType(p.dtype);
  if (!type)
    return nullptr;
  auto call = std::make_unique<Steps>(dnnl);
  const Layout rows = call->layout({*type, {p.m, p.n}});
  const Description softmax = call->describe([&](auto made, auto attributes) {
    return dnnl.softmax_forward_primitive_desc_create(
        made, dnnl.engine, ForwardInference, SoftmaxAccurate, rows, rows, 1,
        attributes);
  });
  if (!call->add(softmax, {{Source, call->memory(rows, x)},
                           {Target, call->memory(rows, y)}}))
    return nullptr;
  return call;
}

std::unique_ptr<Call> OneDnn3::layernorm(const Layernorm &p, const void *x,
                                         const void *gamma, const void *beta,
                                         void *y) {
  const auto type = oneDnnType(p.dtype);
  if (!type)
    return nullptr;
  auto call = std::make_unique<Steps>(dnnl);
  const Layout rows = call->layout({*type, {p.m, p.n}});
  const Layout row = call->layout({*type, {p.n}});
  const Description layernorm = call->describe([&](auto made, auto attributes) {
    return dnnl.layer_normalization_forward_primitive_desc_create(
        made, dnnl.engine, ForwardInference, rows, rows, nullptr,
        float(Layernorm::epsilon), UseScale | UseShift, attributes);
  });
  if (!call->add(layernorm, {{Source, call->memory(rows, x)},
                             {Scale, call->memory(row, gamma)},
                             {Shift, call->memory(row, beta)},
                             {Target, call->memory(rows, y)}}))
    return nullptr;
  return call;
}

std::unique_ptr<Call> OneDnn3::gelu(const Gelu &p, const void *x, void *y) {
  const auto type = oneDnnType(p.dtype);
  if (!type)
    return nullptr;
  auto call = std::make_unique<Steps>(dnnl);
  const Layout rows = call->layout({*type, {p.m, p.n}});
  const Description gelu = call->describe([&](auto made, auto attributes) {
    return dnnl.eltwise_forward_primitive_desc_create(
        made, dnnl.engine, ForwardInference, EltwiseGeluErf, rows, rows, 0, 0,
        attributes);
  });
  if (!call->add(gelu, {{Source, call->memory(rows, x)},
                        {Target, call->memory(rows, y)}}))
    return nullptr;
  return call;
}

std::unique_ptr<Call> OneDnn3::transpose(const Transpose &p, const void *x,
                                         void *y) {
  const auto type = oneDnnType(p.dtype);
  if (!type)
    return nullptr;
  auto call = std::make_unique<Steps>(dnnl);
  const Layout from = call->layout({*type, {p.m, p.n}});
  const Layout to = call->layout({*type, {p.m, p.n}, {1, p.m}});
  if (!call->reorder(call->memory(from, x), from, call->memory(to, y), to,
                     /*now=*/false))
    return nullptr;
  return call;
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

// Two products with a softmax between, as primitives; the first is scaled.
std::unique_ptr<Call> OneDnn3::attention(const Attention &p, const void *q,
                                         const void *k, const void *v,
                                         void *out) {
  const auto type = oneDnnType(p.dtype);
  if (!type)
    return nullptr;
  auto call = std::make_unique<Steps>(dnnl);
  const int64_t batch = p.batch * p.heads;
  const Layout queries = call->layout({*type, {batch, p.m, p.k}});
  const Layout keys =
      call->layout({*type, {batch, p.k, p.n}, {p.k * p.n, 1, p.k}});
  const Layout values = call->layout({*type, {batch, p.n, p.k}});
  const Layout scores = call->layout({*type, {batch, p.m, p.n}});
  const Memory between = call->memory(scores);
  auto product = [&](Layout a, Layout b, Layout c, float scale) {
    return call->describe(
        [&](auto made, auto attributes) {
          return dnnl.matmul_primitive_desc_create(made, dnnl.engine, a, b,
                                                   nullptr, c, attributes);
        },
        scale);
  };
  const Description softmax = call->describe([&](auto made, auto attributes) {
    return dnnl.softmax_forward_primitive_desc_create(
        made, dnnl.engine, ForwardInference, SoftmaxAccurate, scores, scores, 2,
        attributes);
  });
  if (!call->add(product(queries, keys, scores, 1 / std::sqrt(float(p.k))),
                 {{Source, call->memory(queries, q)},
                  {Weights, call->memory(keys, k)},
                  {Target, between}}) ||
      !call->add(softmax, {{Source, between}, {Target, between}}) ||
      !call->add(product(scores, values, queries, 1),
                 {{Source, between},
                  {Weights, call->memory(values, v)},
                  {Target, call->memory(queries, out)}}))
    return nullptr;
  return call;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

template <typename P>
static std::unique_ptr<Peer> load(const Options &options, std::string &reason) {
  void *library = openLibrary(options.peerPath, {"libdnnl.so.3"}, reason);
  auto peer = std::make_unique<P>();
  if (!library || !peer->dnnl.load(library, reason))
    return nullptr;
  return peer;
}

std::unique_ptr<Peer> vortex::bench::loadOneDnn3(const Options &options,
                                                 std::string &reason) {
  return load<OneDnn3>(options, reason);
}

std::unique_ptr<Peer> vortex::bench::loadOneDnn3Runtime(const Options &options,
                                                        std::string &reason) {
  return load<OneDnn3Runtime>(options, reason);
}
