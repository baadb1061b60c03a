//===- VortexDialect.h - The vortex dialect ---------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_IR_VORTEXDIALECT_H
#define VORTEX_DIALECT_VORTEX_IR_VORTEXDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace vortex {
class CandidateOp;

/// Discardable attribute of a module: `vortex.targets = [#vortex.hw<...>]`.
inline constexpr llvm::StringLiteral kTargetsAttr = "vortex.targets";
/// Unit attribute on the payload op whose loops are the kernel's axes.
inline constexpr llvm::StringLiteral kAnchorAttr = "vortex.anchor";
/// String attribute naming a payload op for `vortex.stage`.
inline constexpr llvm::StringLiteral kIdAttr = "vortex.id";
/// Unit argument attribute: bound once to an instance.
inline constexpr llvm::StringLiteral kWeightAttr = "vortex.weight";
/// Unit attribute of ops that may run when weights are bound.
inline constexpr llvm::StringLiteral kBindAttr = "vortex.bind";
/// String attribute of a function, or of one product in it: the precision of
/// its products of f32, one of kPrecisions.
inline constexpr llvm::StringLiteral kPrecisionAttr = "vortex.precision";
/// Spelled as on the command line, in the order of `Precision`.
inline constexpr llvm::StringLiteral kPrecisions[] = {
    "f32", "bf16", "int8-dynamic", "tf32", "bf16x2"};
/// Argument attribute: an array with the size symbol of each dimension.
inline constexpr llvm::StringLiteral kDimsAttr = "vortex.dims";
/// Function attribute: an array of relations between size symbols.
inline constexpr llvm::StringLiteral kWhereAttr = "vortex.where";
/// Function attribute: an array of relations between sizes of arguments that
/// the run time checks at each call, because the function does not.
inline constexpr llvm::StringLiteral kCheckedAtCallAttr =
    "vortex.checked_at_call";
/// Module attribute: what is known of each kernel, an array of dictionaries.
inline constexpr llvm::StringLiteral kKernelsAttr = "vortex.kernels";
/// Function attribute: the function that tells its choices.
inline constexpr llvm::StringLiteral kChooserAttr = "vortex.chooser";
/// String attributes of a `vortex.kernel_call`: the kernel and the candidate.
inline constexpr llvm::StringLiteral kKernelAttr = "vortex.kernel";
inline constexpr llvm::StringLiteral kCandidateAttr = "vortex.candidate";
/// Attribute of an outlined kernel's module: an array with the candidates that
/// it is the code of, each as "KERNEL=CANDIDATE".
inline constexpr llvm::StringLiteral kImplementsAttr = "vortex.implements";
/// Module attribute: a dictionary from "KERNEL=CANDIDATE" to the number of
/// instructions by which the innermost loops of its code spill vector
/// registers.
inline constexpr llvm::StringLiteral kSpillsAttr = "vortex.spills";
} // namespace vortex

#include "vortex/Dialect/Vortex/IR/VortexDialect.h.inc"
#include "vortex/Dialect/Vortex/IR/VortexEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "vortex/Dialect/Vortex/IR/VortexAttrs.h.inc"
#define GET_OP_CLASSES
#include "vortex/Dialect/Vortex/IR/VortexOps.h.inc"

#endif // VORTEX_DIALECT_VORTEX_IR_VORTEXDIALECT_H
