//===- AmxEmulator.h - AMX where the processor has none ---------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TEST_AMX_AMXEMULATOR_H
#define VORTEX_TEST_AMX_AMXEMULATOR_H

#include <cstdint>

#define VORTEX_AMX_EXPORT extern "C" __attribute__((visibility("default")))

/// The features, in LLVM's spelling, that this process has by emulation. The
/// run time looks for a function of this name when the processor lacks one.
VORTEX_AMX_EXPORT const char *vortex_emulated_cpu_features();

/// How many instructions of that name have been emulated in this process.
VORTEX_AMX_EXPORT uint64_t vortex_amx_count(const char *mnemonic);

#endif // VORTEX_TEST_AMX_AMXEMULATOR_H
