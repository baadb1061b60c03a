// RUN: vortex-opt %s --target=x86-avx512 --vortex-form-kernels --vortex-hierarchize --split-input-file | FileCheck %s

// Between two uses of a weight those of the other products pass through the caches: costs count their bytes to where it rests. Here it is 4100 x 1024 bytes
// of the first and 4092 x 1025 of the second. The table, of which rows are picked, and the factor that is no weight do not count.
// CHECK-LABEL: func.func @two(
// CHECK:         vortex.kernel "two.matmul.0"
// CHECK-NOT:     4.198400e+06 : f64
// CHECK:         arith.constant 4.194300e+06 : f64
// CHECK:         vortex.kernel "two.matmul.1"
// CHECK-NOT:     4.194300e+06 : f64
// CHECK:         arith.constant 4.198400e+06 : f64
// CHECK:         vortex.kernel "two.matmul.2"
// CHECK-NOT:     {{(4.194300|4.198400|8.392700)e[+]06}} : f64
// CHECK:         return
func.func @two(%x: tensor<?xi32>, %w: tensor<1024x1025xf32> {vortex.weight}, %v: tensor<1025x1023xf32> {vortex.weight}, %table: tensor<77x1024xf32> {vortex.weight},
               %z: tensor<1023x1000xf32>, %e: tensor<?x1024xf32>, %o: tensor<?x1025xf32>, %p: tensor<?x1023xf32>, %q: tensor<?x1000xf32>) -> tensor<?x1000xf32> {
  %rows = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?xi32>) outs(%e : tensor<?x1024xf32>) {
  ^bb0(%i: i32, %out: f32):
    %row = arith.index_cast %i : i32 to index
    %column = linalg.index 1 : index
    %t = tensor.extract %table[%row, %column] : tensor<77x1024xf32>
    linalg.yield %t : f32
  } -> tensor<?x1024xf32>
  %a = linalg.matmul ins(%rows, %w : tensor<?x1024xf32>, tensor<1024x1025xf32>) outs(%o : tensor<?x1025xf32>) -> tensor<?x1025xf32>
  %b = linalg.matmul ins(%a, %v : tensor<?x1025xf32>, tensor<1025x1023xf32>) outs(%p : tensor<?x1023xf32>) -> tensor<?x1023xf32>
  %c = linalg.matmul ins(%b, %z : tensor<?x1023xf32>, tensor<1023x1000xf32>) outs(%q : tensor<?x1000xf32>) -> tensor<?x1000xf32>
  return %c : tensor<?x1000xf32>
}

// -----

// A loop uses its own weight again and again, and no other between: nothing counts there.
// CHECK-LABEL: func.func @loop(
// CHECK:         vortex.kernel "loop.matmul.1"
// CHECK-NOT:     {{4.[01]00000e[+]06}} : f64
// CHECK:         vortex.kernel "loop.matmul.0"
// CHECK:         arith.constant 4.000000e+06 : f64
func.func @loop(%n: index, %w: tensor<1000x1025xf32> {vortex.weight}, %v: tensor<1000x1000xf32> {vortex.weight}, %x: tensor<?x1000xf32>, %e: tensor<?x1000xf32>,
                %o: tensor<?x1025xf32>) -> tensor<?x1025xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %h = scf.for %i = %zero to %n step %one iter_args(%s = %x) -> tensor<?x1000xf32> {
    %y = linalg.matmul ins(%s, %v : tensor<?x1000xf32>, tensor<1000x1000xf32>) outs(%e : tensor<?x1000xf32>) -> tensor<?x1000xf32>
    scf.yield %y : tensor<?x1000xf32>
  }
  %a = linalg.matmul ins(%h, %w : tensor<?x1000xf32>, tensor<1000x1025xf32>) outs(%o : tensor<?x1025xf32>) -> tensor<?x1025xf32>
  return %a : tensor<?x1025xf32>
}
