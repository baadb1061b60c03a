// Widened bytes are multiplied as bytes; zero points become sums of columns and rows.
// RUN: vortex-opt --vortex-narrow-products --canonicalize --cse --split-input-file --mlir-print-local-scope %s | FileCheck %s

// As an importer writes it: u8 less a zero point that is known at run time, times s8, in 64 bits, truncated.
// CHECK-LABEL: @dynamic
// CHECK:         %[[P:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<?x?xi8>, tensor<?x?xi8>) outs(%{{.*}} : tensor<?x?xi32>)
// CHECK:           arith.extui %{{.*}} : i8 to i32
// CHECK:           arith.extsi %{{.*}} : i8 to i32
// CHECK:         %[[S:.*]] = linalg.generic {{.*}}affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%arg1
// CHECK:           arith.extsi
// CHECK:         linalg.generic {{.*}} ins(%[[P]], %[[S]], %arg2 : tensor<?x?xi32>, tensor<?xi32>, tensor<i8>)
// CHECK:           %[[Z:.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK:           %[[PART:.*]] = arith.muli %[[Z]], %{{.*}} : i32
// CHECK:           arith.subi %{{.*}}, %[[PART]] : i32
// CHECK-NOT:     i64
func.func @dynamic(%x: tensor<?x?xi8>, %w: tensor<?x?xi8>, %zp: tensor<i8>, %ex: tensor<?x?xi32>, %ew: tensor<?x?xi32>, %ey: tensor<?x?xi64>, %e: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %zero = arith.constant 0 : i64
  %x32 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xi8>) outs(%ex : tensor<?x?xi32>) {
  ^bb0(%in: i8, %out: i32):
    %u = arith.extui %in : i8 to i32
    linalg.yield %u : i32
  } -> tensor<?x?xi32>
  %w32 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<?x?xi8>) outs(%ew : tensor<?x?xi32>) {
  ^bb0(%in: i8, %out: i32):
    %u = arith.extsi %in : i8 to i32
    linalg.yield %u : i32
  } -> tensor<?x?xi32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x32, %zp : tensor<?x?xi32>, tensor<i8>) outs(%ex : tensor<?x?xi32>) {
  ^bb0(%in: i32, %z: i8, %out: i32):
    %u = arith.extui %z : i8 to i32
    %d = arith.subi %in, %u : i32
    linalg.yield %d : i32
  } -> tensor<?x?xi32>
  %z = linalg.fill ins(%zero : i64) outs(%ey : tensor<?x?xi64>) -> tensor<?x?xi64>
  %y = linalg.matmul ins(%a, %w32 : tensor<?x?xi32>, tensor<?x?xi32>) outs(%z : tensor<?x?xi64>) -> tensor<?x?xi64>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x?xi64>) outs(%e : tensor<?x?xi32>) {
  ^bb0(%in: i64, %out: i32):
    %u = arith.trunci %in : i64 to i32
    linalg.yield %u : i32
  } -> tensor<?x?xi32>
  return %t : tensor<?x?xi32>
}

// -----

// 64 bits that somebody reads, of a reduction of unknown length: sums may not fit 32 bits.
// CHECK-LABEL: @long
// CHECK:         linalg.matmul {{.*}} outs(%{{.*}} : tensor<?x?xi64>)
func.func @long(%x: tensor<?x?xi8>, %w: tensor<?x?xi8>, %ex: tensor<?x?xi32>, %ey: tensor<?x?xi64>) -> tensor<?x?xi64> {
  %zero = arith.constant 0 : i64
  %x32 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xi8>) outs(%ex : tensor<?x?xi32>) {
  ^bb0(%in: i8, %out: i32):
    %u = arith.extui %in : i8 to i32
    linalg.yield %u : i32
  } -> tensor<?x?xi32>
  %w32 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<?x?xi8>) outs(%ex : tensor<?x?xi32>) {
  ^bb0(%in: i8, %out: i32):
    %u = arith.extsi %in : i8 to i32
    linalg.yield %u : i32
  } -> tensor<?x?xi32>
  %z = linalg.fill ins(%zero : i64) outs(%ey : tensor<?x?xi64>) -> tensor<?x?xi64>
  %y = linalg.matmul ins(%x32, %w32 : tensor<?x?xi32>, tensor<?x?xi32>) outs(%z : tensor<?x?xi64>) -> tensor<?x?xi64>
  return %y : tensor<?x?xi64>
}

// -----

// 64 bits that somebody reads, of 100 products: they are 32 bits, extended.
// CHECK-LABEL: @short
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<?x?xi32>)
// CHECK:           arith.extsi %{{.*}} : i32 to i64
func.func @short(%x: tensor<?x100xi8>, %w: tensor<100x?xi8>, %ex: tensor<?x100xi32>, %ew: tensor<100x?xi32>, %ey: tensor<?x?xi64>) -> tensor<?x?xi64> {
  %zero = arith.constant 0 : i64
  %x32 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x100xi8>) outs(%ex : tensor<?x100xi32>) {
  ^bb0(%in: i8, %out: i32):
    %u = arith.extui %in : i8 to i32
    linalg.yield %u : i32
  } -> tensor<?x100xi32>
  %w32 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<100x?xi8>) outs(%ew : tensor<100x?xi32>) {
  ^bb0(%in: i8, %out: i32):
    %u = arith.extsi %in : i8 to i32
    linalg.yield %u : i32
  } -> tensor<100x?xi32>
  %z = linalg.fill ins(%zero : i64) outs(%ey : tensor<?x?xi64>) -> tensor<?x?xi64>
  %y = linalg.matmul ins(%x32, %w32 : tensor<?x100xi32>, tensor<100x?xi32>) outs(%z : tensor<?x?xi64>) -> tensor<?x?xi64>
  return %y : tensor<?x?xi64>
}
