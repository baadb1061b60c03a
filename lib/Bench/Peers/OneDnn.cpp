//===- OneDnn.cpp - oneDNN's matmul primitive -----------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CBlas.h"

#ifdef VORTEX_HAVE_DNNL
#include <oneapi/dnnl/dnnl.h>
#endif

using namespace vortex::bench;

// The declarations come from the headers of oneDNN 2, as Debian 12 has it;
// version 3 changed the C interface.
#if defined(VORTEX_HAVE_DNNL) && DNNL_VERSION_MAJOR == 2
namespace {
#define VORTEX_DNNL_FUNCTIONS(X)                                               \
  X(engine_create)                                                             \
  X(engine_destroy)                                                            \
  X(stream_create)                                                             \
  X(stream_destroy)                                                            \
  X(stream_wait)                                                               \
  X(memory_desc_init_by_tag)                                                   \
  X(memory_desc_init_by_strides)                                               \
  X(matmul_desc_init)                                                          \
  X(primitive_desc_create)                                                     \
  X(primitive_desc_query_md)                                                   \
  X(primitive_desc_destroy)                                                    \
  X(primitive_create)                                                          \
  X(primitive_execute)                                                         \
  X(primitive_destroy)                                                         \
  X(memory_create)                                                             \
  X(memory_destroy)                                                            \
  X(reorder_primitive_desc_create)

struct Library {
#define VORTEX_DNNL_MEMBER(name) decltype(&dnnl_##name) name = nullptr;
  VORTEX_DNNL_FUNCTIONS(VORTEX_DNNL_MEMBER)
#undef VORTEX_DNNL_MEMBER
  dnnl_engine_t engine = nullptr;
  dnnl_stream_t stream = nullptr;

  bool load(void *library, std::string &reason) {
#define VORTEX_DNNL_LOAD(name)                                                 \
  name = symbol<decltype(&dnnl_##name)>(library, "dnnl_" #name);               \
  if (!name) {                                                                 \
    reason = "it has no dnnl_" #name;                                          \
    return false;                                                              \
  }
    VORTEX_DNNL_FUNCTIONS(VORTEX_DNNL_LOAD)
#undef VORTEX_DNNL_LOAD
    if (engine_create(&engine, dnnl_cpu, 0) == dnnl_success &&
        stream_create(&stream, engine, dnnl_stream_default_flags) ==
            dnnl_success)
      return true;
    reason = "it has no CPU engine";
    return false;
  }
  ~Library() {
    if (stream)
      stream_destroy(stream);
    if (engine)
      engine_destroy(engine);
  }
};

class DnnlProduct : public Call {
public:
  explicit DnnlProduct(const Library &dnnl) : dnnl(dnnl) {}
  ~DnnlProduct() override {
    for (dnnl_memory_t memory : {memA, memB, memC, plainB})
      if (memory)
        dnnl.memory_destroy(memory);
    for (dnnl_primitive_t primitive : {matmul, reorder})
      if (primitive)
        dnnl.primitive_destroy(primitive);
    for (dnnl_primitive_desc_t desc : {matmulDesc, reorderDesc})
      if (desc)
        dnnl.primitive_desc_destroy(desc);
  }

  bool prepare(const Gemm &p, const void *a, const void *b, void *c,
               bool packed) {
    dnnl_data_type_t in, out;
    if (!dataType(p.dtype, in) || !dataType(p.resultType(), out))
      return false;
    dnnl_memory_desc_t mdA = strided(p.batch, p.m, p.k, p.aTransposed, in);
    dnnl_memory_desc_t mdPlain = strided(p.batch, p.k, p.n, p.bTransposed, in);
    dnnl_memory_desc_t mdC = strided(p.batch, p.m, p.n, false, out);
    dnnl_memory_desc_t mdB = mdPlain;
    if (packed &&
        dnnl.memory_desc_init_by_tag(&mdB, mdPlain.ndims, mdPlain.dims, in,
                                     dnnl_format_tag_any))
      return false;
    dnnl_matmul_desc_t desc;
    if (dnnl.matmul_desc_init(&desc, &mdA, &mdB, nullptr, &mdC) ||
        dnnl.primitive_desc_create(&matmulDesc, &desc, nullptr, dnnl.engine,
                                   nullptr) ||
        dnnl.primitive_create(&matmul, matmulDesc) || !make(memA, mdA, a) ||
        !make(memC, mdC, c))
      return false;
    if (!packed)
      return make(memB, mdPlain, b);
    const dnnl_memory_desc_t *wanted =
        dnnl.primitive_desc_query_md(matmulDesc, dnnl_query_weights_md, 0);
    if (!make(memB, *wanted, DNNL_MEMORY_ALLOCATE) ||
        !make(plainB, mdPlain, b) ||
        dnnl.reorder_primitive_desc_create(&reorderDesc, &mdPlain, dnnl.engine,
                                           wanted, dnnl.engine, nullptr) ||
        dnnl.primitive_create(&reorder, reorderDesc))
      return false;
    dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, plainB}, {DNNL_ARG_TO, memB}};
    return !dnnl.primitive_execute(reorder, dnnl.stream, 2, args) &&
           !dnnl.stream_wait(dnnl.stream);
  }

  void run() override {
    dnnl_exec_arg_t args[] = {
        {DNNL_ARG_SRC, memA}, {DNNL_ARG_WEIGHTS, memB}, {DNNL_ARG_DST, memC}};
    dnnl.primitive_execute(matmul, dnnl.stream, 3, args);
    dnnl.stream_wait(dnnl.stream);
  }

private:
  static bool dataType(VortexDType dtype, dnnl_data_type_t &to) {
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
      to = dnnl_s8;
      return true;
    case VORTEX_I32:
      to = dnnl_s32;
      return true;
    default:
      return false;
    }
  }

  /// rows x columns, stored the other way round when `transposed`.
  dnnl_memory_desc_t strided(int64_t batch, int64_t rows, int64_t columns,
                             bool transposed, dnnl_data_type_t type) {
    dnnl_dims_t dims = {batch, rows, columns};
    dnnl_dims_t strides = {rows * columns, transposed ? 1 : columns,
                           transposed ? rows : 1};
    int first = batch == 1;
    dnnl_memory_desc_t md;
    dnnl.memory_desc_init_by_strides(&md, 3 - first, dims + first, type,
                                     strides + first);
    return md;
  }
  bool make(dnnl_memory_t &to, const dnnl_memory_desc_t &md, const void *data) {
    return !dnnl.memory_create(&to, &md, dnnl.engine, const_cast<void *>(data));
  }

  const Library &dnnl;
  dnnl_memory_t memA = nullptr, memB = nullptr, memC = nullptr;
  dnnl_memory_t plainB = nullptr;
  dnnl_primitive_t matmul = nullptr, reorder = nullptr;
  dnnl_primitive_desc_t matmulDesc = nullptr, reorderDesc = nullptr;
};

/// A primitive is made for the exact sizes; packed weights are in the layout
/// that it asks for.
class OneDnn : public Peer {
public:
  Library library;
  std::unique_ptr<Call> gemm(const Gemm &p, const void *a, const void *b,
                             void *c, bool packed) override {
    auto product = std::make_unique<DnnlProduct>(library);
    if (product->prepare(p, a, b, c, packed))
      return product;
    return nullptr;
  }
};
} // namespace

std::unique_ptr<Peer> vortex::bench::loadOneDnn(const Options &options,
                                                std::string &reason) {
  void *library = openLibrary(options.peerPath, {"libdnnl.so.2"}, reason);
  auto peer = std::make_unique<OneDnn>();
  if (!library || !peer->library.load(library, reason))
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
