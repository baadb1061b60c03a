// REQUIRES: vortex-compile
// RUN: rm -rf %t && mkdir %t && split-file %s %t/in
// RUN: not vortex-compile %t/in/none.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not vortex-compile %t/in/syntax.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not vortex-compile %t/in/unranked.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=UNRANKED
// RUN: not vortex-compile %t/in/strided.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=STRIDED
// RUN: not vortex-compile %t/in/result.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not vortex-compile %t/in/external.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=EXTERNAL
// RUN: not vortex-compile %t/in/dims.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=DIMS
// RUN: not vortex-compile %t/in/space.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=SPACE
// RUN: not vortex-compile %t/in/sparse.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=SPARSE
// RUN: vortex-opt %t/in/gather.mlir --strip-debuginfo --emit-bytecode -o %t/in/gather.mlirbc
// RUN: not vortex-compile %t/in/gather.mlirbc -o %t/x.so 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not vortex-compile %t/in/dimension.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=DIMENSION
// RUN: not vortex-compile %t/in/text.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not vortex-compile %t/in/results.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=RESULTS
// RUN: not vortex-compile %t/in/where.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=WHERE
// RUN: not vortex-compile %t/in/symbol.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=SYMBOL
// RUN: not vortex-compile %t/in/gather.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: not ls %t/x.so

//--- none.mlir
// NONE: none.mlir:{{.*}}: error: no public function; an artifact needs at least one
module {}

//--- syntax.mlir
// SYNTAX: syntax.mlir:2:14: error:
func.func @f( {

//--- unranked.mlir
// UNRANKED: unranked.mlir:2:1: error: argument 0 of @f has type 'tensor<*xf32>'; arguments can be scalars, and tensors and row-major memrefs of known rank
func.func @f(%a: tensor<*xf32>) { return }

//--- strided.mlir
// STRIDED: error: argument 1 of @f has type 'memref<?xf32, strided<[?], offset: ?>>'
func.func @f(%a: f32, %b: memref<?xf32, strided<[?], offset: ?>>) { return }

//--- result.mlir
// RESULT: error: result 0 of @f has type 'vector<4xf32>'
func.func @f() -> vector<4xf32> {
  %0 = arith.constant dense<0.0> : vector<4xf32>
  return %0 : vector<4xf32>
}

//--- external.mlir
// EXTERNAL: external.mlir:2:1: error: function @g has no body; an artifact can call nothing but itself
func.func private @g(f32)
func.func @f(%a: f32) {
  call @g(%a) : (f32) -> ()
  return
}

//--- dims.mlir
// DIMS: error: argument 0: 'vortex.dims' must name each of its 2 dimensions
func.func @f(%a: tensor<?x?xf32> {vortex.dims = ["m"]}) { return }

//--- space.mlir
// SPACE: error: argument 0 of @f has type 'memref<?xf32, 3>'; arguments can be {{.*}} without an encoding or a memory space
func.func @f(%a: memref<?xf32, 3>) { return }

//--- sparse.mlir
// SPARSE: error: argument 0 of @f has type 'tensor<?xf32, #sparse_tensor.encoding
#S = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @f(%a: tensor<?xf32, #S>) { return }

//--- dimension.mlir
// DIMENSION: dimension.mlir:4:8: error: asks for the size of dimension -1 of 'tensor<?x?xf32>', which has 2
func.func @f(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = arith.constant -1 : index
  %m = tensor.dim %a, %c : tensor<?x?xf32>
  %e = tensor.empty(%m, %m) : tensor<?x?xf32>
  %r = linalg.exp ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

//--- text.mlir
// TEXT: error: argument 0: 'vortex.dims' must name each of its 2 dimensions
func.func @f(%a: tensor<?x?xf32> {vortex.dims = "m"}) { return }

//--- results.mlir
// RESULTS: error: result 0: 'vortex.dims' must name each of its 1 dimensions
func.func @f(%a: tensor<?xf32>) -> (tensor<?xf32> {vortex.dims = ["m", "n"]}) { return %a : tensor<?xf32> }

//--- where.mlir
// WHERE: where.mlir:2:1: error: 'vortex.where' has relation 'm <= q': there is no size 'q' here
func.func @f(%a: tensor<?xf32> {vortex.dims = ["m"]}) attributes {vortex.where = ["m <= q"]} { return }

//--- symbol.mlir
// SYMBOL: error: the program needs '__divti3', which is not in libc or libm
func.func @f(%a: i64, %b: i64) -> i64 {
  %x = arith.extsi %a : i64 to i128
  %y = arith.extsi %b : i64 to i128
  %z = arith.divsi %x, %y : i128
  %r = arith.trunci %z : i128 to i64
  return %r : i64
}

//--- gather.mlir
// GATHER: gather.mlir:4:8: error: op was not bufferized
// NOWHERE: gather.mlirbc: error: 'tensor.gather' in @f: op was not bufferized
func.func @f(%a: tensor<?x?xf32>, %i: tensor<?x1xindex>) -> tensor<?x?xf32> {
  %0 = tensor.gather %a[%i] gather_dims([0]) : (tensor<?x?xf32>, tensor<?x1xindex>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
