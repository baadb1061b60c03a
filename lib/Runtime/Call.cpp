//===- Call.cpp - Calling a function --------------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call checks the arguments against the signature, copies what generated code
// cannot use in place, runs, and hands over the results.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "DeviceTensor.h"
#include "Tensor.h"

#include <cstdio>
#include <cstring>

using namespace vortex::runtime;

static const int64_t noSizes[1] = {0};
/// What an empty tensor's data points at.
alignas(64) static char nothing[64];

//===----------------------------------------------------------------------===//
// Results that the context allocates
//===----------------------------------------------------------------------===//

namespace {
/// A result with its sizes and, at an aligned place behind, its elements.
struct OwnedTensor {
  DLManagedTensorVersioned tensor;
  Allocator allocator;
  size_t bytes, alignment;
  int64_t sizesAndStrides[1]; ///< twice the rank
};
} // namespace

static void deleteOwned(DLManagedTensorVersioned *tensor) {
  if (!tensor)
    return;
  auto *owned = static_cast<OwnedTensor *>(tensor->manager_ctx);
  Allocator allocator = owned->allocator;
  allocator.put(owned, owned->bytes, owned->alignment);
}

static DLManagedTensorVersioned *makeTensor(const Allocator &allocator,
                                            const VortexValueInfo &info,
                                            const int64_t *sizes,
                                            int64_t bytes) noexcept {
  size_t head = sizeof(OwnedTensor) + 2 * size_t(info.rank) * sizeof(int64_t);
  head = (head + 63) & ~size_t(63);
  size_t total = head + size_t(bytes);
  size_t alignment = total >= (4u << 20) ? size_t(2) << 20 : 64;
  auto *owned = static_cast<OwnedTensor *>(allocator.get(total, alignment));
  if (!owned)
    return nullptr;
  std::memset(owned, 0, sizeof *owned);
  owned->allocator = allocator;
  owned->bytes = total;
  owned->alignment = alignment;
  int64_t *shape = owned->sizesAndStrides, *strides = shape + info.rank;
  int64_t stride = 1;
  for (int32_t d = info.rank; d-- > 0;) {
    shape[d] = sizes[d];
    strides[d] = stride;
    // Without elements the other sizes may be any.
    stride *= bytes ? sizes[d] : 1;
  }
  DLManagedTensorVersioned &tensor = owned->tensor;
  tensor.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  tensor.manager_ctx = owned;
  tensor.deleter = deleteOwned;
  if (info.dtype == VORTEX_I4)
    tensor.flags = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
  tensor.dl_tensor.data = reinterpret_cast<char *>(owned) + head;
  tensor.dl_tensor.device = {kDLCPU, 0};
  tensor.dl_tensor.ndim = info.rank;
  tensor.dl_tensor.dtype = toDLDataType(info.dtype);
  tensor.dl_tensor.shape = shape;
  tensor.dl_tensor.strides = strides;
  return &tensor;
}

namespace {
/// Finds or makes the memory of results while the function runs.
class CallSink : public ResultSink {
public:
  CallSink(const Signature &signature, Executor &executor, CallFrame &frame)
      : signature(signature), executor(executor), frame(frame) {}

