//===- Instance.h - Modules with bound weights ------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_INSTANCE_H
#define VORTEX_LIB_RUNTIME_INSTANCE_H

#include "Arena.h"
#include "CudaDevice.h"
#include "Module.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace vortex {
namespace runtime {

/// Memory and sizes of one weight or packed weight, ready for generated code.
struct BoundValue {
  std::vector<int64_t> sizes;
  VortexBuffer buffer{nullptr, nullptr};
  /// Owned memory; null when the caller's is used.
  void *memory = nullptr;
  size_t bytes = 0, alignment = 0;
  /// Whose memory it is; null for the host's.
  std::shared_ptr<CudaDevice> device;

  BoundValue() = default;
  BoundValue(const BoundValue &) = delete;
  BoundValue &operator=(const BoundValue &) = delete;
  ~BoundValue() { drop(); }
  /// Forgets the elements, not the sizes.
  void drop() noexcept {
    if (memory && device)
      device->release(memory);
    else if (memory)
      Allocator().put(memory, bytes, alignment);
    buffer.data = memory = nullptr;
  }
  /// Null when there is no memory.
  void *own(int64_t wanted) noexcept {
    alignment = wanted >= (2 << 20) ? size_t(2) << 20 : 64;
    bytes = wanted ? size_t(wanted) : 1;
    return buffer.data = memory = device ? device->allocate(bytes)
                                         : Allocator().get(bytes, alignment);
  }
};

/// What is bound for one function.
struct Binding {
  explicit Binding(const Signature &signature)
      : weights(signature.weights().size()), packed(signature.numBound()) {
    static std::atomic<uint64_t> last{0};
    id = ++last;
  }
  std::vector<BoundValue> weights; ///< in the order of Signature::weights
  std::vector<BoundValue> packed;  ///< results of `bind`
  uint64_t id;                     ///< no other binding's; not zero
};

/// State shared by the handle and the contexts made from it.
struct InstanceState {
  std::shared_ptr<Code> code;
  std::shared_ptr<CudaDevice> device;             ///< null for code of the CPU
  std::vector<std::unique_ptr<Binding>> bindings; ///< one a function
};

} // namespace runtime
} // namespace vortex

struct VortexInstance {
  std::shared_ptr<vortex::runtime::InstanceState> state;
  VortexModule module; ///< of the program that it runs
};

#endif // VORTEX_LIB_RUNTIME_INSTANCE_H
