// arith and math on whole tensors, which no lowering takes as they are, become linalg first.
// RUN: vortex-compile %s --target=host -o %t.so
// RUN: vortex-run %t.so --function=f --input=2x3xf32=0.5 --input=2x3xf32=-0.5 --input='4xi1=1 0 1 0' \
// RUN:   --input='4xindex=1 2 3 4' --input='4xindex=5 6 7 8' \
// RUN:   --expected-output=2x3xf32=1 --expected-output='4xindex=1 6 3 8' --expected-output=2x3xbf16=1
// RUN: vortex-opt --vortex-lower-to-llvm %s | FileCheck %s
// RUN: vortex-opt --target=x86-avx512 --vortex-plan-kernels %s | FileCheck %s --check-prefix=PLAN
// REQUIRES: vortex-compile, vortex-run

// CHECK: llvm.func @f
// CHECK-NOT: tensor<
// One kernel: what linalg becomes is fused like any linalg.
// PLAN: vortex.kernel_call
// PLAN-NOT: math.exp %{{.*}} : tensor<
func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<4xi1>, %d: tensor<4xindex>, %e: tensor<4xindex>)
    -> (tensor<?x?xf32>, tensor<4xindex>, tensor<?x?xbf16>) {
  %r = arith.addf %a, %b : tensor<?x?xf32>
  %s = math.exp %r : tensor<?x?xf32>
  %t = arith.select %c, %d, %e : tensor<4xi1>, tensor<4xindex>
  %n = arith.truncf %s : tensor<?x?xf32> to tensor<?x?xbf16>
  return %s, %t, %n : tensor<?x?xf32>, tensor<4xindex>, tensor<?x?xbf16>
}
