//===- Run.cpp - Calls with plain pointers and sizes ----------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call whose tensors are what generated code takes already: row-major,
// contiguous, in place. Sizes are checked as in every call, all else that
// DLPack tensors bring along is not there to be checked.
//
//===----------------------------------------------------------------------===//

#include "CallSink.h"
#include "Context.h"

using namespace vortex::runtime;

namespace {
/// The steps of one such call.
class BufferCall {
public:
  BufferCall(VortexContext &context, const Signature &signature,
             const Binding *binding)
      : context(context), signature(signature), binding(binding),
        frame(context.frame) {}

  VortexStatus run(const VortexBuffer *args, int64_t numArgs,
                   const VortexBuffer *results, int64_t numResults);

private:
  __attribute__((noinline)) VortexStatus checkAll(const VortexBuffer *args,
                                                  int64_t numArgs,
                                                  const VortexBuffer *results,
                                                  int64_t numResults);
  VortexStatus take(const VortexBuffer &buffer, const VortexValueInfo &info,
                    const char *what, int64_t index, const int64_t *&sizes,
                    int64_t &bytes);
  VortexStatus takeArguments(const VortexBuffer *args);
  VortexStatus takeResults(const VortexBuffer *results);
  VortexStatus wrong(const char *what, int64_t index,
                     const VortexValueInfo &info, const char *why) {
    return report(VORTEX_STATUS_INVALID_ARGUMENT, "function '%s': %s %s",
                  signature.info().name, describe(what, index, info).c_str(),
                  why);
  }

  VortexContext &context;
  const Signature &signature;
  const Binding *binding;
  CallFrame &frame;
};
} // namespace

/// Without a comparison: no address of a program has the uppermost bit.
static uintptr_t isNull(const void *data) {
  return (uintptr_t(data) - 1) >> (8 * sizeof(uintptr_t) - 1);
}

/// Takes what nearly all calls bring along: tensors of any sizes in range, with
/// memory, of which nothing but numbers are compared. Where it gives up, the
/// others look at everything again. Apart, as they are, for the registers.
__attribute__((noinline)) static bool
takeQuickly(const Signature &signature, CallFrame &frame,
            const VortexBuffer *args, int64_t numArgs,
            const VortexBuffer *results, int64_t numResults) {
  const Signature::Operand *operand = signature.inputOperands();
  const int64_t **shapes = frame.shapes.data();
  void **entries = frame.entries.data();
  uintptr_t wrong = 0;
  uint64_t all = 0;
  for (; numArgs > 0; --numArgs, ++args, ++operand) {
    const int64_t *sizes = args->sizes;
    void *data = args->data;
    wrong |= (uintptr_t(data) & operand->misaligned) | isNull(data);
    shapes[operand->position] = sizes;
    entries[operand->position] =
        operand->isScalar ? data : const_cast<VortexBuffer *>(args);
    if (!sizes && operand->rank)
      return false;
    // Most tensors have two, and a loop costs more than what is in it.
    if (operand->rank == 2)
      all |= uint64_t(sizes[0]) | uint64_t(sizes[1]);
    else
      for (int32_t d = 0; d < operand->rank; ++d)
        all |= uint64_t(sizes[d]);
  }
  shapes += signature.counts().args;
  Destination *to = frame.destinations.data();
  for (; numResults > 0; --numResults, ++results, ++operand, ++to) {
    void *data = results->data;
    int32_t rank = operand->rank;
    wrong |= (uintptr_t(data) & operand->misaligned) | isNull(data);
    to->data = data;
    to->sizes = *shapes++ = rank ? results->sizes : noSizes;
    to->rank = rank;
    to->direct = true;
    to->done = false;
    if (!to->sizes)
      return false;
    for (int32_t d = 0; d < rank; ++d)
      all |= uint64_t(to->sizes[d]);
  }
  return !wrong && all < signature.safeSize();
}

VortexStatus BufferCall::take(const VortexBuffer &buffer,
                              const VortexValueInfo &info, const char *what,
                              int64_t index, const int64_t *&sizes,
                              int64_t &bytes) {
  sizes = info.rank ? buffer.sizes : noSizes;
  if (!sizes)
    return wrong(what, index, info, "has no sizes");
  if (const char *why = wrongSizes(sizes, info.rank, info.dtype, bytes))
    return wrong(what, index, info, why);
  if (bytes && !buffer.data)
    return wrong(what, index, info, "has no data");
  if (bytes && !isAligned(buffer.data, info.dtype))
    return wrong(what, index, info, "is not aligned to its elements");
  return VORTEX_STATUS_OK;
}

VortexStatus BufferCall::takeArguments(const VortexBuffer *args) {
  const std::vector<int64_t> &inputs = signature.inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    int64_t arg = inputs[i], bytes;
    const VortexValueInfo &info = signature.arg(arg);
    if (VortexStatus status =
            take(args[i], info, "argument", arg, frame.shapes[arg], bytes))
      return status;
    frame.buffers[arg] = {bytes ? args[i].data : noElements, frame.shapes[arg]};
    frame.entries[arg] = info.kind == VORTEX_SCALAR
                             ? args[i].data
                             : static_cast<void *>(&frame.buffers[arg]);
  }
  frame.shapeWeights(signature, binding);
  frame.passWeights(signature, binding);
  return VORTEX_STATUS_OK;
}

