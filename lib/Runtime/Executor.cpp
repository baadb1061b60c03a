//===- Executor.cpp - Running generated code ------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Executor.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace vortex::runtime;

//===----------------------------------------------------------------------===//
// Setting up
//===----------------------------------------------------------------------===//

Executor::Executor(std::shared_ptr<Code> code,
                   std::shared_ptr<CudaDevice> device,
                   const VortexContextOptions &options)
    : module(std::move(code)), gpu(std::move(device)), options(options),
      memory{options.allocate, options.deallocate, options.allocator_user},
      deviceArena(gpu ? std::make_unique<DeviceArena>(gpu, memory) : nullptr),
      machine(module->params()), main(*this, true) {
  setMachine();
  forced.assign(module->info().num_kernels, -1);
  findAbsent();
  if (options.workspace && !gpu)
    main.arena.lend(options.workspace, options.workspace_bytes);
  setUp(main);
}

Executor::~Executor() {
  // The arena's memory may go to another user, who knows nothing of the stream.
  if (gpu)
    synchronize();
  for (size_t i = 0; i < libraryUsers.size(); ++i)
    if (libraryUsers[i])
      gpu->giveUser(i, std::move(libraryUsers[i]));
}

VortexStatus Executor::create(std::shared_ptr<Code> code,
                              std::shared_ptr<CudaDevice> device,
                              const VortexContextOptions &options,
                              std::unique_ptr<Executor> &out) {
  std::unique_ptr<Executor> executor(
      new Executor(std::move(code), std::move(device), options));
  if (VortexStatus status = executor->takeLibraries())
    return status;
  // One thread is enough to launch.
  if (options.threads > 1 && !options.parallel_for && !executor->gpu) {
    executor->pool = ThreadPool::create(options.threads);
    if (!executor->pool)
      return report(VORTEX_STATUS_OUT_OF_MEMORY, "cannot create %d threads",
                    options.threads - 1);
    for (int i = 0; i < options.threads; ++i) {
      executor->slots.push_back(std::make_unique<Slot>(*executor, false));
      executor->setUp(*executor->slots.back());
    }
  }
  out = std::move(executor);
  return VORTEX_STATUS_OK;
}

void Executor::setMachine() {
  const VortexArtifactInfo &info = module->info();
  for (int64_t i = 0; i < info.num_params; ++i) {
    const VortexParamInfo &param = *at(info.params, i);
    double told;
    // Code asks its context; tables are read by that of earlier compilers.
    if (!std::strcmp(param.name, "threads"))
      machine[i] = options.threads;
    else if (gpu && machine[i] == param.default_value &&
             gpu->param(param.name, told))
      machine[i] = told;
  }
  // Whatever a file or the caller says, what is not there is not called.
  for (size_t i = 0; i < module->libraries().size(); ++i)
    if (!module->libraries()[i] || (gpu && !gpu->hasLibrary(i))) {
      std::string name = std::string("library.") + info.libraries[i];
      for (int64_t p = 0; p < info.num_params; ++p)
        if (name == at(info.params, p)->name)
          machine[p] = 0;
    }
}

