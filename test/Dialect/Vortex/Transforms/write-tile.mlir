// RUN: vortex-opt %s --vortex-attach-target=target=x86-avx512 --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s
// RUN: vortex-opt %s --vortex-attach-target=target=x86-avx2 --vortex-lower-micro-kernels --canonicalize --cse | FileCheck %s --check-prefix=NARROW
// Tiles are stored under as few masks as possible.

// One vector that is whole is stored without a mask; of more columns than half, one half is; else half a vector is stored under one.
// CHECK-LABEL: func.func @panels
// CHECK: scf.index_switch
// CHECK: case 65 {
// CHECK: %[[WHOLE1:.*]] = arith.cmpi uge, %[[N:.*]], %c16
// CHECK: scf.if %[[WHOLE1]]
// CHECK-NEXT: vortex.store_tile %{{.*}} : vector<16xf32> into
// CHECK: } else {
// CHECK: %[[MORE:.*]] = arith.cmpi ugt, %[[N]], %c8
// CHECK: scf.if %[[MORE]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[N]], %c8
// CHECK: %[[MASK:.*]] = vector.create_mask %[[LEFT]] : vector<8xi1>
// CHECK: vector.extract_strided_slice %{{.*}} {offsets = [0], sizes = [8], strides = [1]}
// CHECK: vortex.store_tile %{{.*}} : vector<8xf32> into
// CHECK: vector.extract_strided_slice %{{.*}} {offsets = [8], sizes = [8], strides = [1]}
// CHECK: vortex.store_tile %{{.*}} : vector<8xf32> masks(%[[MASK]] : vector<8xi1>) at %c8
// CHECK: } else {
// CHECK: vector.create_mask %[[N]] : vector<8xi1>
// CHECK: vortex.store_tile %{{.*}} : vector<8xf32> masks({{.*}}) into
// Of two vectors, the last lanes of a row are those of both that end with it.
// CHECK: case 130 {
// CHECK: %[[WHOLE2:.*]] = arith.cmpi uge, %[[N]], %c32
// CHECK: scf.if %[[WHOLE2]]
// CHECK-NEXT: vortex.store_tile %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32> into {{.*}} vectors = 2
// CHECK: } else {
// CHECK-DAG: %[[END:.*]] = arith.subi %[[N]], %c16
// CHECK-DAG: %[[WORD:.*]] = arith.index_castui %[[END]] : index to i32
// CHECK: %[[ALL:.*]] = vector.broadcast %[[WORD]] : i32 to vector<16xi32>
// CHECK: %[[INDICES:.*]] = arith.addi %[[ALL]], %cst
// CHECK: %[[A:.*]] = vortex.permute %[[A0:.*]], %{{.*}} by %[[INDICES]]
// CHECK: %[[B:.*]] = vortex.permute %[[B0:.*]], %{{.*}} by %[[INDICES]]
// CHECK: vortex.store_tile %[[A0]], %[[B0]] : {{.*}} vectors = 1
// CHECK: vortex.store_tile %[[A]], %[[B]] : vector<16xf32>, vector<16xf32> at %[[END]] into {{.*}} vectors = 1

// Without registers for masks there are no such instructions either.
// NARROW-LABEL: func.func @panels
// NARROW: case 130 {
// NARROW: scf.if
// NARROW-NEXT: vortex.store_tile {{.*}} : vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32> into
// NARROW: } else {
// NARROW-NEXT: vortex.store_tile {{.*}} masks(
// NARROW-NOT: vortex.permute
func.func @panels(%a: tensor<?x?xf32>, %panels: tensor<?x?x32xf32>, %c: tensor<?x?xf32>, %k: index, %n: index) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %b = tensor.extract_slice %panels[0, 0, 0] [1, %k, %n] [1, 1, 1] : tensor<?x?x32xf32> to tensor<?x?xf32>
  %r = vortex.micro_kernel <instruction = "fma", rows = 2, vectors = 2, lanes = 16, unroll = 4, narrow_rows = 2>
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
