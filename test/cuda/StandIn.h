//===- StandIn.h - A stand-in for the CUDA driver ---------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory of the "device" is at addresses that the process cannot touch: host
// code that follows one ends with a signal. Launches run in utils/ptxsim, in a
// child process that maps the same memory. What a program does wrong is told
// on stderr and an error from then on.
//
// Read from the environment:
//   VORTEX_STANDIN_DEVICES=N       devices (1)
//   VORTEX_STANDIN_CAPABILITY=N    their architecture (80)
//   VORTEX_STANDIN_UNITS=N         their multiprocessors (7)
//   VORTEX_STANDIN_VERSION=N       of the driver (12040)
//   VORTEX_STANDIN_BYTES=N         memory of a device (1 GiB)
//   VORTEX_STANDIN_FAULT=NAME      kernels with this in their name fail
//   VORTEX_STANDIN_HANG=NAME       such kernels never end
//   VORTEX_STANDIN_LOG=FILE        a line for each call that does work
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TEST_CUDA_STANDIN_H
#define VORTEX_TEST_CUDA_STANDIN_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace standin {

/// CUresult.
enum : int {
  success = 0,
  invalidValue = 1,
  outOfMemory = 2,
  notInitialized = 3,
  noDevice = 100,
  invalidDevice = 101,
  invalidImage = 200,
  invalidContext = 201,
  invalidPtx = 218,
  unsupportedPtx = 222,
  notFound = 500,
  launchFailed = 719,
  captureUnsupported = 900,
  captureInvalidated = 901,
  captureImplicit = 906
};

/// A number from the environment.
long setting(const char *name, long otherwise);
/// Appends to the log, if there is one.
void log(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// Tells stderr what the program did wrong.
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// The device's memory.
class Memory {
public:
  static Memory &get();
  /// Zero when there is no room. What is new reads as NaN.
  uint64_t allocate(size_t bytes);
  bool release(uint64_t address);
  /// Where the stand-in itself reaches `bytes` at a device address; null, with
  /// a complaint that names `what`, unless one allocation holds them all.
  char *reach(uint64_t address, size_t bytes, const char *what);
  /// Whether the process was given a device address for its own memory.
  bool isDevice(const void *host) const;
  const std::map<uint64_t, size_t> &live() const { return blocks; }
  int file() const { return descriptor; }
  uint64_t begin() const { return reinterpret_cast<uint64_t>(wall); }
  size_t size() const { return bytes; }

private:
  Memory();
  int descriptor;
  char *wall, *door; ///< the same memory, closed and open
  size_t bytes, next = 4096;
  std::map<uint64_t, size_t> blocks;
};

/// One function of loaded PTX.
struct Function {
  int module = 0;
  std::string name;
  std::vector<size_t> parameters; ///< bytes of each
  unsigned threads = 0;           ///< of .reqntid
  unsigned sharedLimit = 48 << 10;
};

/// The child process with the simulator, started by the first module.
class Simulator {
public:
  static Simulator &get();
  /// The functions of a module; empty with `error` set when it is no PTX.
  std::vector<Function> load(int module, const std::string &ptx,
                             std::string &error);
  /// "" or what the kernel did wrong.
  std::string launch(const Function &function, const unsigned (&grid)[3],
                     unsigned shared, const std::vector<char> &parameters);

private:
  Simulator();
  std::string ask(const std::string &line);
  int to = -1, from = -1;
};

} // namespace standin

#endif // VORTEX_TEST_CUDA_STANDIN_H