void Executor::setUp(Slot &slot) {
  VortexCallContext &abi = slot.abi;
  std::memset(&abi, 0, sizeof abi);
  abi.size = sizeof abi;
  abi.abi = VORTEX_ARTIFACT_ABI;
  abi.runtime = &slot;
  abi.machine = machine.data();
  // Loops inside of a body run in place.
  abi.threads = slot.isMain && !gpu ? options.threads : 1;
  // What is remembered stays true when hooks change.
  slot.memo.resize(module->info().num_memos * VORTEX_MEMO_WORDS);
  abi.memo = slot.memo.data();
  if (gpu)
    setUpDevice(abi);
  abi.parallel_for = [](VortexCallContext *context,
                        void (*body)(VortexCallContext *, void *, int64_t),
                        void *closure, int64_t count) {
    Slot &slot = slotOf(context);
    slot.executor.parallelFor(slot, body, closure, count);
  };
  abi.allocate = [](VortexCallContext *context, int64_t bytes,
                    int64_t alignment) -> void * {
    Slot &slot = slotOf(context);
    bool possible =
        bytes >= 0 && alignment > 0 && (alignment & (alignment - 1)) == 0;
    Executor &executor = slot.executor;
    void *memory =
        !possible ? nullptr
        : executor.gpu
            ? executor.deviceArena->allocate(size_t(bytes), size_t(alignment))
            : slot.arena.allocate(size_t(bytes), size_t(alignment));
    if (memory)
      return memory;
    char text[160];
    if (possible)
      std::snprintf(text, sizeof text,
                    "no memory for %lld bytes of scratch (%zu are held)",
                    static_cast<long long>(bytes),
                    executor.gpu ? executor.deviceArena->held()
                                 : slot.arena.held());
    else
      std::snprintf(text, sizeof text, "%s",
                    bytes < 0 ? "a scratch buffer has sizes whose bytes exceed "
                                "64 bits"
                              : "a scratch buffer has an impossible alignment");
    slot.executor.failIn(slot, VORTEX_STATUS_OUT_OF_MEMORY, text);
  };
  abi.product = [](VortexCallContext *context, int64_t library, int64_t factors,
                   int64_t result, int64_t batches, const int64_t *sizes,
                   void *const *data, const int64_t *strides, int64_t flags) {
    Slot &slot = slotOf(context);
    const auto &all = slot.executor.module->libraries();
    if (uint64_t(library) >= all.size() || !all[library])
      slot.executor.failIn(slot, VORTEX_STATUS_UNSUPPORTED,
                           "a library that the program calls is not there");
    LibraryProduct product{VortexDType(factors),
                           VortexDType(result),
                           batches,
                           sizes,
                           data,
                           strides,
                           (flags & VORTEX_PRODUCT_ACCUMULATE) != 0,
                           (flags & VORTEX_PRODUCT_TF32) != 0};
    if (slot.executor.gpu)
      slot.executor.multiply(slot, library, product);
    else
      runtime::multiply(*all[library], product);
  };
  abi.release = [](VortexCallContext *context, void *memory) {
    Slot &slot = slotOf(context);
    if (slot.executor.gpu)
      slot.executor.deviceArena->release(memory);
    else
      slot.arena.release(memory);
  };
  abi.result = [](VortexCallContext *context, int64_t index, int64_t rank,
                  const int64_t *sizes, int64_t bytes) -> void * {
    Slot &slot = slotOf(context);
    if (void *memory = slot.executor.sink->known(index, rank, sizes))
      return memory;
    char text[512]; // filled in with a failure
    VortexStatus status = VORTEX_STATUS_INVALID_ARTIFACT;
    void *memory = slot.executor.sink->result(
        index, rank, sizes, bytes, slot.arena, status, text, sizeof text);
    if (memory)
      return memory;
    slot.executor.failIn(slot, status, text);
  };
  abi.fail = [](VortexCallContext *context, const char *message) {
    Slot &slot = slotOf(context);
    slot.executor.failIn(slot, VORTEX_STATUS_PROGRAM_FAILED,
                         message ? message : "the program failed");
  };
  abi.choose = recording || !absent.empty() ||
                       std::any_of(forced.begin(), forced.end(),
                                   [](int64_t f) { return f >= 0; })
                   ? chooseHook
                   : nullptr;
}

//===----------------------------------------------------------------------===//
// A call
//===----------------------------------------------------------------------===//

VortexStatus Executor::run(VortexEntry entry, void *const *args,
                           ResultSink &newSink, const char *function,
                           const VortexBuffer *results) {
  sink = &newSink;
  main.abi.results = results;
  failed.store(0, std::memory_order_relaxed);
  choices.clear();
  if (setjmp(main.jump) == 0) {
    entry(&main.abi, args);
    return VORTEX_STATUS_OK;
  }
  return report(failure, "function '%s': %s", function, failureMessage);
}

VortexStatus Executor::predict(VortexEntry entry, void *const *args,
                               const char *function) {
  choices.clear();
  auto before = main.abi.choose;
  main.abi.choose = chooseHook;
  predicting = true;
  failed.store(0, std::memory_order_relaxed);
  VortexStatus status = VORTEX_STATUS_OK;
  if (setjmp(main.jump) == 0)
    entry(&main.abi, args);
  else
    status = report(failure, "function '%s': %s", function, failureMessage);
  predicting = false;
  main.abi.choose = before;
  return status;
}

