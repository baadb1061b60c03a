//===- Measure.h - What vortex-probe measures ----------------- -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_PROBE_MEASURE_H
#define VORTEX_LIB_PROBE_MEASURE_H

#include "vortex/Probe/HostParams.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace vortex::probe {

/// Sizes and counts of this machine; zero means unknown.
struct Topology {
  int64_t l1Bytes = 0, l2Bytes = 0, l3Bytes = 0;
  int64_t memoryBytes = 0;
  /// One hardware thread (the system's number) of each physical core that this
  /// process may use.
  std::vector<unsigned> cores;
};

/// Reads the topology with hwloc. A cache that cores share counts for each of
/// them with its share, except the last level, which one core may fill alone.
/// False with `error` set when hwloc fails.
bool readTopology(Topology &topology, std::string &error);

/// The measurements still to do, one after the other; `name` is for progress.
struct Step {
  std::string name;
  std::function<void(HostParams &)> run;
};

/// How long one sample takes and how many make a median.
struct Effort {
  double sampleSeconds = 0.01;
  int samples = 15;
};

/// Median and quartile spread of `samples` calls of `measure`.
void record(HostParams &params, const std::string &key, const Effort &effort,
            const std::function<double()> &measure);

/// Seconds since some fixed point.
double now();

/// Keeps the calling thread on one hardware thread; false when not allowed.
bool pinThread(unsigned cpu);

/// `kind.type.rate` for each instruction this machine has, one core, and
/// `kind.type.latency` of those that add to what the one before left.
void addRates(std::vector<Step> &steps, const Topology &topology,
              const Effort &effort);

/// `register.startup`: a register tile of one step; `l1.translation`: pages
/// that are not among those used last.
void addTiles(std::vector<Step> &steps, const Effort &effort);

/// Bandwidth and latency of each cache and of main memory, `device.triad`, and
/// as `l3.capacity` what of it this process gets.
void addMemory(std::vector<Step> &steps, const Topology &topology,
               const Effort &effort);

/// `l3.exposed` and `device.exposed`: panels of f32 that tiles read from there
/// with nothing requested ahead; `l3.scattered`: rows that share sets of L2.
/// After addMemory, whose streams they are compared with.
void addPanels(std::vector<Step> &steps, const Topology &topology,
               const Effort &effort);

/// `core.startup`: a parallel loop over the run time's own pool.
void addStartup(std::vector<Step> &steps, const Topology &topology,
                const Effort &effort);

/// `library.NAME.TYPE.rate`, `.rows`, `.columns`, `.steps` and `.start`: what
/// products of a library take that artifacts may call. False with the reason
/// when it is not there.
bool addLibrary(std::vector<Step> &steps, const std::string &name,
                const Effort &effort, std::string &error);

} // namespace vortex::probe

#endif // VORTEX_LIB_PROBE_MEASURE_H
