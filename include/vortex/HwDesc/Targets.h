//===- Targets.h - From the name of a target to its description -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target is `NAME(,key=value)*`: the name of a description file or `host`,
// and changes to it. Keys are `level.field` (`core.units`, `l2.capacity`),
// `kind.type.rate` (`fma.f32.rate`), `kind.type.latency`, `chip`, `cpu`,
// `triple` and `features`
// (`features=+x,-y` adds and removes; instructions that need a removed feature
// go, too). Bytes may end in KiB, MiB or GiB.
//
// Names are the stems of `*.mlir` files in the folders of VORTEX_HWDESC_PATH
// (separated by colons), in the user's folder ($XDG_CONFIG_HOME/vortex/hwdesc
// or ~/.config/vortex/hwdesc), and in share/vortex/hwdesc beside the program
// or library; the first file found counts. A new machine is a new file.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_HWDESC_TARGETS_H
#define VORTEX_HWDESC_TARGETS_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <utility>

namespace vortex {

struct HostParams;

/// Starts the diagnostic of an error; its location is the caller's.
using EmitErrorFn = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Folders in which descriptions are looked for, in this order. Folders that
/// do not exist are left out.
llvm::SmallVector<std::string> getHwDescFolders();

/// Names that a target may have, sorted, `host` included.
llvm::SmallVector<std::string> listTargets();

/// The description called `name`. An unknown name is an error that lists the
/// known ones and suggests the nearest; an error inside the file is reported
/// at its line.
mlir::FailureOr<HwAttr> lookupTarget(mlir::MLIRContext *context,
                                     llvm::StringRef name,
                                     EmitErrorFn emitError);

/// Parses `NAME(,key=value)*(,NAME(,key=value)*)*`; at least one target, in
/// this order, each once.
mlir::FailureOr<llvm::SmallVector<HwAttr>>
parseTargets(mlir::MLIRContext *context, llvm::StringRef spec,
             EmitErrorFn emitError);

/// The descriptions in a file, which is a module with `vortex.targets`; each
/// level and instruction gets its `source`.
mlir::FailureOr<llvm::SmallVector<HwAttr>>
loadTargetFile(mlir::MLIRContext *context, llvm::StringRef path,
               EmitErrorFn emitError);

/// This machine: the description of its instruction set with the features,
/// core count, cache and memory sizes found here, and the numbers in `params`
/// or, when that is null, those vortex-probe kept for this kind of machine.
mlir::FailureOr<HwAttr> getHostTarget(mlir::MLIRContext *context,
                                      EmitErrorFn emitError,
                                      const HostParams *params = nullptr);

/// `target` with changes applied, all of them before anything is verified.
/// `from` becomes the provenance of the numbers.
mlir::FailureOr<HwAttr>
overrideTarget(HwAttr target,
               llvm::ArrayRef<std::pair<std::string, std::string>> changes,
               llvm::StringRef from, EmitErrorFn emitError);

/// `target` with exactly the LLVM features listed and the instructions they
/// allow.
HwAttr withFeatures(HwAttr target, llvm::StringRef features);

/// `target` without the files and lines that it was read from, as for a file of
/// its own.
HwAttr withoutSources(HwAttr target);

/// What of a target may shape code: unit counts, bandwidths, latencies,
/// start-up costs, rates, memory size, chip name, provenance and sources are
/// replaced by fixed values. Two targets that differ only there are equal
/// afterwards, so this is what a code cache hashes.
HwAttr withoutMeasurements(HwAttr target);

/// Every number of a target by its key, in the order of the description:
/// `units`, and for a level with memory `capacity`, `bandwidth`, `stream`,
/// `latency`; `startup` and `call` where given; then `kind.type.rate`, and
/// `kind.type.latency` where given.
llvm::SmallVector<std::pair<std::string, double>>
getMachineParams(HwAttr target);

/// Sets `vortex.targets` of `module` from a spec or a file; one of the two is
/// empty. Errors are reported at the module.
llvm::LogicalResult attachTargets(mlir::ModuleOp module, llvm::StringRef spec,
                                  llvm::StringRef file = {});

/// Targets of the nearest module around `op` (itself included) that has any.
llvm::SmallVector<HwAttr> getTargets(mlir::Operation *op);

/// Whether a vector across two cache lines, neither in L1, waits for both:
/// lines of a result are to be there before it is stored, and of an operand in
/// place each vector asks L2 for two. So measured on a Xeon of model 207 with
/// vectors of whole lines; with shorter ones neither shows much. Not taken to
/// be so where halves of a vector are computed one behind the other (`half` of
/// `fma`), of which loads were measured (CpuContractionWaits.cpp) and stores
/// were not. What blocks of the reduction in place wait for was fitted for the
/// former machine apart, and goes by this as well.
bool waitsAcrossLines(HwAttr target);

} // namespace vortex

#endif // VORTEX_HWDESC_TARGETS_H
