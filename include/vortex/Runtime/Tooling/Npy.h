//===- Npy.h - NumPy files --------------------------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_RUNTIME_TOOLING_NPY_H
#define VORTEX_RUNTIME_TOOLING_NPY_H

#include "vortex/Runtime/Tooling/HostTensor.h"

#include <string>
#include <utility>
#include <vector>

namespace vortex {
namespace runtime {

/// Reads a .npy file (format 1 to 3, C or Fortran order, either endianness).
/// If `want` is not null it is the element type to read as: bf16 and the f8
/// types from their bits as unsigned integers, i4 from int8, i1 from bool or
/// int8, integers from unsigned ones of their width, index from int64.
bool readNpy(const std::string &path, const VortexDType *want,
             HostTensor &tensor, std::string &error);

/// Writes format 1.0, C order, little-endian: bf16 as uint16 and the f8 types
/// as uint8 (their bits), i1 as bool, i4 as int8, index as int64.
bool writeNpy(const std::string &path, const HostTensor &tensor,
              std::string &error);

/// Writes all of them or none: none is at its path before each is written. Of
/// two for one path, the last stays.
bool writeNpys(
    const std::vector<std::pair<std::string, const HostTensor *>> &files,
    std::string &error);

} // namespace runtime
} // namespace vortex

#endif // VORTEX_RUNTIME_TOOLING_NPY_H
