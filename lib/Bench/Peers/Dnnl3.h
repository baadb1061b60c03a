//===- Dnnl3.h - oneDNN 3's C interface, loaded at run time -----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_BENCH_PEERS_DNNL3_H
#define VORTEX_LIB_BENCH_PEERS_DNNL3_H

#include "Peer.h"

#include <cstdint>

namespace vortex {
namespace bench {

/// What is used of the interface, declared here because its headers exclude
/// those of version 2, which the distribution has. Values and signatures are
/// those of oneDNN 3.0 to 3.13.
namespace dnnl3 {
using Engine = struct dnnl_engine *;
using Stream = struct dnnl_stream *;
using Layout = struct dnnl_memory_desc *;
using Memory = struct dnnl_memory *;
using Attributes = struct dnnl_primitive_attr *;
using PostOps = struct dnnl_post_ops *;
using Description = struct dnnl_primitive_desc *;
using Primitive = struct dnnl_primitive *;

constexpr int maxAxes = 12;
using Dims = int64_t[maxAxes];
/// An extent that is known when the primitive is executed.
constexpr int64_t runtimeExtent = INT64_MIN;

struct Argument {
  int which;
  Memory memory;
};
struct Version {
  int major, minor, patch;
};

enum EngineKind { Cpu = 1 };
enum StreamFlags { InOrder = 1 };
enum DataType { F16 = 1, BF16 = 2, F32 = 3, S32 = 4, S8 = 5, U8 = 6, F64 = 7 };
enum FormatTag { TagAny = 1 };
enum PropagationKind { ForwardInference = 96 };
enum Algorithm {
  ConvolutionDirect = 0x1,
  EltwiseLinear = 0x26,
  EltwiseGeluErf = 0x31,
  SoftmaxAccurate = 0x30000
};
enum NormalizationFlags { UseScale = 2, UseShift = 4 };
enum Query {
  ImplementationName = 8,
  SourceLayout = 129,
  WeightsLayout = 131,
  TargetLayout = 133
};
enum Role { Source = 1, Target = 17, Weights = 33, Scale = 51, Shift = 52 };

#define VORTEX_DNNL3_FUNCTIONS(X)                                              \
  X(engine_create, (Engine *, int kind, size_t index))                         \
  X(engine_destroy, (Engine))                                                  \
  X(stream_create, (Stream *, Engine, unsigned flags))                         \
  X(stream_destroy, (Stream))                                                  \
  X(stream_wait, (Stream))                                                     \
  X(memory_desc_create_with_tag,                                               \
    (Layout *, int axes, const Dims dims, int type, int tag))                  \
  X(memory_desc_create_with_strides,                                           \
    (Layout *, int axes, const Dims dims, int type, const Dims strides))       \
  X(memory_desc_equal, (const Layout, const Layout))                           \
  X(memory_desc_destroy, (Layout))                                             \
  X(memory_create, (Memory *, const Layout, Engine, void *data))               \
  X(memory_destroy, (Memory))                                                  \
  X(primitive_attr_create, (Attributes *))                                     \
  X(primitive_attr_set_post_ops, (Attributes, const PostOps))                  \
  X(primitive_attr_destroy, (Attributes))                                      \
  X(post_ops_create, (PostOps *))                                              \
  X(post_ops_append_eltwise, (PostOps, int algorithm, float a, float b))       \
  X(post_ops_destroy, (PostOps))                                               \
  X(matmul_primitive_desc_create, (Description *, Engine, Layout a, Layout b,  \
                                   Layout bias, Layout c, const Attributes))   \
  X(convolution_forward_primitive_desc_create,                                 \
    (Description *, Engine, int propagation, int algorithm, Layout x,          \
     Layout filter, Layout bias, Layout y, const Dims strides,                 \
     const Dims dilations, const Dims padsLow, const Dims padsHigh,            \
     const Attributes))                                                        \
  X(softmax_forward_primitive_desc_create,                                     \
    (Description *, Engine, int propagation, int algorithm, Layout x,          \
     Layout y, int axis, const Attributes))                                    \
  X(layer_normalization_forward_primitive_desc_create,                         \
    (Description *, Engine, int propagation, Layout x, Layout y,               \
     Layout statistics, float epsilon, unsigned flags, const Attributes))      \
  X(eltwise_forward_primitive_desc_create,                                     \
    (Description *, Engine, int propagation, int algorithm, Layout x,          \
     Layout y, float alpha, float beta, const Attributes))                     \
  X(reorder_primitive_desc_create,                                             \
    (Description *, Layout from, Engine, Layout to, Engine, const Attributes)) \
  X(primitive_desc_destroy, (Description))                                     \
  X(primitive_create, (Primitive *, Description))                              \
  X(primitive_execute, (Primitive, Stream, int arguments, const Argument *))   \
  X(primitive_destroy, (Primitive))

/// The library's functions, with one engine and one stream. Each answers 0 when
/// it did what it says, but for memory_desc_equal.
struct Library {
#define VORTEX_DNNL3_MEMBER(name, arguments) int(*name) arguments = nullptr;
  VORTEX_DNNL3_FUNCTIONS(VORTEX_DNNL3_MEMBER)
#undef VORTEX_DNNL3_MEMBER
  int (*primitive_desc_query)(Description, int query, int index,
                              void *result) = nullptr;
  Layout (*primitive_desc_query_md)(Description, int query,
                                    int index) = nullptr;
  const Version *(*version)() = nullptr;
  Engine engine = nullptr;
  Stream stream = nullptr;

