//===- AmxEmulator.cpp - AMX where the processor has none -----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Preloaded (LD_PRELOAD) or linked, this library runs the AMX instructions that
// the processor refuses: each raises SIGILL, whose handler does what it would
// have done. Any other instruction goes to the handler before. It is for tests
// of results, and takes microseconds for an instruction.
//
// VORTEX_AMX_COUNTS names a file to which each process appends how many of each
// instruction it has run.
//
//===----------------------------------------------------------------------===//

#include "AmxEmulator.h"
#include "Decode.h"
#include "Tiles.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>
#include <unistd.h>

using namespace amx;

namespace {
// From the start of the thread on: a handler must not allocate.
thread_local __attribute__((tls_model("initial-exec"))) TileState tiles;
std::atomic<uint64_t> counts[int(Kind::Count)];
struct sigaction previous;
} // namespace

const char *vortex_emulated_cpu_features() {
  return __builtin_cpu_supports("amx-tile") ? "" : "amx-tile,amx-bf16,amx-int8";
}

uint64_t vortex_amx_count(const char *mnemonic) {
  for (int i = 0; i < int(Kind::Count); ++i)
    if (!std::strcmp(mnemonic, getName(Kind(i))))
      return counts[i];
  return 0;
}

/// General register `number` as instructions encode it.
static int64_t getRegister(const ucontext_t &context, int number) {
  static const int order[] = {
      REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  return number < 0 ? 0 : context.uc_mcontext.gregs[order[number]];
}

/// Why the processor would fault, or null.
static const char *execute(const Instruction &what, const ucontext_t &context) {
  int64_t index =
      int64_t(uint64_t(getRegister(context, what.index)) << what.scale);
  int64_t address = getRegister(context, what.base) + what.displacement;
  if (what.nextRelative)
    address += context.uc_mcontext.gregs[REG_RIP] + what.length;
  // Of tiles, the index is the distance of rows.
  bool rows = what.kind == Kind::TileLoad || what.kind == Kind::TileLoadT1 ||
              what.kind == Kind::TileStore;
  auto *memory = reinterpret_cast<uint8_t *>(address + (rows ? 0 : index));
  switch (what.kind) {
  case Kind::LdTileCfg:
    return tiles.loadConfig(memory);
  case Kind::StTileCfg:
    tiles.storeConfig(memory);
    return nullptr;
  case Kind::TileRelease:
    tiles.release();
    return nullptr;
  case Kind::TileZero:
    return tiles.zero(what.sum);
  case Kind::TileLoad:
  case Kind::TileLoadT1:
    return tiles.load(what.sum, memory, index);
  case Kind::TileStore:
    return tiles.store(what.sum, memory, index);
  case Kind::TdpBF16PS:
    return tiles.multiplyBF16(what.sum, what.a, what.b);
  case Kind::TdpBSSD:
    return tiles.multiplyBytes(what.sum, what.a, what.b, true, true);
  case Kind::TdpBSUD:
    return tiles.multiplyBytes(what.sum, what.a, what.b, true, false);
  case Kind::TdpBUSD:
    return tiles.multiplyBytes(what.sum, what.a, what.b, false, true);
  case Kind::TdpBUUD:
    return tiles.multiplyBytes(what.sum, what.a, what.b, false, false);
  case Kind::Count:
    break;
  }
  return "unknown";
}

static void print(const char *text) {
  ssize_t ignored = write(STDERR_FILENO, text, std::strlen(text));
  (void)ignored;
}

static void handle(int signal, siginfo_t *info, void *raw) {
  auto &context = *static_cast<ucontext_t *>(raw);
  greg_t &next = context.uc_mcontext.gregs[REG_RIP];
  Instruction instruction;
  if (decode(reinterpret_cast<const uint8_t *>(next), instruction)) {
    const char *fault = execute(instruction, context);
    if (!fault) {
      counts[int(instruction.kind)].fetch_add(1, std::memory_order_relaxed);
      next += instruction.length;
      return;
    }
    print("amx-emulator: ");
    print(getName(instruction.kind));
    print(" would fault: ");
    print(fault);
    print("\n");
    std::signal(SIGILL, SIG_DFL); // the instruction again ends the process
    return;
  }
  if (previous.sa_flags & SA_SIGINFO)
    previous.sa_sigaction(signal, info, raw);
  else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
    previous.sa_handler(signal);
  else
    std::signal(SIGILL, SIG_DFL);
}

__attribute__((constructor)) static void install() {
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaction(SIGILL, &action, &previous);
}

__attribute__((destructor)) static void report() {
  const char *path = std::getenv("VORTEX_AMX_COUNTS");
  FILE *file = path ? std::fopen(path, "a") : nullptr;
  if (!file)
    return;
  for (int i = 0; i < int(Kind::Count); ++i)
    if (counts[i])
      std::fprintf(file, "%s %llu\n", getName(Kind(i)),
                   static_cast<unsigned long long>(counts[i]));
  std::fclose(file);
}
