//===- Context.h - One call after another -----------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_CONTEXT_H
#define VORTEX_LIB_RUNTIME_CONTEXT_H

#include "CallFrame.h"

#include <atomic>
#include <cstring>
#include <memory>

struct VortexContext {
  std::shared_ptr<vortex::runtime::InstanceState> instance;
  std::unique_ptr<vortex::runtime::Executor> executor;
  vortex::runtime::CallFrame frame;
  std::atomic<bool> busy{false};
  /// The function of the latest call, which mostly is that of the next; -1:
  /// none.
  int64_t function = -1;

  /// The position of that function, or of the one of that name.
  VortexStatus find(const VortexFunctionInfo *info, int64_t &position);
  VortexStatus find(const char *name, int64_t &position) {
    const vortex::runtime::Code &code = *instance->code;
    position = function;
    if (name && position >= 0 &&
        !std::strcmp(name, code.function(position).info().name))
      return VORTEX_STATUS_OK;
    VortexStatus status = vortex::runtime::findFunction(code, name, position);
    if (!status)
      function = position;
    return status;
  }
};

namespace vortex {
namespace runtime {

/// Holds a context for the length of a call. A context serves one user at a
/// time. Of two who break this rule `Exact` tells one for sure, at the price of
/// an access that waits for all before it; otherwise one is told unless both
/// come within nanoseconds.
enum class HoldKind { Exact, Quick };
template <HoldKind kind>
class Hold {
public:
  explicit Hold(VortexContext &context) : context(context) {
    if (kind == HoldKind::Exact) {
      held = !context.busy.exchange(true, std::memory_order_acquire);
      return;
    }
    held = !context.busy.load(std::memory_order_acquire);
    if (held)
      context.busy.store(true, std::memory_order_relaxed);
  }
  ~Hold() {
    if (!held)
      return;
    context.executor->finish();
    context.busy.store(false, std::memory_order_release);
  }
  Hold(const Hold &) = delete;
  Hold &operator=(const Hold &) = delete;
  explicit operator bool() const { return held; }
  /// What to say when the context is held already.
  static VortexStatus failure() {
    return report(VORTEX_STATUS_INVALID_ARGUMENT,
                  "the context is running another call; a context serves one "
                  "user at a time");
  }

private:
  VortexContext &context;
  bool held = false;
};

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_CONTEXT_H
