//===- Executor.h - Running generated code ----------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The services that generated code finds in its VortexCallContext: scratch
// memory, parallel loops, failure, choices. One slot for the calling thread and
// one for every thread that runs bodies, each with a call context and an arena
// of its own.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_EXECUTOR_H
#define VORTEX_LIB_RUNTIME_EXECUTOR_H

#include "Arena.h"
#include "CudaDevice.h"
#include "DeviceArena.h"
#include "Module.h"
#include "Status.h"
#include "ThreadPool.h"

#include "ChoiceLog.h"

#include <atomic>
#include <csetjmp>
#include <memory>
#include <mutex>

namespace vortex {
namespace runtime {

/// Where a result goes, as far as that is known before the function runs.
struct Destination {
  void *data = nullptr; ///< the caller's memory, where it can be used in place
  const int64_t *sizes = nullptr; ///< of the caller's tensor; null: none
  int32_t rank = 0;               ///< of that tensor
  bool direct = false;            ///< to `data`: nobody else is to be asked
  bool done = false;              ///< The function has asked.
};

/// Gives the memory for results. May be called from any thread of the call,
/// once for each index. On failure returns null after writing `error` and
/// `status`.
class ResultSink {
public:
  ResultSink(Destination *destinations, int64_t count)
      : destinations(destinations), count(count) {}
  virtual ~ResultSink() = default;
  /// The memory of a result that goes where it was said to, of the sizes that
  /// were said; null: `result` knows more.
  void *known(int64_t index, int64_t rank, const int64_t *sizes) noexcept {
    if (uint64_t(index) >= uint64_t(count))
      return nullptr;
    Destination &to = destinations[index];
    if (!to.direct || to.done || to.rank != rank)
      return nullptr;
    for (int64_t d = 0; d < rank; ++d)
      if (to.sizes[d] != sizes[d])
        return nullptr;
    to.done = true;
    return to.data;
  }
  virtual void *result(int64_t index, int64_t rank, const int64_t *sizes,
                       int64_t bytes, Arena &arena, VortexStatus &status,
                       char *error, size_t errorBytes) noexcept = 0;

private:
  Destination *destinations;
  int64_t count;
};

class Executor {
public:
  /// `options` is complete; options.threads is at least 1. `device` is null
  /// for code of the CPU.
  static VortexStatus create(std::shared_ptr<Code> code,
                             std::shared_ptr<CudaDevice> device,
                             const VortexContextOptions &options,
                             std::unique_ptr<Executor> &executor);
  ~Executor();

  /// Runs generated code. Scratch memory is kept until `finish`, which has to
  /// follow.
  /// Where `results` are given (VortexCallContext.results), only results of
  /// other sizes are asked of `sink`.
  VortexStatus run(VortexEntry entry, void *const *args, ResultSink &sink,
                   const char *function, const VortexBuffer *results = nullptr);
  /// Runs code that tells choices into `choices`, forced ones as they would
  /// run.
  VortexStatus predict(VortexEntry entry, void *const *args,
                       const char *function);
  /// Frees the scratch memory of the call.
  void finish() {
    if (parallel || deviceArena || main.arena.isUsed())
      freeScratch();
  }

  Code &code() { return *module; }
  /// Scratch memory for a tensor, of the calling thread, freed by `finish`; on
  /// the device where there is one. Null when there is none.
  void *scratch(size_t bytes, size_t alignment) noexcept {
    return gpu ? deviceArena->allocate(bytes, alignment)
               : main.arena.allocate(bytes, alignment);
  }
  /// Null for code of the CPU.
  const std::shared_ptr<CudaDevice> &device() const { return gpu; }
  cuda::Stream stream() const { return gpuStream; }
  VortexStatus setStream(cuda::Stream stream);
  /// Waits for what is in the stream.
  VortexStatus synchronize();
  const Allocator &allocator() const { return memory; }
  /// Holds so many bytes of scratch memory, with their pages, before any call.
  VortexStatus reserve(size_t bytes);
  size_t scratchBytes() const;

