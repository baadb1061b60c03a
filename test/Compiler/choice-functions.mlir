// REQUIRES: vortex-compile, vortex-run
// RUN: rm -rf %t && mkdir -p %t
// RUN: env XDG_CACHE_HOME=%t/cache vortex-compile %s --target=x86-avx2 --dump-stages-to=%t -o %t/a.so
// RUN: FileCheck %s < %t/3-choices.mlir
// RUN: FileCheck %s --check-prefix=HOST < %t/host.ll
// RUN: ls %t | FileCheck %s --check-prefix=FILES

// Both layers, and what tells their choices before the program runs, have one function, which is compiled by itself and kept in the cache.
// FILES: vortex.choice.{{[0-9A-F.]+}}.ll
// FILES-NOT: vortex.choice.{{[0-9A-F.]+}}.ll
// HOST: declare i64 @vortex.choice.{{[0-9A-F]+\.[0-9A-F]+}}(ptr, i64
// HOST-NOT: fdiv

// Another program with the same layer finds its function there, under the name that it has in this one.
// RUN: grep -rl 'vortex\.choice\.' %t/cache > %t/first
// RUN: sed 's/@layers/@others/' %s > %t/others.mlir
// RUN: env XDG_CACHE_HOME=%t/cache vortex-compile %t/others.mlir --target=x86-avx2 -o %t/b.so
// RUN: grep -rl 'vortex\.choice\.' %t/cache | diff %t/first -

// What is told and what is chosen is the same, and belongs to the kernel that asks.
// RUN: vortex-run %t/a.so --input=33x70xf32=1 --input=70x70xf32=1 --input=33x70xf32=1 --input=70x70xf32=2 --expected-output=33x70xf32=70 --expected-output=33x70xf32=140
// RUN: vortex-run %t/a.so --input=33x70xf32=1 --input=70x70xf32=1 --input=33x70xf32=1 --input=70x70xf32=2 --explain --force=layers.matmul.1=pack_a_5x16 2>&1 | FileCheck %s --check-prefix=TOLD
// TOLD-DAG: kernel layers.matmul.0: raw_5x16
// TOLD-DAG: kernel layers.matmul.1: pack_a_5x16

// CHECK: func.func @layers(
// CHECK: %[[I:.*]] = call @vortex.choice(%{{.*}}, %c0_i64)
// CHECK: scf.index_switch %[[I]]
// CHECK: call @vortex.choice(%{{.*}}, %c1_i64)
// CHECK: func.func private @layers.choices(
// CHECK: call @vortex.choice(%{{.*}}, %c0_i64)
// CHECK: call @vortex.choice(%{{.*}}, %c1_i64)
// CHECK-NOT: vortex.choice_input
// CHECK: func.func private @vortex.choice(
// CHECK-NOT: func.func private @vortex.choice_
func.func @layers(%x: tensor<?x?xf32>, %a: tensor<?x?xf32>, %y: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%x, %a : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  %j = tensor.dim %y, %c0 : tensor<?x?xf32>
  %k = tensor.dim %b, %c1 : tensor<?x?xf32>
  %f = tensor.empty(%j, %k) : tensor<?x?xf32>
  %w = linalg.fill ins(%zero : f32) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.matmul ins(%y, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%w : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r, %s : tensor<?x?xf32>, tensor<?x?xf32>
}
