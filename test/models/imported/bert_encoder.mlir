// BERT-base encoder, 4 layers (hidden 768, 12 heads, FFN 3072, erf GELU, additive mask).
// Imported from ONNX through torch-mlir's lowerings, unedited.  Dynamic dims: batch, seq.  Tolerance: 5e-05.
//
//   %arg0  x [batch, seq, 768]
//   %arg1  mask [batch, 1, 1, seq]
//   %arg2  bert.0.q.w [768, 768]
//   %arg3  bert.0.q.b [768]
//   %arg4  bert.0.k.w [768, 768]
//   %arg5  bert.0.k.b [768]
//   %arg6  bert.0.v.w [768, 768]
//   %arg7  bert.0.v.b [768]
//   %arg8  bert.0.o.w [768, 768]
//   %arg9  bert.0.o.b [768]
//   %arg10  bert.0.ln1.g [768]
//   %arg11  bert.0.ln1.b [768]
//   %arg12  bert.0.ff1.w [768, 3072]
//   %arg13  bert.0.ff1.b [3072]
//   %arg14  bert.0.ff2.w [3072, 768]
//   %arg15  bert.0.ff2.b [768]
//   %arg16  bert.0.ln2.g [768]
//   %arg17  bert.0.ln2.b [768]
//   %arg18  bert.1.q.w [768, 768]
//   %arg19  bert.1.q.b [768]
//   %arg20  bert.1.k.w [768, 768]
//   %arg21  bert.1.k.b [768]
//   %arg22  bert.1.v.w [768, 768]
//   %arg23  bert.1.v.b [768]
//   %arg24  bert.1.o.w [768, 768]
//   %arg25  bert.1.o.b [768]
//   %arg26  bert.1.ln1.g [768]
//   %arg27  bert.1.ln1.b [768]
//   %arg28  bert.1.ff1.w [768, 3072]
//   %arg29  bert.1.ff1.b [3072]
//   %arg30  bert.1.ff2.w [3072, 768]
//   %arg31  bert.1.ff2.b [768]
//   %arg32  bert.1.ln2.g [768]
//   %arg33  bert.1.ln2.b [768]
//   %arg34  bert.2.q.w [768, 768]
//   %arg35  bert.2.q.b [768]
//   %arg36  bert.2.k.w [768, 768]
//   %arg37  bert.2.k.b [768]
//   %arg38  bert.2.v.w [768, 768]
//   %arg39  bert.2.v.b [768]
//   %arg40  bert.2.o.w [768, 768]
//   %arg41  bert.2.o.b [768]
//   %arg42  bert.2.ln1.g [768]
//   %arg43  bert.2.ln1.b [768]
//   %arg44  bert.2.ff1.w [768, 3072]
//   %arg45  bert.2.ff1.b [3072]
//   %arg46  bert.2.ff2.w [3072, 768]
//   %arg47  bert.2.ff2.b [768]
//   %arg48  bert.2.ln2.g [768]
//   %arg49  bert.2.ln2.b [768]
//   %arg50  bert.3.q.w [768, 768]
//   %arg51  bert.3.q.b [768]
//   %arg52  bert.3.k.w [768, 768]
//   %arg53  bert.3.k.b [768]
//   %arg54  bert.3.v.w [768, 768]
//   %arg55  bert.3.v.b [768]
//   %arg56  bert.3.o.w [768, 768]
//   %arg57  bert.3.o.b [768]
//   %arg58  bert.3.ln1.g [768]
//   %arg59  bert.3.ln1.b [768]
//   %arg60  bert.3.ff1.w [768, 3072]
//   %arg61  bert.3.ff1.b [3072]
//   %arg62  bert.3.ff2.w [3072, 768]
//   %arg63  bert.3.ff2.b [768]
//   %arg64  bert.3.ln2.g [768]
//   %arg65  bert.3.ln2.b [768]
//   result 0: y [batch, seq, 768]

