// Products of f32 as three of bf16, along a reduction three times as long.
// RUN: vortex-opt %s --vortex-apply-precision --cse | FileCheck %s
// RUN: vortex-opt %s --vortex-apply-precision --remarks-filter=vortex-apply-precision --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: vortex-opt %s --target=x86-avx512-amx --vortex-apply-precision | FileCheck %s --check-prefix=SPLIT
// RUN: vortex-opt %s --target=x86-avx512 --vortex-apply-precision --remarks-filter=vortex-apply-precision --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefixes=LACKS,KEPT
// RUN: vortex-opt %s --target=x86-zen4 --vortex-apply-precision --remarks-filter=vortex-apply-precision --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefixes=SLOW,KEPT
// RUN: vortex-opt %s --target=sm_80 --vortex-apply-precision --remarks-filter=vortex-apply-precision --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefixes=GPU,KEPT

// SAID: product matmul of @weight, bf16x2{{.*}}first factor {{.*}}narrowed at each call{{.*}}second factor {{.*}}a weight, narrowed when it is bound
// SPLIT-LABEL: func.func @weight
// SPLIT: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<?x?xbf16>, tensor<?x96xbf16>)
// LACKS: product matmul of @weight, bf16x2{{.*}}stays f32, {{.*}}target x86-avx512 has no instruction that sums products of bf16
// SLOW: product matmul of @weight, bf16x2{{.*}}stays f32, {{.*}}target x86-avx512 makes products of bf16 at a rate of {{[0-9.e+]+}} (vdpbf16ps) and those of f32 at {{[0-9.e+]+}}: three take as long as one, or longer
// GPU: product matmul of @weight, bf16x2{{.*}}stays f32, {{.*}}factors are split for CPUs, and target sm_80 is none
// KEPT-LABEL: func.func @weight
// KEPT: linalg.matmul ins(%arg0, %arg1 : tensor<?x?xf32>, tensor<?x96xf32>)
// CHECK-LABEL: func.func @weight
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : bf16
// CHECK-DAG: %[[INF:.*]] = arith.constant 0x7F800000 : f32
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// The weight, when it is bound: hi, lo, hi.
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<?x96xf32>) outs({{.*}} : tensor<3x?x96xbf16>) attrs = {vortex.bind}
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: bf16):
// CHECK-NEXT: %[[NEAREST:.*]] = arith.truncf %[[X]] : f32 to bf16
// CHECK-NEXT: %[[ROUNDED:.*]] = arith.extf %[[NEAREST]] : bf16 to f32
// CHECK-NEXT: %[[SIZE:.*]] = math.absf %[[ROUNDED]]
// CHECK-NEXT: %[[LARGE:.*]] = arith.cmpf oeq, %[[SIZE]], %[[INF]]
// What would be rounded to infinity is cut.
// CHECK: arith.shrui
// CHECK: %[[HI:.*]] = arith.select %[[LARGE]], %{{.*}}, %[[NEAREST]] : bf16
// CHECK: %[[FINITE:.*]] = arith.cmpf olt, %{{.*}}, %[[INF]]
// CHECK: %[[REST:.*]] = arith.subf %[[X]], %{{.*}} : f32
// CHECK: arith.shrui
// CHECK: %[[LEFT:.*]] = arith.select %[[LARGE]], %{{.*}}, %{{.*}} : bf16
// CHECK: %[[LO:.*]] = arith.select %[[FINITE]], %[[LEFT]], %[[ZERO]] : bf16
// CHECK: %[[TERM:.*]] = linalg.index 0
// CHECK: %[[BESIDE:.*]] = arith.select %[[FINITE]], %[[HI]], %[[ZERO]] : bf16
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[TERM]], %[[C0]]
// CHECK: %[[OTHER:.*]] = arith.select %[[FIRST]], %[[BESIDE]], %[[HI]] : bf16
// CHECK: %[[SECOND:.*]] = arith.cmpi eq, %[[TERM]], %[[C1]]
// CHECK: %[[RESULT:.*]] = arith.select %[[SECOND]], %[[LO]], %[[OTHER]] : bf16
// CHECK: linalg.yield %[[RESULT]]
// CHECK: %[[PANELS:.*]] = tensor.collapse_shape %[[W]] {{\[}}[0, 1], [2]] {vortex.bind} : tensor<3x?x96xbf16> into tensor<?x96xbf16>
// The activation, at each call: lo, hi, hi.
// CHECK: %[[A:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<?x?xf32>) outs({{.*}} : tensor<?x3x?xbf16>) {
// CHECK: %[[TERM:.*]] = linalg.index 1
// CHECK: arith.cmpi eq, %[[TERM]], %[[C1]]
// CHECK: arith.cmpi eq, %[[TERM]], %[[C0]]
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[A]] {{\[}}[0], [1, 2]] : tensor<?x3x?xbf16> into tensor<?x?xbf16>
// CHECK: linalg.matmul ins(%[[ROWS]], %[[PANELS]] : tensor<?x?xbf16>, tensor<?x96xbf16>) outs(%arg2 : tensor<?x96xf32>)
// Twice with one conversion.
// CHECK-NOT: arith.truncf
// CHECK: linalg.matmul ins(%[[ROWS]], %[[PANELS]]
func.func @weight(%x: tensor<?x?xf32>, %w: tensor<?x96xf32> {vortex.weight}, %c: tensor<?x96xf32>, %d: tensor<?x96xf32>) -> (tensor<?x96xf32>, tensor<?x96xf32>) attributes {vortex.precision = "bf16x2"} {
  %r = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x96xf32>) outs(%c : tensor<?x96xf32>) -> tensor<?x96xf32>
  %s = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x96xf32>) outs(%d : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %r, %s : tensor<?x96xf32>, tensor<?x96xf32>
}

