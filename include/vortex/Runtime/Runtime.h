//===- Runtime.h - Loading and running, for C++ -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// vortex-c/Runtime.h with destructors. Nothing here throws: what can fail
// returns a VortexStatus, and vortexLastError() has the words. Objects can be
// moved, not copied; `get` lends the handle to the C functions.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_RUNTIME_RUNTIME_H
#define VORTEX_RUNTIME_RUNTIME_H

#include "vortex-c/Runtime.h"

#include <memory>
#include <vector>

namespace vortex {
namespace runtime {

/// The code of an artifact.
class Module {
public:
  VortexStatus load(const char *path) {
    VortexModule *made = nullptr;
    VortexStatus status = vortexModuleLoad(path, &made);
    handle.reset(made);
    return status;
  }
  VortexModule *get() const { return handle.get(); }
  /// Only after `load` succeeded.
  const VortexArtifactInfo &info() const { return *vortexModuleInfo(get()); }

private:
  struct Delete {
    void operator()(VortexModule *m) const { vortexModuleUnload(m); }
  };
  std::unique_ptr<VortexModule, Delete> handle;
};

/// A module with bound weights.
class Instance {
public:
  VortexStatus create(const Module &module) {
    VortexInstance *made = nullptr;
    VortexStatus status = vortexInstanceCreate(module.get(), &made);
    handle.reset(made);
    return status;
  }
  VortexStatus create(const Module &module, DLDevice device) {
    VortexInstance *made = nullptr;
    VortexStatus status = vortexInstanceCreateOn(module.get(), device, &made);
    handle.reset(made);
    return status;
  }
  /// See vortexInstanceBindWeights: borrows the memory that calls will read,
  /// unless told to copy.
  VortexStatus bindWeights(const char *function,
                           const std::vector<const DLTensor *> &weights,
                           const VortexBindOptions *options = nullptr) {
    return vortexInstanceBindWeights(get(), function, weights.data(),
                                     int64_t(weights.size()), options);
  }
  VortexInstance *get() const { return handle.get(); }
  /// The program that it runs; only after `create` succeeded.
  VortexModule *module() const { return vortexInstanceModule(get()); }

private:
  struct Delete {
    void operator()(VortexInstance *i) const { vortexInstanceDestroy(i); }
  };
  std::unique_ptr<VortexInstance, Delete> handle;
};

/// A result that the library allocated; empty at first.
class OwnedTensor {
public:
  /// Only when not empty.
  const DLTensor &tensor() const { return handle->dl_tensor; }
  explicit operator bool() const { return bool(handle); }
  DLManagedTensorVersioned *get() const { return handle.get(); }
  DLManagedTensorVersioned *release() { return handle.release(); }
  void reset(DLManagedTensorVersioned *tensor) { handle.reset(tensor); }

private:
  struct Delete {
    void operator()(DLManagedTensorVersioned *t) const {
      if (t->deleter)
        t->deleter(t);
    }
  };
  std::unique_ptr<DLManagedTensorVersioned, Delete> handle;
};

/// Runs calls, one at a time.
class Context {
public:
  VortexStatus create(const Instance &instance,
                      const VortexContextOptions *options = nullptr) {
    VortexContext *made = nullptr;
    VortexStatus status = vortexContextCreate(instance.get(), options, &made);
    handle.reset(made);
    return status;
  }
  /// `results` has one entry for each result: an empty one is allocated, one
  /// with a tensor is written in place and must have the result's sizes.
  VortexStatus call(const char *function,
                    const std::vector<const DLTensor *> &args,
                    std::vector<OwnedTensor> &results) {
    std::vector<DLManagedTensorVersioned *> pointers;
    for (OwnedTensor &result : results)
      pointers.push_back(result.get());
    VortexStatus status =
        vortexContextCall(get(), function, args.data(), int64_t(args.size()),
                          pointers.data(), int64_t(pointers.size()));
    for (size_t i = 0; i < results.size(); ++i)
      if (!results[i])
        results[i].reset(pointers[i]);
    return status;
  }
  /// What a call would choose; see vortexFunctionChoose. The arrays in
  /// `choices` are valid until the next call or choice.
  VortexStatus choose(const char *function,
                      const std::vector<const DLTensor *> &args,
                      std::vector<VortexChoice> &choices) {
    int64_t count = 0;
    VortexStatus status =
        vortexFunctionChoose(get(), function, args.data(), int64_t(args.size()),
                             choices.data(), int64_t(choices.size()), &count);
    if (!status && count > int64_t(choices.size())) {
      choices.resize(size_t(count));
      return choose(function, args, choices);
    }
    choices.resize(size_t(count));
    return status;
  }
  VortexContext *get() const { return handle.get(); }

private:
  struct Delete {
    void operator()(VortexContext *c) const { vortexContextDestroy(c); }
  };
  std::unique_ptr<VortexContext, Delete> handle;
};

} // namespace runtime
} // namespace vortex

#endif // VORTEX_RUNTIME_RUNTIME_H
