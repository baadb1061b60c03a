// MLP 256-1024-1024-64 with ReLU.
// Imported from ONNX through torch-mlir's lowerings, unedited.  Dynamic dims: batch.  Tolerance: 1e-05.
//
//   %arg0  x [batch, 256]
//   %arg1  mlp.0.w [256, 1024]
//   %arg2  mlp.0.b [1024]
//   %arg3  mlp.1.w [1024, 1024]
//   %arg4  mlp.1.b [1024]
//   %arg5  mlp.2.w [1024, 64]
//   %arg6  mlp.2.b [64]
//   result 0: y [batch, 64]

module {
  func.func @mlp(%arg0: tensor<?x256xf32>, %arg1: tensor<256x1024xf32>, %arg2: tensor<1024xf32>, %arg3: tensor<1024x1024xf32>, %arg4: tensor<1024xf32>, %arg5: tensor<1024x64xf32>, %arg6: tensor<64xf32>) -> tensor<?x64xf32> {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f32
    %dim = tensor.dim %arg0, %c0 : tensor<?x256xf32>
    %0 = tensor.empty(%dim) : tensor<?x1024xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<?x1024xf32>) -> tensor<?x1024xf32>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<?x256xf32>, tensor<256x1024xf32>) outs(%1 : tensor<?x1024xf32>) -> tensor<?x1024xf32>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%2, %arg2 : tensor<?x1024xf32>, tensor<1024xf32>) outs(%0 : tensor<?x1024xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %12 = arith.addf %in, %in_0 : f32
      linalg.yield %12 : f32
    } -> tensor<?x1024xf32>
    %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<?x1024xf32>) outs(%0 : tensor<?x1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      %12 = arith.cmpf ugt, %in, %cst : f32
      %13 = arith.select %12, %in, %cst : f32
      linalg.yield %13 : f32
    } -> tensor<?x1024xf32>
    %5 = linalg.matmul ins(%4, %arg3 : tensor<?x1024xf32>, tensor<1024x1024xf32>) outs(%1 : tensor<?x1024xf32>) -> tensor<?x1024xf32>
    %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%5, %arg4 : tensor<?x1024xf32>, tensor<1024xf32>) outs(%0 : tensor<?x1024xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %12 = arith.addf %in, %in_0 : f32
      linalg.yield %12 : f32
    } -> tensor<?x1024xf32>
    %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<?x1024xf32>) outs(%0 : tensor<?x1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      %12 = arith.cmpf ugt, %in, %cst : f32
      %13 = arith.select %12, %in, %cst : f32
      linalg.yield %13 : f32
    } -> tensor<?x1024xf32>
    %8 = tensor.empty(%dim) : tensor<?x64xf32>
    %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<?x64xf32>) -> tensor<?x64xf32>
    %10 = linalg.matmul ins(%7, %arg5 : tensor<?x1024xf32>, tensor<1024x64xf32>) outs(%9 : tensor<?x64xf32>) -> tensor<?x64xf32>
    %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%10, %arg6 : tensor<?x64xf32>, tensor<64xf32>) outs(%8 : tensor<?x64xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %12 = arith.addf %in, %in_0 : f32
      linalg.yield %12 : f32
    } -> tensor<?x64xf32>
    return %11 : tensor<?x64xf32>
  }
}
