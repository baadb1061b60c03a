//===- CallFrame.h - What calls have in common ------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_CALLFRAME_H
#define VORTEX_LIB_RUNTIME_CALLFRAME_H

#include "Executor.h"
#include "Instance.h"
#include "Tensor.h"

namespace vortex {
namespace runtime {

/// The sizes of rank 0.
inline constexpr int64_t noSizes[1] = {0};
/// What an empty tensor's data points at.
alignas(64) inline char noElements[64];

/// Room for one call, kept so that a repeated call allocates nothing.
struct CallFrame {
  struct Result {
    DLManagedTensorVersioned *given = nullptr; ///< the caller's
    DLManagedTensorVersioned *made = nullptr;  ///< ours, until handed over
    void *temporary = nullptr;                 ///< to be copied to `given`
    void *scalar = nullptr;                    ///< on the device, to be read
  };

  /// Room for a call of `signature`. What is in it is of an earlier call.
  void prepare(const Signature &signature) {
    if (prepared != &signature)
      makeRoom(signature);
    if (!copiedBack.empty())
      copiedBack.clear();
  }
  /// Takes the shapes of weights from where they are bound.
  void shapeWeights(const Signature &signature, const Binding *binding) {
    for (size_t i = 0; i < signature.weights().size(); ++i) {
      const BoundValue &weight = binding->weights[i];
      shapes[signature.weights()[i]] =
          weight.sizes.empty() ? noSizes : weight.sizes.data();
    }
  }
  /// Passes weights, and behind the arguments their packed forms.
  void passWeights(const Signature &signature, const Binding *binding);
  /// Both, unless the call before has done it. What is bound does not change,
  /// and nothing else writes what is said of weights.
  void takeWeights(const Signature &signature, const Binding *binding) {
    if (bound == binding->id)
      return;
    shapeWeights(signature, binding);
    passWeights(signature, binding);
    bound = binding->id;
  }
  /// Checks the sizes of all arguments; see Signature::check.
  VortexStatus checkSizes(const Signature &signature) {
    settled = true;
    return signature.check(shapes.data(), symbols.data());
  }
  /// The same, and those of the caller's results as far as the arguments tell.
  VortexStatus checkAllSizes(const Signature &signature) {
    settled = !signature.fits(shapes.data());
    return settled ? checkEachSize(signature) : VORTEX_STATUS_OK;
  }
  /// Makes the values of names known that a call whose sizes fit had no need
  /// of.
  void settle(const Signature &signature) {
    if (!settled)
      checkSizes(signature);
  }
  /// Behind the call: all results were asked for, and what the signature says
  /// of them holds.
  VortexStatus checkDone(const Signature &signature) {
    for (const Destination &to : destinations)
      if (!to.done)
        return checkEachResult(signature);
    return settled ? checkEachResult(signature) : VORTEX_STATUS_OK;
  }

  const Signature *prepared = nullptr; ///< what there is room for
  uint64_t bound = 0;  ///< binding whose weights are passed; 0: none's
  bool settled = true; ///< `symbols` have their values
  std::vector<const int64_t *> shapes; ///< of each argument, then each result
  std::vector<TensorLayout> layouts;   ///< of each argument but weights
  std::vector<VortexBuffer> buffers;   ///< of each argument
  std::vector<void *> entries;         ///< arguments, then packed weights
  std::vector<int64_t> symbols;
  std::vector<Result> results;
  std::vector<Destination> destinations; ///< of each result
  /// Positions among the inputs of memrefs whose copies go back.
  std::vector<size_t> copiedBack;

private:
  void makeRoom(const Signature &signature);
  VortexStatus checkEachSize(const Signature &signature);
  __attribute__((noinline)) VortexStatus
  checkEachResult(const Signature &signature);
};

/// Says that weights are not bound.
VortexStatus reportUnbound(const Signature &signature);
/// Says that so many arguments or results are wrong, or that they are nowhere.
VortexStatus reportArgumentCount(const Signature &signature, int64_t count);
VortexStatus reportResultCount(const Signature &signature, int64_t count);

/// UNBOUND_WEIGHTS when there are weights and no binding.
inline VortexStatus checkBound(const Signature &signature,
                               const Binding *binding) {
  return binding || signature.weights().empty() ? VORTEX_STATUS_OK
                                                : reportUnbound(signature);
}
/// Whether so many arguments and results are given, and where.
inline VortexStatus checkArgumentCount(const Signature &signature,
                                       const void *args, int64_t count) {
  return count == int64_t(signature.inputs().size()) && (args || !count)
             ? VORTEX_STATUS_OK
             : reportArgumentCount(signature, count);
}
inline VortexStatus checkResultCount(const Signature &signature,
                                     const void *results, int64_t count) {
  return count == signature.numResults() && (results || !count)
             ? VORTEX_STATUS_OK
             : reportResultCount(signature, count);
}

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_CALLFRAME_H
