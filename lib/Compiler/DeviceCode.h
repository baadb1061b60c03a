//===- DeviceCode.h - Kernels to code of a GPU ------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_COMPILER_DEVICECODE_H
#define VORTEX_LIB_COMPILER_DEVICECODE_H

#include "Kernels.h"

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include <map>

namespace vortex {

/// VortexDeviceKernelInfo, owned; `ptx` is what the target has in its place.
struct KernelCode {
  std::string name, function, ptx;
  std::string cubin; ///< empty without ptxas
  int64_t threads = 0, sharedBytes = 0, parameters = 0;
  int64_t queue = 0;         ///< blocks of a multiprocessor that walk all tiles
  int64_t cluster = 1;       ///< blocks that start together
  std::vector<int64_t> tile; ///< one number an axis
  std::vector<std::string> candidates; ///< "KERNEL=CANDIDATE" that launch it
};

/// Why candidates have no code, under "KERNEL=CANDIDATE".
using MissingTable = std::map<std::string, std::string>;

/// The GPU that is the one target of `module`; null for a CPU.
HwAttr getDeviceTarget(mlir::ModuleOp module);

/// Whether `target` is a GPU of NVIDIA, for which there is a run time.
bool isForNVIDIA(HwAttr target);

/// Of files with kernels for `target`: ".ptx", ".s", ".spv".
llvm::StringRef getCodeSuffix(HwAttr target);

/// The CPU that the program around the kernels of a GPU is compiled for.
CodeTarget getLauncherTarget();

/// Gives each of `kernels`, which have one candidate each, device code and
/// leaves in its module the function that launches it; adds the code to `code`,
/// in that order. A candidate that has none goes into `missing`, one whose code
/// spills registers into `spills`; what was left then is of no use.
class DeviceCompiler {
public:
  /// Code that `cache` has is not made again.
  DeviceCompiler(HwAttr target, const CompileOptions &options,
                 ObjectCache &cache);

  llvm::LogicalResult compile(llvm::MutableArrayRef<KernelModule> kernels,
                              MissingTable &missing, SpillTable &spills,
                              std::vector<KernelCode> &code);

  /// Compiles the modules of device code in `program`, which it takes away,
  /// and adds them to `code` in their order.
  llvm::LogicalResult compileLoops(mlir::ModuleOp program,
                                   std::vector<KernelCode> &code);

private:
  struct Attempt {
    KernelCode code;
    std::string boxes;  ///< the kernel's `vortex.boxes`, as text; empty: none
    std::string reason; ///< why there is no code
    unsigned spills = 0;
    std::string key; ///< in the cache
  };
  std::string getKey(llvm::StringRef ir) const;
  bool load(Attempt &attempt) const;
  void store(const Attempt &attempt);
  std::string emit(KernelModule &kernel, Attempt &attempt);
  void readMetadata(Attempt &attempt);
  void assemble(Attempt &attempt);
  void buildConversion(mlir::OpPassManager &pm) const;
  void buildLowering(mlir::OpPassManager &pm) const;
  /// `work` for each number below `count`, on all threads.
  void run(size_t count, llvm::function_ref<void(size_t)> work);

  HwAttr target;
  const CompileOptions &options;
  ObjectCache &cache;
  std::string ptxas;                    ///< empty for none
  std::map<std::string, Attempt> known; ///< by the text of the module
};

} // namespace vortex

#endif // VORTEX_LIB_COMPILER_DEVICECODE_H
