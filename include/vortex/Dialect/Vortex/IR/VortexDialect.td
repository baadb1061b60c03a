//===- VortexDialect.td - The vortex dialect ---------------*- tablegen -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_TD
#define VORTEX_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/AttrTypeBase.td"

def Vortex_Dialect : Dialect {
  let name = "vortex";
  let cppNamespace = "::vortex";
  let summary = "Kernels with unknown sizes, their candidates and the choice";
  let description = [{
    The dialect says what linalg and scf cannot: which computations form one
    kernel (`vortex.kernel`), which ways there are to run it on a machine
    (`vortex.candidate`, a tree of `vortex.level` and `vortex.stage`), what
    each way costs, and how one is chosen when the sizes arrive. The ops of a
    candidate describe a schedule and hold no computation; the computation
    stays linalg until `vortex-expand` tiles it level by level.

    Attributes that other ops carry:

    | attribute | on | meaning |
    |---|---|---|
    | `vortex.targets` | module | array of `#vortex.hw`: what later passes plan and compile for |
    | `vortex.weight` | argument | bound once to an instance, then the same in every call |
    | `vortex.dims` | argument, result | names of its sizes; the same name means equal (sizes that linalg ops need to be equal are checked without) |
    | `vortex.donated` | argument | the number of the result that takes its memory |
    | `vortex.where` | function | relations between these names, as strings |
    | `vortex.checked_at_call` | function | relations between sizes of arguments that the run time checks at each call, as strings |
    | `vortex.anchor` | payload op | its loops are the kernel's axes |
    | `vortex.id` | payload op | its name for `vortex.stage` |
    | `vortex.bind` | op | made once, when weights are bound |
    | `vortex.precision` | function, linalg op | `f32`, `bf16`, `int8-dynamic`, `tf32` or `bf16x2`: what its products of f32 are computed in |
    | `vortex.tight` | `linalg.pack` | the last group has its exact number of rows |
    | `vortex.prefetch`, `vortex.prefetch_result` | loop | cache lines of the next panel touched in each step; the tile stored behind the loop |
    | `vortex.prefetch_ahead` | loop | trips between what is read and what is touched |
    | `vortex.kernel_module` | module | holds one outlined kernel |
    | `vortex.reads_inits` | module | a tile of the kernel reads what a result starts from |
    | `vortex.context`, `vortex.bound` | argument | the call's context; what was made when weights were bound |
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
}

#endif // VORTEX_DIALECT_TD
