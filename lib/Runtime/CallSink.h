//===- CallSink.h - Where results of a call go ------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_CALLSINK_H
#define VORTEX_LIB_RUNTIME_CALLSINK_H

#include "CallFrame.h"

namespace vortex {
namespace runtime {

/// Finds or makes the memory of results while the function runs.
class CallSink : public ResultSink {
public:
  CallSink(const Signature &signature, Executor &executor, CallFrame &frame)
      : ResultSink(frame.destinations.data(),
                   int64_t(frame.destinations.size())),
        signature(signature), executor(executor), frame(frame) {}

  void *result(int64_t index, int64_t rank, const int64_t *sizes, int64_t bytes,
               Arena &arena, VortexStatus &status, char *error,
               size_t errorBytes) noexcept override;

protected:
  /// For those who make destinations known when one is asked for.
  CallSink(const Signature &signature, Executor &executor, CallFrame &frame,
           std::nullptr_t)
      : ResultSink(nullptr, 0), signature(signature), executor(executor),
        frame(frame) {}

private:
  void *find(int64_t index, const int64_t *sizes, int64_t bytes, Arena &arena,
             const char *&missing) noexcept;

  const Signature &signature;
  Executor &executor;
  CallFrame &frame;
};

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_CALLSINK_H
