// RUN: rm -rf %t && mkdir %t
// RUN: vortex-compile %s --no-cache --target=x86-avx512 --dump-stages-to=%t/stages -o %t/a.so
// RUN: FileCheck %s --input-file=%t/stages/kernel-main.matmul.0.direct_6x64.ll
// REQUIRES: vortex-compile

// The cases of a tile are functions, and what they compute of strides stays in them: in front of the loops over tiles, a product of one tile would
// pay for all cases. So does the mask of a case's last vector. Where a tile begins in its operands and its result is computed once for all cases.
// CHECK: define {{.*}}@main.matmul.0.direct_6x64(
// CHECK-NOT: <16 x i1>
// CHECK-NOT: getelementptr
// CHECK: getelementptr float, ptr %{{[0-9]+}}, i64
// CHECK-NEXT: getelementptr float, ptr %{{[0-9]+}}, i64
// CHECK-NEXT: getelementptr float, ptr %{{[0-9]+}}, i64
// CHECK-NEXT: switch i32
// CHECK: call fastcc void @main.matmul.0.direct_6x64.case_65(
// CHECK: define internal fastcc void @main.matmul.0.direct_6x64.case_65({{.*}}ptr noalias %{{.*}}ptr noalias %{{.*}}ptr noalias %
// CHECK: bitcast i16 %{{.*}} to <16 x i1>
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}
