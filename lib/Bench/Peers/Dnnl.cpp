//===- Dnnl.cpp - oneDNN's C interface, loaded at run time ----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifdef VORTEX_HAVE_DNNL
#include <oneapi/dnnl/dnnl_version.h>
#if DNNL_VERSION_MAJOR == 2

#include "CBlas.h"
#include "Dnnl.h"

#include <algorithm>

using namespace vortex::bench;

bool Dnnl::load(void *library, std::string &reason) {
#define VORTEX_DNNL_LOAD(name)                                                 \
  name = symbol<decltype(&dnnl_##name)>(library, "dnnl_" #name);               \
  if (!name) {                                                                 \
    reason = "it has no dnnl_" #name;                                          \
    return false;                                                              \
  }
  VORTEX_DNNL_FUNCTIONS(VORTEX_DNNL_LOAD)
#undef VORTEX_DNNL_LOAD
  if (engine_create(&engine, dnnl_cpu, 0) == dnnl_success &&
      stream_create(&stream, engine, dnnl_stream_default_flags) == dnnl_success)
    return true;
  reason = "it has no CPU engine";
  return false;
}

Dnnl::~Dnnl() {
  if (stream)
    stream_destroy(stream);
  if (engine)
    engine_destroy(engine);
}

DnnlCall::~DnnlCall() {
  for (dnnl_primitive_t primitive : primitives)
    dnnl.primitive_destroy(primitive);
  for (dnnl_primitive_desc_t description : descriptions)
    dnnl.primitive_desc_destroy(description);
  for (dnnl_memory_t memory : memories)
    dnnl.memory_destroy(memory);
}

dnnl_memory_desc_t DnnlCall::layout(dnnl_data_type_t type,
                                    const std::vector<int64_t> &shape,
                                    const std::vector<int64_t> &strides) {
  dnnl_dims_t dims, steps;
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0; step *= shape[i]) {
    dims[i] = shape[i];
    steps[i] = strides.empty() ? step : strides[i];
  }
  dnnl_memory_desc_t layout;
  dnnl.memory_desc_init_by_strides(&layout, int(shape.size()), dims, type,
                                   steps);
  return layout;
}

dnnl_memory_desc_t DnnlCall::anyLayout(const dnnl_memory_desc_t &of) {
  dnnl_memory_desc_t layout;
  dnnl.memory_desc_init_by_tag(&layout, of.ndims, of.dims, of.data_type,
                               dnnl_format_tag_any);
  return layout;
}

dnnl_memory_t DnnlCall::memory(const dnnl_memory_desc_t &layout,
                               const void *data) {
  dnnl_memory_t memory = nullptr;
  if (dnnl.memory_create(&memory, &layout, dnnl.engine,
                         const_cast<void *>(data)))
    return nullptr;
  memories.push_back(memory);
  return memory;
}

dnnl_primitive_desc_t DnnlCall::describe(const_dnnl_op_desc_t descriptor,
                                         float scale) {
  dnnl_primitive_attr_t attributes = nullptr;
  if (scale != 1 &&
      (dnnl.primitive_attr_create(&attributes) ||
       dnnl.primitive_attr_set_output_scales(attributes, 1, 0, &scale)))
    return nullptr;
  dnnl_primitive_desc_t description = nullptr;
  dnnl_status_t status = dnnl.primitive_desc_create(
      &description, descriptor, attributes, dnnl.engine, nullptr);
  if (attributes)
    dnnl.primitive_attr_destroy(attributes);
  if (status)
    return nullptr;
  descriptions.push_back(description);
  return description;
}

dnnl_memory_desc_t DnnlCall::wanted(dnnl_primitive_desc_t description,
                                    dnnl_query_t which) {
  return *dnnl.primitive_desc_query_md(description, which, 0);
}

bool DnnlCall::add(dnnl_primitive_desc_t description, Arguments arguments) {
  dnnl_primitive_t primitive = nullptr;
  if (!description ||
      std::any_of(arguments.begin(), arguments.end(),
                  [](auto &argument) { return !argument.memory; }) ||
      dnnl.primitive_create(&primitive, description))
    return false;
  primitives.push_back(primitive);
  steps.push_back({primitive, std::move(arguments)});
  return true;
}

bool DnnlCall::reorder(dnnl_memory_t from, const dnnl_memory_desc_t &fromLayout,
                       dnnl_memory_t to, const dnnl_memory_desc_t &toLayout,
                       bool now) {
  dnnl_primitive_desc_t description = nullptr;
  if (dnnl.reorder_primitive_desc_create(&description, &fromLayout, dnnl.engine,
                                         &toLayout, dnnl.engine, nullptr))
    return false;
  descriptions.push_back(description);
  if (!add(description, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}))
    return false;
  if (!now)
    return true;
  bool done = execute(steps.back()) && !dnnl.stream_wait(dnnl.stream);
  steps.pop_back();
  return done;
}

bool DnnlCall::execute(const Step &step) {
  return !dnnl.primitive_execute(step.primitive, dnnl.stream,
                                 int(step.arguments.size()),
                                 step.arguments.data());
}

void DnnlCall::run() {
  for (const Step &step : steps)
    execute(step);
  dnnl.stream_wait(dnnl.stream);
}

#endif
#endif
