//===- Dnnl3.cpp - oneDNN 3's C interface, loaded at run time -------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dnnl3.h"

#include "CBlas.h"

#include <algorithm>
#include <cstring>

using namespace vortex::bench::dnnl3;

bool Library::load(void *library, std::string &reason) {
  auto find = [&](auto &function, const char *name) {
    function = symbol<std::remove_reference_t<decltype(function)>>(
        library, std::string("dnnl_") + name);
    if (!function && reason.empty())
      reason = std::string("it has no dnnl_") + name;
  };
  reason.clear();
#define VORTEX_DNNL3_LOAD(name, arguments) find(name, #name);
  VORTEX_DNNL3_FUNCTIONS(VORTEX_DNNL3_LOAD)
#undef VORTEX_DNNL3_LOAD
  find(primitive_desc_query, "primitive_desc_query");
  find(primitive_desc_query_md, "primitive_desc_query_md");
  find(version, "version");
  if (!reason.empty())
    return false;
  if (version()->major != 3)
    reason = "it is version " + std::to_string(version()->major) + ", not 3";
  else if (engine_create(&engine, Cpu, 0) ||
           stream_create(&stream, engine, InOrder))
    reason = "it has no CPU engine";
  return reason.empty();
}

Library::~Library() {
  if (stream)
    stream_destroy(stream);
  if (engine)
    engine_destroy(engine);
}

Steps::~Steps() {
  for (Primitive primitive : primitives)
    dnnl.primitive_destroy(primitive);
  for (Description description : descriptions)
    dnnl.primitive_desc_destroy(description);
  for (Memory memory : memories)
    dnnl.memory_destroy(memory);
  for (Layout layout : layouts)
    dnnl.memory_desc_destroy(layout);
}

Layout Steps::layout(const Tensor &tensor) {
  Dims dims, strides;
  int64_t step = 1;
  for (size_t i = tensor.shape.size(); i-- > 0;) {
    dims[i] = tensor.shape[i];
    strides[i] = tensor.strides.empty() ? step : tensor.strides[i];
    step = step == runtimeExtent || dims[i] == runtimeExtent ? runtimeExtent
                                                             : step * dims[i];
  }
  Layout layout = nullptr;
  if (dnnl.memory_desc_create_with_strides(&layout, int(tensor.shape.size()),
                                           dims, tensor.type, strides))
    return nullptr;
  layouts.push_back(layout);
  return layout;
}

Layout Steps::anyLayout(const Tensor &tensor) {
  Dims dims;
  std::copy(tensor.shape.begin(), tensor.shape.end(), dims);
  Layout layout = nullptr;
  if (dnnl.memory_desc_create_with_tag(&layout, int(tensor.shape.size()), dims,
                                       tensor.type, TagAny))
    return nullptr;
  layouts.push_back(layout);
  return layout;
}

Memory Steps::memory(Layout layout, const void *data) {
  // All ones: the library is to allocate.
  void *at = data ? const_cast<void *>(data) : reinterpret_cast<void *>(-1);
  Memory memory = nullptr;
  if (!layout || dnnl.memory_create(&memory, layout, dnnl.engine, at))
    return nullptr;
  memories.push_back(memory);
  return memory;
}

Description Steps::keep(Description description) {
  if (description)
    descriptions.push_back(description);
  return description;
}

bool Steps::isReference(Description description) const {
  const char *name = nullptr;
  return !dnnl.primitive_desc_query(description, ImplementationName, 0,
                                    &name) &&
         name && !std::strncmp(name, "ref", 3);
}

Attributes Steps::scaled(float factor) {
  Attributes attributes = nullptr;
  PostOps operations = nullptr;
  const bool done =
      !dnnl.primitive_attr_create(&attributes) &&
      !dnnl.post_ops_create(&operations) &&
      !dnnl.post_ops_append_eltwise(operations, EltwiseLinear, factor, 0) &&
      !dnnl.primitive_attr_set_post_ops(attributes, operations);
  if (operations)
    dnnl.post_ops_destroy(operations);
  if (done)
    return attributes;
  if (attributes)
    dnnl.primitive_attr_destroy(attributes);
  return nullptr;
}

bool Steps::add(Description description, std::vector<Argument> arguments) {
  Primitive primitive = nullptr;
  if (!description ||
      std::any_of(arguments.begin(), arguments.end(),
                  [](auto &argument) { return !argument.memory; }) ||
      dnnl.primitive_create(&primitive, description))
    return false;
  primitives.push_back(primitive);
  steps.push_back({primitive, std::move(arguments)});
  return true;
}

bool Steps::reorder(Memory from, Layout fromLayout, Memory to, Layout toLayout,
                    bool now) {
  Description description = describe([&](auto made, auto attributes) {
    return dnnl.reorder_primitive_desc_create(
        made, fromLayout, dnnl.engine, toLayout, dnnl.engine, attributes);
  });
  if (!add(description, {{Source, from}, {Target, to}}))
    return false;
  if (!now)
    return true;
  const bool done = execute(steps.back()) && !dnnl.stream_wait(dnnl.stream);
  steps.pop_back();
  return done;
}

Memory Steps::moved(Memory memory, Layout from, Layout to, bool now) {
  if (!to || dnnl.memory_desc_equal(from, to))
    return memory;
  Memory copy = this->memory(to);
  return reorder(memory, from, copy, to, now) ? copy : nullptr;
}

bool Steps::execute(const Step &step) {
  return !dnnl.primitive_execute(step.primitive, dnnl.stream,
                                 int(step.arguments.size()),
                                 step.arguments.data());
}

void Steps::run() {
  for (const Step &step : steps)
    execute(step);
  dnnl.stream_wait(dnnl.stream);
}