  bool load(void *library, std::string &reason);
  ~Library();
};

/// A tensor as the library is told of it.
struct Tensor {
  DataType type = F32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides = {}; ///< empty: row-major
};

/// Primitives, done one after another. What makes a part of it answers null or
/// false when the library cannot do it; the call is useless then.
class Steps : public Call {
public:
  explicit Steps(const Library &dnnl) : dnnl(dnnl) {}
  ~Steps() override;

  Layout layout(const Tensor &tensor);
  /// Left to the library.
  Layout anyLayout(const Tensor &tensor);

  /// Without data it has some of its own.
  Memory memory(Layout layout, const void *data = nullptr);

  /// Describes what `create(&description, attributes)` does, its result
  /// multiplied by `scale`.
  template <typename Create>
  Description describe(Create create, float scale = 1) {
    Attributes attributes = nullptr;
    if (scale != 1 && !(attributes = scaled(scale)))
      return nullptr;
    Description description = nullptr;
    const int status = create(&description, attributes);
    if (attributes)
      dnnl.primitive_attr_destroy(attributes);
    keep(status ? nullptr : description);
    return status || isReference(description) ? nullptr : description;
  }
  /// Belongs to the description.
  Layout wanted(Description description, Query which) const {
    return dnnl.primitive_desc_query_md(description, which, 0);
  }

  bool add(Description description, std::vector<Argument> arguments);
  /// Adds a copy into another layout; `now` makes it once, beforehand.
  bool reorder(Memory from, Layout fromLayout, Memory to, Layout toLayout,
               bool now = false);
  /// The memory in another layout: itself where that is the same.
  Memory moved(Memory memory, Layout from, Layout to, bool now);

  void run() override;

private:
  struct Step {
    Primitive primitive;
    std::vector<Argument> arguments;
  };
  bool execute(const Step &step);
  Description keep(Description description);
  /// Whether the library has nothing better than loops over elements, which
  /// nobody would call.
  bool isReference(Description description) const;
  Attributes scaled(float factor);

  const Library &dnnl;
  std::vector<Layout> layouts;
  std::vector<Memory> memories;
  std::vector<Description> descriptions;
  std::vector<Primitive> primitives;
  std::vector<Step> steps;
};

} // namespace dnnl3
} // namespace bench
} // namespace vortex

#endif // VORTEX_LIB_BENCH_PEERS_DNNL3_H