  void *result(int64_t index, int64_t rank, const int64_t *sizes, int64_t bytes,
               Arena &arena, VortexStatus &status, char *error,
               size_t errorBytes) noexcept override {
    auto fail = [&](const char *why) {
      std::snprintf(error, errorBytes, "result %lld %s",
                    static_cast<long long>(index), why);
      return nullptr;
    };
    if (index < 0 || index >= signature.numResults())
      return fail("is not in the signature");
    const VortexValueInfo &info = signature.result(index);
    CallFrame::Result &result = frame.results[index];
    int64_t expected;
    if (result.done || rank != info.rank)
      return fail("is given wrongly by the artifact");
    for (int64_t d = 0; d < rank; ++d)
      if (sizes[d] < 0)
        return fail("has a negative size");
    if (!tensorBytes(sizes, rank, info.dtype, expected) || expected != bytes)
      return fail("has another size in bytes than its shape says");
    for (int64_t d = 0; d < rank; ++d)
      if (int64_t declared =
              signature.nameResult(index, d, sizes[d], frame.symbols.data());
          declared >= 0) {
        std::snprintf(error, errorBytes,
                      "result %lld, dimension %lld is %lld, but the signature "
                      "says %lld ('%s')",
                      static_cast<long long>(index), static_cast<long long>(d),
                      static_cast<long long>(sizes[d]),
                      static_cast<long long>(declared),
                      info.dims ? info.dims[d] : "");
        status = VORTEX_STATUS_PROGRAM_FAILED;
        return nullptr;
      }
    result.done = true;
    status = VORTEX_STATUS_OUT_OF_MEMORY;
    // Generated code writes to the device, scalars are the host's.
    bool fromDevice = executor.device() && info.kind == VORTEX_SCALAR;
    if (!result.given) {
      // The caller's allocator gives memory of the device.
      result.made =
          fromDevice ? makeTensor(Allocator(), info, sizes, bytes)
          : executor.device()
              ? makeDeviceTensor(executor.device(), executor.allocator(),
                                 info.dtype, info.rank, sizes, bytes)
              : makeTensor(executor.allocator(), info, sizes, bytes);
      if (!result.made)
        return fail("has no memory");
      if (!fromDevice)
        return result.made->dl_tensor.data;
    }
    if (fromDevice) {
      result.scalar = executor.scratch(size_t(bytes), 64);
      return result.scalar ? result.scalar : fail("has no scratch memory");
    }
    const DLTensor &tensor = result.given->dl_tensor;
    for (int64_t d = 0; d < rank; ++d)
      if (sizes[d] != tensor.shape[d]) {
        std::snprintf(error, errorBytes,
                      "result %lld, dimension %lld is %lld, but the caller's "
                      "tensor has %lld",
                      static_cast<long long>(index), static_cast<long long>(d),
                      static_cast<long long>(sizes[d]),
                      static_cast<long long>(tensor.shape[d]));
        status = VORTEX_STATUS_INVALID_ARGUMENT;
        return nullptr;
      }
    if (bytes == 0)
      return nothing;
    if (result.inPlace)
      return tensorData(tensor);
    result.temporary = executor.device() ? executor.scratch(size_t(bytes), 64)
                                         : arena.allocate(size_t(bytes), 64);
    return result.temporary ? result.temporary : fail("has no scratch memory");
  }

private:
  const Signature &signature;
  Executor &executor;
  CallFrame &frame;
};

/// The steps of one call. Restores the context however it ends.
class Call {
public:
  Call(VortexContext &context, const Signature &signature,
       const Binding *binding)
      : context(context), signature(signature), binding(binding),
        frame(context.frame), name(signature.info().name) {}

  /// `shapesOnly`: the elements of tensors will not be read.
  VortexStatus checkArguments(const DLTensor *const *args, int64_t numArgs,
                              bool shapesOnly = false);
  VortexStatus checkResults(DLManagedTensorVersioned **given, int64_t count);
  VortexStatus passArguments();
  VortexStatus predict();
  VortexStatus run(DLManagedTensorVersioned **given);

private:
  void passWeights();
  VortexStatus copyBack(const DLTensor &tensor, int32_t dtype, void *from);
  VortexStatus handOver();
  int device() const {
    return context.executor->device() ? context.executor->device()->ordinal()
                                      : -1;
  }
  bool overlaps(const char *begin, const char *end) const;
  const DLTensor &input(size_t i) const { return *tensors[i]; }

  VortexContext &context;
  const Signature &signature;
  const Binding *binding;
  CallFrame &frame;
  const char *name;
  const DLTensor *const *tensors = nullptr;
};
} // namespace

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

VortexStatus Call::checkArguments(const DLTensor *const *args, int64_t numArgs,
                                  bool shapesOnly) {
  const std::vector<int64_t> &inputs = signature.inputs();
  if (!binding && !signature.weights().empty()) {
    std::string names;
    for (int64_t w : signature.weights())
      names += (names.empty() ? "" : ", ") +
               describe("argument", w, signature.arg(w));
    return report(VORTEX_STATUS_UNBOUND_WEIGHTS,
                  "function '%s': weights are not bound: %s; call "
                  "vortexInstanceBindWeights first",
                  name, names.c_str());
  }
  if (numArgs == int64_t(inputs.size()) && numArgs && !args)
    return report(VORTEX_STATUS_INVALID_ARGUMENT,
                  "function '%s': the array of arguments is null", name);
  if (numArgs != int64_t(inputs.size()))
    return report(VORTEX_STATUS_INVALID_ARGUMENT,
                  "function '%s' takes %zu arguments%s, got %lld", name,
                  inputs.size(),
                  signature.weights().empty() ? "" : " that are not weights",
                  static_cast<long long>(numArgs));
  tensors = args;
  frame.prepare(signature, binding ? binding->packed.size() : 0);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (VortexStatus status = checkTensor(args[i], signature.arg(inputs[i]),
                                          name, "argument", inputs[i], device(),
                                          frame.layouts[inputs[i]], shapesOnly))
      return status;
    frame.shapes[inputs[i]] = args[i]->ndim ? args[i]->shape : noSizes;
  }
  for (size_t i = 0; i < signature.weights().size(); ++i) {
    const BoundValue &weight = binding->weights[i];
    frame.shapes[signature.weights()[i]] =
        weight.sizes.empty() ? noSizes : weight.sizes.data();
  }
  return signature.check(frame.shapes.data(), frame.symbols.data());
}

