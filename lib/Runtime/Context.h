//===- Context.h - One call after another -----------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_CONTEXT_H
#define VORTEX_LIB_RUNTIME_CONTEXT_H

#include "Executor.h"
#include "Instance.h"

#include <atomic>
#include <memory>

namespace vortex {
namespace runtime {

/// Room for one call, kept so that a repeated call allocates nothing.
struct CallFrame {
  struct Result {
    DLManagedTensorVersioned *given = nullptr;   ///< the caller's
    DLManagedTensorVersioned *made = nullptr;    ///< ours, until handed over
    const char *begin = nullptr, *end = nullptr; ///< of the caller's memory
    void *temporary = nullptr;                   ///< to be copied to `given`
    void *scalar = nullptr;                      ///< on the device, to be read
    bool inPlace = false;
    bool done = false;
  };
  std::vector<const int64_t *> shapes;
  std::vector<int64_t> symbols;
  std::vector<VortexBuffer> buffers;
  std::vector<void *> entries;
  std::vector<bool> copyBack;
  std::vector<Result> results;
};

} // namespace runtime
} // namespace vortex

struct VortexContext {
  std::shared_ptr<vortex::runtime::InstanceState> instance;
  std::unique_ptr<vortex::runtime::Executor> executor;
  vortex::runtime::CallFrame frame;
  std::atomic<bool> busy{false};
};

#endif // VORTEX_LIB_RUNTIME_CONTEXT_H
