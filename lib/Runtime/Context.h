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
#include "Tensor.h"

#include <atomic>
#include <memory>

namespace vortex {
namespace runtime {

/// Room for one call, kept so that a repeated call allocates nothing.
struct CallFrame {
  struct Result {
    DLManagedTensorVersioned *given = nullptr; ///< the caller's
    DLManagedTensorVersioned *made = nullptr;  ///< ours, until handed over
    void *temporary = nullptr;                 ///< to be copied to `given`
    void *scalar = nullptr;                    ///< on the device, to be read
    bool inPlace = false;
    bool done = false;
  };

  /// Room for a call of `signature`. What is in it is of an earlier call.
  void prepare(const Signature &signature, size_t numBound) {
    size_t args = size_t(signature.numArgs());
    shapes.resize(args);
    buffers.resize(args);
    layouts.resize(args);
    entries.resize(args + numBound);
    symbols.resize(size_t(signature.numSymbols()));
    results.resize(size_t(signature.numResults()));
    copiedBack.clear();
  }

  std::vector<const int64_t *> shapes; ///< of each argument
  std::vector<TensorLayout> layouts;   ///< of each argument but weights
  std::vector<VortexBuffer> buffers;   ///< of each argument
  std::vector<void *> entries;         ///< arguments, then packed weights
  std::vector<int64_t> symbols;
  std::vector<Result> results;
  /// Positions among the inputs of memrefs whose copies go back.
  std::vector<size_t> copiedBack;
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
