//===- Peers.cpp - Vendor libraries, loaded at run time ------------ -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include <cstdlib>
#include <dlfcn.h>
#ifdef VORTEX_HAVE_DNNL
#include <oneapi/dnnl/dnnl.h>
#endif

using namespace vortex::bench;

namespace {
/// A library of the search path or of VORTEX_PEERS_PATH, kept apart from the
/// symbols of the others.
void *open(const char *name, std::string &reason) {
  if (const char *folder = std::getenv("VORTEX_PEERS_PATH"))
    if (void *library = dlopen((std::string(folder) + "/" + name).c_str(),
                               RTLD_NOW | RTLD_LOCAL))
      return library;
  if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
    return library;
  reason = dlerror();
  return nullptr;
}

/// A library with the C interface of BLAS.
class CBlas : public Peer {
public:
  using Gemm = void (*)(int, int, int, int, int, int, float, const float *, int,
                        const float *, int, float, float *, int);
  explicit CBlas(Gemm gemm) : gemm(gemm) {}
  Run prepare(const Shape &s, const float *a, const float *b, float *c,
              bool) override {
    return [=, f = gemm] {
      f(/*row-major*/ 101, /*no transpose*/ 111, 111, int(s.m), int(s.n),
        int(s.k), 1.0f, a, int(s.k), b, int(s.n), 0.0f, c, int(s.n));
    };
  }

private:
  Gemm gemm;
};

#if defined(VORTEX_HAVE_DNNL) && DNNL_VERSION_MAJOR == 2
/// oneDNN's matmul primitive, created for the exact shape; packed weights are
/// in the layout that it asks for.
class OneDnn : public Peer {
public:
#define VORTEX_DNNL(name) decltype(&dnnl_##name) name = nullptr
  VORTEX_DNNL(engine_create);
  VORTEX_DNNL(stream_create);
  VORTEX_DNNL(stream_wait);
  VORTEX_DNNL(memory_desc_init_by_tag);
  VORTEX_DNNL(matmul_desc_init);
  VORTEX_DNNL(primitive_desc_create);
  VORTEX_DNNL(primitive_desc_query_md);
  VORTEX_DNNL(primitive_create);
  VORTEX_DNNL(primitive_execute);
  VORTEX_DNNL(memory_create);
  VORTEX_DNNL(reorder_primitive_desc_create);
#undef VORTEX_DNNL

  bool load(void *library, std::string &reason) {
    auto get = [&](auto &to, const char *name) {
      to = reinterpret_cast<std::decay_t<decltype(to)>>(dlsym(library, name));
      if (!to)
        reason = std::string("no symbol ") + name;
      return to != nullptr;
    };
    return get(engine_create, "dnnl_engine_create") &&
           get(stream_create, "dnnl_stream_create") &&
           get(stream_wait, "dnnl_stream_wait") &&
           get(memory_desc_init_by_tag, "dnnl_memory_desc_init_by_tag") &&
           get(matmul_desc_init, "dnnl_matmul_desc_init") &&
           get(primitive_desc_create, "dnnl_primitive_desc_create") &&
           get(primitive_desc_query_md, "dnnl_primitive_desc_query_md") &&
           get(primitive_create, "dnnl_primitive_create") &&
           get(primitive_execute, "dnnl_primitive_execute") &&
           get(memory_create, "dnnl_memory_create") &&
           get(reorder_primitive_desc_create,
               "dnnl_reorder_primitive_desc_create") &&
           engine_create(&engine, dnnl_cpu, 0) == dnnl_success &&
           stream_create(&stream, engine, dnnl_stream_default_flags) ==
               dnnl_success;
  }

  Run prepare(const Shape &s, const float *a, const float *b, float *c,
              bool packed) override {
    auto plain = [&](int64_t rows, int64_t columns, dnnl_format_tag_t tag) {
      dnnl_memory_desc_t md;
      dnnl_dims_t dims = {rows, columns};
      memory_desc_init_by_tag(&md, 2, dims, dnnl_f32, tag);
      return md;
    };
    dnnl_memory_desc_t mdA = plain(s.m, s.k, dnnl_ab),
                       rawB = plain(s.k, s.n, dnnl_ab),
                       mdC = plain(s.m, s.n, dnnl_ab);
    dnnl_memory_desc_t mdB =
        packed ? plain(s.k, s.n, dnnl_format_tag_any) : rawB;
    dnnl_matmul_desc_t desc;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t matmul;
    if (matmul_desc_init(&desc, &mdA, &mdB, nullptr, &mdC) != dnnl_success ||
        primitive_desc_create(&pd, &desc, nullptr, engine, nullptr) !=
            dnnl_success ||
        primitive_create(&matmul, pd) != dnnl_success)
      return {};
    dnnl_memory_t memA, memB, memC;
    auto memory = [&](dnnl_memory_t &to, const dnnl_memory_desc_t &md,
                      const void *data) {
      memory_create(&to, &md, engine, const_cast<void *>(data));
    };
    memory(memA, mdA, a);
    memory(memC, mdC, c);
    if (packed) {
      const dnnl_memory_desc_t *wanted =
          primitive_desc_query_md(pd, dnnl_query_weights_md, 0);
      memory(memB, *wanted, DNNL_MEMORY_ALLOCATE);
      dnnl_memory_t source;
      memory(source, rawB, b);
      dnnl_primitive_desc_t reorderDesc;
      dnnl_primitive_t reorder;
      if (reorder_primitive_desc_create(&reorderDesc, &rawB, engine, wanted,
                                        engine, nullptr) != dnnl_success ||
          primitive_create(&reorder, reorderDesc) != dnnl_success)
        return {};
      dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, source}, {DNNL_ARG_TO, memB}};
      primitive_execute(reorder, stream, 2, args);
      stream_wait(stream);
    } else {
      memory(memB, rawB, b);
    }
    return [=, execute = primitive_execute, wait = stream_wait, on = stream] {
      dnnl_exec_arg_t args[] = {
          {DNNL_ARG_SRC, memA}, {DNNL_ARG_WEIGHTS, memB}, {DNNL_ARG_DST, memC}};
      execute(matmul, on, 3, args);
      wait(on);
    };
  }

private:
  dnnl_engine_t engine = nullptr;
  dnnl_stream_t stream = nullptr;
};
#endif
} // namespace

std::unique_ptr<Peer> vortex::bench::loadPeer(const std::string &name,
                                              int64_t threads,
                                              std::string &reason) {
  if (name == "openblas" || name == "mkl") {
    void *library =
        open(name == "mkl" ? "libmkl_rt.so" : "libopenblas.so.0", reason);
    if (!library)
      return nullptr;
    if (auto set = reinterpret_cast<void (*)(int)>(
            dlsym(library, name == "mkl" ? "MKL_Set_Num_Threads"
                                         : "openblas_set_num_threads")))
      set(int(threads));
    auto gemm = reinterpret_cast<CBlas::Gemm>(dlsym(library, "cblas_sgemm"));
    if (gemm)
      return std::make_unique<CBlas>(gemm);
    reason = "no symbol cblas_sgemm";
    return nullptr;
  }
  if (name == "onednn") {
#if defined(VORTEX_HAVE_DNNL) && DNNL_VERSION_MAJOR == 2
    if (void *library = open("libdnnl.so.2", reason)) {
      auto peer = std::make_unique<OneDnn>();
      if (peer->load(library, reason))
        return peer;
    }
#else
    reason = "built without the declarations of oneDNN 2 (libdnnl-dev)";
#endif
    return nullptr;
  }
  reason = "no such peer; there are onednn, openblas and mkl";
  return nullptr;
}
