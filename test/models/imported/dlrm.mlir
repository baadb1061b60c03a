// DLRM-like: bottom MLP, 3 embedding bags of run-time length, dot interaction, top MLP.
// Imported from ONNX through torch-mlir's lowerings, unedited.  Dynamic dims: batch, len0, len1, len2.  Tolerance: 1e-05.
//
//   %arg0  dense [batch, 13]
//   %arg1  bag.0 [batch, len0]
//   %arg2  bag.1 [batch, len1]
//   %arg3  bag.2 [batch, len2]
//   %arg4  dlrm.bot0.w [13, 128]
//   %arg5  dlrm.bot0.b [128]
//   %arg6  dlrm.bot1.w [128, 64]
//   %arg7  dlrm.bot1.b [64]
//   %arg8  dlrm.emb0 [1000, 64]
//   %arg9  dlrm.emb1 [1000, 64]
//   %arg10  dlrm.emb2 [1000, 64]
//   %arg11  dlrm.top0.w [80, 128]
//   %arg12  dlrm.top0.b [128]
//   %arg13  dlrm.top1.w [128, 1]
//   %arg14  dlrm.top1.b [1]
//   result 0: y [batch, 1]

module {
  func.func @dlrm(%arg0: tensor<?x13xf32>, %arg1: tensor<?x?xi64>, %arg2: tensor<?x?xi64>, %arg3: tensor<?x?xi64>, %arg4: tensor<13x128xf32>, %arg5: tensor<128xf32>, %arg6: tensor<128x64xf32>, %arg7: tensor<64xf32>, %arg8: tensor<1000x64xf32>, %arg9: tensor<1000x64xf32>, %arg10: tensor<1000x64xf32>, %arg11: tensor<80x128xf32>, %arg12: tensor<128xf32>, %arg13: tensor<128x1xf32>, %arg14: tensor<1xf32>) -> tensor<?x1xf32> {
    %c1000_i64 = arith.constant 1000 : i64
    %c0_i64 = arith.constant 0 : i64
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f32
    %c1 = arith.constant 1 : index
    %c64_i64 = arith.constant 64 : i64
    %cst_0 = arith.constant 1.000000e+00 : f32
    %dim = tensor.dim %arg0, %c0 : tensor<?x13xf32>
    %0 = tensor.empty(%dim) : tensor<?x128xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %2 = linalg.matmul ins(%arg0, %arg4 : tensor<?x13xf32>, tensor<13x128xf32>) outs(%1 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%2, %arg5 : tensor<?x128xf32>, tensor<128xf32>) outs(%0 : tensor<?x128xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %61 = arith.addf %in, %in_16 : f32
      linalg.yield %61 : f32
    } -> tensor<?x128xf32>
    %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<?x128xf32>) outs(%0 : tensor<?x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %61 = arith.cmpf ugt, %in, %cst : f32
      %62 = arith.select %61, %in, %cst : f32
      linalg.yield %62 : f32
    } -> tensor<?x128xf32>
    %5 = tensor.empty(%dim) : tensor<?x64xf32>
    %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<?x64xf32>) -> tensor<?x64xf32>
    %7 = linalg.matmul ins(%4, %arg6 : tensor<?x128xf32>, tensor<128x64xf32>) outs(%6 : tensor<?x64xf32>) -> tensor<?x64xf32>
    %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%7, %arg7 : tensor<?x64xf32>, tensor<64xf32>) outs(%5 : tensor<?x64xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %61 = arith.addf %in, %in_16 : f32
      linalg.yield %61 : f32
    } -> tensor<?x64xf32>
    %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<?x64xf32>) outs(%5 : tensor<?x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %61 = arith.cmpf ugt, %in, %cst : f32
      %62 = arith.select %61, %in, %cst : f32
      linalg.yield %62 : f32
    } -> tensor<?x64xf32>
    %expanded = tensor.expand_shape %9 [[0], [1, 2]] output_shape [%dim, 1, 64] : tensor<?x64xf32> into tensor<?x1x64xf32>
    %dim_1 = tensor.dim %arg1, %c0 : tensor<?x?xi64>
    %dim_2 = tensor.dim %arg1, %c1 : tensor<?x?xi64>
    %10 = tensor.empty(%dim_1, %dim_2) : tensor<?x?xi1>
    %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<?x?xi64>) outs(%10 : tensor<?x?xi1>) {
    ^bb0(%in: i64, %out: i1):
      %61 = arith.cmpi slt, %in, %c0_i64 : i64
      linalg.yield %61 : i1
    } -> tensor<?x?xi1>
    %12 = tensor.empty(%dim_1, %dim_2) : tensor<?x?xi64>
    %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<?x?xi64>) outs(%12 : tensor<?x?xi64>) {
    ^bb0(%in: i64, %out: i64):
      %61 = arith.addi %in, %c1000_i64 : i64
      linalg.yield %61 : i64
    } -> tensor<?x?xi64>
    %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%11, %13, %arg1 : tensor<?x?xi1>, tensor<?x?xi64>, tensor<?x?xi64>) outs(%12 : tensor<?x?xi64>) {
    ^bb0(%in: i1, %in_16: i64, %in_17: i64, %out: i64):
      %61 = arith.select %in, %in_16, %in_17 : i64
      linalg.yield %61 : i64
    } -> tensor<?x?xi64>
    %15 = arith.index_cast %dim_1 : index to i64
    %16 = arith.index_cast %dim_2 : index to i64
    %collapsed = tensor.collapse_shape %14 [[0, 1]] : tensor<?x?xi64> into tensor<?xi64>
    %17 = arith.muli %dim_1, %dim_2 overflow<nsw> : index
    %18 = tensor.empty(%17) : tensor<?x64xf32>
    %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<?xi64>) outs(%18 : tensor<?x64xf32>) {
    ^bb0(%in: i64, %out: f32):
      %61 = arith.index_cast %in : i64 to index
      %62 = linalg.index 1 : index
      %extracted = tensor.extract %arg8[%61, %62] : tensor<1000x64xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x64xf32>
    %from_elements = tensor.from_elements %15, %16, %c64_i64 : tensor<3xi64>
    %reshape = tensor.reshape %19(%from_elements) : (tensor<?x64xf32>, tensor<3xi64>) -> tensor<?x?x64xf32>
    %20 = tensor.empty(%dim_1) : tensor<?x1x64xf32>
    %21 = linalg.fill ins(%cst : f32) outs(%20 : tensor<?x1x64xf32>) -> tensor<?x1x64xf32>
    %22 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, 0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%reshape : tensor<?x?x64xf32>) outs(%21 : tensor<?x1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %61 = arith.addf %in, %out : f32
      linalg.yield %61 : f32
    } -> tensor<?x1x64xf32>
    %dim_3 = tensor.dim %arg2, %c0 : tensor<?x?xi64>
    %dim_4 = tensor.dim %arg2, %c1 : tensor<?x?xi64>
    %23 = tensor.empty(%dim_3, %dim_4) : tensor<?x?xi1>
    %24 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<?x?xi64>) outs(%23 : tensor<?x?xi1>) {
    ^bb0(%in: i64, %out: i1):
      %61 = arith.cmpi slt, %in, %c0_i64 : i64
      linalg.yield %61 : i1
    } -> tensor<?x?xi1>
    %25 = tensor.empty(%dim_3, %dim_4) : tensor<?x?xi64>
    %26 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<?x?xi64>) outs(%25 : tensor<?x?xi64>) {
    ^bb0(%in: i64, %out: i64):
      %61 = arith.addi %in, %c1000_i64 : i64
      linalg.yield %61 : i64
    } -> tensor<?x?xi64>
    %27 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%24, %26, %arg2 : tensor<?x?xi1>, tensor<?x?xi64>, tensor<?x?xi64>) outs(%25 : tensor<?x?xi64>) {
    ^bb0(%in: i1, %in_16: i64, %in_17: i64, %out: i64):
      %61 = arith.select %in, %in_16, %in_17 : i64
      linalg.yield %61 : i64
    } -> tensor<?x?xi64>
    %28 = arith.index_cast %dim_3 : index to i64
    %29 = arith.index_cast %dim_4 : index to i64
    %collapsed_5 = tensor.collapse_shape %27 [[0, 1]] : tensor<?x?xi64> into tensor<?xi64>
    %30 = arith.muli %dim_3, %dim_4 overflow<nsw> : index
    %31 = tensor.empty(%30) : tensor<?x64xf32>
    %32 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%collapsed_5 : tensor<?xi64>) outs(%31 : tensor<?x64xf32>) {
    ^bb0(%in: i64, %out: f32):
      %61 = arith.index_cast %in : i64 to index
      %62 = linalg.index 1 : index
      %extracted = tensor.extract %arg9[%61, %62] : tensor<1000x64xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x64xf32>
    %from_elements_6 = tensor.from_elements %28, %29, %c64_i64 : tensor<3xi64>
    %reshape_7 = tensor.reshape %32(%from_elements_6) : (tensor<?x64xf32>, tensor<3xi64>) -> tensor<?x?x64xf32>
    %33 = tensor.empty(%dim_3) : tensor<?x1x64xf32>
    %34 = linalg.fill ins(%cst : f32) outs(%33 : tensor<?x1x64xf32>) -> tensor<?x1x64xf32>
    %35 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, 0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%reshape_7 : tensor<?x?x64xf32>) outs(%34 : tensor<?x1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %61 = arith.addf %in, %out : f32
      linalg.yield %61 : f32
    } -> tensor<?x1x64xf32>
    %dim_8 = tensor.dim %arg3, %c0 : tensor<?x?xi64>
    %dim_9 = tensor.dim %arg3, %c1 : tensor<?x?xi64>
    %36 = tensor.empty(%dim_8, %dim_9) : tensor<?x?xi1>
    %37 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<?x?xi64>) outs(%36 : tensor<?x?xi1>) {
    ^bb0(%in: i64, %out: i1):
      %61 = arith.cmpi slt, %in, %c0_i64 : i64
      linalg.yield %61 : i1
    } -> tensor<?x?xi1>
    %38 = tensor.empty(%dim_8, %dim_9) : tensor<?x?xi64>
    %39 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<?x?xi64>) outs(%38 : tensor<?x?xi64>) {
    ^bb0(%in: i64, %out: i64):
      %61 = arith.addi %in, %c1000_i64 : i64
      linalg.yield %61 : i64
    } -> tensor<?x?xi64>
    %40 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%37, %39, %arg3 : tensor<?x?xi1>, tensor<?x?xi64>, tensor<?x?xi64>) outs(%38 : tensor<?x?xi64>) {
    ^bb0(%in: i1, %in_16: i64, %in_17: i64, %out: i64):
      %61 = arith.select %in, %in_16, %in_17 : i64
      linalg.yield %61 : i64
    } -> tensor<?x?xi64>
    %41 = arith.index_cast %dim_8 : index to i64
    %42 = arith.index_cast %dim_9 : index to i64
    %collapsed_10 = tensor.collapse_shape %40 [[0, 1]] : tensor<?x?xi64> into tensor<?xi64>
    %43 = arith.muli %dim_8, %dim_9 overflow<nsw> : index
    %44 = tensor.empty(%43) : tensor<?x64xf32>
    %45 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%collapsed_10 : tensor<?xi64>) outs(%44 : tensor<?x64xf32>) {
    ^bb0(%in: i64, %out: f32):
      %61 = arith.index_cast %in : i64 to index
      %62 = linalg.index 1 : index
      %extracted = tensor.extract %arg10[%61, %62] : tensor<1000x64xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x64xf32>
    %from_elements_11 = tensor.from_elements %41, %42, %c64_i64 : tensor<3xi64>
    %reshape_12 = tensor.reshape %45(%from_elements_11) : (tensor<?x64xf32>, tensor<3xi64>) -> tensor<?x?x64xf32>
    %46 = tensor.empty(%dim_8) : tensor<?x1x64xf32>
    %47 = linalg.fill ins(%cst : f32) outs(%46 : tensor<?x1x64xf32>) -> tensor<?x1x64xf32>
    %48 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, 0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%reshape_12 : tensor<?x?x64xf32>) outs(%47 : tensor<?x1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %61 = arith.addf %in, %out : f32
      linalg.yield %61 : f32
    } -> tensor<?x1x64xf32>
    %concat = tensor.concat dim(1) %expanded, %22, %35, %48 : (tensor<?x1x64xf32>, tensor<?x1x64xf32>, tensor<?x1x64xf32>, tensor<?x1x64xf32>) -> tensor<?x4x64xf32>
    %dim_13 = tensor.dim %expanded, %c0 : tensor<?x1x64xf32>
    %49 = tensor.empty(%dim_13) : tensor<?x64x4xf32>
    %transposed = linalg.transpose ins(%concat : tensor<?x4x64xf32>) outs(%49 : tensor<?x64x4xf32>) permutation = [0, 2, 1] 
    %50 = tensor.empty(%dim_13) : tensor<?x4x4xf32>
    %51 = linalg.fill ins(%cst : f32) outs(%50 : tensor<?x4x4xf32>) -> tensor<?x4x4xf32>
    %52 = linalg.batch_matmul ins(%concat, %transposed : tensor<?x4x64xf32>, tensor<?x64x4xf32>) outs(%51 : tensor<?x4x4xf32>) -> tensor<?x4x4xf32>
    %collapsed_14 = tensor.collapse_shape %52 [[0], [1, 2]] : tensor<?x4x4xf32> into tensor<?x16xf32>
    %concat_15 = tensor.concat dim(1) %9, %collapsed_14 : (tensor<?x64xf32>, tensor<?x16xf32>) -> tensor<?x80xf32>
    %53 = linalg.matmul ins(%concat_15, %arg11 : tensor<?x80xf32>, tensor<80x128xf32>) outs(%1 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %54 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%53, %arg12 : tensor<?x128xf32>, tensor<128xf32>) outs(%0 : tensor<?x128xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %61 = arith.addf %in, %in_16 : f32
      linalg.yield %61 : f32
    } -> tensor<?x128xf32>
    %55 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%54 : tensor<?x128xf32>) outs(%0 : tensor<?x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %61 = arith.cmpf ugt, %in, %cst : f32
      %62 = arith.select %61, %in, %cst : f32
      linalg.yield %62 : f32
    } -> tensor<?x128xf32>
    %56 = tensor.empty(%dim) : tensor<?x1xf32>
    %57 = linalg.fill ins(%cst : f32) outs(%56 : tensor<?x1xf32>) -> tensor<?x1xf32>
    %58 = linalg.matmul ins(%55, %arg13 : tensor<?x128xf32>, tensor<128x1xf32>) outs(%57 : tensor<?x1xf32>) -> tensor<?x1xf32>
    %59 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%58, %arg14 : tensor<?x1xf32>, tensor<1xf32>) outs(%56 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %61 = arith.addf %in, %in_16 : f32
      linalg.yield %61 : f32
    } -> tensor<?x1xf32>
    %60 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%59 : tensor<?x1xf32>) outs(%56 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %61 = arith.negf %in : f32
      %62 = math.exp %61 : f32
      %63 = arith.addf %62, %cst_0 : f32
      %64 = arith.divf %cst_0, %63 : f32
      linalg.yield %64 : f32
    } -> tensor<?x1xf32>
    return %60 : tensor<?x1xf32>
  }
}
