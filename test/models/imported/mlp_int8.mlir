// MLP 256-512-64, activations quantised at run time (DynamicQuantizeLinear, MatMulInteger).
// Imported from ONNX through torch-mlir's lowerings, unedited.  Dynamic dims: batch.  Tolerance: 2e-03.
//
//   %arg0  x [batch, 256]
//   %arg1  mlp8.0.w [256, 512]
//   %arg2  mlp8.0.b [512]
//   %arg3  mlp8.1.w [512, 64]
//   %arg4  mlp8.1.b [64]
//   result 0: y [batch, 64]

module {
  func.func @mlp_int8(%arg0: tensor<?x256xf32>, %arg1: tensor<256x512xi8>, %arg2: tensor<512xf32>, %arg3: tensor<512x64xi8>, %arg4: tensor<64xf32>) -> tensor<?x64xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0xFF800000 : f32
    %c0 = arith.constant 0 : index
    %cst_0 = arith.constant 0x7F800000 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %cst_2 = arith.constant 2.550000e+02 : f32
    %cst_3 = arith.constant dense<2.550000e+02> : tensor<f32>
    %cst_4 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_5 = arith.constant dense<4.921260e-04> : tensor<f32>
    %cst_6 = arith.constant dense<3.47985624E-4> : tensor<f32>
    %0 = tensor.empty() : tensor<f32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<f32>) -> tensor<f32>
    %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%arg0 : tensor<?x256xf32>) outs(%1 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %60 = arith.maximumf %in, %out : f32
      linalg.yield %60 : f32
    } -> tensor<f32>
    %3 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<f32>) -> tensor<f32>
    %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%arg0 : tensor<?x256xf32>) outs(%3 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %60 = arith.minimumf %in, %out : f32
      linalg.yield %60 : f32
    } -> tensor<f32>
    %5 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%2, %cst_4 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %60 = arith.cmpf ogt, %in, %in_10 : f32
      %61 = arith.select %60, %in, %in_10 : f32
      linalg.yield %61 : f32
    } -> tensor<f32>
    %6 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%4, %cst_4 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %60 = arith.cmpf olt, %in, %in_10 : f32
      %61 = arith.select %60, %in, %in_10 : f32
      linalg.yield %61 : f32
    } -> tensor<f32>
    %7 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%5, %6 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %60 = arith.subf %in, %in_10 : f32
      linalg.yield %60 : f32
    } -> tensor<f32>
    %8 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%7, %cst_3 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %60 = arith.divf %in, %in_10 : f32
      linalg.yield %60 : f32
    } -> tensor<f32>
    %9 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%4, %8 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %60 = arith.divf %in, %in_10 : f32
      linalg.yield %60 : f32
    } -> tensor<f32>
    %10 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%cst_4, %9 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %60 = arith.subf %in, %in_10 : f32
      linalg.yield %60 : f32
    } -> tensor<f32>
    %11 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%10 : tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %60 = arith.cmpf ult, %in, %cst_1 : f32
      %61 = arith.select %60, %cst_1, %in : f32
      %62 = arith.cmpf ugt, %61, %cst_2 : f32
      %63 = arith.select %62, %cst_2, %61 : f32
      linalg.yield %63 : f32
    } -> tensor<f32>
    %12 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%11 : tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %60 = math.roundeven %in : f32
      linalg.yield %60 : f32
    } -> tensor<f32>
    %13 = tensor.empty() : tensor<i8>
    %14 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%12 : tensor<f32>) outs(%13 : tensor<i8>) {
    ^bb0(%in: f32, %out: i8):
      %60 = arith.fptosi %in : f32 to i8
      linalg.yield %60 : i8
    } -> tensor<i8>
    %extracted = tensor.extract %14[] : tensor<i8>
    %extracted_7 = tensor.extract %8[] : tensor<f32>
    %dim = tensor.dim %arg0, %c0 : tensor<?x256xf32>
    %15 = tensor.empty(%dim) : tensor<?x256xi8>
    %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<?x256xf32>) outs(%15 : tensor<?x256xi8>) {
    ^bb0(%in: f32, %out: i8):
      %60 = arith.uitofp %extracted : i8 to f32
      %61 = arith.divf %in, %extracted_7 : f32
      %62 = math.roundeven %61 : f32
      %63 = arith.addf %62, %60 : f32
      %64 = arith.maximumf %63, %cst_1 : f32
      %65 = arith.minimumf %64, %cst_2 : f32
      %66 = arith.fptoui %65 : f32 to i8
      linalg.yield %66 : i8
    } -> tensor<?x256xi8>
    %17 = tensor.empty(%dim) : tensor<?x256xi32>
    %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<?x256xi8>) outs(%17 : tensor<?x256xi32>) {
    ^bb0(%in: i8, %out: i32):
      %60 = arith.extui %in : i8 to i32
      linalg.yield %60 : i32
    } -> tensor<?x256xi32>
    %19 = tensor.empty() : tensor<256x512xi32>
    %20 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<256x512xi8>) outs(%19 : tensor<256x512xi32>) {
    ^bb0(%in: i8, %out: i32):
      %60 = arith.extsi %in : i8 to i32
      linalg.yield %60 : i32
    } -> tensor<256x512xi32>
    %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%18, %14 : tensor<?x256xi32>, tensor<i8>) outs(%17 : tensor<?x256xi32>) {
    ^bb0(%in: i32, %in_10: i8, %out: i32):
      %60 = arith.extui %in_10 : i8 to i32
      %61 = arith.subi %in, %60 : i32
      linalg.yield %61 : i32
    } -> tensor<?x256xi32>
    %22 = tensor.empty(%dim) : tensor<?x512xi64>
    %23 = linalg.fill ins(%c0_i64 : i64) outs(%22 : tensor<?x512xi64>) -> tensor<?x512xi64>
    %24 = linalg.matmul ins(%21, %20 : tensor<?x256xi32>, tensor<256x512xi32>) outs(%23 : tensor<?x512xi64>) -> tensor<?x512xi64>
    %25 = tensor.empty(%dim) : tensor<?x512xi32>
    %26 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%24 : tensor<?x512xi64>) outs(%25 : tensor<?x512xi32>) {
    ^bb0(%in: i64, %out: i32):
      %60 = arith.trunci %in : i64 to i32
      linalg.yield %60 : i32
    } -> tensor<?x512xi32>
    %27 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%8, %cst_5 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %60 = arith.mulf %in, %in_10 : f32
      linalg.yield %60 : f32
    } -> tensor<f32>
    %28 = tensor.empty(%dim) : tensor<?x512xf32>
    %29 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%26 : tensor<?x512xi32>) outs(%28 : tensor<?x512xf32>) {
    ^bb0(%in: i32, %out: f32):
      %60 = arith.sitofp %in : i32 to f32
      linalg.yield %60 : f32
    } -> tensor<?x512xf32>
    %30 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%29, %27 : tensor<?x512xf32>, tensor<f32>) outs(%28 : tensor<?x512xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %60 = arith.mulf %in, %in_10 : f32
      linalg.yield %60 : f32
    } -> tensor<?x512xf32>
    %31 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%30, %arg2 : tensor<?x512xf32>, tensor<512xf32>) outs(%28 : tensor<?x512xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %60 = arith.addf %in, %in_10 : f32
      linalg.yield %60 : f32
    } -> tensor<?x512xf32>
    %32 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%31 : tensor<?x512xf32>) outs(%28 : tensor<?x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %60 = arith.cmpf ugt, %in, %cst_1 : f32
      %61 = arith.select %60, %in, %cst_1 : f32
      linalg.yield %61 : f32
    } -> tensor<?x512xf32>
    %33 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%32 : tensor<?x512xf32>) outs(%1 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %60 = arith.maximumf %in, %out : f32
      linalg.yield %60 : f32
    } -> tensor<f32>
    %34 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%32 : tensor<?x512xf32>) outs(%3 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %60 = arith.minimumf %in, %out : f32
      linalg.yield %60 : f32
    } -> tensor<f32>
    %35 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%33, %cst_4 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %60 = arith.cmpf ogt, %in, %in_10 : f32
      %61 = arith.select %60, %in, %in_10 : f32
      linalg.yield %61 : f32
    } -> tensor<f32>
    %36 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%34, %cst_4 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %60 = arith.cmpf olt, %in, %in_10 : f32
      %61 = arith.select %60, %in, %in_10 : f32
      linalg.yield %61 : f32
    } -> tensor<f32>
    %37 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%35, %36 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %60 = arith.subf %in, %in_10 : f32
      linalg.yield %60 : f32
    } -> tensor<f32>
    %38 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%37, %cst_3 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %60 = arith.divf %in, %in_10 : f32
      linalg.yield %60 : f32
    } -> tensor<f32>
    %39 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%34, %38 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %60 = arith.divf %in, %in_10 : f32
      linalg.yield %60 : f32
    } -> tensor<f32>
    %40 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%cst_4, %39 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %60 = arith.subf %in, %in_10 : f32
      linalg.yield %60 : f32
    } -> tensor<f32>
    %41 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%40 : tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %60 = arith.cmpf ult, %in, %cst_1 : f32
      %61 = arith.select %60, %cst_1, %in : f32
      %62 = arith.cmpf ugt, %61, %cst_2 : f32
      %63 = arith.select %62, %cst_2, %61 : f32
      linalg.yield %63 : f32
    } -> tensor<f32>
    %42 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%41 : tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %60 = math.roundeven %in : f32
      linalg.yield %60 : f32
    } -> tensor<f32>
    %43 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%42 : tensor<f32>) outs(%13 : tensor<i8>) {
    ^bb0(%in: f32, %out: i8):
      %60 = arith.fptosi %in : f32 to i8
      linalg.yield %60 : i8
    } -> tensor<i8>
    %extracted_8 = tensor.extract %43[] : tensor<i8>
    %extracted_9 = tensor.extract %38[] : tensor<f32>
    %44 = tensor.empty(%dim) : tensor<?x512xi8>
    %45 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%32 : tensor<?x512xf32>) outs(%44 : tensor<?x512xi8>) {
    ^bb0(%in: f32, %out: i8):
      %60 = arith.uitofp %extracted_8 : i8 to f32
      %61 = arith.divf %in, %extracted_9 : f32
      %62 = math.roundeven %61 : f32
      %63 = arith.addf %62, %60 : f32
      %64 = arith.maximumf %63, %cst_1 : f32
      %65 = arith.minimumf %64, %cst_2 : f32
      %66 = arith.fptoui %65 : f32 to i8
      linalg.yield %66 : i8
    } -> tensor<?x512xi8>
    %46 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%45 : tensor<?x512xi8>) outs(%25 : tensor<?x512xi32>) {
    ^bb0(%in: i8, %out: i32):
      %60 = arith.extui %in : i8 to i32
      linalg.yield %60 : i32
    } -> tensor<?x512xi32>
    %47 = tensor.empty() : tensor<512x64xi32>
    %48 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<512x64xi8>) outs(%47 : tensor<512x64xi32>) {
    ^bb0(%in: i8, %out: i32):
      %60 = arith.extsi %in : i8 to i32
      linalg.yield %60 : i32
    } -> tensor<512x64xi32>
    %49 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%46, %43 : tensor<?x512xi32>, tensor<i8>) outs(%25 : tensor<?x512xi32>) {
    ^bb0(%in: i32, %in_10: i8, %out: i32):
      %60 = arith.extui %in_10 : i8 to i32
      %61 = arith.subi %in, %60 : i32
      linalg.yield %61 : i32
    } -> tensor<?x512xi32>
    %50 = tensor.empty(%dim) : tensor<?x64xi64>
    %51 = linalg.fill ins(%c0_i64 : i64) outs(%50 : tensor<?x64xi64>) -> tensor<?x64xi64>
    %52 = linalg.matmul ins(%49, %48 : tensor<?x512xi32>, tensor<512x64xi32>) outs(%51 : tensor<?x64xi64>) -> tensor<?x64xi64>
    %53 = tensor.empty(%dim) : tensor<?x64xi32>
    %54 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%52 : tensor<?x64xi64>) outs(%53 : tensor<?x64xi32>) {
    ^bb0(%in: i64, %out: i32):
      %60 = arith.trunci %in : i64 to i32
      linalg.yield %60 : i32
    } -> tensor<?x64xi32>
    %55 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%38, %cst_6 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %60 = arith.mulf %in, %in_10 : f32
      linalg.yield %60 : f32
    } -> tensor<f32>
    %56 = tensor.empty(%dim) : tensor<?x64xf32>
    %57 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%54 : tensor<?x64xi32>) outs(%56 : tensor<?x64xf32>) {
    ^bb0(%in: i32, %out: f32):
      %60 = arith.sitofp %in : i32 to f32
      linalg.yield %60 : f32
    } -> tensor<?x64xf32>
    %58 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%57, %55 : tensor<?x64xf32>, tensor<f32>) outs(%56 : tensor<?x64xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %60 = arith.mulf %in, %in_10 : f32
      linalg.yield %60 : f32
    } -> tensor<?x64xf32>
    %59 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%58, %arg4 : tensor<?x64xf32>, tensor<64xf32>) outs(%56 : tensor<?x64xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %60 = arith.addf %in, %in_10 : f32
      linalg.yield %60 : f32
    } -> tensor<?x64xf32>
    return %59 : tensor<?x64xf32>
  }
}
