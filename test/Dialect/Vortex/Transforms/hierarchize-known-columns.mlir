// RUN: vortex-opt %s --target=x86-avx512 --vortex-hierarchize | FileCheck %s

// Two vectors divide 128 columns, and four do, so that there are no cases for fewer.
// CHECK-LABEL: func.func @divided
// CHECK: @packed_14x32_prefetch
// CHECK-NOT: narrow_rows
// CHECK: @panel_6x64
// CHECK-NOT: narrow_rows
// CHECK: @panel_8x32_prefetch
// CHECK-NOT: narrow_rows
// CHECK-LABEL: func.func @bytes
func.func @divided(%x: tensor<?x?xf32>, %w: tensor<?x128xf32> {vortex.weight}, %o: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x128xf32>) outs(%o : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// So have products in groups.
// CHECK: @packed_dot_14x32
// CHECK-NOT: narrow_rows
// CHECK: @panel_dot_8x32
// CHECK-NOT: narrow_rows
// CHECK-LABEL: func.func @left
func.func @bytes(%x: tensor<?x?xi8>, %w: tensor<?x96xi8> {vortex.weight}, %o: tensor<?x96xi32>) -> tensor<?x96xi32> {
  %r = linalg.matmul ins(%x, %w : tensor<?x?xi8>, tensor<?x96xi8>) outs(%o : tensor<?x96xi32>) -> tensor<?x96xi32>
  return %r : tensor<?x96xi32>
}

// Of 40 columns eight are left for a tile of one.
// CHECK: @panel_6x64
// CHECK: narrow_rows = 8
// CHECK: @panel_8x32_prefetch
// CHECK: narrow_rows = 8
func.func @left(%x: tensor<?x?xf32>, %w: tensor<?x40xf32> {vortex.weight}, %o: tensor<?x40xf32>) -> tensor<?x40xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x40xf32>) outs(%o : tensor<?x40xf32>) -> tensor<?x40xf32>
  return %r : tensor<?x40xf32>
}

// One panel of columns needs no second.
// CHECK-LABEL: func.func @few_columns
// CHECK-NOT: @panel_6x64
// CHECK: @panel_8x32
func.func @few_columns(%a: tensor<?x?xf32>, %b: tensor<?x32xf32> {vortex.weight}, %o: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x32xf32>) outs(%o : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %p : tensor<?x32xf32>
}
