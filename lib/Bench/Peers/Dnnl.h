//===- Dnnl.h - oneDNN's C interface, loaded at run time --------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_BENCH_PEERS_DNNL_H
#define VORTEX_LIB_BENCH_PEERS_DNNL_H

#include "Peer.h"

#include <oneapi/dnnl/dnnl.h>

namespace vortex {
namespace bench {

#define VORTEX_DNNL_FUNCTIONS(X)                                               \
  X(engine_create)                                                             \
  X(engine_destroy)                                                            \
  X(stream_create)                                                             \
  X(stream_destroy)                                                            \
  X(stream_wait)                                                               \
  X(memory_desc_init_by_tag)                                                   \
  X(memory_desc_init_by_strides)                                               \
  X(memory_desc_equal)                                                         \
  X(matmul_desc_init)                                                          \
  X(dilated_convolution_forward_desc_init)                                     \
  X(softmax_v2_forward_desc_init)                                              \
  X(layer_normalization_forward_desc_init)                                     \
  X(eltwise_forward_desc_init)                                                 \
  X(primitive_attr_create)                                                     \
  X(primitive_attr_destroy)                                                    \
  X(primitive_attr_set_output_scales)                                          \
  X(primitive_desc_create)                                                     \
  X(primitive_desc_query_md)                                                   \
  X(primitive_desc_destroy)                                                    \
  X(primitive_create)                                                          \
  X(primitive_execute)                                                         \
  X(primitive_destroy)                                                         \
  X(memory_create)                                                             \
  X(memory_destroy)                                                            \
  X(reorder_primitive_desc_create)                                             \
  X(version)

/// The library's functions, with one engine and one stream.
struct Dnnl {
#define VORTEX_DNNL_MEMBER(name) decltype(&dnnl_##name) name = nullptr;
  VORTEX_DNNL_FUNCTIONS(VORTEX_DNNL_MEMBER)
#undef VORTEX_DNNL_MEMBER
  dnnl_engine_t engine = nullptr;
  dnnl_stream_t stream = nullptr;

  bool load(void *library, std::string &reason);
  ~Dnnl();
};

/// Primitives, done one after another. What makes a part of it answers null or
/// false when the library cannot do it; the call is useless then.
class DnnlCall : public Call {
public:
  explicit DnnlCall(const Dnnl &dnnl) : dnnl(dnnl) {}
  ~DnnlCall() override;

  /// Row-major; with `strides` as they say.
  dnnl_memory_desc_t layout(dnnl_data_type_t type,
                            const std::vector<int64_t> &shape,
                            const std::vector<int64_t> &strides = {});
  /// Left to the library.
  dnnl_memory_desc_t anyLayout(const dnnl_memory_desc_t &of);

  /// Without data it has some of its own.
  dnnl_memory_t memory(const dnnl_memory_desc_t &layout,
                       const void *data = DNNL_MEMORY_ALLOCATE);

  using Arguments = std::vector<dnnl_exec_arg_t>;
  /// `descriptor`: of an operation. `scale` multiplies what it computes.
  dnnl_primitive_desc_t describe(const_dnnl_op_desc_t descriptor,
                                 float scale = 1);
  dnnl_memory_desc_t wanted(dnnl_primitive_desc_t description,
                            dnnl_query_t which);
  bool add(dnnl_primitive_desc_t description, Arguments arguments);
  /// Adds a copy into another layout; `now` makes it once, beforehand.
  bool reorder(dnnl_memory_t from, const dnnl_memory_desc_t &fromLayout,
               dnnl_memory_t to, const dnnl_memory_desc_t &toLayout,
               bool now = false);

  void run() override;

private:
  struct Step {
    dnnl_primitive_t primitive;
    Arguments arguments;
  };
  bool execute(const Step &step);

  const Dnnl &dnnl;
  std::vector<dnnl_memory_t> memories;
  std::vector<dnnl_primitive_desc_t> descriptions;
  std::vector<dnnl_primitive_t> primitives;
  std::vector<Step> steps;
};

} // namespace bench
} // namespace vortex

#endif // VORTEX_LIB_BENCH_PEERS_DNNL_H
