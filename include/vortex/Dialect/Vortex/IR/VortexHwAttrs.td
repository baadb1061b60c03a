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
    itself inside one unit of the level above. A level without memory of its
    own (`memory = none`, or no `memory`) has `units`, `startup` and `call` alone.

    | field | unit | meaning |
    |---|---|---|
    | `units` | | units of this level inside one unit of the level above |
    | `memory` | | `none`, `dram`, `cache`, `shared` or `register` |
    | `capacity` | bytes | memory one unit owns; `KiB`, `MiB`, `GiB` may follow |
    | `bandwidth` | GB/s (1e9 bytes) | what one unit of this memory delivers to all its readers together |
    | `stream` | GB/s | what one core or multiprocessor alone can draw from it; `bandwidth` when absent |
    | `latency` | ns | one dependent access |
    | `granularity` | bytes | one transaction: a cache line, a sector, a register |
    | `alignment` | bytes | address multiple at which transfers run at full speed, or up to which (a page); `granularity` when absent |
    | `ways` | | of a cache: lines of one set. Addresses a multiple of `capacity / ways` bytes apart share a set. Of shared memory: banks, each of `granularity / ways` bytes |
    | `streams` | | of a cache: rows of memory read side by side that its prefetchers follow |
    | `outstanding` | | of a cache: accesses to what lies beyond that one core has under way at once |
    | `pages` | | of a cache: pages that a core finds without waiting, entries of the translation buffer beside it |
    | `touched` | GB/s | of a cache or `dram`: what one core alone draws from it of lines that code requests long before it reads them; when absent, `stream` of `dram` and 1 / 1.3 of it of a cache |
    | `exposed` | | of a cache or `dram`: of a panel that a register tile reads from it with nothing requested ahead, the time that shows beside the shorter of its arithmetic and its transfer, as a share of that |
    | `scattered` | ns | of a cache: what a step of a register tile takes longer when its row, one of many that share a few sets of L2, comes from it; when absent, prefetchers follow such rows as they do a panel (`exposed`) |
    | `merged` | GB/s | of a cache: what it delivers of lines that several units ask for within a short time, which it answers together; `bandwidth` when absent |
    | `translation` | ns | of a cache: what an access waits longer, beside others under way, when its page is not among those used last |
    | `startup` | ns | to start work on the units of this level: waking threads, launching a grid, filling and draining the pipelines of a register tile |
    | `call` | ns | for one unit of this level to enter a kernel, set up its loops and leave it |

    A number may be followed by `from "..."`, which says where it comes from
    and is kept in `provenance` under the field's name. `source` is `file:line`
    of the description the level was loaded from, for error messages. A value
    that cannot be (zero units, a negative bandwidth, memory without capacity)
    is an error at its line.

    ```mlir
    #vortex.hw_level<"l2", units = 1, memory = cache,
      capacity = 2 MiB from "CPUID leaf 4",
      bandwidth = 187 from "measured: 256 KiB read, median of 20",
      latency = 4, granularity = 64>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"name of the level">:$name,
    "int64_t":$units,
    StringRefParameter<"none, dram, cache, shared or register">:$memory,
    "int64_t":$capacity,
    "::mlir::FloatAttr":$bandwidth_attr,
    "::mlir::FloatAttr":$stream_attr,
    "::mlir::FloatAttr":$latency_attr,
    "int64_t":$granularity,
    "int64_t":$alignment,
    "int64_t":$ways,
    "int64_t":$streams,
    "int64_t":$outstanding,
    "int64_t":$pages,
    "::mlir::FloatAttr":$touched_attr,
    "::mlir::FloatAttr":$exposed_attr,
    "::mlir::FloatAttr":$scattered_attr,
    "::mlir::FloatAttr":$merged_attr,
    "::mlir::FloatAttr":$translation_attr,
    "::mlir::FloatAttr":$startup_attr,
    "::mlir::FloatAttr":$call_attr,
    OptionalParameter<"::mlir::DictionaryAttr">:$provenance,
    OptionalParameter<"::mlir::StringAttr">:$source);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    double getBandwidth() const {
      return getBandwidthAttr().getValueAsDouble();
    }
    /// GB/s that one core or multiprocessor alone draws from this memory.
    double getStream() const {
      double stream = getStreamAttr().getValueAsDouble();
      return stream > 0 ? stream : getBandwidth();
    }
    /// GB/s that one core alone draws of lines that it requests ahead.
    double getTouched() const {
      double touched = getTouchedAttr().getValueAsDouble();
      if (touched > 0)
        return touched;
      return getMemory() == "dram" ? getStream() : getStream() / 1.3;
    }
    /// What the machine's own prefetchers leave visible of a panel's transfer.
    double getExposed() const {
      return getExposedAttr().getValueAsDouble();
    }
    /// Nanoseconds that rows which share sets of L2 show; 0: not known.
    double getScattered() const {
      return getScatteredAttr().getValueAsDouble();
    }
    /// GB/s that this cache delivers of lines that several units ask for.
    double getMerged() const {
      return std::max(getMergedAttr().getValueAsDouble(), getBandwidth());
    }
    double getLatency() const {
      return getLatencyAttr().getValueAsDouble();
    }
    double getTranslation() const {
      return getTranslationAttr().getValueAsDouble();
    }
    double getStartup() const {
      return getStartupAttr().getValueAsDouble();
    }
    double getCall() const { return getCallAttr().getValueAsDouble(); }
    bool hasMemory() const { return getMemory() != "none"; }

    /// Names of the fields that hold a number, in the order they are printed.
    static ::llvm::ArrayRef<::llvm::StringRef> getNumericFields();
    /// The number in `field` (0 when it is not given), or nothing when levels
    /// have no such field.
    ::std::optional<double> getNumber(::llvm::StringRef field) const;
    /// This level with `field` replaced; `from` becomes its provenance, or
    /// removes it when empty. Fails where the verifier would.
    ::mlir::FailureOr<HwLevelAttr>
    withNumber(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
               ::llvm::StringRef field, double value,
               ::llvm::StringRef from) const;
    /// This level with `source` replaced; null removes it.
    HwLevelAttr withSource(::mlir::StringAttr source) const;
  }];
}

def Vortex_HwInstructionAttr : AttrDef<Vortex_Dialect, "HwInstruction"> {
  let mnemonic = "hw_instruction";
  let summary = "one multiply-accumulate instruction a candidate may be built on";
  let description = [{
    The instruction adds to an `m x n` block of the accumulator type the
    products of `k` steps of A and B (`shape = m x n x k` without spaces).

    | kind | meaning |
    |---|---|
    | `fma` | vectors of `n` lanes, one element of A broadcast |
    | `dot` | vectors of `n` lanes, groups of `k` products summed in each lane |
    | `tile` | AMX: tiles of at most `m` rows, `n` columns and `k` steps |
    | `mma_sync` | one warp, operands in registers |
    | `wgmma` | four warps, operands in shared memory; `n` is the largest, every multiple of 8 below it exists |
    | `mfma` | one wavefront of 64 lanes, operands in registers; its name is that of the ROCDL op, with `_` for its dots |
    | `simt` | one scalar operation a thread; `n` is the width of a warp |

    `rate` is in units of 1e9 multiply and add operations a second (two for
    each multiply-add) of one `core` on a CPU and of one multiprocessor
    (`block`) on a GPU. `half` is the same of vectors of half as many columns,
    which a core that computes halves one behind the other reaches, too; absent
    when it is not known, and then no tile is made of them. `latency` is the time in ns until an instruction can use
    the result of one before it; absent when it is not known. `registers` is the number of registers of the
    instruction's own kind (AMX tiles); absent when it uses those of level
    `register`. `feature` names the LLVM target feature the instruction needs.
    An unknown kind, a shape or a rate that is not positive, a feature that the
    description's `features` lack, an `mfma` whose shape or types are not those
    that its name says, and one that LLVM has no code for on `cpu` are errors at
    their line.

    The shape of an `mfma` also says where its elements are (AMD matrix
    instruction calculator; of one block, `m = n` being 16 or 32). Lane `l` has,
    of row `l % m` of A and of column `l % n` of B, the `m k / 64` steps from
    `(l / m) m k / 64` on, and of column `l % n` of the sums, as element `e`, row
    `e / 4 * (256 / n) + l / n * 4 + e % 4`; of sums of f64 row `e * 4 + l / 16`.

    ```mlir
    #vortex.hw_instruction<"vfmadd231ps", kind = fma, type = f32 x f32 -> f32,
      shape = 1x16x1, rate = 230 from "measured", latency = 1.1, feature = "avx512f">
    ```
  }];
  let parameters = (ins
    StringRefParameter<"instruction name">:$name,
    StringRefParameter<"kind">:$kind,
    "::mlir::Type":$a, "::mlir::Type":$b, "::mlir::Type":$acc,
    "int64_t":$m, "int64_t":$n, "int64_t":$k,
    "::mlir::FloatAttr":$rate_attr,
    "::mlir::FloatAttr":$half_attr,
    "::mlir::FloatAttr":$latency_attr,
    "int64_t":$registers,
    StringRefParameter<"LLVM feature">:$feature,
    OptionalParameter<"::mlir::DictionaryAttr">:$provenance,
    OptionalParameter<"::mlir::StringAttr">:$source);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    double getRate() const {
      return getRateAttr().getValueAsDouble();
    }
    /// `kind.type`, the prefix of this instruction's machine parameters:
    /// `fma.f32`.
    ::std::string getKey() const;
    double getLatency() const {
      return getLatencyAttr().getValueAsDouble();
    }
    double getHalf() const {
      return getHalfAttr().getValueAsDouble();
    }
    /// The number in `field` (`rate`, or `half` or `latency`, 0 when they are
    /// not given), or nothing when instructions have no such field.
    ::std::optional<double> getNumber(::llvm::StringRef field) const;
    /// This instruction with `field` replaced, as HwLevelAttr::withNumber.
    ::mlir::FailureOr<HwInstructionAttr>
    withNumber(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
               ::llvm::StringRef field, double value,
               ::llvm::StringRef from) const;
    /// This instruction with `source` replaced; null removes it.
    HwInstructionAttr withSource(::mlir::StringAttr source) const;
  }];
}

def Vortex_HwAttr : AttrDef<Vortex_Dialect, "Hw",
    [DeclareAttrInterfaceMethods<DLTIQueryInterface, ["query"]>]> {
  let mnemonic = "hw";
  let summary = "a hardware description: instruction set, chip, levels, instructions";
  let description = [{
    `isa` names what code is generated for (`x86-avx2`, `x86-avx512`,
    `x86-avx512-amx`, `sm_80`, `sm_90a`), `chip` the machine (`host`, `a100`,
    `h200`). `triple`, `cpu` and `features` are LLVM's. Levels are listed from
    the device down to the registers; an x86 description needs `device`,
    `core`, `l2`, `l1` and `register`, one for an NVIDIA GPU `device`, `block`,
    `smem`, `warp` and `register`; others may stand between them (`l3`). A
    level holds at least what the next level with memory inside it holds.

    DLTI queries (`transform.dlti.query`) find `isa`, `chip`, `triple`, `cpu`,
    `features`, each level by its name (its fields as a dictionary) and each
    number by `level.field`, `kind.type.rate` or `kind.type.latency`:

    ```mlir
    module attributes {vortex.targets = [#vortex.hw<
      isa = "x86-avx2", chip = "example", triple = "x86_64-unknown-linux-gnu",
      cpu = "x86-64-v3", features = "+avx2,+fma",
      levels = [
        <"device", units = 1, memory = dram, capacity = 16 GiB, bandwidth = 32, granularity = 64>,
        <"core", units = 4, startup = 300>,
        <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 90, granularity = 64>,
        <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
        <"register", units = 1, memory = register, capacity = 512, granularity = 32>
      ],
      instructions = [
        <"vfmadd231ps", kind = fma, type = f32 x f32 -> f32, shape = 1x8x1, rate = 110, feature = "fma">
      ]>]} {}
    ```
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
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The level called `name`, or null.
    HwLevelAttr getLevel(::llvm::StringRef name) const;
    /// Whether this describes a GPU (`sm_*`).
    bool isGPU() const;
    /// Bytes of one vector register (granularity of level `register`); 0 when
    /// the description has no such level.
    int64_t getVectorBytes() const;
    /// Bytes of a line of the innermost cache; 1 without caches.
    int64_t getLineBytes() const;
    /// Number of vector registers (capacity / granularity of `register`).
    int64_t getVectorRegisters() const;
    /// The instruction of `kind` for these element types, or null.
    HwInstructionAttr getInstruction(::llvm::StringRef kind, ::mlir::Type a,
                                     ::mlir::Type b, ::mlir::Type acc) const;
    /// The number called `level.field`, `kind.type.rate` or
    /// `kind.type.latency`, or nothing.
    ::std::optional<double> getNumber(::llvm::StringRef key) const;
  }];
}

#endif // VORTEX_HW_ATTRS_TD
