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