  VortexStatus force(const char *kernel, const char *candidate);
  void record(bool on);
  /// Those of the latest call or prediction.
  ChoiceLog choices;

private:
  struct Slot {
    explicit Slot(Executor &owner, bool isMain)
        : executor(owner), isMain(isMain), arena(owner.memory) {}
    VortexCallContext abi;
    Executor &executor;
    const bool isMain;
    Arena arena;
    std::vector<int64_t> memo;
    std::jmp_buf jump;
  };
  struct Loop;

  Executor(std::shared_ptr<Code> code, std::shared_ptr<CudaDevice> device,
           const VortexContextOptions &options);
  void setUp(Slot &slot);
  void setUpDevice(VortexCallContext &abi);
  void setMachine();
  [[noreturn]] void failOnDevice(Slot &slot, cuda::Result error,
                                 const char *what);
  void encodeMap(Slot &slot, int64_t kernel, void *map,
                 const MappedTensor &tensor);
  void launch(Slot &slot, int64_t kernel, const int64_t *extents,
              void *const *parameters);
  void updateChoose();
  VortexStatus takeLibraries();
  void multiply(Slot &slot, int64_t library, const LibraryProduct &product);
  void findAbsent();
  bool isAbsent(int64_t kernel, int64_t candidate) const;
  int64_t choosePresent(int64_t kernel, int64_t choice, const uint8_t *&allowed,
                        const double *costs, int64_t count) noexcept;
  void freeScratch();
  Slot *takeSlot();
  void giveSlot(Slot *slot);
  bool recordFailure(VortexStatus status, const char *message);
  [[noreturn]] void failIn(Slot &slot, VortexStatus status,
                           const char *message);
  void parallelFor(Slot &slot,
                   void (*body)(VortexCallContext *, void *, int64_t),
                   void *closure, int64_t count);
  static void poolWork(void *loop, int thread, ThreadPool &pool);
  static void userWork(void *loop, int64_t i);
  static Slot &slotOf(VortexCallContext *context) {
    return *static_cast<Slot *>(context->runtime);
  }
  static int64_t chooseHook(VortexCallContext *context, int64_t kernel,
                            int64_t choice, const uint8_t *allowed,
                            const double *costs, int64_t count);
  int64_t choose(int64_t kernel, int64_t choice, const uint8_t *allowed,
                 const double *costs, int64_t count, VortexStatus &status,
                 char *error, size_t errorBytes) noexcept;

  std::shared_ptr<Code> module;
  std::shared_ptr<CudaDevice> gpu;
  cuda::Stream gpuStream = nullptr;
  VortexContextOptions options;
  Allocator memory;
  std::unique_ptr<DeviceArena> deviceArena; ///< null for code of the CPU
  /// Of the module's libraries, by position; null: not on this device.
  std::vector<std::unique_ptr<LibraryUser>> libraryUsers;
  std::vector<double> machine;
  std::unique_ptr<ThreadPool> pool;
  Slot main;
  /// One a thread of the pool; with the caller's parallel-for, as many as ran
  /// at once so far.
  std::vector<std::unique_ptr<Slot>> slots;
  std::vector<Slot *> freeSlots;
  std::mutex slotsMutex;

  ResultSink *sink = nullptr;
  std::atomic<int> failed{0};
  VortexStatus failure = VORTEX_STATUS_OK;
  char failureMessage[1024];

  std::vector<int64_t> forced; ///< for each kernel, -1: none
  /// For each kernel its candidates that the device has no room for, in order;
  /// empty: all are there. Calls that launch have one thread, so `present` is
  /// used by one at a time.
  std::vector<std::vector<int64_t>> absent;
  std::vector<uint8_t> present;
  bool recording = false, predicting = false;
  bool parallel = false; ///< The call has run bodies in `slots`.
  std::mutex choicesMutex;
};

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_EXECUTOR_H
