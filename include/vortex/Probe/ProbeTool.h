//===- ProbeTool.h - The command vortex-probe ----------------- -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_PROBE_PROBETOOL_H
#define VORTEX_PROBE_PROBETOOL_H

namespace vortex {

struct HostParams;

/// Prints this machine with the numbers given as a hardware description to
/// standard output; false after a message to standard error.
using PrintDescription = bool (*)(const HostParams &params);

/// Runs the command: 0 done, 1 the work failed, 2 usage. `print` may be null
/// where the compiler is not built; `--hwdesc` then says so.
int runProbe(int argc, char **argv, PrintDescription print);

} // namespace vortex

#endif // VORTEX_PROBE_PROBETOOL_H
