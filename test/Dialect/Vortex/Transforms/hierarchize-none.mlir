// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize=candidates=none --remarks-filter=vortex-hierarchize --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize="candidates=none deterministic=batch-invariant libraries=openblas" | FileCheck %s --check-prefix=LOOPS
// RUN: vortex-opt %s --target=sm_80 --vortex-hierarchize=candidates=none | FileCheck %s --check-prefix=GPU
// RUN: vortex-compile %s --target=host --candidates=none -o %t.so
// RUN: vortex-run %t.so --list | FileCheck %s --check-prefix=LIST
// RUN: vortex-run %t.so --function=mm --input=3x5xf32=2 --input=5x7xf32=3 --input=3x7xf32=1 --expected-output=3x7xf32=31

// No tile, whatever else is asked for; what it is for are CPUs.
// CHECK: Remark=mm.matmul.0, Remark="' is a fallback, lowered to generic loops: ", Remark=candidates=none
// CHECK-NOT: vortex.candidate
// LOOPS: linalg.matmul
// LOOPS-NOT: vortex.candidate
// GPU: vortex.candidate
// LIST: kernel mm.matmul.0: fallback, generic loops
func.func @mm(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