VortexStatus BufferCall::takeResults(const VortexBuffer *results) {
  for (int64_t r = 0; r < signature.numResults(); ++r) {
    const VortexValueInfo &info = signature.result(r);
    Destination &to = frame.destinations[r];
    int64_t bytes;
    frame.results[r] = CallFrame::Result();
    to = Destination();
    to.rank = info.rank;
    if (VortexStatus status =
            take(results[r], info, "result", r, to.sizes, bytes))
      return status;
    to.data = results[r].data;
    to.direct = bytes && !signature.namesResult(r);
    frame.shapes[signature.numArgs() + r] = to.sizes;
  }
  return frame.checkAllSizes(signature);
}

/// What a call that is not taken quickly has to pass, each with a message.
VortexStatus BufferCall::checkAll(const VortexBuffer *args, int64_t numArgs,
                                  const VortexBuffer *results,
                                  int64_t numResults) {
  if (context.executor->device())
    return report(VORTEX_STATUS_UNSUPPORTED,
                  "function '%s': vortexContextRun is for code of the CPU",
                  signature.info().name);
  if (VortexStatus status = checkBound(signature, binding))
    return status;
  if (VortexStatus status = checkArgumentCount(signature, args, numArgs))
    return status;
  if (VortexStatus status = checkResultCount(signature, results, numResults))
    return status;
  frame.prepare(signature);
  if (VortexStatus status = takeArguments(args))
    return status;
  return takeResults(results);
}

namespace {
/// Of calls that generated code accepted. It asks here only for results of
/// other sizes than the caller's, which the frame knows nothing of yet.
class LateSink : public CallSink {
public:
  LateSink(const Signature &signature, Executor &executor, CallFrame &frame,
           const VortexBuffer *args, const VortexBuffer *results)
      : CallSink(signature, executor, frame, nullptr), signature(signature),
        frame(frame), args(args), results(results) {}

  void *result(int64_t index, int64_t rank, const int64_t *sizes, int64_t bytes,
               Arena &arena, VortexStatus &status, char *error,
               size_t errorBytes) noexcept override {
    const Signature::Counts &counts = signature.counts();
    if (!taken)
      takeQuickly(signature, frame, args, counts.inputs, results,
                  counts.results);
    taken = true;
    return CallSink::result(index, rank, sizes, bytes, arena, status, error,
                            errorBytes);
  }

private:
  const Signature &signature;
  CallFrame &frame;
  const VortexBuffer *args, *results;
  bool taken = false;
};
} // namespace

VortexStatus BufferCall::run(const VortexBuffer *args, int64_t numArgs,
                             const VortexBuffer *results, int64_t numResults) {
  Executor &executor = *context.executor;
  // What a function has no room for yet is looked at in full the first time.
  const Signature::Counts &counts = signature.counts();
  bool usual = frame.prepared == &signature && args && results &&
               numArgs == counts.inputs && numResults == counts.results &&
               (binding || !counts.weights) && !executor.device();
  usual = usual &&
          takeQuickly(signature, frame, args, numArgs, results, numResults);
  if (usual && binding)
    frame.takeWeights(signature, binding);
  frame.settled = false;
  if (!usual || !signature.fits(frame.shapes.data()))
    if (VortexStatus status = checkAll(args, numArgs, results, numResults))
      return status;
  CallSink sink(signature, executor, frame);
  VortexStatus status = executor.run(signature.info().run, frame.entries.data(),
                                     sink, signature.info().name);
  return status ? status : frame.checkDone(signature);
}

/// Whether generated code takes a call of the function of the call before, so
/// that there is nothing to be looked at here. The context is held.
static inline bool accepts(VortexContext &context, const Signature &signature,
                           const VortexBuffer *args, int64_t numArgs,
                           const VortexBuffer *results, int64_t numResults) {
  const Signature::Counts &counts = signature.counts();
  if (!counts.accepts || numArgs != counts.inputs ||
      numResults != counts.results || !args || !results)
    return false;
  CallFrame &frame = context.frame;
  if (counts.weights) {
    const Binding *binding =
        context.instance->bindings[signature.position()].get();
    if (!binding)
      return false;
    frame.takeWeights(signature, binding);
  }
  return counts.accepts(args, results, frame.entries.data());
}

/// A call of any function, which may have no room yet.
__attribute__((noinline)) static VortexStatus
lookAndRun(VortexContext &context, const VortexFunctionInfo *function,
           const VortexBuffer *args, int64_t numArgs,
           const VortexBuffer *results, int64_t numResults) {
  const Signature *signature = context.frame.prepared;
  if (!signature || &signature->info() != function) {
    int64_t position;
    if (VortexStatus status = context.find(function, position))
      return status;
    signature = &context.instance->code->function(position);
  }
  return BufferCall(context, *signature,
                    context.instance->bindings[signature->position()].get())
      .run(args, numArgs, results, numResults);
}

extern "C" VortexStatus
vortexContextRun(VortexContext *context, const VortexFunctionInfo *function,
                 const VortexBuffer *args, int64_t numArgs,
                 const VortexBuffer *results, int64_t numResults) {
  return guarded([&]() -> VortexStatus {
    if (!context)
      return report(VORTEX_STATUS_INVALID_ARGUMENT, "null context");
    Hold<HoldKind::Quick> hold(*context);
    if (!hold)
      return hold.failure();
    // Mostly the function of the call before, for which there is room.
    CallFrame &frame = context->frame;
    const Signature *signature = frame.prepared;
    if (!signature || &signature->info() != function ||
        !accepts(*context, *signature, args, numArgs, results, numResults))
      return lookAndRun(*context, function, args, numArgs, results, numResults);
    frame.settled = false;
    Executor &executor = *context->executor;
    LateSink sink(*signature, executor, frame, args, results);
    return executor.run(function->run, frame.entries.data(), sink,
                        function->name, results);
  });
}