bool Call::overlaps(const char *begin, const char *end) const {
  for (size_t i = 0; i < signature.inputs().size(); ++i) {
    int64_t arg = signature.inputs()[i];
    const TensorLayout &layout = frame.layouts[arg];
    if (!layout.bytes)
      continue;
    const char *first, *last;
    tensorExtent(input(i), dtypeBytes(signature.arg(arg).dtype), layout, first,
                 last);
    if (first < end && begin < last)
      return true;
  }
  return false;
}

VortexStatus Call::checkResults(DLManagedTensorVersioned **given,
                                int64_t count) {
  if (count == signature.numResults() && count && !given)
    return report(VORTEX_STATUS_INVALID_ARGUMENT,
                  "function '%s': the array of results is null", name);
  if (count != signature.numResults())
    return report(VORTEX_STATUS_INVALID_ARGUMENT,
                  "function '%s' has %lld results, got room for %lld", name,
                  static_cast<long long>(signature.numResults()),
                  static_cast<long long>(count));
  for (int64_t r = 0; r < count; ++r) {
    CallFrame::Result &result = frame.results[r];
    result = CallFrame::Result();
    if (!(result.given = given[r]))
      continue;
    const VortexValueInfo &info = signature.result(r);
    const DLTensor &tensor = given[r]->dl_tensor;
    if (given[r]->flags & DLPACK_FLAG_BITMASK_READ_ONLY)
      return report(VORTEX_STATUS_INVALID_ARGUMENT,
                    "function '%s': %s is read only", name,
                    describe("result", r, info).c_str());
    TensorLayout layout;
    if (VortexStatus status =
            checkTensor(&tensor, info, name, "result", r, device(), layout))
      return status;
    for (int32_t d = 0; d < info.rank; ++d) {
      int64_t extent = signature.resultExtent(r, d, frame.symbols.data());
      if (extent >= 0 && extent != tensor.shape[d])
        return report(VORTEX_STATUS_INVALID_ARGUMENT,
                      "function '%s': result %lld, dimension %d is %lld, but "
                      "the caller's tensor has %lld",
                      name, static_cast<long long>(r), d,
                      static_cast<long long>(extent),
                      static_cast<long long>(tensor.shape[d]));
    }
    if (!layout.bytes || !layout.inPlace)
      continue;
    const char *data = tensorData(tensor);
    result.inPlace = !overlaps(data, data + layout.bytes);
  }
  return VORTEX_STATUS_OK;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void Call::passWeights() {
  for (size_t i = 0; i < signature.weights().size(); ++i) {
    int64_t arg = signature.weights()[i];
    frame.buffers[arg] = binding->weights[i].buffer;
    frame.entries[arg] = signature.arg(arg).kind == VORTEX_SCALAR
                             ? frame.buffers[arg].data
                             : static_cast<void *>(&frame.buffers[arg]);
  }
}

VortexStatus Call::passArguments() {
  Executor &executor = *context.executor;
  size_t args = size_t(signature.numArgs());
  size_t bound = binding ? binding->packed.size() : 0;
  for (size_t i = 0; i < signature.inputs().size(); ++i) {
    int64_t arg = signature.inputs()[i];
    const VortexValueInfo &info = signature.arg(arg);
    const DLTensor &tensor = input(i);
    const auto [bytes, inPlace] = frame.layouts[arg];
    void *data = bytes ? tensorData(tensor) : nothing;
    bool onDevice = executor.device() && info.kind != VORTEX_SCALAR;
    if (!inPlace) {
      if (executor.device() && !onDevice)
        return report(VORTEX_STATUS_INVALID_ARGUMENT,
                      "function '%s': %s is not aligned to its elements", name,
                      describe("argument", arg, info).c_str());
      data = context.executor->scratch(size_t(bytes), 64);
      if (!data)
        return report(VORTEX_STATUS_OUT_OF_MEMORY,
                      "function '%s': no memory for a contiguous copy of %s "
                      "(%lld bytes)",
                      name, describe("argument", arg, info).c_str(),
                      static_cast<long long>(bytes));
      if (!onDevice) {
        copyToContiguous(tensor, dtypeBytes(info.dtype), data);
      } else if (cuda::Result error =
                     copyToContiguous(*executor.device(), executor.stream(),
                                      tensor, dtypeBytes(info.dtype), data)) {
        return executor.device()->report(error, "copying an argument");
      }
      if (info.kind == VORTEX_MEMREF)
        frame.copiedBack.push_back(i);
    }
    frame.buffers[arg] = {data, frame.shapes[arg]};
    frame.entries[arg] = info.kind == VORTEX_SCALAR
                             ? data
                             : static_cast<void *>(&frame.buffers[arg]);
  }
  passWeights();
  for (size_t i = 0; i < bound; ++i) {
    const VortexBuffer &buffer = binding->packed[i].buffer;
    frame.entries[args + i] = signature.bound(int64_t(i)).kind == VORTEX_SCALAR
                                  ? buffer.data
                                  : const_cast<VortexBuffer *>(&buffer);
  }
  return VORTEX_STATUS_OK;
}

/// Tells the choices. The code reads the sizes of tensors alone.
VortexStatus Call::predict() {
  Executor &executor = *context.executor;
  if (!signature.info().choose) {
    executor.choices.clear();
    return VORTEX_STATUS_OK;
  }
  for (size_t i = 0; i < signature.inputs().size(); ++i) {
    int64_t arg = signature.inputs()[i];
    frame.buffers[arg] = {nullptr, frame.shapes[arg]};
    frame.entries[arg] = signature.arg(arg).kind == VORTEX_SCALAR
                             ? tensorData(input(i))
                             : static_cast<void *>(&frame.buffers[arg]);
  }
  passWeights();
  return executor.predict(signature.info().choose, frame.entries.data(), name);
}

VortexStatus Call::copyBack(const DLTensor &tensor, int32_t dtype, void *from) {
  Executor &executor = *context.executor;
  if (!executor.device()) {
    copyFromContiguous(from, dtypeBytes(dtype), tensor);
    return VORTEX_STATUS_OK;
  }
  if (cuda::Result error =
          copyFromContiguous(*executor.device(), executor.stream(), from,
                             dtypeBytes(dtype), tensor))
    return executor.device()->report(error, "copying a result");
  return VORTEX_STATUS_OK;
}

/// Brings what was computed elsewhere to where the caller wants it.
VortexStatus Call::handOver() {
  Executor &executor = *context.executor;
  for (size_t i : frame.copiedBack) {
    int64_t arg = signature.inputs()[i];
    if (VortexStatus status = copyBack(input(i), signature.arg(arg).dtype,
                                       frame.buffers[arg].data))
      return status;
  }
  for (size_t r = 0; r < frame.results.size(); ++r) {
    const CallFrame::Result &result = frame.results[r];
    int32_t dtype = signature.result(int64_t(r)).dtype;
    if (result.temporary)
      if (VortexStatus status =
              copyBack(result.given->dl_tensor, dtype, result.temporary))
        return status;
    if (!result.scalar)
      continue;
    const DLTensor &tensor =
        (result.made ? result.made : result.given)->dl_tensor;
    if (cuda::Result error =
            executor.device()->read(tensorData(tensor), result.scalar,
                                    dtypeBytes(dtype), executor.stream()))
      return executor.device()->report(error, "reading a scalar result");
  }
  return VORTEX_STATUS_OK;
}

VortexStatus Call::run(DLManagedTensorVersioned **given) {
  Executor &executor = *context.executor;
  CallSink sink(signature, executor, frame);
  VortexStatus status =
      executor.run(signature.info().run, frame.entries.data(), sink, name);
  for (size_t r = 0; !status && r < frame.results.size(); ++r)
    if (!frame.results[r].done)
      status = report(VORTEX_STATUS_INVALID_ARTIFACT,
                      "function '%s' did not give result %zu", name, r);
  if (!status)
    status = signature.checkResults(frame.symbols.data());
  if (!status)
    status = handOver();
  for (size_t r = 0; r < frame.results.size(); ++r) {
    DLManagedTensorVersioned *made = frame.results[r].made;
    if (status && made)
      made->deleter(made);
    else if (made)
      given[r] = frame.results[r].made;
  }
  return status;
}

//===----------------------------------------------------------------------===//
// C API
//===----------------------------------------------------------------------===//

/// Holds the context for the length of a call.
namespace {
class Hold {
public:
  explicit Hold(VortexContext &context)
      : context(context),
        held(!context.busy.exchange(true, std::memory_order_acquire)) {}
  ~Hold() {
    if (!held)
      return;
    context.executor->finish();
    context.busy.store(false, std::memory_order_release);
  }
  explicit operator bool() const { return held; }

private:
  VortexContext &context;
  bool held;
};
} // namespace

static VortexStatus busy() {
  return report(VORTEX_STATUS_INVALID_ARGUMENT,
                "the context is running another call; a context serves one "
                "user at a time");
}

/// What `use` says of a call of `function`, while no other runs in `context`.
template <typename Use>
static VortexStatus withCall(VortexContext *context, const char *function,
                             Use use) {
  return guarded([&]() -> VortexStatus {
    if (!context)
      return report(VORTEX_STATUS_INVALID_ARGUMENT, "null context");
    Hold hold(*context);
    if (!hold)
      return busy();
    InstanceState &state = *context->instance;
    int64_t index;
    if (VortexStatus status = findFunction(*state.code, function, index))
      return status;
    const Signature &signature = state.code->function(index);
    Call call(*context, signature, state.bindings[index].get());
    return use(call, signature);
  });
}

extern "C" VortexStatus
vortexContextCall(VortexContext *context, const char *function,
                  const DLTensor *const *args, int64_t numArgs,
                  DLManagedTensorVersioned **results, int64_t numResults) {
  return withCall(context, function,
                  [&](Call &call, const Signature &) -> VortexStatus {
                    CudaDevice::Current use(context->instance->device.get());
                    VortexStatus status = call.checkArguments(args, numArgs);
                    if (!status)
                      status = call.checkResults(results, numResults);
                    if (!status)
                      status = call.passArguments();
                    return status ? status : call.run(results);
                  });
}

extern "C" VortexStatus
vortexFunctionChoose(VortexContext *context, const char *function,
                     const DLTensor *const *args, int64_t numArgs,
                     VortexChoice *choices, int64_t capacity, int64_t *count) {
  if (count)
    *count = 0;
  return withCall(
      context, function, [&](Call &call, const Signature &) -> VortexStatus {
        if (!count || capacity < 0 || (capacity && !choices))
          return report(VORTEX_STATUS_INVALID_ARGUMENT, "null argument");
        VortexStatus status =
            call.checkArguments(args, numArgs, /*shapesOnly=*/true);
        if (!status)
          status = call.predict();
        if (status)
          return status;
        const ChoiceLog &log = context->executor->choices;
        *count = log.size();
        for (int64_t i = 0; i < log.size() && i < capacity; ++i)
          choices[i] = log.get(i);
        return VORTEX_STATUS_OK;
      });
}

extern "C" VortexStatus vortexFunctionPeakBytes(VortexContext *context,
                                                const char *function,
                                                const DLTensor *const *args,
                                                int64_t numArgs,
                                                int64_t *bytes) {
  return withCall(
      context, function,
      [&](Call &call, const Signature &signature) -> VortexStatus {
        if (!bytes)
          return report(VORTEX_STATUS_INVALID_ARGUMENT, "null argument");
        if (VortexStatus status =
                call.checkArguments(args, numArgs, /*shapesOnly=*/true))
          return status;
        *bytes = signature.peakBytes(context->frame.symbols.data());
        return VORTEX_STATUS_OK;
      });
}

extern "C" VortexStatus
vortexFunctionResultShape(VortexContext *context, const char *function,
                          const DLTensor *const *args, int64_t numArgs,
                          int64_t result, int64_t *sizes) {
  return withCall(
      context, function,
      [&](Call &call, const Signature &signature) -> VortexStatus {
        if (result < 0 || result >= signature.numResults())
          return report(VORTEX_STATUS_INVALID_ARGUMENT,
                        "function '%s' has no result %lld", function,
                        static_cast<long long>(result));
        if (VortexStatus status =
                call.checkArguments(args, numArgs, /*shapesOnly=*/true))
          return status;
        int32_t rank = signature.result(result).rank;
        if (rank && !sizes)
          return report(VORTEX_STATUS_INVALID_ARGUMENT, "null sizes");
        for (int32_t d = 0; d < rank; ++d)
          sizes[d] =
              signature.resultExtent(result, d, context->frame.symbols.data());
        return VORTEX_STATUS_OK;
      });
}
