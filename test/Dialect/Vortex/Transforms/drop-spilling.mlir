// RUN: vortex-opt %s --split-input-file --target=x86-avx512 --vortex-hierarchize --vortex-drop-spilling --vortex-select-kernels --remarks-filter=vortex-drop-spilling --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// A candidate whose code spills is left out.
// REMARK: spills
// REMARK-SAME: Remark=raw_8x48, Remark="' spills vector registers by ", Remark=4
// REMARK-SAME: Remark=dropped
// CHECK-LABEL: func.func @some
// CHECK: vortex.select "some.matmul.0" ["pack_both_14x32", "pack_both_14x32_kblock", "pack_a_14x32_kblock", "raw_6x64_kblock", "sweep_8", "direct_6x64", "pack_narrow_4x4", "strip_4", "outer_8x64", "direct_pack_narrow_4x4", "direct_strip_4", "parts_6x64"]
module attributes {vortex.spills = {"some.matmul.0=raw_8x48" = 4 : i64, "other.matmul.0=direct_6x64" = 1 : i64}} {
func.func @some(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}

// -----

// Where every candidate does, all stay: the choice needs an answer.
// REMARK: kept, as no other runs at every size
// CHECK-LABEL: func.func @all
// CHECK: vortex.select "all.matmul.0" ["pack_both_14x32", "pack_both_14x32_kblock", "raw_8x48", "pack_a_14x32_kblock", "raw_6x64_kblock", "sweep_8", "direct_6x64", "pack_narrow_4x4", "strip_4", "outer_8x64", "direct_pack_narrow_4x4", "direct_strip_4", "parts_6x64"]
module attributes {vortex.spills = {"all.matmul.0=pack_both_14x32" = 1 : i64, 
                                    "all.matmul.0=raw_8x48" = 1 : i64, "all.matmul.0=direct_6x64" = 1 : i64,
                                    "all.matmul.0=pack_narrow_4x4" = 1 : i64,
                                    "all.matmul.0=strip_4" = 1 : i64}} {
func.func @all(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
}
