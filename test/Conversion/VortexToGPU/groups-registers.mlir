// REQUIRES: ptxas
// RUN: vortex-opt %s --target=sm_90a --vortex-hierarchize --vortex-select-kernels --vortex-lower-to-ptx -o %t.mlir
// RUN: %python %vortex_src_root/test/ptxsim/assemble.py %t.mlir --target=sm_90a | FileCheck %s

// Every candidate assembles, nothing spills, and products are not made to wait
// for each other: the assembler would say so.
// CHECK-NOT: arning
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
// CHECK: wgmma_128x256x64_s4_boxes
// CHECK-NEXT: Function properties
// CHECK-NEXT: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-NEXT: Used 168 registers
// CHECK-NOT: arning
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
// CHECK: wgmma_64x64x64_s6_boxes
// CHECK-NEXT: Function properties
// CHECK-NEXT: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-NEXT: Used 128 registers
// CHECK-NOT: arning
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
// CHECK: wgmma_16x128x64_s6
// CHECK-NEXT: Function properties
// CHECK-NEXT: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-NEXT: Used {{[1-9][0-9]}} registers
// CHECK-NOT: arning
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
// CHECK: wgmma_128x256x64_s4_c2x1_boxes
// CHECK-NEXT: Function properties
// CHECK-NEXT: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-NEXT: Used 168 registers
// CHECK-NOT: arning
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