void Executor::freeScratch() {
  main.arena.reset();
  if (deviceArena)
    deviceArena->reset();
  if (!parallel)
    return;
  parallel = false;
  size_t most = 0;
  for (auto &slot : slots) {
    slot->arena.reset();
    most = std::max(most, slot->arena.held());
  }
  // Which thread runs which body changes from call to call: what one needed,
  // all may need.
  for (auto &slot : slots)
    slot->arena.consolidate(most);
}

VortexStatus Executor::reserve(size_t bytes) {
  if (deviceArena && bytes) {
    void *memory = deviceArena->allocate(bytes, 1);
    deviceArena->reset();
    if (memory)
      return VORTEX_STATUS_OK;
  } else if (deviceArena || main.arena.reserve(bytes)) {
    return VORTEX_STATUS_OK;
  }
  return report(VORTEX_STATUS_OUT_OF_MEMORY,
                "no memory for the %zu bytes of scratch to reserve", bytes);
}

size_t Executor::scratchBytes() const {
  size_t bytes = main.arena.held() + (deviceArena ? deviceArena->held() : 0);
  for (auto &slot : slots)
    bytes += slot->arena.held();
  return bytes;
}

/// Keeps the first failure of a call.
bool Executor::recordFailure(VortexStatus status, const char *message) {
  int none = 0;
  if (!failed.compare_exchange_strong(none, 1))
    return false;
  failure = status;
  std::snprintf(failureMessage, sizeof failureMessage, "%s", message);
  return true;
}

void Executor::failIn(Slot &slot, VortexStatus status, const char *message) {
  recordFailure(status, message);
  std::longjmp(slot.jump, 1);
}

//===----------------------------------------------------------------------===//
// Parallel loops
//===----------------------------------------------------------------------===//

struct Executor::Loop {
  Executor &executor;
  void (*body)(VortexCallContext *, void *, int64_t);
  void *closure;
};

void Executor::poolWork(void *argument, int thread, ThreadPool &pool) {
  Loop &loop = *static_cast<Loop *>(argument);
  Slot &slot = *loop.executor.slots[thread];
  if (setjmp(slot.jump) != 0) {
    pool.cancel();
    return;
  }
  int64_t begin, end;
  while (pool.claim(thread, begin, end))
    for (int64_t i = begin; i < end; ++i) {
      if (loop.executor.failed.load(std::memory_order_relaxed))
        return;
      loop.body(&slot.abi, loop.closure, i);
    }
}

Executor::Slot *Executor::takeSlot() {
  std::lock_guard<std::mutex> lock(slotsMutex);
  if (freeSlots.empty()) {
    // Room to give all back without memory.
    freeSlots.reserve(slots.size() + 1);
    slots.push_back(std::make_unique<Slot>(*this, false));
    setUp(*slots.back());
    return slots.back().get();
  }
  Slot *slot = freeSlots.back();
  freeSlots.pop_back();
  return slot;
}

void Executor::giveSlot(Slot *slot) {
  std::lock_guard<std::mutex> lock(slotsMutex);
  freeSlots.push_back(slot);
}

void Executor::userWork(void *argument, int64_t i) {
  Loop &loop = *static_cast<Loop *>(argument);
  Executor &executor = loop.executor;
  if (executor.failed.load(std::memory_order_relaxed))
    return;
  Slot *slot;
  try {
    slot = executor.takeSlot();
  } catch (const std::bad_alloc &) {
    executor.recordFailure(VORTEX_STATUS_OUT_OF_MEMORY,
                           "no memory for another thread");
    return;
  }
  // `slot` does not change after this, so it survives the jump.
  if (setjmp(slot->jump) == 0)
    loop.body(&slot->abi, loop.closure, i);
  executor.giveSlot(slot);
}

