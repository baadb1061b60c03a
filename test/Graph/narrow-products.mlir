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

// -----

// Quantised ahead of time: scales and the zero point are applied to sums of bytes. Weights by output, the other way round, zero points that are zero.
// CHECK-LABEL: @scales
// CHECK:         %[[T:.*]] = linalg.transpose ins(%arg1 : tensor<?x64xi8>)
// CHECK:         %[[P:.*]] = linalg.generic {{.*}} ins(%arg0, %[[T]] : tensor<?x64xi8>, tensor<64x?xi8>) outs(%{{.*}} : tensor<?x?xi32>)
// CHECK:           arith.extui %{{.*}} : i8 to i32
// CHECK:           arith.extsi %{{.*}} : i8 to i32
// CHECK:         %[[S:.*]] = linalg.generic {{.*}} ins(%[[T]] : tensor<64x?xi8>)
// CHECK:         %[[Z:.*]] = linalg.generic {{.*}} ins(%[[P]], %[[S]]
// CHECK:           arith.muli %{{.*}}, %c130_i32
// CHECK:           arith.subi
// CHECK:         linalg.generic {{.*}}affine_map<(d0, d1) -> (d1)>{{.*}} ins(%[[Z]], %arg2, %arg3 : tensor<?x?xi32>, tensor<?xf32>, tensor<?x?xf32>)
// CHECK:           %[[BOTH:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK:           %[[SUM:.*]] = arith.sitofp %{{.*}} : i32 to f32
// CHECK:           %[[SCALED:.*]] = arith.mulf %[[SUM]], %[[BOTH]] : f32
// CHECK:           arith.addf %{{.*}}, %[[SCALED]] : f32
// CHECK-NOT:     linalg.matmul
func.func @scales(%x: tensor<?x64xi8>, %w: tensor<?x64xi8>, %s: tensor<?xf32>, %b: tensor<?x?xf32>, %ex: tensor<?x64xf32>, %ew: tensor<?x64xf32>, %et: tensor<64x?xf32>) -> tensor<?x?xf32> {
  %z = arith.constant 130 : i64
  %scale = arith.constant 0.5 : f32
  %zeros = arith.constant dense<0> : tensor<64xi8>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x64xi8>) outs(%ex : tensor<?x64xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.extui %in : i8 to i64
    %1 = arith.subi %0, %z : i64
    %2 = arith.sitofp %1 : i64 to f32
    %3 = arith.mulf %2, %scale : f32
    linalg.yield %3 : f32
  } -> tensor<?x64xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s, %zeros : tensor<?x64xi8>, tensor<?xf32>, tensor<64xi8>) outs(%ew : tensor<?x64xf32>) {
  ^bb0(%in: i8, %f: f32, %zero: i8, %out: f32):
    %0 = arith.extsi %in : i8 to i16
    %1 = arith.extsi %zero : i8 to i16
    %2 = arith.subi %0, %1 : i16
    %3 = arith.sitofp %2 : i16 to f32
    %4 = arith.mulf %3, %f : f32
    linalg.yield %4 : f32
  } -> tensor<?x64xf32>
  %t = linalg.transpose ins(%d : tensor<?x64xf32>) outs(%et : tensor<64x?xf32>) permutation = [1, 0]
  %y = linalg.matmul ins(%a, %t : tensor<?x64xf32>, tensor<64x?xf32>) outs(%b : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// A window: the image is padded with its zero point, of which sums of the filter take care.
// CHECK-LABEL: @window
// CHECK:         %[[X:.*]] = tensor.pad %arg0
// CHECK:           tensor.yield %c-5_i8
// CHECK:         %[[P:.*]] = linalg.generic {{.*}} ins(%[[X]], %arg1 : tensor<?x?x?x16xi8>, tensor<3x3x16x?xi8>) outs(%{{.*}} : tensor<?x?x?x?xi32>)
// CHECK:         %[[S:.*]] = linalg.generic {{.*}} ins(%arg1
// CHECK:         linalg.generic {{.*}} ins(%[[P]], %[[S]]
// CHECK-NOT:     conv_2d
func.func @window(%x: tensor<?x?x?x16xi8>, %w: tensor<3x3x16x?xi8>, %o: tensor<?x?x?x?xf32>, %ex: tensor<?x?x?x16xf32>, %ew: tensor<3x3x16x?xf32>) -> tensor<?x?x?x?xf32> {
  %z = arith.constant -5 : i32
  %scale = arith.constant 0.5 : f32
  %zero = arith.constant 0.0 : f32
  %a = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> (i, j, k, l)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x?x?x16xi8>) outs(%ex : tensor<?x?x?x16xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.extsi %in : i8 to i32
    %1 = arith.subi %0, %z : i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.mulf %2, %scale : f32
    linalg.yield %3 : f32
  } -> tensor<?x?x?x16xf32>
  %p = tensor.pad %a low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?x16xf32> to tensor<?x?x?x16xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> (i, j, k, l)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w : tensor<3x3x16x?xi8>) outs(%ew : tensor<3x3x16x?xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.sitofp %in : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<3x3x16x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%p, %d : tensor<?x?x?x16xf32>, tensor<3x3x16x?xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// -----

// Padding with what is not zero, and sums that may not fit 32 bits, stay floats; so do scales along the reduction.
// CHECK-LABEL: @floats
// CHECK:         linalg.conv_2d_nhwc_hwcf
// CHECK:         linalg.matmul {{.*}} outs(%{{.*}} : tensor<?x?xf32>)
// CHECK:         linalg.matmul {{.*}} outs(%{{.*}} : tensor<?x?xf32>)
func.func @floats(%x: tensor<?x?x?x16xi8>, %w: tensor<3x3x16x?xi8>, %o: tensor<?x?x?x?xf32>, %ex: tensor<?x?x?x16xf32>, %ew: tensor<3x3x16x?xf32>, %m: tensor<?x?xi8>, %em: tensor<?x?xf32>, %q: tensor<?x64xi8>, %r: tensor<64x?xi8>, %s: tensor<64xf32>, %eq: tensor<?x64xf32>, %er: tensor<64x?xf32>) -> (tensor<?x?x?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %scale = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %a = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> (i, j, k, l)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x?x?x16xi8>) outs(%ex : tensor<?x?x?x16xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.sitofp %in : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<?x?x?x16xf32>
  %p = tensor.pad %a low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %one : f32
  } : tensor<?x?x?x16xf32> to tensor<?x?x?x16xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> (i, j, k, l)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w : tensor<3x3x16x?xi8>) outs(%ew : tensor<3x3x16x?xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.sitofp %in : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<3x3x16x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%p, %d : tensor<?x?x?x16xf32>, tensor<3x3x16x?xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%m : tensor<?x?xi8>) outs(%em : tensor<?x?xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.sitofp %in : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  %long = linalg.matmul ins(%l, %l : tensor<?x?xf32>, tensor<?x?xf32>) outs(%em : tensor<?x?xf32>) -> tensor<?x?xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%q, %s : tensor<?x64xi8>, tensor<64xf32>) outs(%eq : tensor<?x64xf32>) {
  ^bb0(%in: i8, %f: f32, %out: f32):
    %0 = arith.sitofp %in : i8 to f32
    %1 = arith.mulf %0, %f : f32
    linalg.yield %1 : f32
  } -> tensor<?x64xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<64x?xi8>) outs(%er : tensor<64x?xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.sitofp %in : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<64x?xf32>
  %along = linalg.matmul ins(%u, %v : tensor<?x64xf32>, tensor<64x?xf32>) outs(%em : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y, %long, %along : tensor<?x?x?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// A difference that is read without a sign is large where it is less than zero.
// CHECK-LABEL: @wraps
// CHECK:         linalg.matmul {{.*}} outs(%{{.*}} : tensor<?x?xf32>)
func.func @wraps(%x: tensor<?x64xi8>, %w: tensor<64x?xi8>, %b: tensor<?x?xf32>, %ex: tensor<?x64xf32>, %ew: tensor<64x?xf32>) -> tensor<?x?xf32> {
  %scale = arith.constant 0.5 : f32
  %z = arith.constant 3 : i32
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x64xi8>) outs(%ex : tensor<?x64xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.extui %in : i8 to i32
    %1 = arith.subi %0, %z : i32
    %2 = arith.uitofp %1 : i32 to f32
    %3 = arith.mulf %2, %scale : f32
    linalg.yield %3 : f32
  } -> tensor<?x64xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<64x?xi8>) outs(%ew : tensor<64x?xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.sitofp %in : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<64x?xf32>
  %y = linalg.matmul ins(%a, %d : tensor<?x64xf32>, tensor<64x?xf32>) outs(%b : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// Zero points by column that are not known to be zero.
// CHECK-LABEL: @column_zeros
// CHECK:         linalg.matmul {{.*}} outs(%{{.*}} : tensor<?x?xf32>)
func.func @column_zeros(%x: tensor<?x64xi8>, %w: tensor<64x?xi8>, %z: tensor<?xi8>, %b: tensor<?x?xf32>, %ex: tensor<?x64xf32>, %ew: tensor<64x?xf32>) -> tensor<?x?xf32> {
  %scale = arith.constant 0.5 : f32
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x64xi8>) outs(%ex : tensor<?x64xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.uitofp %in : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<?x64xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%w, %z : tensor<64x?xi8>, tensor<?xi8>) outs(%ew : tensor<64x?xf32>) {
  ^bb0(%in: i8, %zero: i8, %out: f32):
    %0 = arith.extsi %in : i8 to i32
    %1 = arith.extsi %zero : i8 to i32
    %2 = arith.subi %0, %1 : i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    linalg.yield %4 : f32
  } -> tensor<64x?xf32>
  %y = linalg.matmul ins(%a, %d : tensor<?x64xf32>, tensor<64x?xf32>) outs(%b : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