module {
  func.func @bert_encoder(%arg0: tensor<?x?x768xf32>, %arg1: tensor<?x1x1x?xf32>, %arg2: tensor<768x768xf32>, %arg3: tensor<768xf32>, %arg4: tensor<768x768xf32>, %arg5: tensor<768xf32>, %arg6: tensor<768x768xf32>, %arg7: tensor<768xf32>, %arg8: tensor<768x768xf32>, %arg9: tensor<768xf32>, %arg10: tensor<768xf32>, %arg11: tensor<768xf32>, %arg12: tensor<768x3072xf32>, %arg13: tensor<3072xf32>, %arg14: tensor<3072x768xf32>, %arg15: tensor<768xf32>, %arg16: tensor<768xf32>, %arg17: tensor<768xf32>, %arg18: tensor<768x768xf32>, %arg19: tensor<768xf32>, %arg20: tensor<768x768xf32>, %arg21: tensor<768xf32>, %arg22: tensor<768x768xf32>, %arg23: tensor<768xf32>, %arg24: tensor<768x768xf32>, %arg25: tensor<768xf32>, %arg26: tensor<768xf32>, %arg27: tensor<768xf32>, %arg28: tensor<768x3072xf32>, %arg29: tensor<3072xf32>, %arg30: tensor<3072x768xf32>, %arg31: tensor<768xf32>, %arg32: tensor<768xf32>, %arg33: tensor<768xf32>, %arg34: tensor<768x768xf32>, %arg35: tensor<768xf32>, %arg36: tensor<768x768xf32>, %arg37: tensor<768xf32>, %arg38: tensor<768x768xf32>, %arg39: tensor<768xf32>, %arg40: tensor<768x768xf32>, %arg41: tensor<768xf32>, %arg42: tensor<768xf32>, %arg43: tensor<768xf32>, %arg44: tensor<768x3072xf32>, %arg45: tensor<3072xf32>, %arg46: tensor<3072x768xf32>, %arg47: tensor<768xf32>, %arg48: tensor<768xf32>, %arg49: tensor<768xf32>, %arg50: tensor<768x768xf32>, %arg51: tensor<768xf32>, %arg52: tensor<768x768xf32>, %arg53: tensor<768xf32>, %arg54: tensor<768x768xf32>, %arg55: tensor<768xf32>, %arg56: tensor<768x768xf32>, %arg57: tensor<768xf32>, %arg58: tensor<768xf32>, %arg59: tensor<768xf32>, %arg60: tensor<768x3072xf32>, %arg61: tensor<3072xf32>, %arg62: tensor<3072x768xf32>, %arg63: tensor<768xf32>, %arg64: tensor<768xf32>, %arg65: tensor<768xf32>) -> tensor<?x?x768xf32> {
    %c0_i64 = arith.constant 0 : i64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f32
    %c12 = arith.constant 12 : index
    %c3 = arith.constant 3 : index
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<8.000000e+00> : tensor<f32>
    %cst_2 = arith.constant dense<1.41421354> : tensor<f32>
    %cst_3 = arith.constant dense<1.000000e+00> : tensor<f32>
    %cst_4 = arith.constant dense<5.000000e-01> : tensor<f32>
    %cst_5 = arith.constant 7.680000e+02 : f32
    %cst_6 = arith.constant 9.99999974E-6 : f32
    %dim = tensor.dim %arg0, %c0 : tensor<?x?x768xf32>
    %dim_7 = tensor.dim %arg0, %c1 : tensor<?x?x768xf32>
    %0 = arith.index_cast %dim : index to i64
    %1 = arith.cmpi sge, %0, %c0_i64 : i64
    cf.assert %1, "negative values not allowed in new dimensions"
    %2 = tensor.empty(%dim) : tensor<?x768x768xf32>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2 : tensor<768x768xf32>) outs(%2 : tensor<?x768x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x768x768xf32>
    %4 = tensor.empty(%dim, %dim_7) : tensor<?x?x768xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %6 = linalg.batch_matmul ins(%arg0, %3 : tensor<?x?x768xf32>, tensor<?x768x768xf32>) outs(%5 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %arg3 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %expanded = tensor.expand_shape %7 [[0], [1], [2, 3]] output_shape [%dim, %dim_7, 12, 64] : tensor<?x?x768xf32> into tensor<?x?x12x64xf32>
    %8 = tensor.empty(%dim, %dim_7) : tensor<?x12x?x64xf32>
    %transposed = linalg.transpose ins(%expanded : tensor<?x?x12x64xf32>) outs(%8 : tensor<?x12x?x64xf32>) permutation = [0, 2, 1, 3] 
    cf.assert %1, "negative values not allowed in new dimensions"
    %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg4 : tensor<768x768xf32>) outs(%2 : tensor<?x768x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x768x768xf32>
    %10 = linalg.batch_matmul ins(%arg0, %9 : tensor<?x?x768xf32>, tensor<?x768x768xf32>) outs(%5 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10, %arg5 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %expanded_8 = tensor.expand_shape %11 [[0], [1], [2, 3]] output_shape [%dim, %dim_7, 12, 64] : tensor<?x?x768xf32> into tensor<?x?x12x64xf32>
    cf.assert %1, "negative values not allowed in new dimensions"
    %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg6 : tensor<768x768xf32>) outs(%2 : tensor<?x768x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x768x768xf32>
    %13 = linalg.batch_matmul ins(%arg0, %12 : tensor<?x?x768xf32>, tensor<?x768x768xf32>) outs(%5 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %arg7 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %expanded_9 = tensor.expand_shape %14 [[0], [1], [2, 3]] output_shape [%dim, %dim_7, 12, 64] : tensor<?x?x768xf32> into tensor<?x?x12x64xf32>
    %transposed_10 = linalg.transpose ins(%expanded_9 : tensor<?x?x12x64xf32>) outs(%8 : tensor<?x12x?x64xf32>) permutation = [0, 2, 1, 3] 
    %15 = tensor.empty(%dim, %dim_7) : tensor<?x12x64x?xf32>
    %transposed_11 = linalg.transpose ins(%expanded_8 : tensor<?x?x12x64xf32>) outs(%15 : tensor<?x12x64x?xf32>) permutation = [0, 2, 3, 1] 
    %collapsed = tensor.collapse_shape %transposed [[0, 1], [2], [3]] : tensor<?x12x?x64xf32> into tensor<?x?x64xf32>
    %collapsed_12 = tensor.collapse_shape %transposed_11 [[0, 1], [2], [3]] : tensor<?x12x64x?xf32> into tensor<?x64x?xf32>
    %16 = arith.muli %dim, %c12 : index
    %17 = tensor.empty(%16, %dim_7, %dim_7) : tensor<?x?x?xf32>
    %18 = linalg.fill ins(%cst : f32) outs(%17 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %19 = linalg.batch_matmul ins(%collapsed, %collapsed_12 : tensor<?x?x64xf32>, tensor<?x64x?xf32>) outs(%18 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %20 = arith.divsi %16, %c12 : index
    %expanded_13 = tensor.expand_shape %19 [[0, 1], [2], [3]] output_shape [%20, 12, %dim_7, %dim_7] : tensor<?x?x?xf32> into tensor<?x12x?x?xf32>
    %21 = tensor.empty(%20, %dim_7, %dim_7) : tensor<?x12x?x?xf32>
    %22 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_13, %cst_1 : tensor<?x12x?x?xf32>, tensor<f32>) outs(%21 : tensor<?x12x?x?xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.divf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x?xf32>
    %dim_14 = tensor.dim %arg1, %c0 : tensor<?x1x1x?xf32>
    %23 = arith.cmpi eq, %20, %dim_14 : index
    cf.assert %23, "mismatched size for broadcast"
    %dim_15 = tensor.dim %arg1, %c3 : tensor<?x1x1x?xf32>
    %24 = arith.cmpi eq, %dim_7, %dim_15 : index
    cf.assert %24, "mismatched size for broadcast"
    %25 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %arg1 : tensor<?x12x?x?xf32>, tensor<?x1x1x?xf32>) outs(%21 : tensor<?x12x?x?xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x?xf32>
    %26 = tensor.empty(%20, %dim_7) : tensor<?x12x?xi64>
    %27 = linalg.fill ins(%c0_i64 : i64) outs(%26 : tensor<?x12x?xi64>) -> tensor<?x12x?xi64>
    %28 = tensor.empty(%20, %dim_7) : tensor<?x12x?xf32>
    %29 = linalg.fill ins(%cst_0 : f32) outs(%28 : tensor<?x12x?xf32>) -> tensor<?x12x?xf32>
    %30:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%25 : tensor<?x12x?x?xf32>) outs(%29, %27 : tensor<?x12x?xf32>, tensor<?x12x?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_67: i64):
      %280 = linalg.index 3 : index
      %281 = arith.index_cast %280 : index to i64
      %282 = arith.maximumf %in, %out : f32
      %283 = arith.cmpf ogt, %in, %out : f32
      %284 = arith.select %283, %281, %out_67 : i64
      linalg.yield %282, %284 : f32, i64
    } -> (tensor<?x12x?xf32>, tensor<?x12x?xi64>)
    %expanded_16 = tensor.expand_shape %30#0 [[0], [1], [2, 3]] output_shape [%20, 12, %dim_7, 1] : tensor<?x12x?xf32> into tensor<?x12x?x1xf32>
    %31 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25, %expanded_16 : tensor<?x12x?x?xf32>, tensor<?x12x?x1xf32>) outs(%21 : tensor<?x12x?x?xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.subf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x?xf32>
    %32 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<?x12x?x?xf32>) outs(%21 : tensor<?x12x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = math.exp %in : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x?xf32>
    %33 = tensor.empty(%20, %dim_7) : tensor<?x12x?x1xf32>
    %34 = linalg.fill ins(%cst : f32) outs(%33 : tensor<?x12x?x1xf32>) -> tensor<?x12x?x1xf32>
    %35 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%32 : tensor<?x12x?x?xf32>) outs(%34 : tensor<?x12x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %out : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x1xf32>
    %36 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32, %35 : tensor<?x12x?x?xf32>, tensor<?x12x?x1xf32>) outs(%21 : tensor<?x12x?x?xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.divf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x?xf32>
    %37 = arith.maxui %20, %dim : index
    %38 = arith.index_cast %dim_7 : index to i64
    %collapsed_17 = tensor.collapse_shape %36 [[0, 1], [2], [3]] : tensor<?x12x?x?xf32> into tensor<?x?x?xf32>
    %collapsed_18 = tensor.collapse_shape %transposed_10 [[0, 1], [2], [3]] : tensor<?x12x?x64xf32> into tensor<?x?x64xf32>
    %39 = arith.muli %37, %c12 : index
    %40 = tensor.empty(%39, %dim_7) : tensor<?x?x64xf32>
    %41 = linalg.fill ins(%cst : f32) outs(%40 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
    %42 = linalg.batch_matmul ins(%collapsed_17, %collapsed_18 : tensor<?x?x?xf32>, tensor<?x?x64xf32>) outs(%41 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
    %43 = arith.divsi %39, %c12 : index
    %expanded_19 = tensor.expand_shape %42 [[0, 1], [2], [3]] output_shape [%43, 12, %dim_7, 64] : tensor<?x?x64xf32> into tensor<?x12x?x64xf32>
    %44 = tensor.empty(%43, %dim_7) : tensor<?x?x12x64xf32>
    %transposed_20 = linalg.transpose ins(%expanded_19 : tensor<?x12x?x64xf32>) outs(%44 : tensor<?x?x12x64xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_21 = tensor.collapse_shape %transposed_20 [[0], [1], [2, 3]] : tensor<?x?x12x64xf32> into tensor<?x?x768xf32>
    %45 = arith.index_cast %43 : index to i64
    %46 = arith.cmpi sge, %45, %c0_i64 : i64
    cf.assert %46, "negative values not allowed in new dimensions"
    %47 = tensor.empty(%43) : tensor<?x768x768xf32>
    %48 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg8 : tensor<768x768xf32>) outs(%47 : tensor<?x768x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x768x768xf32>
    %49 = tensor.empty(%43, %dim_7) : tensor<?x?x768xf32>
    %50 = linalg.fill ins(%cst : f32) outs(%49 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %51 = linalg.batch_matmul ins(%collapsed_21, %48 : tensor<?x?x768xf32>, tensor<?x768x768xf32>) outs(%50 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %52 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%51, %arg9 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%49 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %53 = arith.cmpi eq, %dim, %43 : index
    cf.assert %53, "mismatched size for broadcast"
    %54 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %52 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %55 = tensor.empty(%dim, %dim_7) : tensor<?x?x1xf32>
    %56 = linalg.fill ins(%cst : f32) outs(%55 : tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
    %57 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%54 : tensor<?x?x768xf32>) outs(%56 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %out : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %58 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.divf %in, %cst_5 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    cf.assert %1, "unimplemented: dynamic negative broadcast sizes"
    %59 = arith.cmpi sge, %38, %c0_i64 : i64
    cf.assert %59, "unimplemented: dynamic negative broadcast sizes"
    %60 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%out: f32):
      %280 = linalg.index 0 : index
      %281 = linalg.index 1 : index
      %282 = arith.cmpi eq, %dim, %c1 : index
      %283 = arith.select %282, %c0, %280 : index
      %284 = arith.cmpi eq, %dim_7, %c1 : index
      %285 = arith.select %284, %c0, %281 : index
      %extracted = tensor.extract %58[%283, %285, %c0] : tensor<?x?x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x?x768xf32>
    %61 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%54, %60 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.subf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %62 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61, %61 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %63 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%62 : tensor<?x?x768xf32>) outs(%56 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %out : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %64 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%63 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.divf %in, %cst_5 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %65 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%64 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %cst_6 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %66 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = math.rsqrt %in : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    cf.assert %1, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %59, "unimplemented: dynamic negative broadcast sizes"
    %67 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%out: f32):
      %280 = linalg.index 0 : index
      %281 = linalg.index 1 : index
      %282 = arith.cmpi eq, %dim, %c1 : index
      %283 = arith.select %282, %c0, %280 : index
      %284 = arith.cmpi eq, %dim_7, %c1 : index
      %285 = arith.select %284, %c0, %281 : index
      %extracted = tensor.extract %66[%283, %285, %c0] : tensor<?x?x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x?x768xf32>
    %68 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61, %67 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %69 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%68, %arg10 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %70 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69, %arg11 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    cf.assert %1, "negative values not allowed in new dimensions"
    %71 = tensor.empty(%dim) : tensor<?x768x3072xf32>
    %72 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg12 : tensor<768x3072xf32>) outs(%71 : tensor<?x768x3072xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x768x3072xf32>
    %73 = tensor.empty(%dim, %dim_7) : tensor<?x?x3072xf32>
    %74 = linalg.fill ins(%cst : f32) outs(%73 : tensor<?x?x3072xf32>) -> tensor<?x?x3072xf32>
    %75 = linalg.batch_matmul ins(%70, %72 : tensor<?x?x768xf32>, tensor<?x768x3072xf32>) outs(%74 : tensor<?x?x3072xf32>) -> tensor<?x?x3072xf32>
    %76 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75, %arg13 : tensor<?x?x3072xf32>, tensor<3072xf32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    %77 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%76, %cst_2 : tensor<?x?x3072xf32>, tensor<f32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.divf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    %78 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%77 : tensor<?x?x3072xf32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = math.erf %in : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    %79 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%78, %cst_3 : tensor<?x?x3072xf32>, tensor<f32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    %80 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%76, %79 : tensor<?x?x3072xf32>, tensor<?x?x3072xf32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    %81 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%80, %cst_4 : tensor<?x?x3072xf32>, tensor<f32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    cf.assert %1, "negative values not allowed in new dimensions"
    %82 = tensor.empty(%dim) : tensor<?x3072x768xf32>
    %83 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg14 : tensor<3072x768xf32>) outs(%82 : tensor<?x3072x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x3072x768xf32>
    %84 = linalg.batch_matmul ins(%81, %83 : tensor<?x?x3072xf32>, tensor<?x3072x768xf32>) outs(%5 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %85 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%84, %arg15 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %86 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%70, %85 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %87 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%86 : tensor<?x?x768xf32>) outs(%56 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %out : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %88 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.divf %in, %cst_5 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    cf.assert %1, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %59, "unimplemented: dynamic negative broadcast sizes"
    %89 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%out: f32):
      %280 = linalg.index 0 : index
      %281 = linalg.index 1 : index
      %282 = arith.cmpi eq, %dim, %c1 : index
      %283 = arith.select %282, %c0, %280 : index
      %284 = arith.cmpi eq, %dim_7, %c1 : index
      %285 = arith.select %284, %c0, %281 : index
      %extracted = tensor.extract %88[%283, %285, %c0] : tensor<?x?x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x?x768xf32>
    %90 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%86, %89 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.subf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %91 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90, %90 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %92 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%91 : tensor<?x?x768xf32>) outs(%56 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %out : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %93 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.divf %in, %cst_5 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %94 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%93 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %cst_6 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %95 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%94 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = math.rsqrt %in : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    cf.assert %1, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %59, "unimplemented: dynamic negative broadcast sizes"
    %96 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%out: f32):
      %280 = linalg.index 0 : index
      %281 = linalg.index 1 : index
      %282 = arith.cmpi eq, %dim, %c1 : index
      %283 = arith.select %282, %c0, %280 : index
      %284 = arith.cmpi eq, %dim_7, %c1 : index
      %285 = arith.select %284, %c0, %281 : index
      %extracted = tensor.extract %95[%283, %285, %c0] : tensor<?x?x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x?x768xf32>
    %97 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90, %96 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %98 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%97, %arg16 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %99 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%98, %arg17 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    cf.assert %1, "negative values not allowed in new dimensions"
    %100 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg18 : tensor<768x768xf32>) outs(%2 : tensor<?x768x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x768x768xf32>
    %101 = linalg.batch_matmul ins(%99, %100 : tensor<?x?x768xf32>, tensor<?x768x768xf32>) outs(%5 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %102 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101, %arg19 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %expanded_22 = tensor.expand_shape %102 [[0], [1], [2, 3]] output_shape [%dim, %dim_7, 12, 64] : tensor<?x?x768xf32> into tensor<?x?x12x64xf32>
    %transposed_23 = linalg.transpose ins(%expanded_22 : tensor<?x?x12x64xf32>) outs(%8 : tensor<?x12x?x64xf32>) permutation = [0, 2, 1, 3] 
    cf.assert %1, "negative values not allowed in new dimensions"
    %103 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg20 : tensor<768x768xf32>) outs(%2 : tensor<?x768x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x768x768xf32>
    %104 = linalg.batch_matmul ins(%99, %103 : tensor<?x?x768xf32>, tensor<?x768x768xf32>) outs(%5 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %105 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%104, %arg21 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %expanded_24 = tensor.expand_shape %105 [[0], [1], [2, 3]] output_shape [%dim, %dim_7, 12, 64] : tensor<?x?x768xf32> into tensor<?x?x12x64xf32>
    cf.assert %1, "negative values not allowed in new dimensions"
    %106 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg22 : tensor<768x768xf32>) outs(%2 : tensor<?x768x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x768x768xf32>
    %107 = linalg.batch_matmul ins(%99, %106 : tensor<?x?x768xf32>, tensor<?x768x768xf32>) outs(%5 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %108 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%107, %arg23 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %expanded_25 = tensor.expand_shape %108 [[0], [1], [2, 3]] output_shape [%dim, %dim_7, 12, 64] : tensor<?x?x768xf32> into tensor<?x?x12x64xf32>
    %transposed_26 = linalg.transpose ins(%expanded_25 : tensor<?x?x12x64xf32>) outs(%8 : tensor<?x12x?x64xf32>) permutation = [0, 2, 1, 3] 
    %transposed_27 = linalg.transpose ins(%expanded_24 : tensor<?x?x12x64xf32>) outs(%15 : tensor<?x12x64x?xf32>) permutation = [0, 2, 3, 1] 
    %collapsed_28 = tensor.collapse_shape %transposed_23 [[0, 1], [2], [3]] : tensor<?x12x?x64xf32> into tensor<?x?x64xf32>
    %collapsed_29 = tensor.collapse_shape %transposed_27 [[0, 1], [2], [3]] : tensor<?x12x64x?xf32> into tensor<?x64x?xf32>
    %109 = linalg.batch_matmul ins(%collapsed_28, %collapsed_29 : tensor<?x?x64xf32>, tensor<?x64x?xf32>) outs(%18 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %expanded_30 = tensor.expand_shape %109 [[0, 1], [2], [3]] output_shape [%20, 12, %dim_7, %dim_7] : tensor<?x?x?xf32> into tensor<?x12x?x?xf32>
    %110 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_30, %cst_1 : tensor<?x12x?x?xf32>, tensor<f32>) outs(%21 : tensor<?x12x?x?xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.divf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x?xf32>
    cf.assert %23, "mismatched size for broadcast"
    cf.assert %24, "mismatched size for broadcast"
    %111 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%110, %arg1 : tensor<?x12x?x?xf32>, tensor<?x1x1x?xf32>) outs(%21 : tensor<?x12x?x?xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x?xf32>
    %112:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%111 : tensor<?x12x?x?xf32>) outs(%29, %27 : tensor<?x12x?xf32>, tensor<?x12x?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_67: i64):
      %280 = linalg.index 3 : index
      %281 = arith.index_cast %280 : index to i64
      %282 = arith.maximumf %in, %out : f32
      %283 = arith.cmpf ogt, %in, %out : f32
      %284 = arith.select %283, %281, %out_67 : i64
      linalg.yield %282, %284 : f32, i64
    } -> (tensor<?x12x?xf32>, tensor<?x12x?xi64>)
    %expanded_31 = tensor.expand_shape %112#0 [[0], [1], [2, 3]] output_shape [%20, 12, %dim_7, 1] : tensor<?x12x?xf32> into tensor<?x12x?x1xf32>
    %113 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%111, %expanded_31 : tensor<?x12x?x?xf32>, tensor<?x12x?x1xf32>) outs(%21 : tensor<?x12x?x?xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.subf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x?xf32>
    %114 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%113 : tensor<?x12x?x?xf32>) outs(%21 : tensor<?x12x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = math.exp %in : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x?xf32>
    %115 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%114 : tensor<?x12x?x?xf32>) outs(%34 : tensor<?x12x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %out : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x1xf32>
    %116 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%114, %115 : tensor<?x12x?x?xf32>, tensor<?x12x?x1xf32>) outs(%21 : tensor<?x12x?x?xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.divf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x?xf32>
    %collapsed_32 = tensor.collapse_shape %116 [[0, 1], [2], [3]] : tensor<?x12x?x?xf32> into tensor<?x?x?xf32>
    %collapsed_33 = tensor.collapse_shape %transposed_26 [[0, 1], [2], [3]] : tensor<?x12x?x64xf32> into tensor<?x?x64xf32>
    %117 = linalg.batch_matmul ins(%collapsed_32, %collapsed_33 : tensor<?x?x?xf32>, tensor<?x?x64xf32>) outs(%41 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
    %expanded_34 = tensor.expand_shape %117 [[0, 1], [2], [3]] output_shape [%43, 12, %dim_7, 64] : tensor<?x?x64xf32> into tensor<?x12x?x64xf32>
    %transposed_35 = linalg.transpose ins(%expanded_34 : tensor<?x12x?x64xf32>) outs(%44 : tensor<?x?x12x64xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_36 = tensor.collapse_shape %transposed_35 [[0], [1], [2, 3]] : tensor<?x?x12x64xf32> into tensor<?x?x768xf32>
    cf.assert %46, "negative values not allowed in new dimensions"
    %118 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg24 : tensor<768x768xf32>) outs(%47 : tensor<?x768x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x768x768xf32>
    %119 = linalg.batch_matmul ins(%collapsed_36, %118 : tensor<?x?x768xf32>, tensor<?x768x768xf32>) outs(%50 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %120 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%119, %arg25 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%49 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    cf.assert %53, "mismatched size for broadcast"
    %121 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%99, %120 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %122 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%121 : tensor<?x?x768xf32>) outs(%56 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %out : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %123 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%122 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.divf %in, %cst_5 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    cf.assert %1, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %59, "unimplemented: dynamic negative broadcast sizes"
    %124 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%out: f32):
      %280 = linalg.index 0 : index
      %281 = linalg.index 1 : index
      %282 = arith.cmpi eq, %dim, %c1 : index
      %283 = arith.select %282, %c0, %280 : index
      %284 = arith.cmpi eq, %dim_7, %c1 : index
      %285 = arith.select %284, %c0, %281 : index
      %extracted = tensor.extract %123[%283, %285, %c0] : tensor<?x?x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x?x768xf32>
    %125 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%121, %124 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.subf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %126 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%125, %125 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %127 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%126 : tensor<?x?x768xf32>) outs(%56 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %out : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %128 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%127 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.divf %in, %cst_5 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %129 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%128 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %cst_6 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %130 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%129 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = math.rsqrt %in : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    cf.assert %1, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %59, "unimplemented: dynamic negative broadcast sizes"
    %131 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%out: f32):
      %280 = linalg.index 0 : index
      %281 = linalg.index 1 : index
      %282 = arith.cmpi eq, %dim, %c1 : index
      %283 = arith.select %282, %c0, %280 : index
      %284 = arith.cmpi eq, %dim_7, %c1 : index
      %285 = arith.select %284, %c0, %281 : index
      %extracted = tensor.extract %130[%283, %285, %c0] : tensor<?x?x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x?x768xf32>
    %132 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%125, %131 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %133 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%132, %arg26 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %134 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%133, %arg27 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    cf.assert %1, "negative values not allowed in new dimensions"
    %135 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg28 : tensor<768x3072xf32>) outs(%71 : tensor<?x768x3072xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x768x3072xf32>
    %136 = linalg.batch_matmul ins(%134, %135 : tensor<?x?x768xf32>, tensor<?x768x3072xf32>) outs(%74 : tensor<?x?x3072xf32>) -> tensor<?x?x3072xf32>
    %137 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%136, %arg29 : tensor<?x?x3072xf32>, tensor<3072xf32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    %138 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%137, %cst_2 : tensor<?x?x3072xf32>, tensor<f32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.divf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    %139 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%138 : tensor<?x?x3072xf32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = math.erf %in : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    %140 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%139, %cst_3 : tensor<?x?x3072xf32>, tensor<f32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    %141 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%137, %140 : tensor<?x?x3072xf32>, tensor<?x?x3072xf32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    %142 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%141, %cst_4 : tensor<?x?x3072xf32>, tensor<f32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    cf.assert %1, "negative values not allowed in new dimensions"
    %143 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg30 : tensor<3072x768xf32>) outs(%82 : tensor<?x3072x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x3072x768xf32>
    %144 = linalg.batch_matmul ins(%142, %143 : tensor<?x?x3072xf32>, tensor<?x3072x768xf32>) outs(%5 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %145 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%144, %arg31 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %146 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%134, %145 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %147 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%146 : tensor<?x?x768xf32>) outs(%56 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %out : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %148 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%147 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.divf %in, %cst_5 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    cf.assert %1, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %59, "unimplemented: dynamic negative broadcast sizes"
    %149 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%out: f32):
      %280 = linalg.index 0 : index
      %281 = linalg.index 1 : index
      %282 = arith.cmpi eq, %dim, %c1 : index
      %283 = arith.select %282, %c0, %280 : index
      %284 = arith.cmpi eq, %dim_7, %c1 : index
      %285 = arith.select %284, %c0, %281 : index
      %extracted = tensor.extract %148[%283, %285, %c0] : tensor<?x?x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x?x768xf32>
    %150 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%146, %149 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.subf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %151 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%150, %150 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %152 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%151 : tensor<?x?x768xf32>) outs(%56 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %out : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %153 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%152 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.divf %in, %cst_5 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %154 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%153 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %cst_6 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %155 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%154 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = math.rsqrt %in : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    cf.assert %1, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %59, "unimplemented: dynamic negative broadcast sizes"
    %156 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%out: f32):
      %280 = linalg.index 0 : index
      %281 = linalg.index 1 : index
      %282 = arith.cmpi eq, %dim, %c1 : index
      %283 = arith.select %282, %c0, %280 : index
      %284 = arith.cmpi eq, %dim_7, %c1 : index
      %285 = arith.select %284, %c0, %281 : index
      %extracted = tensor.extract %155[%283, %285, %c0] : tensor<?x?x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x?x768xf32>
    %157 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%150, %156 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %158 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%157, %arg32 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %159 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%158, %arg33 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    cf.assert %1, "negative values not allowed in new dimensions"
    %160 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg34 : tensor<768x768xf32>) outs(%2 : tensor<?x768x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x768x768xf32>
    %161 = linalg.batch_matmul ins(%159, %160 : tensor<?x?x768xf32>, tensor<?x768x768xf32>) outs(%5 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %162 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%161, %arg35 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %expanded_37 = tensor.expand_shape %162 [[0], [1], [2, 3]] output_shape [%dim, %dim_7, 12, 64] : tensor<?x?x768xf32> into tensor<?x?x12x64xf32>
    %transposed_38 = linalg.transpose ins(%expanded_37 : tensor<?x?x12x64xf32>) outs(%8 : tensor<?x12x?x64xf32>) permutation = [0, 2, 1, 3] 
    cf.assert %1, "negative values not allowed in new dimensions"
    %163 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg36 : tensor<768x768xf32>) outs(%2 : tensor<?x768x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x768x768xf32>
    %164 = linalg.batch_matmul ins(%159, %163 : tensor<?x?x768xf32>, tensor<?x768x768xf32>) outs(%5 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %165 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%164, %arg37 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %expanded_39 = tensor.expand_shape %165 [[0], [1], [2, 3]] output_shape [%dim, %dim_7, 12, 64] : tensor<?x?x768xf32> into tensor<?x?x12x64xf32>
    cf.assert %1, "negative values not allowed in new dimensions"
    %166 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg38 : tensor<768x768xf32>) outs(%2 : tensor<?x768x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x768x768xf32>
    %167 = linalg.batch_matmul ins(%159, %166 : tensor<?x?x768xf32>, tensor<?x768x768xf32>) outs(%5 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %168 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%167, %arg39 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %expanded_40 = tensor.expand_shape %168 [[0], [1], [2, 3]] output_shape [%dim, %dim_7, 12, 64] : tensor<?x?x768xf32> into tensor<?x?x12x64xf32>
    %transposed_41 = linalg.transpose ins(%expanded_40 : tensor<?x?x12x64xf32>) outs(%8 : tensor<?x12x?x64xf32>) permutation = [0, 2, 1, 3] 
    %transposed_42 = linalg.transpose ins(%expanded_39 : tensor<?x?x12x64xf32>) outs(%15 : tensor<?x12x64x?xf32>) permutation = [0, 2, 3, 1] 
    %collapsed_43 = tensor.collapse_shape %transposed_38 [[0, 1], [2], [3]] : tensor<?x12x?x64xf32> into tensor<?x?x64xf32>
    %collapsed_44 = tensor.collapse_shape %transposed_42 [[0, 1], [2], [3]] : tensor<?x12x64x?xf32> into tensor<?x64x?xf32>
    %169 = linalg.batch_matmul ins(%collapsed_43, %collapsed_44 : tensor<?x?x64xf32>, tensor<?x64x?xf32>) outs(%18 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %expanded_45 = tensor.expand_shape %169 [[0, 1], [2], [3]] output_shape [%20, 12, %dim_7, %dim_7] : tensor<?x?x?xf32> into tensor<?x12x?x?xf32>
    %170 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_45, %cst_1 : tensor<?x12x?x?xf32>, tensor<f32>) outs(%21 : tensor<?x12x?x?xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.divf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x?xf32>
    cf.assert %23, "mismatched size for broadcast"
    cf.assert %24, "mismatched size for broadcast"
    %171 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%170, %arg1 : tensor<?x12x?x?xf32>, tensor<?x1x1x?xf32>) outs(%21 : tensor<?x12x?x?xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x?xf32>
    %172:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%171 : tensor<?x12x?x?xf32>) outs(%29, %27 : tensor<?x12x?xf32>, tensor<?x12x?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_67: i64):
      %280 = linalg.index 3 : index
      %281 = arith.index_cast %280 : index to i64
      %282 = arith.maximumf %in, %out : f32
      %283 = arith.cmpf ogt, %in, %out : f32
      %284 = arith.select %283, %281, %out_67 : i64
      linalg.yield %282, %284 : f32, i64
    } -> (tensor<?x12x?xf32>, tensor<?x12x?xi64>)
    %expanded_46 = tensor.expand_shape %172#0 [[0], [1], [2, 3]] output_shape [%20, 12, %dim_7, 1] : tensor<?x12x?xf32> into tensor<?x12x?x1xf32>
    %173 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%171, %expanded_46 : tensor<?x12x?x?xf32>, tensor<?x12x?x1xf32>) outs(%21 : tensor<?x12x?x?xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.subf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x?xf32>
    %174 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%173 : tensor<?x12x?x?xf32>) outs(%21 : tensor<?x12x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = math.exp %in : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x?xf32>
    %175 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%174 : tensor<?x12x?x?xf32>) outs(%34 : tensor<?x12x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %out : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x1xf32>
    %176 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%174, %175 : tensor<?x12x?x?xf32>, tensor<?x12x?x1xf32>) outs(%21 : tensor<?x12x?x?xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.divf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x?xf32>
    %collapsed_47 = tensor.collapse_shape %176 [[0, 1], [2], [3]] : tensor<?x12x?x?xf32> into tensor<?x?x?xf32>
    %collapsed_48 = tensor.collapse_shape %transposed_41 [[0, 1], [2], [3]] : tensor<?x12x?x64xf32> into tensor<?x?x64xf32>
    %177 = linalg.batch_matmul ins(%collapsed_47, %collapsed_48 : tensor<?x?x?xf32>, tensor<?x?x64xf32>) outs(%41 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
    %expanded_49 = tensor.expand_shape %177 [[0, 1], [2], [3]] output_shape [%43, 12, %dim_7, 64] : tensor<?x?x64xf32> into tensor<?x12x?x64xf32>
    %transposed_50 = linalg.transpose ins(%expanded_49 : tensor<?x12x?x64xf32>) outs(%44 : tensor<?x?x12x64xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_51 = tensor.collapse_shape %transposed_50 [[0], [1], [2, 3]] : tensor<?x?x12x64xf32> into tensor<?x?x768xf32>
    cf.assert %46, "negative values not allowed in new dimensions"
    %178 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg40 : tensor<768x768xf32>) outs(%47 : tensor<?x768x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x768x768xf32>
    %179 = linalg.batch_matmul ins(%collapsed_51, %178 : tensor<?x?x768xf32>, tensor<?x768x768xf32>) outs(%50 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %180 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%179, %arg41 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%49 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    cf.assert %53, "mismatched size for broadcast"
    %181 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%159, %180 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %182 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%181 : tensor<?x?x768xf32>) outs(%56 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %out : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %183 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%182 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.divf %in, %cst_5 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    cf.assert %1, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %59, "unimplemented: dynamic negative broadcast sizes"
    %184 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%out: f32):
      %280 = linalg.index 0 : index
      %281 = linalg.index 1 : index
      %282 = arith.cmpi eq, %dim, %c1 : index
      %283 = arith.select %282, %c0, %280 : index
      %284 = arith.cmpi eq, %dim_7, %c1 : index
      %285 = arith.select %284, %c0, %281 : index
      %extracted = tensor.extract %183[%283, %285, %c0] : tensor<?x?x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x?x768xf32>
    %185 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%181, %184 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.subf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %186 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%185, %185 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %187 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%186 : tensor<?x?x768xf32>) outs(%56 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %out : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %188 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%187 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.divf %in, %cst_5 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %189 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%188 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %cst_6 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %190 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%189 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = math.rsqrt %in : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    cf.assert %1, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %59, "unimplemented: dynamic negative broadcast sizes"
    %191 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%out: f32):
      %280 = linalg.index 0 : index
      %281 = linalg.index 1 : index
      %282 = arith.cmpi eq, %dim, %c1 : index
      %283 = arith.select %282, %c0, %280 : index
      %284 = arith.cmpi eq, %dim_7, %c1 : index
      %285 = arith.select %284, %c0, %281 : index
      %extracted = tensor.extract %190[%283, %285, %c0] : tensor<?x?x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x?x768xf32>
    %192 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%185, %191 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %193 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%192, %arg42 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %194 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%193, %arg43 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    cf.assert %1, "negative values not allowed in new dimensions"
    %195 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg44 : tensor<768x3072xf32>) outs(%71 : tensor<?x768x3072xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x768x3072xf32>
    %196 = linalg.batch_matmul ins(%194, %195 : tensor<?x?x768xf32>, tensor<?x768x3072xf32>) outs(%74 : tensor<?x?x3072xf32>) -> tensor<?x?x3072xf32>
    %197 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%196, %arg45 : tensor<?x?x3072xf32>, tensor<3072xf32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    %198 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%197, %cst_2 : tensor<?x?x3072xf32>, tensor<f32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.divf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    %199 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%198 : tensor<?x?x3072xf32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = math.erf %in : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    %200 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%199, %cst_3 : tensor<?x?x3072xf32>, tensor<f32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    %201 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%197, %200 : tensor<?x?x3072xf32>, tensor<?x?x3072xf32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    %202 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%201, %cst_4 : tensor<?x?x3072xf32>, tensor<f32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    cf.assert %1, "negative values not allowed in new dimensions"
    %203 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg46 : tensor<3072x768xf32>) outs(%82 : tensor<?x3072x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x3072x768xf32>
    %204 = linalg.batch_matmul ins(%202, %203 : tensor<?x?x3072xf32>, tensor<?x3072x768xf32>) outs(%5 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %205 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%204, %arg47 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %206 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%194, %205 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %207 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%206 : tensor<?x?x768xf32>) outs(%56 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %out : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %208 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%207 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.divf %in, %cst_5 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    cf.assert %1, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %59, "unimplemented: dynamic negative broadcast sizes"
    %209 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%out: f32):
      %280 = linalg.index 0 : index
      %281 = linalg.index 1 : index
      %282 = arith.cmpi eq, %dim, %c1 : index
      %283 = arith.select %282, %c0, %280 : index
      %284 = arith.cmpi eq, %dim_7, %c1 : index
      %285 = arith.select %284, %c0, %281 : index
      %extracted = tensor.extract %208[%283, %285, %c0] : tensor<?x?x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x?x768xf32>
    %210 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%206, %209 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.subf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %211 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%210, %210 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %212 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%211 : tensor<?x?x768xf32>) outs(%56 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %out : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %213 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%212 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.divf %in, %cst_5 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %214 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%213 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %cst_6 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %215 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%214 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = math.rsqrt %in : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    cf.assert %1, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %59, "unimplemented: dynamic negative broadcast sizes"
    %216 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%out: f32):
      %280 = linalg.index 0 : index
      %281 = linalg.index 1 : index
      %282 = arith.cmpi eq, %dim, %c1 : index
      %283 = arith.select %282, %c0, %280 : index
      %284 = arith.cmpi eq, %dim_7, %c1 : index
      %285 = arith.select %284, %c0, %281 : index
      %extracted = tensor.extract %215[%283, %285, %c0] : tensor<?x?x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x?x768xf32>
    %217 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%210, %216 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %218 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%217, %arg48 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %219 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%218, %arg49 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    cf.assert %1, "negative values not allowed in new dimensions"
    %220 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg50 : tensor<768x768xf32>) outs(%2 : tensor<?x768x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x768x768xf32>
    %221 = linalg.batch_matmul ins(%219, %220 : tensor<?x?x768xf32>, tensor<?x768x768xf32>) outs(%5 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %222 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%221, %arg51 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %expanded_52 = tensor.expand_shape %222 [[0], [1], [2, 3]] output_shape [%dim, %dim_7, 12, 64] : tensor<?x?x768xf32> into tensor<?x?x12x64xf32>
    %transposed_53 = linalg.transpose ins(%expanded_52 : tensor<?x?x12x64xf32>) outs(%8 : tensor<?x12x?x64xf32>) permutation = [0, 2, 1, 3] 
    cf.assert %1, "negative values not allowed in new dimensions"
    %223 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg52 : tensor<768x768xf32>) outs(%2 : tensor<?x768x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x768x768xf32>
    %224 = linalg.batch_matmul ins(%219, %223 : tensor<?x?x768xf32>, tensor<?x768x768xf32>) outs(%5 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %225 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%224, %arg53 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %expanded_54 = tensor.expand_shape %225 [[0], [1], [2, 3]] output_shape [%dim, %dim_7, 12, 64] : tensor<?x?x768xf32> into tensor<?x?x12x64xf32>
    cf.assert %1, "negative values not allowed in new dimensions"
    %226 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg54 : tensor<768x768xf32>) outs(%2 : tensor<?x768x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x768x768xf32>
    %227 = linalg.batch_matmul ins(%219, %226 : tensor<?x?x768xf32>, tensor<?x768x768xf32>) outs(%5 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %228 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%227, %arg55 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %expanded_55 = tensor.expand_shape %228 [[0], [1], [2, 3]] output_shape [%dim, %dim_7, 12, 64] : tensor<?x?x768xf32> into tensor<?x?x12x64xf32>
    %transposed_56 = linalg.transpose ins(%expanded_55 : tensor<?x?x12x64xf32>) outs(%8 : tensor<?x12x?x64xf32>) permutation = [0, 2, 1, 3] 
    %transposed_57 = linalg.transpose ins(%expanded_54 : tensor<?x?x12x64xf32>) outs(%15 : tensor<?x12x64x?xf32>) permutation = [0, 2, 3, 1] 
    %collapsed_58 = tensor.collapse_shape %transposed_53 [[0, 1], [2], [3]] : tensor<?x12x?x64xf32> into tensor<?x?x64xf32>
    %collapsed_59 = tensor.collapse_shape %transposed_57 [[0, 1], [2], [3]] : tensor<?x12x64x?xf32> into tensor<?x64x?xf32>
    %229 = linalg.batch_matmul ins(%collapsed_58, %collapsed_59 : tensor<?x?x64xf32>, tensor<?x64x?xf32>) outs(%18 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %expanded_60 = tensor.expand_shape %229 [[0, 1], [2], [3]] output_shape [%20, 12, %dim_7, %dim_7] : tensor<?x?x?xf32> into tensor<?x12x?x?xf32>
    %230 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_60, %cst_1 : tensor<?x12x?x?xf32>, tensor<f32>) outs(%21 : tensor<?x12x?x?xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.divf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x?xf32>
    cf.assert %23, "mismatched size for broadcast"
    cf.assert %24, "mismatched size for broadcast"
    %231 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%230, %arg1 : tensor<?x12x?x?xf32>, tensor<?x1x1x?xf32>) outs(%21 : tensor<?x12x?x?xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x?xf32>
    %232:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%231 : tensor<?x12x?x?xf32>) outs(%29, %27 : tensor<?x12x?xf32>, tensor<?x12x?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_67: i64):
      %280 = linalg.index 3 : index
      %281 = arith.index_cast %280 : index to i64
      %282 = arith.maximumf %in, %out : f32
      %283 = arith.cmpf ogt, %in, %out : f32
      %284 = arith.select %283, %281, %out_67 : i64
      linalg.yield %282, %284 : f32, i64
    } -> (tensor<?x12x?xf32>, tensor<?x12x?xi64>)
    %expanded_61 = tensor.expand_shape %232#0 [[0], [1], [2, 3]] output_shape [%20, 12, %dim_7, 1] : tensor<?x12x?xf32> into tensor<?x12x?x1xf32>
    %233 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%231, %expanded_61 : tensor<?x12x?x?xf32>, tensor<?x12x?x1xf32>) outs(%21 : tensor<?x12x?x?xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.subf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x?xf32>
    %234 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%233 : tensor<?x12x?x?xf32>) outs(%21 : tensor<?x12x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = math.exp %in : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x?xf32>
    %235 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%234 : tensor<?x12x?x?xf32>) outs(%34 : tensor<?x12x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %out : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x1xf32>
    %236 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%234, %235 : tensor<?x12x?x?xf32>, tensor<?x12x?x1xf32>) outs(%21 : tensor<?x12x?x?xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.divf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x12x?x?xf32>
    %collapsed_62 = tensor.collapse_shape %236 [[0, 1], [2], [3]] : tensor<?x12x?x?xf32> into tensor<?x?x?xf32>
    %collapsed_63 = tensor.collapse_shape %transposed_56 [[0, 1], [2], [3]] : tensor<?x12x?x64xf32> into tensor<?x?x64xf32>
    %237 = linalg.batch_matmul ins(%collapsed_62, %collapsed_63 : tensor<?x?x?xf32>, tensor<?x?x64xf32>) outs(%41 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
    %expanded_64 = tensor.expand_shape %237 [[0, 1], [2], [3]] output_shape [%43, 12, %dim_7, 64] : tensor<?x?x64xf32> into tensor<?x12x?x64xf32>
    %transposed_65 = linalg.transpose ins(%expanded_64 : tensor<?x12x?x64xf32>) outs(%44 : tensor<?x?x12x64xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_66 = tensor.collapse_shape %transposed_65 [[0], [1], [2, 3]] : tensor<?x?x12x64xf32> into tensor<?x?x768xf32>
    cf.assert %46, "negative values not allowed in new dimensions"
    %238 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg56 : tensor<768x768xf32>) outs(%47 : tensor<?x768x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x768x768xf32>
    %239 = linalg.batch_matmul ins(%collapsed_66, %238 : tensor<?x?x768xf32>, tensor<?x768x768xf32>) outs(%50 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %240 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%239, %arg57 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%49 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    cf.assert %53, "mismatched size for broadcast"
    %241 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%219, %240 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %242 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%241 : tensor<?x?x768xf32>) outs(%56 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %out : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %243 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%242 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.divf %in, %cst_5 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    cf.assert %1, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %59, "unimplemented: dynamic negative broadcast sizes"
    %244 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%out: f32):
      %280 = linalg.index 0 : index
      %281 = linalg.index 1 : index
      %282 = arith.cmpi eq, %dim, %c1 : index
      %283 = arith.select %282, %c0, %280 : index
      %284 = arith.cmpi eq, %dim_7, %c1 : index
      %285 = arith.select %284, %c0, %281 : index
      %extracted = tensor.extract %243[%283, %285, %c0] : tensor<?x?x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x?x768xf32>
    %245 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%241, %244 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.subf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %246 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%245, %245 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %247 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%246 : tensor<?x?x768xf32>) outs(%56 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %out : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %248 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%247 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.divf %in, %cst_5 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %249 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%248 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %cst_6 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %250 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%249 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = math.rsqrt %in : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    cf.assert %1, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %59, "unimplemented: dynamic negative broadcast sizes"
    %251 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%out: f32):
      %280 = linalg.index 0 : index
      %281 = linalg.index 1 : index
      %282 = arith.cmpi eq, %dim, %c1 : index
      %283 = arith.select %282, %c0, %280 : index
      %284 = arith.cmpi eq, %dim_7, %c1 : index
      %285 = arith.select %284, %c0, %281 : index
      %extracted = tensor.extract %250[%283, %285, %c0] : tensor<?x?x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x?x768xf32>
    %252 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%245, %251 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %253 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%252, %arg58 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %254 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%253, %arg59 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    cf.assert %1, "negative values not allowed in new dimensions"
    %255 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg60 : tensor<768x3072xf32>) outs(%71 : tensor<?x768x3072xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x768x3072xf32>
    %256 = linalg.batch_matmul ins(%254, %255 : tensor<?x?x768xf32>, tensor<?x768x3072xf32>) outs(%74 : tensor<?x?x3072xf32>) -> tensor<?x?x3072xf32>
    %257 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%256, %arg61 : tensor<?x?x3072xf32>, tensor<3072xf32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    %258 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%257, %cst_2 : tensor<?x?x3072xf32>, tensor<f32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.divf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    %259 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%258 : tensor<?x?x3072xf32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = math.erf %in : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    %260 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%259, %cst_3 : tensor<?x?x3072xf32>, tensor<f32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    %261 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%257, %260 : tensor<?x?x3072xf32>, tensor<?x?x3072xf32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    %262 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%261, %cst_4 : tensor<?x?x3072xf32>, tensor<f32>) outs(%73 : tensor<?x?x3072xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x3072xf32>
    cf.assert %1, "negative values not allowed in new dimensions"
    %263 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg62 : tensor<3072x768xf32>) outs(%82 : tensor<?x3072x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x3072x768xf32>
    %264 = linalg.batch_matmul ins(%262, %263 : tensor<?x?x3072xf32>, tensor<?x3072x768xf32>) outs(%5 : tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
    %265 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%264, %arg63 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %266 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%254, %265 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %267 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%266 : tensor<?x?x768xf32>) outs(%56 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %out : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %268 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%267 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.divf %in, %cst_5 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    cf.assert %1, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %59, "unimplemented: dynamic negative broadcast sizes"
    %269 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%out: f32):
      %280 = linalg.index 0 : index
      %281 = linalg.index 1 : index
      %282 = arith.cmpi eq, %dim, %c1 : index
      %283 = arith.select %282, %c0, %280 : index
      %284 = arith.cmpi eq, %dim_7, %c1 : index
      %285 = arith.select %284, %c0, %281 : index
      %extracted = tensor.extract %268[%283, %285, %c0] : tensor<?x?x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x?x768xf32>
    %270 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%266, %269 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.subf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %271 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%270, %270 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %272 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%271 : tensor<?x?x768xf32>) outs(%56 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %out : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %273 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%272 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.divf %in, %cst_5 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %274 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%273 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = arith.addf %in, %cst_6 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    %275 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%274 : tensor<?x?x1xf32>) outs(%55 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %280 = math.rsqrt %in : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x1xf32>
    cf.assert %1, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %59, "unimplemented: dynamic negative broadcast sizes"
    %276 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%out: f32):
      %280 = linalg.index 0 : index
      %281 = linalg.index 1 : index
      %282 = arith.cmpi eq, %dim, %c1 : index
      %283 = arith.select %282, %c0, %280 : index
      %284 = arith.cmpi eq, %dim_7, %c1 : index
      %285 = arith.select %284, %c0, %281 : index
      %extracted = tensor.extract %275[%283, %285, %c0] : tensor<?x?x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x?x768xf32>
    %277 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%270, %276 : tensor<?x?x768xf32>, tensor<?x?x768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %278 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%277, %arg64 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.mulf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    %279 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%278, %arg65 : tensor<?x?x768xf32>, tensor<768xf32>) outs(%4 : tensor<?x?x768xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %280 = arith.addf %in, %in_67 : f32
      linalg.yield %280 : f32
    } -> tensor<?x?x768xf32>
    return %279 : tensor<?x?x768xf32>
  }
}
