// RUN: vortex-opt %s --target=x86-avx512 --vortex-form-kernels --vortex-hierarchize --canonicalize --cse --split-input-file | FileCheck %s

// Where what a thread has of B takes half of L2 (1 MiB) a block of rows is one
// tile high, which goes along the rows of the result.
// CHECK-LABEL: func.func @bound
// CHECK: %[[RESTS:.*]] = arith.cmpi ule, %{{.*}}, %c524288{{.*}} : index
// CHECK-NEXT: arith.select %[[RESTS]], %[[ALL:.*]], %[[ROWS:.*]] : index
// CHECK: %[[BLOCK:.*]] = arith.select %[[RESTS]], %[[TILE:.*]], %[[ROWS]] : index
// CHECK: vortex.candidate @packed_14x32_prefetch guard
// CHECK: vortex.level "core" forall (PL 0 by %[[ALL]], PL 1 by
// CHECK-NEXT: vortex.level "l2" for (TSL 0 by %[[BLOCK]]) load (<operand = 0, layout = pack, axis = 0> by %[[TILE]])
// CHECK-NEXT: vortex.level "l1" for (TSL 1 by %c32
// CHECK-NEXT: vortex.level "register" for (TSL 0 by %[[TILE]])
// Rows in place are few beside a panel, which must not be too long for them: 8
// KiB for each of 6, unless all of B takes half of L1 or one panel all of it.
// CHECK: vortex.candidate @kblock_14x32
// CHECK: %[[RESTS:.*]] = arith.cmpi ule, %[[BYTES:.*]], %c524288{{.*}} : index
// CHECK-NEXT: %[[NEAR:.*]] = arith.cmpi ule, %[[BYTES]], %c16384{{.*}} : index
// CHECK: %[[WORTH:.*]] = arith.muli %{{.*}}, %c49152{{.*}} : index
// CHECK-NEXT: %[[FAR:.*]] = arith.cmpi uge, %{{.*}}, %c32768{{.*}} : index
// CHECK-NEXT: %[[EITHER:.*]] = arith.ori %[[NEAR]], %[[FAR]] : i1
// CHECK: %[[SHORT:.*]] = arith.cmpi ule, %{{.*}}, %[[WORTH]] : index
// CHECK-NEXT: %[[ANY:.*]] = arith.ori %[[EITHER]], %[[SHORT]] : i1
// CHECK-NEXT: %[[BOTH:.*]] = arith.andi %[[RESTS]], %[[ANY]] : i1
// CHECK: %[[BLOCK:.*]] = arith.select %[[BOTH]], %[[TILE:.*]], %{{.*}} : index
// CHECK: vortex.candidate @panel_6x64 cost
// CHECK: vortex.level "core" forall
// CHECK-NEXT: vortex.level "l2" for (TSL 0 by %{{.*}}) {
// CHECK-NEXT: vortex.level "l1" for (TSL 1 by %c64
// CHECK: vortex.candidate @panel_8x32_prefetch
// Few columns along the reduction do where they take half of L1.
// CHECK: %[[NEAR:.*]] = arith.cmpi ule, %{{.*}}, %c16384{{.*}} : index
// CHECK: %[[BLOCK:.*]] = arith.select %[[NEAR]], %[[TILE:.*]], %{{.*}} : index
// CHECK: vortex.candidate @narrow_4x4 guard
// CHECK: vortex.level "core" forall
// CHECK-NEXT: vortex.level "l2" for (TSL 0 by %[[BLOCK]]) {
// CHECK-NEXT: vortex.level "l1" for (TSL 1 by %c4
// CHECK-NEXT: vortex.level "register" for (TSL 0 by %[[TILE]])
// Small problems always go along rows.
// CHECK: vortex.candidate @direct_panel_6x64 guard
// CHECK: vortex.level "l1" for (TSL 0 by
// CHECK-NEXT: vortex.level "register" for (TSL 1 by %c64
func.func @bound(%a: tensor<?x?xf32>, %b: tensor<?x?xf32> {vortex.weight}, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// What the call packs, a panel at a time, stays for all rows of a block.
// CHECK-LABEL: func.func @plain
// CHECK: vortex.candidate @pack_both_14x32
// CHECK-NOT: c524288
// Rows of B in place take at least the sets between two of them, and where they
// do not start at lines the result must be larger than L2.
// CHECK: %[[STRIDE:.*]] = vortex.stride
// CHECK: arith.minui %{{.*}}, %c65536{{.*}} : index
// CHECK: %[[RESTS:.*]] = arith.cmpi ule, %[[BYTES:.*]], %c524288{{.*}} : index
// CHECK: %[[NEAR:.*]] = arith.cmpi ule, %[[BYTES]], %c16384{{.*}} : index
// CHECK: vortex.alignment
// CHECK: %[[WHOLE:.*]] = arith.xori %{{.*}}, %true : i1
// CHECK: %[[EITHER:.*]] = arith.ori %[[NEAR]], %[[WHOLE]] : i1
// CHECK: %[[LARGE:.*]] = arith.cmpi uge, %{{.*}}, %c1048576{{.*}} : index
// CHECK: %[[ANY:.*]] = arith.ori %[[EITHER]], %[[LARGE]] : i1
// CHECK: arith.andi %[[RESTS]], %[[ANY]] : i1
// CHECK: vortex.candidate @raw_8x48
// CHECK: vortex.level "core" forall
// CHECK-NEXT: vortex.level "l2" for (TSL 0 by
// CHECK-NEXT: vortex.level "l1" for (TSL 1 by %c48
// CHECK-NEXT: vortex.level "register" for (TSL 0 by
// Blocks of the reduction take a quarter of the sets of L2 that rows of B in
// place share.
// CHECK: %[[SETS:.*]] = arith.maxui %{{.*}}, %c128{{.*}} : index
// CHECK-NEXT: arith.divui %c262144{{.*}}, %[[SETS]] : index
// CHECK: vortex.candidate @pack_a_14x32_kblock
func.func @plain(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// A machine whose description has no L1 has the same levels, and no such rule.
// CHECK-LABEL: func.func @no_l1
// CHECK: vortex.candidate @panel_8x32
module attributes {vortex.targets = [#vortex.hw<
  isa = "without-l1", chip = "any", triple = "x86_64-unknown-linux-gnu", features = "+avx512f",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1024 GiB, bandwidth = 20, granularity = 64>,
    <"core", units = 1>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 100, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 2 KiB, bandwidth = 1, granularity = 64>
  ],
  instructions = [<"vfmadd231ps", kind = fma, type = f32 x f32 -> f32, shape = 1x16x1, rate = 100, feature = "avx512f">]>]} {
func.func @no_l1(%a: tensor<?x?xf32>, %b: tensor<?x?xf32> {vortex.weight}, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
}
