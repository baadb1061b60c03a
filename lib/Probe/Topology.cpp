//===- Topology.cpp - Cores and caches by hwloc --------------- -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include <algorithm>

#include <hwloc.h>

using namespace vortex;
using namespace vortex::probe;

/// Bytes of the cache of `level` around `core`, divided among the cores that
/// share it if `divide`.
static int64_t cacheBytes(hwloc_topology_t topology, hwloc_obj_t core,
                          unsigned level, bool divide) {
  for (hwloc_obj_t object = core; object; object = object->parent) {
    if (!hwloc_obj_type_is_dcache(object->type) ||
        object->attr->cache.depth != level)
      continue;
    int sharers = hwloc_get_nbobjs_inside_cpuset_by_type(
        topology, object->cpuset, HWLOC_OBJ_CORE);
    return object->attr->cache.size / (divide ? std::max(sharers, 1) : 1);
  }
  return 0;
}

bool probe::readTopology(Topology &result, std::string &error) {
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0 ||
      hwloc_topology_load(topology) != 0) {
    error = "hwloc cannot read the topology of this machine";
    return false;
  }
  hwloc_cpuset_t allowed = hwloc_bitmap_alloc();
  if (hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_PROCESS) != 0)
    hwloc_bitmap_copy(allowed, hwloc_topology_get_allowed_cpuset(topology));
  hwloc_obj_t core = nullptr;
  while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core))) {
    hwloc_cpuset_t mine = hwloc_bitmap_alloc();
    hwloc_bitmap_and(mine, core->cpuset, allowed);
    int cpu = hwloc_bitmap_first(mine);
    hwloc_bitmap_free(mine);
    if (cpu < 0)
      continue;
    if (result.cores.empty()) {
      result.l1Bytes = cacheBytes(topology, core, 1, /*divide=*/true);
      result.l2Bytes = cacheBytes(topology, core, 2, /*divide=*/true);
      result.l3Bytes = cacheBytes(topology, core, 3, /*divide=*/false);
    }
    result.cores.push_back(cpu);
  }
  result.memoryBytes = hwloc_get_root_obj(topology)->total_memory;
  hwloc_bitmap_free(allowed);
  hwloc_topology_destroy(topology);
  if (result.cores.empty()) {
    error = "hwloc finds no core that this process may use";
    return false;
  }
  return true;
}
