// REQUIRES: ptxas
// RUN: vortex-opt %vortex_src_root/test/ptxsim/Inputs/kernels.mlir --target=sm_80 --vortex-decompose-ops --vortex-hierarchize \
// RUN:   --vortex-select-kernels --vortex-lower-to-ptx -o %t.mlir
// RUN: %python %vortex_src_root/test/ptxsim/assemble.py %t.mlir | FileCheck %s
// RUN: vortex-opt %s --target=sm_80 --vortex-hierarchize --vortex-select-kernels --vortex-lower-to-ptx -o %t.orders.mlir
// RUN: %python %vortex_src_root/test/ptxsim/assemble.py %t.orders.mlir | FileCheck %s --check-prefix=ORDERS
// RUN: vortex-opt %s --target=sm_90a --vortex-hierarchize --vortex-select-kernels --vortex-lower-to-ptx -o %t.later.mlir
// RUN: %python %vortex_src_root/test/ptxsim/assemble.py --target=sm_90a %t.later.mlir | FileCheck %s --check-prefix=ORDERS

// No kernel on scalar units keeps anything but its registers.
// CHECK-COUNT-31: 0 bytes spill stores, 0 bytes spill loads
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill

// Nor in any other order of the factors.
// ORDERS-COUNT-42: 0 bytes spill stores, 0 bytes spill loads
// ORDERS-NOT: {{[1-9][0-9]*}} bytes spill
func.func @nt(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @tn(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @tt(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
