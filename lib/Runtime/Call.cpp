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

#include "CallSink.h"
#include "Context.h"
#include "DeviceTensor.h"
#include "Tensor.h"

#include <cstdio>
#include <cstring>

using namespace vortex::runtime;

namespace {
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
  /// The same where nothing is unusual, with arguments passed: all tensors the
  /// caller's and usable in place. False when the others have to look at
  /// everything.
  bool takeQuickly(const DLTensor *const *args, int64_t numArgs);
  bool takeQuickly(DLManagedTensorVersioned **given, int64_t count);
  VortexStatus checkSizes();
  VortexStatus passArguments();
  VortexStatus predict();
  VortexStatus run(DLManagedTensorVersioned **given);

private:
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
  if (VortexStatus status = checkBound(signature, binding))
    return status;
  if (VortexStatus status = checkArgumentCount(signature, args, numArgs))
    return status;
  tensors = args;
  frame.prepare(signature);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (VortexStatus status = checkTensor(args[i], signature.arg(inputs[i]),
                                          name, "argument", inputs[i], device(),
                                          frame.layouts[inputs[i]], shapesOnly))
      return status;
    frame.shapes[inputs[i]] = args[i]->ndim ? args[i]->shape : noSizes;
  }
  frame.shapeWeights(signature, binding);
  return VORTEX_STATUS_OK;
}

/// Whether the sizes of the arguments fit by themselves.
VortexStatus Call::checkSizes() {
  for (int64_t r = 0; r < signature.numResults(); ++r) {
    frame.shapes[signature.numArgs() + r] = nullptr;
    frame.destinations[r] = Destination();
  }
  return frame.checkAllSizes(signature);
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
  if (VortexStatus status = checkResultCount(signature, given, count))
    return status;
  for (int64_t r = 0; r < count; ++r) {
    CallFrame::Result &result = frame.results[r];
    Destination &destination = frame.destinations[r];
    result = CallFrame::Result();
    destination = Destination();
    frame.shapes[signature.numArgs() + r] = nullptr;
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
    destination.sizes = info.rank ? tensor.shape : noSizes;
    destination.rank = info.rank;
    frame.shapes[signature.numArgs() + r] = destination.sizes;
    if (!layout.bytes || !layout.inPlace)
      continue;
    char *data = tensorData(tensor);
    if (overlaps(data, data + layout.bytes))
      continue;
    destination.data = data;
    destination.direct =
        !context.executor->device() && !signature.namesResult(r);
  }
  return frame.checkAllSizes(signature);
}

bool Call::takeQuickly(const DLTensor *const *args, int64_t numArgs) {
  // What a function has no room for yet is looked at in full the first time.
  if (frame.prepared != &signature || numArgs != signature.numInputs() ||
      !args || (!binding && !signature.weights().empty()) ||
      context.executor->device())
    return false;
  const Signature::Operand *operand = signature.inputOperands();
  const int64_t **shapes = frame.shapes.data();
  VortexBuffer *buffers = frame.buffers.data();
  void **entries = frame.entries.data();
  TensorLayout *layouts = frame.layouts.data();
  for (int64_t i = 0; i < numArgs; ++i, ++operand) {
    int64_t arg = operand->position, bytes;
    if (!args[i] || !isUsable(*args[i], *operand, bytes))
      return false;
    shapes[arg] = operand->rank ? args[i]->shape : noSizes;
    buffers[arg] = {tensorData(*args[i]), shapes[arg]};
    layouts[arg] = {bytes, /*inPlace=*/true};
    entries[arg] = operand->isScalar ? buffers[arg].data
                                     : static_cast<void *>(&buffers[arg]);
  }
  tensors = args;
  if (!frame.copiedBack.empty())
    frame.copiedBack.clear();
  if (binding)
    frame.takeWeights(signature, binding);
  return true;
}

bool Call::takeQuickly(DLManagedTensorVersioned **given, int64_t count) {
  if (count != signature.numResults() || !given)
    return false;
  const Signature::Operand *operand = signature.resultOperands();
  const int64_t **shapes = frame.shapes.data() + signature.numArgs();
  for (int64_t r = 0; r < count; ++r, ++operand) {
    int64_t bytes;
    if (!given[r] || (given[r]->flags & DLPACK_FLAG_BITMASK_READ_ONLY) ||
        !isUsable(given[r]->dl_tensor, *operand, bytes))
      return false;
    const DLTensor &tensor = given[r]->dl_tensor;
    char *data = tensorData(tensor);
    for (int64_t arg : signature.inputs()) {
      auto *begin = static_cast<char *>(frame.buffers[arg].data);
      if (begin < data + bytes && data < begin + frame.layouts[arg].bytes)
        return false;
    }
    frame.results[r] = CallFrame::Result();
    frame.results[r].given = given[r];
    shapes[r] = operand->rank ? tensor.shape : noSizes;
    frame.destinations[r] = {data, shapes[r], operand->rank, /*direct=*/true,
                             /*done=*/false};
  }
  frame.settled = false;
  return signature.fits(frame.shapes.data());
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

VortexStatus Call::passArguments() {
  Executor &executor = *context.executor;
  for (size_t i = 0; i < signature.inputs().size(); ++i) {
    int64_t arg = signature.inputs()[i];
    const VortexValueInfo &info = signature.arg(arg);
    const DLTensor &tensor = input(i);
    const auto [bytes, inPlace] = frame.layouts[arg];
    void *data = bytes ? tensorData(tensor) : noElements;
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
  frame.passWeights(signature, binding);
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
  frame.passWeights(signature, binding);
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
  if (!status)
    status = frame.checkDone(signature);
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

/// What `use` says of a call of `function`, while no other runs in `context`.
template <HoldKind kind = HoldKind::Exact, typename Use>
static VortexStatus withCall(VortexContext *context, const char *function,
                             Use use) {
  return guarded([&]() -> VortexStatus {
    if (!context)
      return report(VORTEX_STATUS_INVALID_ARGUMENT, "null context");
    Hold<kind> hold(*context);
    if (!hold)
      return hold.failure();
    InstanceState &state = *context->instance;
    int64_t index;
    if (VortexStatus status = context->find(function, index))
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
                    if (call.takeQuickly(args, numArgs) &&
                        call.takeQuickly(results, numResults))
                      return call.run(results);
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
  return withCall<HoldKind::Quick>(
      context, function, [&](Call &call, const Signature &) -> VortexStatus {
        if (!count || capacity < 0 || (capacity && !choices))
          return report(VORTEX_STATUS_INVALID_ARGUMENT, "null argument");
        VortexStatus status = VORTEX_STATUS_OK;
        if (!call.takeQuickly(args, numArgs))
          status = call.checkArguments(args, numArgs, /*shapesOnly=*/true);
        if (!status)
          status = call.checkSizes();
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
        if (VortexStatus status = context->frame.checkSizes(signature))
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
        if (VortexStatus status = context->frame.checkSizes(signature))
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
