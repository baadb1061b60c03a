//===- Passes.td - Attaching targets --------------------- -*- tablegen -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_HWDESC_PASSES_TD
#define VORTEX_HWDESC_PASSES_TD

include "mlir/Pass/PassBase.td"

def VortexAttachTarget : Pass<"vortex-attach-target", "::mlir::ModuleOp"> {
  let summary = "Set the targets that later passes plan and compile for";
  let description = [{
    Looks the targets up by name, or loads a description file, and sets the
    module attribute `vortex.targets`, replacing one that is there. Runs on the
    module; later passes read the attribute unless they have a `target` option
    of their own. Without options it does nothing.

    Example: `--vortex-attach-target="target=x86-avx512,core.units=8"` gives

    ```mlir
    module attributes {vortex.targets = [#vortex.hw<
      isa = "x86-avx512", chip = "generic", ...>]} {
    ```

    Bytes may end in KiB, MiB or GiB; bandwidths are GB/s, times nanoseconds,
    rates 1e9 operations a second (`#vortex.hw_level`, `#vortex.hw_instruction`).

    - Before: any module. After: the attribute, verified as a whole. Errors:
      an unknown name, with those that are known; an unknown key or a value
      that cannot be; both options at once.
  }];
  let dependentDialects = ["::vortex::VortexDialect"];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "NAME(,key=value)*(,NAME(,key=value)*)*; keys are level.field">,
    Option<"targetFile", "target-file", "std::string", /*default=*/"\"\"",
           "path of a hardware description">
  ];
}

#endif // VORTEX_HWDESC_PASSES_TD
