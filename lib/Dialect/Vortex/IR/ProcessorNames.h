//===- ProcessorNames.h - What LLVM calls processors ------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_DIALECT_VORTEX_IR_PROCESSORNAMES_H
#define VORTEX_LIB_DIALECT_VORTEX_IR_PROCESSORNAMES_H

#include "HwAssembly.h"

namespace vortex::hw {

/// Whether LLVM makes code for `cpu` with `features` (`+name` or `-name`, by
/// commas) of `triple`, and this is what `isa` is of. LLVM's code generator
/// would end the process at a name that it does not know, or say so on stderr
/// for each function and go on. Targets that this LLVM was built without pass.
LogicalResult checkProcessor(FieldError emitError, StringRef isa,
                             StringRef triple, StringRef cpu,
                             StringRef features);

} // namespace vortex::hw

#endif // VORTEX_LIB_DIALECT_VORTEX_IR_PROCESSORNAMES_H
