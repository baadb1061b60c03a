//===- VortexHwAttrs.td - Hardware descriptions -----------*- tablegen -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_HW_ATTRS_TD
#define VORTEX_HW_ATTRS_TD

include "vortex/Dialect/Vortex/IR/VortexDialect.td"
include "mlir/Interfaces/DataLayoutInterfaces.td"

def Vortex_HwLevelAttr : AttrDef<Vortex_Dialect, "HwLevel"> {
  let mnemonic = "hw_level";
  let summary = "one level of a machine, as seen by one unit of that level";
  let description = [{
    Levels run from the device down to the registers. A level has `units` of
    itself inside one unit of the level above. Zero in `capacity`,
    `bandwidth`, `latency` or `granularity` means "this level has no memory of
    its own".

    - `capacity`: bytes of memory one unit owns.
    - `bandwidth`: GB/s (1e9 bytes) that one unit reads from this memory.
    - `latency`: nanoseconds of one dependent access.
    - `granularity`: bytes moved by one transaction (a cache line, a register).
    - `alignment`: bytes at which transfers are full speed.
    - `startup`: nanoseconds to start work on the units of this level (waking
      threads, launching a grid).
    - `provenance`: field name -> where the number comes from.
    - `source`: `file:line` of the description, for error messages.
  }];
  let parameters = (ins
    StringRefParameter<"name of the level">:$name,
    "int64_t":$units,
    StringRefParameter<"none, dram, cache, shared or register">:$memory,
    "int64_t":$capacity,
    "::mlir::FloatAttr":$bandwidth_attr,
    "::mlir::FloatAttr":$latency_attr,
    "int64_t":$granularity,
    "int64_t":$alignment,
    "::mlir::FloatAttr":$startup_attr,
    OptionalParameter<"::mlir::DictionaryAttr">:$provenance,
    OptionalParameter<"::mlir::StringAttr">:$source);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    double getBandwidth() const {
      return getBandwidthAttr().getValueAsDouble();
    }
    double getLatency() const {
      return getLatencyAttr().getValueAsDouble();
    }
    double getStartup() const {
      return getStartupAttr().getValueAsDouble();
    }
  }];
}

def Vortex_HwInstructionAttr : AttrDef<Vortex_Dialect, "HwInstruction"> {
  let mnemonic = "hw_instruction";
  let summary = "one multiply-accumulate instruction a candidate may be built on";
  let description = [{
    `kind` is `fma` (vectors, one element of A broadcast), `dot` (vectors,
    groups of `k` products summed per lane), `tile` (AMX), `mma_sync`, `wgmma`
    or `simt`. The instruction computes an `m x n` block of the accumulator
    type from `k` steps of A and B. `rate` is in units of 1e9 multiply and add
    operations a second for one unit of the innermost compute level.
    `feature` names the LLVM target feature it needs, or is empty.
  }];
  let parameters = (ins
    StringRefParameter<"instruction name">:$name,
    StringRefParameter<"kind">:$kind,
    "::mlir::Type":$a, "::mlir::Type":$b, "::mlir::Type":$acc,
    "int64_t":$m, "int64_t":$n, "int64_t":$k,
    "::mlir::FloatAttr":$rate_attr,
    StringRefParameter<"LLVM feature">:$feature,
    OptionalParameter<"::mlir::StringAttr">:$source);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    double getRate() const {
      return getRateAttr().getValueAsDouble();
    }
  }];
}

def Vortex_HwAttr : AttrDef<Vortex_Dialect, "Hw",
    [DeclareAttrInterfaceMethods<DLTIQueryInterface, ["query"]>]> {
  let mnemonic = "hw";
  let summary = "a hardware description: instruction set, chip, levels, instructions";
  let description = [{
    `isa` names what code is generated for (`x86-avx2`, `x86-avx512`,
    `x86-avx512-amx`, `sm_80`, `sm_90a`), `chip` the machine (`host`, `a100`,
    `h200`). `triple` and `features` are LLVM's. Levels are listed from the
    device down to the registers.
  }];
  let parameters = (ins
    StringRefParameter<"instruction set">:$isa,
    StringRefParameter<"chip">:$chip,
    StringRefParameter<"LLVM triple">:$triple,
    StringRefParameter<"LLVM CPU used for scheduling models">:$cpu,
    StringRefParameter<"LLVM features, comma separated">:$features,
    ArrayRefParameter<"HwLevelAttr">:$levels,
    ArrayRefParameter<"HwInstructionAttr">:$instructions);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// The level called `name`, or null.
    HwLevelAttr getLevel(::llvm::StringRef name) const;
    /// Whether this describes a GPU (`sm_*`).
    bool isGPU() const;
    /// Bytes of one vector register (granularity of level `register`); 0 when
    /// the description has no such level.
    int64_t getVectorBytes() const;
    /// Number of vector registers (capacity / granularity of `register`).
    int64_t getVectorRegisters() const;
    /// The instruction of `kind` for these element types, or null.
    HwInstructionAttr getInstruction(::llvm::StringRef kind, ::mlir::Type a,
                                     ::mlir::Type b, ::mlir::Type acc) const;
  }];
}

#endif // VORTEX_HW_ATTRS_TD
