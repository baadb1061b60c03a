//===- OneDnn.cpp - oneDNN ------------------------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CBlas.h"

#ifdef VORTEX_HAVE_DNNL
#include <oneapi/dnnl/dnnl_version.h>
#endif

using namespace vortex::bench;

// The declarations come from the headers of oneDNN 2, as Debian 12 has it;
// version 3 changed the C interface.
#if defined(VORTEX_HAVE_DNNL) && DNNL_VERSION_MAJOR == 2
#include "Dnnl.h"

#include <cmath>

static bool dataType(VortexDType dtype, dnnl_data_type_t &to,
                     bool isUnsigned = false) {
  switch (dtype) {
  case VORTEX_F32:
    to = dnnl_f32;
    return true;
  case VORTEX_BF16:
    to = dnnl_bf16;
    return true;
  case VORTEX_F16:
    to = dnnl_f16;
    return true;
  case VORTEX_I8:
    to = isUnsigned ? dnnl_u8 : dnnl_s8;
    return true;
  case VORTEX_I32:
    to = dnnl_s32;
    return true;
  default:
    return false;
  }
}

namespace {
/// A primitive is made for the exact sizes; packed weights are in the layout
/// that it asks for.
class OneDnn : public Peer {
public:
  Dnnl dnnl;

  std::string version() const override {
    const dnnl_version_t &v = *dnnl.version();
    return std::to_string(v.major) + "." + std::to_string(v.minor) + "." +
           std::to_string(v.patch);
  }
  std::unique_ptr<Call> gemm(const Gemm &p, const void *a, const void *b,
                             void *c, bool packed) override;
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
} // namespace

std::unique_ptr<Call> OneDnn::gemm(const Gemm &p, const void *a, const void *b,
                                   void *c, bool packed) {
  dnnl_data_type_t inA, inB, out;
  if (!dataType(p.dtype, inA, p.aUnsigned) || !dataType(p.dtype, inB) ||
      !dataType(p.sumType(), out))
    return nullptr;
  auto call = std::make_unique<DnnlCall>(dnnl);
  // rows x columns, stored the other way round when `transposed`.
  auto matrix = [&](int64_t rows, int64_t columns, bool transposed,
                    dnnl_data_type_t type) {
    std::vector<int64_t> shape = {p.batch, rows, columns};
    std::vector<int64_t> strides = {rows * columns, transposed ? 1 : columns,
                                    transposed ? rows : 1};
    if (p.batch == 1) {
      shape.erase(shape.begin());
      strides.erase(strides.begin());
    }
    return call->layout(type, shape, strides);
  };
  const dnnl_memory_desc_t layoutA = matrix(p.m, p.k, p.aTransposed, inA);
  const dnnl_memory_desc_t plainB = matrix(p.k, p.n, p.bTransposed, inB);
  const dnnl_memory_desc_t layoutC = matrix(p.m, p.n, false, out);
  const dnnl_memory_desc_t asked = packed ? call->anyLayout(plainB) : plainB;
  dnnl_matmul_desc_t matmul;
  if (dnnl.matmul_desc_init(&matmul, &layoutA, &asked, nullptr, &layoutC))
    return nullptr;
  dnnl_primitive_desc_t description = call->describe(&matmul);
  if (!description)
    return nullptr;
  dnnl_memory_t memoryB = call->memory(plainB, b);
  if (packed) {
    dnnl_memory_desc_t layoutB =
        call->wanted(description, dnnl_query_weights_md);
    dnnl_memory_t weights = call->memory(layoutB);
    if (!call->reorder(memoryB, plainB, weights, layoutB, /*now=*/true))
      return nullptr;
    memoryB = weights;
  }
  if (!call->add(description, {{DNNL_ARG_SRC, call->memory(layoutA, a)},
                               {DNNL_ARG_WEIGHTS, memoryB},
                               {DNNL_ARG_DST, call->memory(layoutC, c)}}))
    return nullptr;
  return call;
}

std::unique_ptr<Call> OneDnn::convIn(const Conv &p, const void *x,
                                     const void *filter, void *y, bool packed,
                                     bool blocked) {
  dnnl_data_type_t type, imageType, sumType;
  if (!dataType(p.dtype, type) ||
      !dataType(p.dtype, imageType, p.imageUnsigned) ||
      !dataType(p.sumType(), sumType))
    return nullptr;
  auto call = std::make_unique<DnnlCall>(dnnl);
  const Conv::Axis &v = p.vertical, &h = p.horizontal;
  // The library's order of axes is N, C, H, W, whatever the layout.
  auto image = [&](dnnl_data_type_t type, int64_t channels, int64_t height,
                   int64_t width) {
    return call->layout(
        type, {p.n, channels, height, width},
        {height * width * channels, 1, width * channels, channels});
  };
  const dnnl_memory_desc_t in = image(imageType, p.c, v.size, h.size);
  const dnnl_memory_desc_t out = image(sumType, p.f, v.out(), h.out());
  const dnnl_memory_desc_t plain =
      p.depthwise() ? call->layout(type, {p.c, 1, 1, v.filter, h.filter},
                                   {1, 1, 1, h.filter * p.c, p.c})
                    : call->layout(type, {p.f, p.c, v.filter, h.filter},
                                   {1, p.f, h.filter * p.c * p.f, p.c * p.f});
  const dnnl_memory_desc_t askedIn = blocked ? call->anyLayout(in) : in;
  const dnnl_memory_desc_t askedOut = blocked ? call->anyLayout(out) : out;
  const dnnl_memory_desc_t askedFilter = call->anyLayout(plain);
  const dnnl_dims_t strides = {v.stride, h.stride}, pads = {v.pad, h.pad},
                    dilations = {v.dilation - 1, h.dilation - 1};
  dnnl_convolution_desc_t conv;
  if (dnnl.dilated_convolution_forward_desc_init(
          &conv, dnnl_forward_inference, dnnl_convolution_direct, &askedIn,
          &askedFilter, nullptr, &askedOut, strides, dilations, pads, pads))
    return nullptr;
  dnnl_primitive_desc_t description = call->describe(&conv);
  if (!description)
    return nullptr;
  // Copies where the layout is another; `now` once, beforehand.
  auto moved = [&](dnnl_memory_t memory, const dnnl_memory_desc_t &from,
                   dnnl_query_t which, bool now) -> dnnl_memory_t {
    const dnnl_memory_desc_t to = call->wanted(description, which);
    if (dnnl.memory_desc_equal(&from, &to))
      return memory;
    dnnl_memory_t copy = call->memory(to);
    return call->reorder(memory, from, copy, to, now) ? copy : nullptr;
  };
  dnnl_memory_t source =
      moved(call->memory(in, x), in, dnnl_query_src_md, false);
  dnnl_memory_t weights =
      moved(call->memory(plain, filter), plain, dnnl_query_weights_md, packed);
  const dnnl_memory_desc_t made = call->wanted(description, dnnl_query_dst_md);
  const bool direct = dnnl.memory_desc_equal(&made, &out);
  dnnl_memory_t result = call->memory(out, y);
  dnnl_memory_t target = direct ? result : call->memory(made);
  if (!call->add(description, {{DNNL_ARG_SRC, source},
                               {DNNL_ARG_WEIGHTS, weights},
                               {DNNL_ARG_DST, target}}) ||
      (!direct && !call->reorder(target, made, result, out)))
    return nullptr;
  return call;
}

// Which way is faster depends on the size; a careful user would try both.
std::unique_ptr<Call> OneDnn::conv(const Conv &p, const void *x,
                                   const void *filter, void *y, bool packed) {
  std::vector<std::unique_ptr<Call>> ways;
  for (bool blocked : {false, true})
    if (auto call = convIn(p, x, filter, y, packed, blocked))
      ways.push_back(std::move(call));
  return fastest(std::move(ways));
}

std::unique_ptr<Call> OneDnn::softmax(const Softmax &p, const void *x,
                                      void *y) {
  dnnl_data_type_t type;
  if (!dataType(p.dtype, type))
    return nullptr;
  auto call = std::make_unique<DnnlCall>(dnnl);
  const dnnl_memory_desc_t rows = call->layout(type, {p.m, p.n});
  dnnl_softmax_v2_desc_t softmax;
  if (dnnl.softmax_v2_forward_desc_init(&softmax, dnnl_forward_inference,
                                        dnnl_softmax_accurate, &rows, &rows,
                                        1) ||
      !call->add(call->describe(&softmax),
                 {{DNNL_ARG_SRC, call->memory(rows, x)},
                  {DNNL_ARG_DST, call->memory(rows, y)}}))
    return nullptr;
  return call;
}

std::unique_ptr<Call> OneDnn::layernorm(const Layernorm &p, const void *x,
                                        const void *gamma, const void *beta,
                                        void *y) {
  dnnl_data_type_t type;
  if (!dataType(p.dtype, type))
    return nullptr;
  auto call = std::make_unique<DnnlCall>(dnnl);
  const dnnl_memory_desc_t rows = call->layout(type, {p.m, p.n});
  const dnnl_memory_desc_t row = call->layout(type, {p.n});
  dnnl_layer_normalization_desc_t layernorm;
  if (dnnl.layer_normalization_forward_desc_init(
          &layernorm, dnnl_forward_inference, &rows, nullptr,
          float(Layernorm::epsilon), dnnl_use_scale | dnnl_use_shift) ||
      !call->add(call->describe(&layernorm),
                 {{DNNL_ARG_SRC, call->memory(rows, x)},
                  {DNNL_ARG_SCALE, call->memory(row, gamma)},
                  {DNNL_ARG_SHIFT, call->memory(row, beta)},
                  {DNNL_ARG_DST, call->memory(rows, y)}}))
    return nullptr;
  return call;
}

std::unique_ptr<Call> OneDnn::gelu(const Gelu &p, const void *x, void *y) {
  dnnl_data_type_t type;
  if (!dataType(p.dtype, type))
    return nullptr;
  auto call = std::make_unique<DnnlCall>(dnnl);
  const dnnl_memory_desc_t rows = call->layout(type, {p.m, p.n});
  dnnl_eltwise_desc_t gelu;
  if (dnnl.eltwise_forward_desc_init(&gelu, dnnl_forward_inference,
                                     dnnl_eltwise_gelu_erf, &rows, 0, 0) ||
      !call->add(call->describe(&gelu),
                 {{DNNL_ARG_SRC, call->memory(rows, x)},
                  {DNNL_ARG_DST, call->memory(rows, y)}}))
    return nullptr;
  return call;
}

std::unique_ptr<Call> OneDnn::transpose(const Transpose &p, const void *x,
                                        void *y) {
  dnnl_data_type_t type;
  if (!dataType(p.dtype, type))
    return nullptr;
  auto call = std::make_unique<DnnlCall>(dnnl);
  const dnnl_memory_desc_t from = call->layout(type, {p.m, p.n});
  const dnnl_memory_desc_t to = call->layout(type, {p.m, p.n}, {1, p.m});
  if (!call->reorder(call->memory(from, x), from, call->memory(to, y), to,
                     /*now=*/false))
    return nullptr;
  return call;
}

// Two products with a softmax between: this version has no attention of its
// own. The products are scaled by the first.
std::unique_ptr<Call> OneDnn::attention(const Attention &p, const void *q,
                                        const void *k, const void *v,
                                        void *out) {
  dnnl_data_type_t type;
  if (!dataType(p.dtype, type))
    return nullptr;
  auto call = std::make_unique<DnnlCall>(dnnl);
  const int64_t batch = p.batch * p.heads;
  const dnnl_memory_desc_t queries = call->layout(type, {batch, p.m, p.k});
  const dnnl_memory_desc_t keys =
      call->layout(type, {batch, p.k, p.n}, {p.k * p.n, 1, p.k});
  const dnnl_memory_desc_t values = call->layout(type, {batch, p.n, p.k});
  const dnnl_memory_desc_t scores = call->layout(type, {batch, p.m, p.n});
  dnnl_memory_t memory = call->memory(scores);
  dnnl_matmul_desc_t first, second;
  dnnl_softmax_v2_desc_t softmax;
  if (dnnl.matmul_desc_init(&first, &queries, &keys, nullptr, &scores) ||
      dnnl.softmax_v2_forward_desc_init(&softmax, dnnl_forward_inference,
                                        dnnl_softmax_accurate, &scores, &scores,
                                        2) ||
      dnnl.matmul_desc_init(&second, &scores, &values, nullptr, &queries))
    return nullptr;
  const float scale = 1 / std::sqrt(float(p.k));
  if (!call->add(call->describe(&first, scale),
                 {{DNNL_ARG_SRC, call->memory(queries, q)},
                  {DNNL_ARG_WEIGHTS, call->memory(keys, k)},
                  {DNNL_ARG_DST, memory}}) ||
      !call->add(call->describe(&softmax),
                 {{DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}}) ||
      !call->add(call->describe(&second),
                 {{DNNL_ARG_SRC, memory},
                  {DNNL_ARG_WEIGHTS, call->memory(values, v)},
                  {DNNL_ARG_DST, call->memory(queries, out)}}))
    return nullptr;
  return call;
}

std::unique_ptr<Peer> vortex::bench::loadOneDnn(const Options &options,
                                                std::string &reason) {
  void *library = openLibrary(options.peerPath, {"libdnnl.so.2"}, reason);
  auto peer = std::make_unique<OneDnn>();
  if (!library || !peer->dnnl.load(library, reason))
    return nullptr;
  return peer;
}
#else
std::unique_ptr<Peer> vortex::bench::loadOneDnn(const Options &,
                                                std::string &reason) {
  reason = "this tool was built without the headers of oneDNN 2 (libdnnl-dev)";
  return nullptr;
}
#endif