// The terms of x as a first factor are not those as a second.
// CHECK-LABEL: func.func @square
// CHECK: tensor.collapse_shape
// CHECK: tensor.collapse_shape
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<40x120xbf16>, tensor<120x40xbf16>)
func.func @square(%x: tensor<40x40xf32>, %c: tensor<40x40xf32>) -> tensor<40x40xf32> attributes {vortex.precision = "bf16x2"} {
  %r = linalg.matmul ins(%x, %x : tensor<40x40xf32>, tensor<40x40xf32>) outs(%c : tensor<40x40xf32>) -> tensor<40x40xf32>
  return %r : tensor<40x40xf32>
}

// Two reductions: terms lie along the outer one, wherever it is.
// CHECK-LABEL: func.func @two
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<7x9x5xf32>) outs({{.*}} : tensor<3x7x9x5xbf16>)
// CHECK: tensor.collapse_shape {{.*}} : tensor<3x7x9x5xbf16> into tensor<21x9x5xbf16>
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<5x7x?xf32>) outs({{.*}} : tensor<5x3x7x?xbf16>)
// CHECK: tensor.collapse_shape {{.*}} : tensor<5x3x7x?xbf16> into tensor<5x21x?xbf16>
// CHECK: linalg.generic {{.*}}"parallel", "parallel", "reduction", "reduction"]} ins(%{{.*}}, %{{.*}} : tensor<5x21x?xbf16>, tensor<21x9x5xbf16>) outs(%arg2 : tensor<?x9xf32>)
func.func @two(%x: tensor<5x7x?xf32>, %w: tensor<7x9x5xf32>, %c: tensor<?x9xf32>) -> tensor<?x9xf32> attributes {vortex.precision = "bf16x2"} {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (l, k, i)>, affine_map<(i, j, k, l) -> (k, j, l)>, affine_map<(i, j, k, l) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<5x7x?xf32>, tensor<7x9x5xf32>) outs(%c : tensor<?x9xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %t = arith.mulf %a, %b : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<?x9xf32>
  return %r : tensor<?x9xf32>
}

// SAID: product conv_2d_nhwc_hwcf of @window, bf16x2{{.*}}stays f32, {{.*}}a convolution
// CHECK-LABEL: func.func @window
// CHECK-NEXT: linalg.conv_2d_nhwc_hwcf ins(%arg0, %arg1 : tensor<?x?x?x8xf32>
func.func @window(%x: tensor<?x?x?x8xf32>, %w: tensor<3x3x8x16xf32> {vortex.weight}, %c: tensor<?x?x?x16xf32>) -> tensor<?x?x?x16xf32> attributes {vortex.precision = "bf16x2"} {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x?x?x8xf32>, tensor<3x3x8x16xf32>) outs(%c : tensor<?x?x?x16xf32>) -> tensor<?x?x?x16xf32>
  return %r : tensor<?x?x?x16xf32>
}
