// RUN: vortex-opt %s --vortex-hierarchize="target=x86-avx512 deterministic=batch-invariant" --remarks-filter=vortex-hierarchize --remark-format=emitRemark -o %t.mlir 2> %t.remarks
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// One sum for each element in tiles of all heights, products contracted with it alone.
// REMARK: product.matmul.0
// REMARK-SAME: partial sums of tiles of few rows: the order of terms would follow the rows (batch-invariant)
// REMARK-SAME: parts_6x64: a reduction is divided among units (batch-invariant)
// CHECK-LABEL: func.func @product(
// CHECK-NOT: combine("add")
// CHECK-NOT: in_flight
// CHECK: vortex.stage ["p0", "p1"] micro <{{.*}}contract = false>
// CHECK-NOT: in_flight
// CHECK-NOT: combine("add")
// CHECK-LABEL: func.func @given(
func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Of a program's own candidates those stay that add up as the first without a guard does.
// REMARK: Remark=own, Remark="': considered ", Remark=4, Remark=", kept ", Remark=2, Remark=" (", Remark="steady, also"
// REMARK-SAME: partial: tiles of few rows have partial sums ('in_flight') (batch-invariant)
// REMARK-SAME: pairs: adds up by 'vdpbf16ps', steady by 'fma' (batch-invariant)
// CHECK: vortex.kernel "own"
// CHECK-NOT: @partial
// CHECK: vortex.candidate @steady
// CHECK: contract = false>
// CHECK-NOT: @pairs
// CHECK: vortex.candidate @also
// CHECK: contract = false>
// CHECK-LABEL: func.func @flags(
func.func @given(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = vortex.kernel "own" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>)
                                                         outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %few = arith.cmpi ule, %m, %c4 : index
    vortex.candidate @partial schedule {
      vortex.level "l1" for (TSL 0 by %c4, TSL 1 by %c16) {
        vortex.stage ["mm"] micro <instruction = "fma", rows = 4, vectors = 1, lanes = 16, unroll = 4, in_flight = 8>
      }
    }
    vortex.candidate @steady schedule {
      vortex.level "l1" for (TSL 0 by %c4, TSL 1 by %c16) {
        vortex.stage ["mm"] micro <instruction = "fma", rows = 4, vectors = 1, lanes = 16>
      }
    }
    vortex.candidate @pairs schedule {
      vortex.level "l1" for (TSL 0 by %c4, TSL 1 by %c16) {
        vortex.stage ["mm"] micro <instruction = "dot", rows = 4, vectors = 1, lanes = 16, opcode = "vdpbf16ps", group = 2>
      }
    }
    vortex.candidate @also guard {
      vortex.yield %few : i1
    } schedule {
      vortex.level "l1" for (TSL 0 by %c4, TSL 1 by %c16) {
        vortex.stage ["mm"] micro <instruction = "fma", rows = 4, vectors = 1, lanes = 16, unroll = 2>
      }
    }
  } : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// What lets LLVM reorder or leave out roundings goes.
// CHECK-NOT: fastmath
// CHECK: arith.addf
// CHECK-NOT: fastmath
func.func @flags(%x: tensor<?x?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %sum = arith.addf %s, %a fastmath<reassoc> : f32
    linalg.yield %sum : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
