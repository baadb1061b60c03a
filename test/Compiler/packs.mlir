// linalg.pack and linalg.unpack with tiles whose sizes are known when they run.
// REQUIRES: vortex-compile, vortex-run
// RUN: vortex-compile %s --target=host -o %t.so
// RUN: %python %S/Inputs/check_packs.py %t
// RUN: not vortex-run %t.so --function=unpack --input=2x3x4x5xf32=1 --input=index=15 --input=index=9 2>&1 | FileCheck %s
// CHECK: 'arg0.dim1 * arg0.dim2 >= arg1', which linalg.unpack needs, does not hold
func.func @pack(%a: tensor<?x?xf32>, %t: index) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %k = tensor.dim %a, %c1 : tensor<?x?xf32>
  %o = arith.ceildivui %m, %t : index
  %e = tensor.empty(%o, %k, %t) : tensor<?x?x?xf32>
  %r = linalg.pack %a padding_value(%p : f32) inner_dims_pos = [0] inner_tiles = [%t] into %e : tensor<?x?xf32> -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
func.func @packpad(%a: tensor<?x?xf32>, %t: index, %p: f32) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %k = tensor.dim %a, %c1 : tensor<?x?xf32>
  %o = arith.ceildivui %k, %t : index
  %e = tensor.empty(%m, %o, %t) : tensor<?x?x?xf32>
  %r = linalg.pack %a padding_value(%p : f32) inner_dims_pos = [1] inner_tiles = [%t] into %e : tensor<?x?xf32> -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
func.func @both(%a: tensor<?x?xf32>, %s: index, %t: index, %p: f32) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %k = tensor.dim %a, %c1 : tensor<?x?xf32>
  %o = arith.ceildivui %m, %s : index
  %q = arith.ceildivui %k, %t : index
  %e = tensor.empty(%q, %o, %s, %t) : tensor<?x?x?x?xf32>
  %r = linalg.pack %a padding_value(%p : f32) outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [%s, %t] into %e : tensor<?x?xf32> -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}
func.func @unpack(%a: tensor<?x?x?x?xf32>, %m: index, %k: index) -> tensor<?x?xf32> {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %s = tensor.dim %a, %c2 : tensor<?x?x?x?xf32>
  %t = tensor.dim %a, %c3 : tensor<?x?x?x?xf32>
  %e = tensor.empty(%m, %k) : tensor<?x?xf32>
  %r = linalg.unpack %a outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [%s, %t] into %e : tensor<?x?x?x?xf32> -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
