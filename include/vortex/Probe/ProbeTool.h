//===- ProbeTool.h - The command vortex-probe ----------------- -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_PROBE_PROBETOOL_H
#define VORTEX_PROBE_PROBETOOL_H

#include <string>

namespace vortex {

struct HostParams;

/// Makes `text` the hardware description of this machine with the numbers
/// given; false after a message to standard error.
using DescribeMachine = bool (*)(const HostParams &params, std::string &text);

/// Runs the command: 0 done, 1 the work failed, 2 usage. `describe` may be null
/// where the compiler is not built; `--hwdesc` then says so.
int runProbe(int argc, char **argv, DescribeMachine describe);

} // namespace vortex

#endif // VORTEX_PROBE_PROBETOOL_H