void Executor::parallelFor(Slot &slot,
                           void (*body)(VortexCallContext *, void *, int64_t),
                           void *closure, int64_t count) {
  if (!slot.isMain || count <= 1 || options.threads == 1) {
    for (int64_t i = 0; i < count; ++i)
      body(&slot.abi, closure, i);
    return;
  }
  parallel = true;
  Loop loop{*this, body, closure};
  if (options.parallel_for)
    options.parallel_for(options.parallel_for_user, userWork, &loop, count);
  else
    pool->run(poolWork, &loop, count);
  if (failed.load())
    std::longjmp(main.jump, 1);
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// Finds the candidates of the kernels that do not fit the device.
void Executor::findAbsent() {
  if (!gpu || gpu->holdsAll())
    return;
  absent.resize(forced.size());
  size_t most = 0;
  for (int64_t i = 0; i < gpu->numKernels(); ++i) {
    const VortexDeviceKernelInfo &code = gpu->kernel(i);
    // Artifacts made before candidates were named end in front of the field.
    if (gpu->holds(i) || code.size < sizeof(VortexDeviceKernelInfo))
      continue;
    for (int64_t n = 0; n < code.num_candidates; ++n) {
      std::string name = code.candidates[n];
      size_t equals = name.rfind('=');
      for (size_t k = 0; equals != std::string::npos && k < absent.size();
           ++k) {
        const VortexKernelInfo &kernel = module->kernel(int64_t(k));
        if (name.compare(0, equals, kernel.name))
          continue;
        most = std::max(most, size_t(kernel.num_candidates));
        for (int64_t c = 0; c < kernel.num_candidates; ++c)
          if (!name.compare(equals + 1, std::string::npos,
                            kernel.candidates[c]) &&
              !isAbsent(int64_t(k), c))
            absent[k].push_back(c);
      }
    }
  }
  present.resize(most);
}

bool Executor::isAbsent(int64_t kernel, int64_t candidate) const {
  if (absent.empty())
    return false;
  const std::vector<int64_t> &list = absent[size_t(kernel)];
  return std::find(list.begin(), list.end(), candidate) != list.end();
}

/// The cheapest candidate that the device has; `allowed` becomes that of those.
int64_t Executor::choosePresent(int64_t kernel, int64_t choice,
                                const uint8_t *&allowed, const double *costs,
                                int64_t count) noexcept {
  if (absent.empty() || absent[size_t(kernel)].empty() || count <= 0 ||
      count > int64_t(present.size()))
    return choice;
  std::copy_n(allowed, count, present.begin());
  for (int64_t c : absent[size_t(kernel)])
    if (c < count)
      present[size_t(c)] = 0;
  allowed = present.data();
  if (choice >= 0 && choice < count && allowed[choice])
    return choice;
  int64_t best = -1;
  for (int64_t c = 0; c < count; ++c)
    if (allowed[c] && (best < 0 || costs[c] < costs[best]))
      best = c;
  return best;
}

void Executor::updateChoose() {
  setUp(main);
  for (auto &slot : slots)
    setUp(*slot);
}

VortexStatus Executor::force(const char *kernelName, const char *candidate) {
  const VortexArtifactInfo &info = module->info();
  std::string all;
  for (int64_t k = 0; k < info.num_kernels; ++k) {
    const VortexKernelInfo &kernel = module->kernel(k);
    all += std::string(k ? ", " : "") + kernel.name;
    if (std::strcmp(kernel.name, kernelName) != 0)
      continue;
    int64_t position = -1;
    std::string candidates;
    for (int64_t c = 0; candidate && c < kernel.num_candidates; ++c) {
      candidates += std::string(c ? ", " : "") + kernel.candidates[c];
      if (!std::strcmp(kernel.candidates[c], candidate))
        position = c;
    }
    if (candidate && position < 0)
      return report(VORTEX_STATUS_NOT_FOUND,
                    "kernel '%s' has no candidate '%s'; it has: %s", kernelName,
                    candidate,
                    candidates.empty() ? "none, it runs as generic loops"
                                       : candidates.c_str());
    if (candidate && kernel.decided >= 0 && position != kernel.decided)
      return report(VORTEX_STATUS_NOT_FOUND,
                    "kernel '%s': candidate '%s' is not in the artifact; the "
                    "sizes known when it was compiled decided on '%s'",
                    kernelName, candidate, kernel.candidates[kernel.decided]);
    forced[k] = position;
    updateChoose();
    return VORTEX_STATUS_OK;
  }
  return report(VORTEX_STATUS_NOT_FOUND,
                "there is no kernel '%s'; there is: %s", kernelName,
                all.empty() ? "none" : all.c_str());
}

void Executor::record(bool on) {
  recording = on;
  updateChoose();
}

int64_t Executor::chooseHook(VortexCallContext *context, int64_t kernel,
                             int64_t choice, const uint8_t *allowed,
                             const double *costs, int64_t count) {
  Slot &slot = slotOf(context);
  char text[512]; // filled in with a status
  VortexStatus status = VORTEX_STATUS_OK;
  int64_t chosen = slot.executor.choose(kernel, choice, allowed, costs, count,
                                        status, text, sizeof text);
  if (status)
    slot.executor.failIn(slot, status, text);
  return chosen;
}

/// Whether a candidate may run at all sizes: then there is no code for sizes at
/// which none may.
static bool alwaysRuns(const VortexKernelInfo &kernel) {
  for (int64_t c = 0; c < kernel.num_candidates; ++c)
    if (!kernel.guards[c] || !*kernel.guards[c])
      return true;
  return false;
}

int64_t Executor::choose(int64_t kernel, int64_t choice, const uint8_t *allowed,
                         const double *costs, int64_t count,
                         VortexStatus &status, char *error,
                         size_t errorBytes) noexcept {
  if (kernel < 0 || kernel >= int64_t(forced.size()))
    return choice;
  const int64_t preferred = choice;
  if (choice != VORTEX_CHOICE_DEPENDS_ON_DATA)
    choice = choosePresent(kernel, choice, allowed, costs, count);
  if (preferred >= 0 && choice < 0 && forced[kernel] < 0 && !predicting &&
      alwaysRuns(module->kernel(kernel))) {
    std::snprintf(error, errorBytes,
                  "kernel '%s': blocks of all candidates that may run at these "
                  "sizes need more than the %lld bytes of shared memory of the "
                  "device",
                  module->kernel(kernel).name,
                  static_cast<long long>(gpu->sharedBytes()));
    status = VORTEX_STATUS_UNSUPPORTED;
    return choice;
  }
  int64_t chosen = choice;
  if (forced[kernel] >= 0 && choice != VORTEX_CHOICE_DEPENDS_ON_DATA) {
    chosen = forced[kernel];
    if (chosen >= count || !allowed[chosen]) {
      const VortexKernelInfo &info = module->kernel(kernel);
      const char *guard = info.guards ? info.guards[chosen] : nullptr;
      if (isAbsent(kernel, chosen))
        std::snprintf(error, errorBytes,
                      "kernel '%s': candidate '%s' is forced, but its blocks "
                      "need more than the %lld bytes of shared memory of the "
                      "device",
                      info.name, info.candidates[chosen],
                      static_cast<long long>(gpu->sharedBytes()));
      else
        std::snprintf(error, errorBytes,
                      "kernel '%s': candidate '%s' is forced, but its guard "
                      "does not hold%s%s",
                      info.name, info.candidates[chosen],
                      guard && *guard ? ": " : "", guard ? guard : "");
      // A guard's terms stand on lines of their own.
      std::replace(error, error + std::strlen(error), '\n', ';');
      status = VORTEX_STATUS_GUARD_FAILED;
      return chosen;
    }
  }
  if (!recording && !predicting)
    return chosen;
  try {
    VortexChoice entry = {kernel, chosen, choice, 1, count, allowed, costs};
    if (predicting) {
      entry.times = 0;
      choices.add(entry);
    } else {
      std::lock_guard<std::mutex> lock(choicesMutex);
      choices.count(entry);
    }
  } catch (const std::bad_alloc &) {
    // A record that is incomplete is better than a call that fails for it.
    if (predicting) {
      std::snprintf(error, errorBytes, "no memory for the choices");
      status = VORTEX_STATUS_OUT_OF_MEMORY;
    }
  }
  return chosen;
}
