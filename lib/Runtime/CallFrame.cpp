//===- CallFrame.cpp - What calls have in common --------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallFrame.h"

using namespace vortex::runtime;

void CallFrame::makeRoom(const Signature &signature) {
  prepared = nullptr;
  bound = 0;
  size_t args = size_t(signature.numArgs()),
         numResults = size_t(signature.numResults());
  shapes.resize(args + numResults);
  buffers.resize(args);
  layouts.resize(args);
  entries.resize(args + size_t(signature.numBound()));
  symbols.resize(size_t(signature.numSymbols()));
  results.resize(numResults);
  destinations.resize(numResults);
  prepared = &signature;
}

void CallFrame::passWeights(const Signature &signature,
                            const Binding *binding) {
  for (size_t i = 0; i < signature.weights().size(); ++i) {
    int64_t arg = signature.weights()[i];
    buffers[arg] = binding->weights[i].buffer;
    entries[arg] = signature.arg(arg).kind == VORTEX_SCALAR
                       ? buffers[arg].data
                       : static_cast<void *>(&buffers[arg]);
  }
  size_t args = size_t(signature.numArgs());
  for (size_t i = 0; binding && i < binding->packed.size(); ++i) {
    const VortexBuffer &buffer = binding->packed[i].buffer;
    entries[args + i] = signature.bound(int64_t(i)).kind == VORTEX_SCALAR
                            ? buffer.data
                            : const_cast<VortexBuffer *>(&buffer);
  }
}

VortexStatus CallFrame::checkEachSize(const Signature &signature) {
  if (VortexStatus status = checkSizes(signature))
    return status;
  for (int64_t r = 0; r < signature.numResults(); ++r) {
    const Destination &to = destinations[r];
    for (int64_t d = 0; d < to.rank; ++d) {
      int64_t extent = signature.resultExtent(r, d, symbols.data());
      if (extent >= 0 && extent != to.sizes[d])
        return report(
            VORTEX_STATUS_INVALID_ARGUMENT,
            "function '%s': result %lld, dimension %lld is %lld, but the "
            "caller's tensor has %lld",
            signature.info().name, static_cast<long long>(r),
            static_cast<long long>(d), static_cast<long long>(extent),
            static_cast<long long>(to.sizes[d]));
    }
  }
  return VORTEX_STATUS_OK;
}

VortexStatus CallFrame::checkEachResult(const Signature &signature) {
  for (size_t r = 0; r < destinations.size(); ++r)
    if (!destinations[r].done)
      return report(VORTEX_STATUS_INVALID_ARTIFACT,
                    "function '%s' did not give result %zu",
                    signature.info().name, r);
  return signature.checkResults(symbols.data());
}

VortexStatus vortex::runtime::reportUnbound(const Signature &signature) {
  std::string names;
  for (int64_t w : signature.weights())
    names +=
        (names.empty() ? "" : ", ") + describe("argument", w, signature.arg(w));
  return report(VORTEX_STATUS_UNBOUND_WEIGHTS,
                "function '%s': weights are not bound: %s; call "
                "vortexInstanceBindWeights first",
                signature.info().name, names.c_str());
}

VortexStatus vortex::runtime::reportArgumentCount(const Signature &signature,
                                                  int64_t count) {
  size_t wanted = signature.inputs().size();
  if (count == int64_t(wanted))
    return report(VORTEX_STATUS_INVALID_ARGUMENT,
                  "function '%s': the array of arguments is null",
                  signature.info().name);
  return report(VORTEX_STATUS_INVALID_ARGUMENT,
                "function '%s' takes %zu arguments%s, got %lld",
                signature.info().name, wanted,
                signature.weights().empty() ? "" : " that are not weights",
                static_cast<long long>(count));
}

VortexStatus vortex::runtime::reportResultCount(const Signature &signature,
                                                int64_t count) {
  if (count == signature.numResults())
    return report(VORTEX_STATUS_INVALID_ARGUMENT,
                  "function '%s': the array of results is null",
                  signature.info().name);
  return report(VORTEX_STATUS_INVALID_ARGUMENT,
                "function '%s' has %lld results, got room for %lld",
                signature.info().name,
                static_cast<long long>(signature.numResults()),
                static_cast<long long>(count));
}
