// Decoder, 2 blocks (hidden 1024, 16 heads, 8 KV heads, RMSNorm, RoPE, SwiGLU 2816) with a KV cache.
// total = past + seq is not written anywhere in the program but in two cf.asserts.
// Imported from ONNX through torch-mlir's lowerings, unedited.  Dynamic dims: batch, past, seq, total.  Tolerance: 5e-05.
//
//   %arg0  x [batch, seq, 1024]
//   %arg1  position_ids [batch, seq]
//   %arg2  mask [batch, 1, seq, total]
//   %arg3  past_k.0 [batch, 8, past, 64]
//   %arg4  past_v.0 [batch, 8, past, 64]
//   %arg5  past_k.1 [batch, 8, past, 64]
//   %arg6  past_v.1 [batch, 8, past, 64]
//   %arg7  llama.0.n1.g [1024]
//   %arg8  llama.0.q.w [1024, 1024]
//   %arg9  llama.0.k.w [1024, 512]
//   %arg10  llama.0.v.w [1024, 512]
//   %arg11  llama.0.o.w [1024, 1024]
//   %arg12  llama.0.n2.g [1024]
//   %arg13  llama.0.gate.w [1024, 2816]
//   %arg14  llama.0.up.w [1024, 2816]
//   %arg15  llama.0.down.w [2816, 1024]
//   %arg16  llama.1.n1.g [1024]
//   %arg17  llama.1.q.w [1024, 1024]
//   %arg18  llama.1.k.w [1024, 512]
//   %arg19  llama.1.v.w [1024, 512]
//   %arg20  llama.1.o.w [1024, 1024]
//   %arg21  llama.1.n2.g [1024]
//   %arg22  llama.1.gate.w [1024, 2816]
//   %arg23  llama.1.up.w [1024, 2816]
//   %arg24  llama.1.down.w [2816, 1024]
//   result 0: y [batch, seq, 1024]
//   result 1: present_k.0 [batch, 8, total, 64]
//   result 2: present_v.0 [batch, 8, total, 64]
//   result 3: present_k.1 [batch, 8, total, 64]
//   result 4: present_v.1 [batch, 8, total, 64]

module {
  func.func @llama_block(%arg0: tensor<?x?x1024xf32>, %arg1: tensor<?x?xi64>, %arg2: tensor<?x1x?x?xf32>, %arg3: tensor<?x8x?x64xf32>, %arg4: tensor<?x8x?x64xf32>, %arg5: tensor<?x8x?x64xf32>, %arg6: tensor<?x8x?x64xf32>, %arg7: tensor<1024xf32>, %arg8: tensor<1024x1024xf32>, %arg9: tensor<1024x512xf32>, %arg10: tensor<1024x512xf32>, %arg11: tensor<1024x1024xf32>, %arg12: tensor<1024xf32>, %arg13: tensor<1024x2816xf32>, %arg14: tensor<1024x2816xf32>, %arg15: tensor<2816x1024xf32>, %arg16: tensor<1024xf32>, %arg17: tensor<1024x1024xf32>, %arg18: tensor<1024x512xf32>, %arg19: tensor<1024x512xf32>, %arg20: tensor<1024x1024xf32>, %arg21: tensor<1024xf32>, %arg22: tensor<1024x2816xf32>, %arg23: tensor<1024x2816xf32>, %arg24: tensor<2816x1024xf32>) -> (tensor<?x?x1024xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>) {
    %c64_i64 = arith.constant 64 : i64
    %c16_i64 = arith.constant 16 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f32
    %c2 = arith.constant 2 : index
    %cst_0 = arith.constant 1.000000e+00 : f32
    %c16 = arith.constant 16 : index
    %c3 = arith.constant 3 : index
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant dense<[1.000000e+00, 0.749894201, 0.562341332, 0.421696514, 0.316227764, 0.237137377, 0.177827939, 0.133352146, 1.000000e-01, 0.0749894232, 0.0562341325, 0.0421696492, 0.0316227749, 0.0237137377, 0.0177827943, 0.013335214, 0.00999999977, 0.00749894232, 0.00562341325, 0.00421696482, 0.00316227763, 0.00237137382, 0.00177827943, 0.00133352145, 1.000000e-03, 7.49894185E-4, 5.62341302E-4, 4.21696517E-4, 3.16227757E-4, 2.3713737E-4, 1.7782794E-4, 1.3335215E-4]> : tensor<32xf32>
    %cst_3 = arith.constant dense<9.99999974E-6> : tensor<f32>
    %cst_4 = arith.constant dense<1.250000e-01> : tensor<f32>
    %cst_5 = arith.constant 1.024000e+03 : f32
    %dim = tensor.dim %arg1, %c0 : tensor<?x?xi64>
    %dim_6 = tensor.dim %arg1, %c1 : tensor<?x?xi64>
    %0 = tensor.empty(%dim, %dim_6) : tensor<?x?xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<?x?xi64>) outs(%0 : tensor<?x?xf32>) {
    ^bb0(%in: i64, %out: f32):
      %290 = arith.sitofp %in : i64 to f32
      linalg.yield %290 : f32
    } -> tensor<?x?xf32>
    %expanded = tensor.expand_shape %1 [[0], [1, 2]] output_shape [%dim, %dim_6, 1] : tensor<?x?xf32> into tensor<?x?x1xf32>
    %2 = tensor.empty(%dim, %dim_6) : tensor<?x?x32xf32>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded, %cst_2 : tensor<?x?x1xf32>, tensor<32xf32>) outs(%2 : tensor<?x?x32xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x32xf32>
    %concat = tensor.concat dim(2) %3, %3 : (tensor<?x?x32xf32>, tensor<?x?x32xf32>) -> tensor<?x?x64xf32>
    %4 = tensor.empty(%dim, %dim_6) : tensor<?x?x64xf32>
    %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%concat : tensor<?x?x64xf32>) outs(%4 : tensor<?x?x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = math.cos %in : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x64xf32>
    %expanded_7 = tensor.expand_shape %5 [[0], [1, 2], [3]] output_shape [%dim, 1, %dim_6, 64] : tensor<?x?x64xf32> into tensor<?x1x?x64xf32>
    %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%concat : tensor<?x?x64xf32>) outs(%4 : tensor<?x?x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = math.sin %in : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x64xf32>
    %expanded_8 = tensor.expand_shape %6 [[0], [1, 2], [3]] output_shape [%dim, 1, %dim_6, 64] : tensor<?x?x64xf32> into tensor<?x1x?x64xf32>
    %dim_9 = tensor.dim %arg0, %c0 : tensor<?x?x1024xf32>
    %dim_10 = tensor.dim %arg0, %c1 : tensor<?x?x1024xf32>
    %7 = tensor.empty(%dim_9, %dim_10) : tensor<?x?x1024xf32>
    %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %arg0 : tensor<?x?x1024xf32>, tensor<?x?x1024xf32>) outs(%7 : tensor<?x?x1024xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1024xf32>
    %9 = tensor.empty(%dim_9, %dim_10) : tensor<?x?x1xf32>
    %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
    %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%8 : tensor<?x?x1024xf32>) outs(%10 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = arith.addf %in, %out : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1xf32>
    %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<?x?x1xf32>) outs(%9 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = arith.divf %in, %cst_5 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1xf32>
    %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12, %cst_3 : tensor<?x?x1xf32>, tensor<f32>) outs(%9 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.addf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1xf32>
    %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<?x?x1xf32>) outs(%9 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = math.sqrt %in : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1xf32>
    %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<?x?x1xf32>) outs(%9 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = arith.cmpf one, %in, %cst : f32
      cf.assert %290, "unimplemented: tensor with zero element"
      %291 = arith.divf %cst_0, %in : f32
      linalg.yield %291 : f32
    } -> tensor<?x?x1xf32>
    %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %15 : tensor<?x?x1024xf32>, tensor<?x?x1xf32>) outs(%7 : tensor<?x?x1024xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1024xf32>
    %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16, %arg7 : tensor<?x?x1024xf32>, tensor<1024xf32>) outs(%7 : tensor<?x?x1024xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1024xf32>
    %18 = arith.index_cast %dim_9 : index to i64
    %19 = arith.cmpi sge, %18, %c0_i64 : i64
    cf.assert %19, "negative values not allowed in new dimensions"
    %20 = tensor.empty(%dim_9) : tensor<?x1024x1024xf32>
    %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg8 : tensor<1024x1024xf32>) outs(%20 : tensor<?x1024x1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x1024x1024xf32>
    %22 = linalg.fill ins(%cst : f32) outs(%7 : tensor<?x?x1024xf32>) -> tensor<?x?x1024xf32>
    %23 = linalg.batch_matmul ins(%17, %21 : tensor<?x?x1024xf32>, tensor<?x1024x1024xf32>) outs(%22 : tensor<?x?x1024xf32>) -> tensor<?x?x1024xf32>
    %expanded_11 = tensor.expand_shape %23 [[0], [1], [2, 3]] output_shape [%dim_9, %dim_10, 16, 64] : tensor<?x?x1024xf32> into tensor<?x?x16x64xf32>
    %24 = tensor.empty(%dim_9, %dim_10) : tensor<?x16x?x64xf32>
    %transposed = linalg.transpose ins(%expanded_11 : tensor<?x?x16x64xf32>) outs(%24 : tensor<?x16x?x64xf32>) permutation = [0, 2, 1, 3] 
    %extracted_slice = tensor.extract_slice %transposed[0, 0, 0, 0] [%dim_9, 16, %dim_10, 32] [1, 1, 1, 1] : tensor<?x16x?x64xf32> to tensor<?x16x?x32xf32>
    %extracted_slice_12 = tensor.extract_slice %transposed[0, 0, 0, 32] [%dim_9, 16, %dim_10, 32] [1, 1, 1, 1] : tensor<?x16x?x64xf32> to tensor<?x16x?x32xf32>
    %25 = tensor.empty(%dim_9, %dim_10) : tensor<?x16x?x32xf32>
    %26 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_12 : tensor<?x16x?x32xf32>) outs(%25 : tensor<?x16x?x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = arith.negf %in : f32
      linalg.yield %290 : f32
    } -> tensor<?x16x?x32xf32>
    %concat_13 = tensor.concat dim(3) %26, %extracted_slice : (tensor<?x16x?x32xf32>, tensor<?x16x?x32xf32>) -> tensor<?x16x?x64xf32>
    %27 = arith.cmpi eq, %dim_9, %dim : index
    cf.assert %27, "mismatched size for broadcast"
    %28 = arith.cmpi eq, %dim_10, %dim_6 : index
    cf.assert %28, "mismatched size for broadcast"
    %29 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed, %expanded_7 : tensor<?x16x?x64xf32>, tensor<?x1x?x64xf32>) outs(%24 : tensor<?x16x?x64xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x16x?x64xf32>
    cf.assert %27, "mismatched size for broadcast"
    cf.assert %28, "mismatched size for broadcast"
    %30 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_13, %expanded_8 : tensor<?x16x?x64xf32>, tensor<?x1x?x64xf32>) outs(%24 : tensor<?x16x?x64xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x16x?x64xf32>
    %31 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %30 : tensor<?x16x?x64xf32>, tensor<?x16x?x64xf32>) outs(%24 : tensor<?x16x?x64xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.addf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x16x?x64xf32>
    cf.assert %19, "negative values not allowed in new dimensions"
    %32 = tensor.empty(%dim_9) : tensor<?x1024x512xf32>
    %33 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg9 : tensor<1024x512xf32>) outs(%32 : tensor<?x1024x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x1024x512xf32>
    %34 = tensor.empty(%dim_9, %dim_10) : tensor<?x?x512xf32>
    %35 = linalg.fill ins(%cst : f32) outs(%34 : tensor<?x?x512xf32>) -> tensor<?x?x512xf32>
    %36 = linalg.batch_matmul ins(%17, %33 : tensor<?x?x1024xf32>, tensor<?x1024x512xf32>) outs(%35 : tensor<?x?x512xf32>) -> tensor<?x?x512xf32>
    %expanded_14 = tensor.expand_shape %36 [[0], [1], [2, 3]] output_shape [%dim_9, %dim_10, 8, 64] : tensor<?x?x512xf32> into tensor<?x?x8x64xf32>
    %37 = tensor.empty(%dim_9, %dim_10) : tensor<?x8x?x64xf32>
    %transposed_15 = linalg.transpose ins(%expanded_14 : tensor<?x?x8x64xf32>) outs(%37 : tensor<?x8x?x64xf32>) permutation = [0, 2, 1, 3] 
    %extracted_slice_16 = tensor.extract_slice %transposed_15[0, 0, 0, 0] [%dim_9, 8, %dim_10, 32] [1, 1, 1, 1] : tensor<?x8x?x64xf32> to tensor<?x8x?x32xf32>
    %extracted_slice_17 = tensor.extract_slice %transposed_15[0, 0, 0, 32] [%dim_9, 8, %dim_10, 32] [1, 1, 1, 1] : tensor<?x8x?x64xf32> to tensor<?x8x?x32xf32>
    %38 = tensor.empty(%dim_9, %dim_10) : tensor<?x8x?x32xf32>
    %39 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_17 : tensor<?x8x?x32xf32>) outs(%38 : tensor<?x8x?x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = arith.negf %in : f32
      linalg.yield %290 : f32
    } -> tensor<?x8x?x32xf32>
    %concat_18 = tensor.concat dim(3) %39, %extracted_slice_16 : (tensor<?x8x?x32xf32>, tensor<?x8x?x32xf32>) -> tensor<?x8x?x64xf32>
    cf.assert %27, "mismatched size for broadcast"
    cf.assert %28, "mismatched size for broadcast"
    %40 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_15, %expanded_7 : tensor<?x8x?x64xf32>, tensor<?x1x?x64xf32>) outs(%37 : tensor<?x8x?x64xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x8x?x64xf32>
    cf.assert %27, "mismatched size for broadcast"
    cf.assert %28, "mismatched size for broadcast"
    %41 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_18, %expanded_8 : tensor<?x8x?x64xf32>, tensor<?x1x?x64xf32>) outs(%37 : tensor<?x8x?x64xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x8x?x64xf32>
    %42 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %41 : tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>) outs(%37 : tensor<?x8x?x64xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.addf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x8x?x64xf32>
    cf.assert %19, "negative values not allowed in new dimensions"
    %43 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg10 : tensor<1024x512xf32>) outs(%32 : tensor<?x1024x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x1024x512xf32>
    %44 = linalg.batch_matmul ins(%17, %43 : tensor<?x?x1024xf32>, tensor<?x1024x512xf32>) outs(%35 : tensor<?x?x512xf32>) -> tensor<?x?x512xf32>
    %expanded_19 = tensor.expand_shape %44 [[0], [1], [2, 3]] output_shape [%dim_9, %dim_10, 8, 64] : tensor<?x?x512xf32> into tensor<?x?x8x64xf32>
    %transposed_20 = linalg.transpose ins(%expanded_19 : tensor<?x?x8x64xf32>) outs(%37 : tensor<?x8x?x64xf32>) permutation = [0, 2, 1, 3] 
    %concat_21 = tensor.concat dim(2) %arg3, %42 : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>) -> tensor<?x8x?x64xf32>
    %concat_22 = tensor.concat dim(2) %arg4, %transposed_20 : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>) -> tensor<?x8x?x64xf32>
    %dim_23 = tensor.dim %arg3, %c0 : tensor<?x8x?x64xf32>
    %45 = arith.index_cast %dim_23 : index to i64
    %dim_24 = tensor.dim %arg3, %c2 : tensor<?x8x?x64xf32>
    %46 = arith.addi %dim_24, %dim_10 : index
    %47 = arith.index_cast %46 : index to i64
    %expanded_25 = tensor.expand_shape %concat_21 [[0], [1], [2, 3], [4]] output_shape [%dim_23, 8, 1, %46, 64] : tensor<?x8x?x64xf32> into tensor<?x8x1x?x64xf32>
    %48 = tensor.empty(%dim_23, %46) : tensor<?x8x2x?x64xf32>
    %collapsed = tensor.collapse_shape %expanded_25 [[0], [1, 2], [3], [4]] : tensor<?x8x1x?x64xf32> into tensor<?x8x?x64xf32>
    %49 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%collapsed : tensor<?x8x?x64xf32>) outs(%48 : tensor<?x8x2x?x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x8x2x?x64xf32>
    %50 = arith.cmpi sgt, %45, %c0_i64 : i64
    cf.assert %50, "Expected dim size > 0."
    %51 = arith.cmpi sgt, %47, %c0_i64 : i64
    cf.assert %51, "Expected dim size > 0."
    %52 = arith.cmpi slt, %45, %c0_i64 : i64
    %53 = arith.select %52, %c1_i64, %45 : i64
    %54 = arith.extui %52 : i1 to i64
    %55 = arith.muli %53, %c16_i64 : i64
    %56 = arith.muli %55, %47 : i64
    %57 = arith.addi %54, %c1_i64 : i64
    %58 = arith.cmpi slt, %47, %c0_i64 : i64
    %59 = arith.select %58, %55, %56 : i64
    %60 = arith.select %58, %57, %54 : i64
    %61 = arith.muli %59, %c64_i64 : i64
    %62 = arith.cmpi sle, %60, %c1_i64 : i64
    cf.assert %62, "must have at most one inferred (negative) dimension"
    %63 = arith.muli %45, %c16_i64 : i64
    %64 = arith.muli %63, %47 : i64
    %65 = arith.muli %64, %c64_i64 : i64
    %66 = arith.divsi %65, %61 : i64
    %67 = arith.select %52, %66, %45 : i64
    %68 = arith.select %58, %66, %47 : i64
    %from_elements = tensor.from_elements %67, %c16_i64, %68, %c64_i64 : tensor<4xi64>
    %reshape = tensor.reshape %49(%from_elements) : (tensor<?x8x2x?x64xf32>, tensor<4xi64>) -> tensor<?x16x?x64xf32>
    %69 = arith.index_cast %67 : i64 to index
    %70 = arith.index_cast %68 : i64 to index
    %71 = tensor.empty(%69, %70) : tensor<?x16x64x?xf32>
    %transposed_26 = linalg.transpose ins(%reshape : tensor<?x16x?x64xf32>) outs(%71 : tensor<?x16x64x?xf32>) permutation = [0, 1, 3, 2] 
    %72 = arith.maxui %dim_9, %69 : index
    %collapsed_27 = tensor.collapse_shape %31 [[0, 1], [2], [3]] : tensor<?x16x?x64xf32> into tensor<?x?x64xf32>
    %collapsed_28 = tensor.collapse_shape %transposed_26 [[0, 1], [2], [3]] : tensor<?x16x64x?xf32> into tensor<?x64x?xf32>
    %73 = arith.muli %72, %c16 : index
    %74 = tensor.empty(%73, %dim_10, %70) : tensor<?x?x?xf32>
    %75 = linalg.fill ins(%cst : f32) outs(%74 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %76 = linalg.batch_matmul ins(%collapsed_27, %collapsed_28 : tensor<?x?x64xf32>, tensor<?x64x?xf32>) outs(%75 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %77 = arith.divsi %73, %c16 : index
    %expanded_29 = tensor.expand_shape %76 [[0, 1], [2], [3]] output_shape [%77, 16, %dim_10, %70] : tensor<?x?x?xf32> into tensor<?x16x?x?xf32>
    %78 = tensor.empty(%77, %dim_10, %70) : tensor<?x16x?x?xf32>
    %79 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_29, %cst_4 : tensor<?x16x?x?xf32>, tensor<f32>) outs(%78 : tensor<?x16x?x?xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x16x?x?xf32>
    %dim_30 = tensor.dim %arg2, %c0 : tensor<?x1x?x?xf32>
    %80 = arith.cmpi eq, %77, %dim_30 : index
    cf.assert %80, "mismatched size for broadcast"
    %dim_31 = tensor.dim %arg2, %c2 : tensor<?x1x?x?xf32>
    %81 = arith.cmpi eq, %dim_10, %dim_31 : index
    cf.assert %81, "mismatched size for broadcast"
    %dim_32 = tensor.dim %arg2, %c3 : tensor<?x1x?x?xf32>
    %82 = arith.cmpi eq, %70, %dim_32 : index
    cf.assert %82, "mismatched size for broadcast"
    %83 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%79, %arg2 : tensor<?x16x?x?xf32>, tensor<?x1x?x?xf32>) outs(%78 : tensor<?x16x?x?xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.addf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x16x?x?xf32>
    %84 = tensor.empty(%77, %dim_10) : tensor<?x16x?xi64>
    %85 = linalg.fill ins(%c0_i64 : i64) outs(%84 : tensor<?x16x?xi64>) -> tensor<?x16x?xi64>
    %86 = tensor.empty(%77, %dim_10) : tensor<?x16x?xf32>
    %87 = linalg.fill ins(%cst_1 : f32) outs(%86 : tensor<?x16x?xf32>) -> tensor<?x16x?xf32>
    %88:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%83 : tensor<?x16x?x?xf32>) outs(%87, %85 : tensor<?x16x?xf32>, tensor<?x16x?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_81: i64):
      %290 = linalg.index 3 : index
      %291 = arith.index_cast %290 : index to i64
      %292 = arith.maximumf %in, %out : f32
      %293 = arith.cmpf ogt, %in, %out : f32
      %294 = arith.select %293, %291, %out_81 : i64
      linalg.yield %292, %294 : f32, i64
    } -> (tensor<?x16x?xf32>, tensor<?x16x?xi64>)
    %expanded_33 = tensor.expand_shape %88#0 [[0], [1], [2, 3]] output_shape [%77, 16, %dim_10, 1] : tensor<?x16x?xf32> into tensor<?x16x?x1xf32>
    %89 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%83, %expanded_33 : tensor<?x16x?x?xf32>, tensor<?x16x?x1xf32>) outs(%78 : tensor<?x16x?x?xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.subf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x16x?x?xf32>
    %90 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%89 : tensor<?x16x?x?xf32>) outs(%78 : tensor<?x16x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = math.exp %in : f32
      linalg.yield %290 : f32
    } -> tensor<?x16x?x?xf32>
    %91 = tensor.empty(%77, %dim_10) : tensor<?x16x?x1xf32>
    %92 = linalg.fill ins(%cst : f32) outs(%91 : tensor<?x16x?x1xf32>) -> tensor<?x16x?x1xf32>
    %93 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%90 : tensor<?x16x?x?xf32>) outs(%92 : tensor<?x16x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = arith.addf %in, %out : f32
      linalg.yield %290 : f32
    } -> tensor<?x16x?x1xf32>
    %94 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%90, %93 : tensor<?x16x?x?xf32>, tensor<?x16x?x1xf32>) outs(%78 : tensor<?x16x?x?xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.divf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x16x?x?xf32>
    %dim_34 = tensor.dim %arg4, %c0 : tensor<?x8x?x64xf32>
    %95 = arith.index_cast %dim_34 : index to i64
    %dim_35 = tensor.dim %arg4, %c2 : tensor<?x8x?x64xf32>
    %96 = arith.addi %dim_35, %dim_10 : index
    %97 = arith.index_cast %96 : index to i64
    %expanded_36 = tensor.expand_shape %concat_22 [[0], [1], [2, 3], [4]] output_shape [%dim_34, 8, 1, %96, 64] : tensor<?x8x?x64xf32> into tensor<?x8x1x?x64xf32>
    %98 = tensor.empty(%dim_34, %96) : tensor<?x8x2x?x64xf32>
    %collapsed_37 = tensor.collapse_shape %expanded_36 [[0], [1, 2], [3], [4]] : tensor<?x8x1x?x64xf32> into tensor<?x8x?x64xf32>
    %99 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_37 : tensor<?x8x?x64xf32>) outs(%98 : tensor<?x8x2x?x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x8x2x?x64xf32>
    %100 = arith.cmpi sgt, %95, %c0_i64 : i64
    cf.assert %100, "Expected dim size > 0."
    %101 = arith.cmpi sgt, %97, %c0_i64 : i64
    cf.assert %101, "Expected dim size > 0."
    %102 = arith.cmpi slt, %95, %c0_i64 : i64
    %103 = arith.select %102, %c1_i64, %95 : i64
    %104 = arith.extui %102 : i1 to i64
    %105 = arith.muli %103, %c16_i64 : i64
    %106 = arith.muli %105, %97 : i64
    %107 = arith.addi %104, %c1_i64 : i64
    %108 = arith.cmpi slt, %97, %c0_i64 : i64
    %109 = arith.select %108, %105, %106 : i64
    %110 = arith.select %108, %107, %104 : i64
    %111 = arith.muli %109, %c64_i64 : i64
    %112 = arith.cmpi sle, %110, %c1_i64 : i64
    cf.assert %112, "must have at most one inferred (negative) dimension"
    %113 = arith.muli %95, %c16_i64 : i64
    %114 = arith.muli %113, %97 : i64
    %115 = arith.muli %114, %c64_i64 : i64
    %116 = arith.divsi %115, %111 : i64
    %117 = arith.select %102, %116, %95 : i64
    %118 = arith.select %108, %116, %97 : i64
    %from_elements_38 = tensor.from_elements %117, %c16_i64, %118, %c64_i64 : tensor<4xi64>
    %reshape_39 = tensor.reshape %99(%from_elements_38) : (tensor<?x8x2x?x64xf32>, tensor<4xi64>) -> tensor<?x16x?x64xf32>
    %119 = arith.index_cast %117 : i64 to index
    %120 = arith.maxui %77, %119 : index
    %121 = arith.cmpi eq, %68, %118 : i64
    cf.assert %121, "mismatching contracting dimension"
    %collapsed_40 = tensor.collapse_shape %94 [[0, 1], [2], [3]] : tensor<?x16x?x?xf32> into tensor<?x?x?xf32>
    %collapsed_41 = tensor.collapse_shape %reshape_39 [[0, 1], [2], [3]] : tensor<?x16x?x64xf32> into tensor<?x?x64xf32>
    %122 = arith.muli %120, %c16 : index
    %123 = tensor.empty(%122, %dim_10) : tensor<?x?x64xf32>
    %124 = linalg.fill ins(%cst : f32) outs(%123 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
    %125 = linalg.batch_matmul ins(%collapsed_40, %collapsed_41 : tensor<?x?x?xf32>, tensor<?x?x64xf32>) outs(%124 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
    %126 = arith.divsi %122, %c16 : index
    %expanded_42 = tensor.expand_shape %125 [[0, 1], [2], [3]] output_shape [%126, 16, %dim_10, 64] : tensor<?x?x64xf32> into tensor<?x16x?x64xf32>
    %127 = tensor.empty(%126, %dim_10) : tensor<?x?x16x64xf32>
    %transposed_43 = linalg.transpose ins(%expanded_42 : tensor<?x16x?x64xf32>) outs(%127 : tensor<?x?x16x64xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_44 = tensor.collapse_shape %transposed_43 [[0], [1], [2, 3]] : tensor<?x?x16x64xf32> into tensor<?x?x1024xf32>
    %128 = arith.index_cast %126 : index to i64
    %129 = arith.cmpi sge, %128, %c0_i64 : i64
    cf.assert %129, "negative values not allowed in new dimensions"
    %130 = tensor.empty(%126) : tensor<?x1024x1024xf32>
    %131 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg11 : tensor<1024x1024xf32>) outs(%130 : tensor<?x1024x1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x1024x1024xf32>
    %132 = tensor.empty(%126, %dim_10) : tensor<?x?x1024xf32>
    %133 = linalg.fill ins(%cst : f32) outs(%132 : tensor<?x?x1024xf32>) -> tensor<?x?x1024xf32>
    %134 = linalg.batch_matmul ins(%collapsed_44, %131 : tensor<?x?x1024xf32>, tensor<?x1024x1024xf32>) outs(%133 : tensor<?x?x1024xf32>) -> tensor<?x?x1024xf32>
    %135 = arith.cmpi eq, %dim_9, %126 : index
    cf.assert %135, "mismatched size for broadcast"
    %136 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %134 : tensor<?x?x1024xf32>, tensor<?x?x1024xf32>) outs(%7 : tensor<?x?x1024xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.addf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1024xf32>
    %137 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%136, %136 : tensor<?x?x1024xf32>, tensor<?x?x1024xf32>) outs(%7 : tensor<?x?x1024xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1024xf32>
    %138 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%137 : tensor<?x?x1024xf32>) outs(%10 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = arith.addf %in, %out : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1xf32>
    %139 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%138 : tensor<?x?x1xf32>) outs(%9 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = arith.divf %in, %cst_5 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1xf32>
    %140 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%139, %cst_3 : tensor<?x?x1xf32>, tensor<f32>) outs(%9 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.addf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1xf32>
    %141 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%140 : tensor<?x?x1xf32>) outs(%9 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = math.sqrt %in : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1xf32>
    %142 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%141 : tensor<?x?x1xf32>) outs(%9 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = arith.cmpf one, %in, %cst : f32
      cf.assert %290, "unimplemented: tensor with zero element"
      %291 = arith.divf %cst_0, %in : f32
      linalg.yield %291 : f32
    } -> tensor<?x?x1xf32>
    %143 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%136, %142 : tensor<?x?x1024xf32>, tensor<?x?x1xf32>) outs(%7 : tensor<?x?x1024xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1024xf32>
    %144 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%143, %arg12 : tensor<?x?x1024xf32>, tensor<1024xf32>) outs(%7 : tensor<?x?x1024xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1024xf32>
    cf.assert %19, "negative values not allowed in new dimensions"
    %145 = tensor.empty(%dim_9) : tensor<?x1024x2816xf32>
    %146 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg13 : tensor<1024x2816xf32>) outs(%145 : tensor<?x1024x2816xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x1024x2816xf32>
    %147 = tensor.empty(%dim_9, %dim_10) : tensor<?x?x2816xf32>
    %148 = linalg.fill ins(%cst : f32) outs(%147 : tensor<?x?x2816xf32>) -> tensor<?x?x2816xf32>
    %149 = linalg.batch_matmul ins(%144, %146 : tensor<?x?x1024xf32>, tensor<?x1024x2816xf32>) outs(%148 : tensor<?x?x2816xf32>) -> tensor<?x?x2816xf32>
    cf.assert %19, "negative values not allowed in new dimensions"
    %150 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg14 : tensor<1024x2816xf32>) outs(%145 : tensor<?x1024x2816xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x1024x2816xf32>
    %151 = linalg.batch_matmul ins(%144, %150 : tensor<?x?x1024xf32>, tensor<?x1024x2816xf32>) outs(%148 : tensor<?x?x2816xf32>) -> tensor<?x?x2816xf32>
    %152 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%149 : tensor<?x?x2816xf32>) outs(%147 : tensor<?x?x2816xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = arith.negf %in : f32
      %291 = math.exp %290 : f32
      %292 = arith.addf %291, %cst_0 : f32
      %293 = arith.divf %cst_0, %292 : f32
      linalg.yield %293 : f32
    } -> tensor<?x?x2816xf32>
    %153 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%149, %152 : tensor<?x?x2816xf32>, tensor<?x?x2816xf32>) outs(%147 : tensor<?x?x2816xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x2816xf32>
    %154 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%153, %151 : tensor<?x?x2816xf32>, tensor<?x?x2816xf32>) outs(%147 : tensor<?x?x2816xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x2816xf32>
    cf.assert %19, "negative values not allowed in new dimensions"
    %155 = tensor.empty(%dim_9) : tensor<?x2816x1024xf32>
    %156 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg15 : tensor<2816x1024xf32>) outs(%155 : tensor<?x2816x1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x2816x1024xf32>
    %157 = linalg.batch_matmul ins(%154, %156 : tensor<?x?x2816xf32>, tensor<?x2816x1024xf32>) outs(%22 : tensor<?x?x1024xf32>) -> tensor<?x?x1024xf32>
    %158 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%136, %157 : tensor<?x?x1024xf32>, tensor<?x?x1024xf32>) outs(%7 : tensor<?x?x1024xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.addf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1024xf32>
    %159 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%158, %158 : tensor<?x?x1024xf32>, tensor<?x?x1024xf32>) outs(%7 : tensor<?x?x1024xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1024xf32>
    %160 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%159 : tensor<?x?x1024xf32>) outs(%10 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = arith.addf %in, %out : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1xf32>
    %161 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%160 : tensor<?x?x1xf32>) outs(%9 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = arith.divf %in, %cst_5 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1xf32>
    %162 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%161, %cst_3 : tensor<?x?x1xf32>, tensor<f32>) outs(%9 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.addf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1xf32>
    %163 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%162 : tensor<?x?x1xf32>) outs(%9 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = math.sqrt %in : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1xf32>
    %164 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%163 : tensor<?x?x1xf32>) outs(%9 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = arith.cmpf one, %in, %cst : f32
      cf.assert %290, "unimplemented: tensor with zero element"
      %291 = arith.divf %cst_0, %in : f32
      linalg.yield %291 : f32
    } -> tensor<?x?x1xf32>
    %165 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%158, %164 : tensor<?x?x1024xf32>, tensor<?x?x1xf32>) outs(%7 : tensor<?x?x1024xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1024xf32>
    %166 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%165, %arg16 : tensor<?x?x1024xf32>, tensor<1024xf32>) outs(%7 : tensor<?x?x1024xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1024xf32>
    cf.assert %19, "negative values not allowed in new dimensions"
    %167 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg17 : tensor<1024x1024xf32>) outs(%20 : tensor<?x1024x1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x1024x1024xf32>
    %168 = linalg.batch_matmul ins(%166, %167 : tensor<?x?x1024xf32>, tensor<?x1024x1024xf32>) outs(%22 : tensor<?x?x1024xf32>) -> tensor<?x?x1024xf32>
    %expanded_45 = tensor.expand_shape %168 [[0], [1], [2, 3]] output_shape [%dim_9, %dim_10, 16, 64] : tensor<?x?x1024xf32> into tensor<?x?x16x64xf32>
    %transposed_46 = linalg.transpose ins(%expanded_45 : tensor<?x?x16x64xf32>) outs(%24 : tensor<?x16x?x64xf32>) permutation = [0, 2, 1, 3] 
    %extracted_slice_47 = tensor.extract_slice %transposed_46[0, 0, 0, 0] [%dim_9, 16, %dim_10, 32] [1, 1, 1, 1] : tensor<?x16x?x64xf32> to tensor<?x16x?x32xf32>
    %extracted_slice_48 = tensor.extract_slice %transposed_46[0, 0, 0, 32] [%dim_9, 16, %dim_10, 32] [1, 1, 1, 1] : tensor<?x16x?x64xf32> to tensor<?x16x?x32xf32>
    %169 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_48 : tensor<?x16x?x32xf32>) outs(%25 : tensor<?x16x?x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = arith.negf %in : f32
      linalg.yield %290 : f32
    } -> tensor<?x16x?x32xf32>
    %concat_49 = tensor.concat dim(3) %169, %extracted_slice_47 : (tensor<?x16x?x32xf32>, tensor<?x16x?x32xf32>) -> tensor<?x16x?x64xf32>
    cf.assert %27, "mismatched size for broadcast"
    cf.assert %28, "mismatched size for broadcast"
    %170 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_46, %expanded_7 : tensor<?x16x?x64xf32>, tensor<?x1x?x64xf32>) outs(%24 : tensor<?x16x?x64xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x16x?x64xf32>
    cf.assert %27, "mismatched size for broadcast"
    cf.assert %28, "mismatched size for broadcast"
    %171 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_49, %expanded_8 : tensor<?x16x?x64xf32>, tensor<?x1x?x64xf32>) outs(%24 : tensor<?x16x?x64xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x16x?x64xf32>
    %172 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%170, %171 : tensor<?x16x?x64xf32>, tensor<?x16x?x64xf32>) outs(%24 : tensor<?x16x?x64xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.addf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x16x?x64xf32>
    cf.assert %19, "negative values not allowed in new dimensions"
    %173 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg18 : tensor<1024x512xf32>) outs(%32 : tensor<?x1024x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x1024x512xf32>
    %174 = linalg.batch_matmul ins(%166, %173 : tensor<?x?x1024xf32>, tensor<?x1024x512xf32>) outs(%35 : tensor<?x?x512xf32>) -> tensor<?x?x512xf32>
    %expanded_50 = tensor.expand_shape %174 [[0], [1], [2, 3]] output_shape [%dim_9, %dim_10, 8, 64] : tensor<?x?x512xf32> into tensor<?x?x8x64xf32>
    %transposed_51 = linalg.transpose ins(%expanded_50 : tensor<?x?x8x64xf32>) outs(%37 : tensor<?x8x?x64xf32>) permutation = [0, 2, 1, 3] 
    %extracted_slice_52 = tensor.extract_slice %transposed_51[0, 0, 0, 0] [%dim_9, 8, %dim_10, 32] [1, 1, 1, 1] : tensor<?x8x?x64xf32> to tensor<?x8x?x32xf32>
    %extracted_slice_53 = tensor.extract_slice %transposed_51[0, 0, 0, 32] [%dim_9, 8, %dim_10, 32] [1, 1, 1, 1] : tensor<?x8x?x64xf32> to tensor<?x8x?x32xf32>
    %175 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_53 : tensor<?x8x?x32xf32>) outs(%38 : tensor<?x8x?x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = arith.negf %in : f32
      linalg.yield %290 : f32
    } -> tensor<?x8x?x32xf32>
    %concat_54 = tensor.concat dim(3) %175, %extracted_slice_52 : (tensor<?x8x?x32xf32>, tensor<?x8x?x32xf32>) -> tensor<?x8x?x64xf32>
    cf.assert %27, "mismatched size for broadcast"
    cf.assert %28, "mismatched size for broadcast"
    %176 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_51, %expanded_7 : tensor<?x8x?x64xf32>, tensor<?x1x?x64xf32>) outs(%37 : tensor<?x8x?x64xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x8x?x64xf32>
    cf.assert %27, "mismatched size for broadcast"
    cf.assert %28, "mismatched size for broadcast"
    %177 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_54, %expanded_8 : tensor<?x8x?x64xf32>, tensor<?x1x?x64xf32>) outs(%37 : tensor<?x8x?x64xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x8x?x64xf32>
    %178 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%176, %177 : tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>) outs(%37 : tensor<?x8x?x64xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.addf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x8x?x64xf32>
    cf.assert %19, "negative values not allowed in new dimensions"
    %179 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg19 : tensor<1024x512xf32>) outs(%32 : tensor<?x1024x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x1024x512xf32>
    %180 = linalg.batch_matmul ins(%166, %179 : tensor<?x?x1024xf32>, tensor<?x1024x512xf32>) outs(%35 : tensor<?x?x512xf32>) -> tensor<?x?x512xf32>
    %expanded_55 = tensor.expand_shape %180 [[0], [1], [2, 3]] output_shape [%dim_9, %dim_10, 8, 64] : tensor<?x?x512xf32> into tensor<?x?x8x64xf32>
    %transposed_56 = linalg.transpose ins(%expanded_55 : tensor<?x?x8x64xf32>) outs(%37 : tensor<?x8x?x64xf32>) permutation = [0, 2, 1, 3] 
    %concat_57 = tensor.concat dim(2) %arg5, %178 : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>) -> tensor<?x8x?x64xf32>
    %concat_58 = tensor.concat dim(2) %arg6, %transposed_56 : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>) -> tensor<?x8x?x64xf32>
    %dim_59 = tensor.dim %arg5, %c0 : tensor<?x8x?x64xf32>
    %181 = arith.index_cast %dim_59 : index to i64
    %dim_60 = tensor.dim %arg5, %c2 : tensor<?x8x?x64xf32>
    %182 = arith.addi %dim_60, %dim_10 : index
    %183 = arith.index_cast %182 : index to i64
    %expanded_61 = tensor.expand_shape %concat_57 [[0], [1], [2, 3], [4]] output_shape [%dim_59, 8, 1, %182, 64] : tensor<?x8x?x64xf32> into tensor<?x8x1x?x64xf32>
    %184 = tensor.empty(%dim_59, %182) : tensor<?x8x2x?x64xf32>
    %collapsed_62 = tensor.collapse_shape %expanded_61 [[0], [1, 2], [3], [4]] : tensor<?x8x1x?x64xf32> into tensor<?x8x?x64xf32>
    %185 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_62 : tensor<?x8x?x64xf32>) outs(%184 : tensor<?x8x2x?x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x8x2x?x64xf32>
    %186 = arith.cmpi sgt, %181, %c0_i64 : i64
    cf.assert %186, "Expected dim size > 0."
    %187 = arith.cmpi sgt, %183, %c0_i64 : i64
    cf.assert %187, "Expected dim size > 0."
    %188 = arith.cmpi slt, %181, %c0_i64 : i64
    %189 = arith.select %188, %c1_i64, %181 : i64
    %190 = arith.extui %188 : i1 to i64
    %191 = arith.muli %189, %c16_i64 : i64
    %192 = arith.muli %191, %183 : i64
    %193 = arith.addi %190, %c1_i64 : i64
    %194 = arith.cmpi slt, %183, %c0_i64 : i64
    %195 = arith.select %194, %191, %192 : i64
    %196 = arith.select %194, %193, %190 : i64
    %197 = arith.muli %195, %c64_i64 : i64
    %198 = arith.cmpi sle, %196, %c1_i64 : i64
    cf.assert %198, "must have at most one inferred (negative) dimension"
    %199 = arith.muli %181, %c16_i64 : i64
    %200 = arith.muli %199, %183 : i64
    %201 = arith.muli %200, %c64_i64 : i64
    %202 = arith.divsi %201, %197 : i64
    %203 = arith.select %188, %202, %181 : i64
    %204 = arith.select %194, %202, %183 : i64
    %from_elements_63 = tensor.from_elements %203, %c16_i64, %204, %c64_i64 : tensor<4xi64>
    %reshape_64 = tensor.reshape %185(%from_elements_63) : (tensor<?x8x2x?x64xf32>, tensor<4xi64>) -> tensor<?x16x?x64xf32>
    %205 = arith.index_cast %203 : i64 to index
    %206 = arith.index_cast %204 : i64 to index
    %207 = tensor.empty(%205, %206) : tensor<?x16x64x?xf32>
    %transposed_65 = linalg.transpose ins(%reshape_64 : tensor<?x16x?x64xf32>) outs(%207 : tensor<?x16x64x?xf32>) permutation = [0, 1, 3, 2] 
    %208 = arith.maxui %dim_9, %205 : index
    %collapsed_66 = tensor.collapse_shape %172 [[0, 1], [2], [3]] : tensor<?x16x?x64xf32> into tensor<?x?x64xf32>
    %collapsed_67 = tensor.collapse_shape %transposed_65 [[0, 1], [2], [3]] : tensor<?x16x64x?xf32> into tensor<?x64x?xf32>
    %209 = arith.muli %208, %c16 : index
    %210 = tensor.empty(%209, %dim_10, %206) : tensor<?x?x?xf32>
    %211 = linalg.fill ins(%cst : f32) outs(%210 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %212 = linalg.batch_matmul ins(%collapsed_66, %collapsed_67 : tensor<?x?x64xf32>, tensor<?x64x?xf32>) outs(%211 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %213 = arith.divsi %209, %c16 : index
    %expanded_68 = tensor.expand_shape %212 [[0, 1], [2], [3]] output_shape [%213, 16, %dim_10, %206] : tensor<?x?x?xf32> into tensor<?x16x?x?xf32>
    %214 = tensor.empty(%213, %dim_10, %206) : tensor<?x16x?x?xf32>
    %215 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_68, %cst_4 : tensor<?x16x?x?xf32>, tensor<f32>) outs(%214 : tensor<?x16x?x?xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x16x?x?xf32>
    %216 = arith.cmpi eq, %213, %dim_30 : index
    cf.assert %216, "mismatched size for broadcast"
    cf.assert %81, "mismatched size for broadcast"
    %217 = arith.cmpi eq, %206, %dim_32 : index
    cf.assert %217, "mismatched size for broadcast"
    %218 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%215, %arg2 : tensor<?x16x?x?xf32>, tensor<?x1x?x?xf32>) outs(%214 : tensor<?x16x?x?xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.addf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x16x?x?xf32>
    %219 = tensor.empty(%213, %dim_10) : tensor<?x16x?xi64>
    %220 = linalg.fill ins(%c0_i64 : i64) outs(%219 : tensor<?x16x?xi64>) -> tensor<?x16x?xi64>
    %221 = tensor.empty(%213, %dim_10) : tensor<?x16x?xf32>
    %222 = linalg.fill ins(%cst_1 : f32) outs(%221 : tensor<?x16x?xf32>) -> tensor<?x16x?xf32>
    %223:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%218 : tensor<?x16x?x?xf32>) outs(%222, %220 : tensor<?x16x?xf32>, tensor<?x16x?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_81: i64):
      %290 = linalg.index 3 : index
      %291 = arith.index_cast %290 : index to i64
      %292 = arith.maximumf %in, %out : f32
      %293 = arith.cmpf ogt, %in, %out : f32
      %294 = arith.select %293, %291, %out_81 : i64
      linalg.yield %292, %294 : f32, i64
    } -> (tensor<?x16x?xf32>, tensor<?x16x?xi64>)
    %expanded_69 = tensor.expand_shape %223#0 [[0], [1], [2, 3]] output_shape [%213, 16, %dim_10, 1] : tensor<?x16x?xf32> into tensor<?x16x?x1xf32>
    %224 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%218, %expanded_69 : tensor<?x16x?x?xf32>, tensor<?x16x?x1xf32>) outs(%214 : tensor<?x16x?x?xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.subf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x16x?x?xf32>
    %225 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%224 : tensor<?x16x?x?xf32>) outs(%214 : tensor<?x16x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = math.exp %in : f32
      linalg.yield %290 : f32
    } -> tensor<?x16x?x?xf32>
    %226 = tensor.empty(%213, %dim_10) : tensor<?x16x?x1xf32>
    %227 = linalg.fill ins(%cst : f32) outs(%226 : tensor<?x16x?x1xf32>) -> tensor<?x16x?x1xf32>
    %228 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%225 : tensor<?x16x?x?xf32>) outs(%227 : tensor<?x16x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = arith.addf %in, %out : f32
      linalg.yield %290 : f32
    } -> tensor<?x16x?x1xf32>
    %229 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%225, %228 : tensor<?x16x?x?xf32>, tensor<?x16x?x1xf32>) outs(%214 : tensor<?x16x?x?xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.divf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x16x?x?xf32>
    %dim_70 = tensor.dim %arg6, %c0 : tensor<?x8x?x64xf32>
    %230 = arith.index_cast %dim_70 : index to i64
    %dim_71 = tensor.dim %arg6, %c2 : tensor<?x8x?x64xf32>
    %231 = arith.addi %dim_71, %dim_10 : index
    %232 = arith.index_cast %231 : index to i64
    %expanded_72 = tensor.expand_shape %concat_58 [[0], [1], [2, 3], [4]] output_shape [%dim_70, 8, 1, %231, 64] : tensor<?x8x?x64xf32> into tensor<?x8x1x?x64xf32>
    %233 = tensor.empty(%dim_70, %231) : tensor<?x8x2x?x64xf32>
    %collapsed_73 = tensor.collapse_shape %expanded_72 [[0], [1, 2], [3], [4]] : tensor<?x8x1x?x64xf32> into tensor<?x8x?x64xf32>
    %234 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_73 : tensor<?x8x?x64xf32>) outs(%233 : tensor<?x8x2x?x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x8x2x?x64xf32>
    %235 = arith.cmpi sgt, %230, %c0_i64 : i64
    cf.assert %235, "Expected dim size > 0."
    %236 = arith.cmpi sgt, %232, %c0_i64 : i64
    cf.assert %236, "Expected dim size > 0."
    %237 = arith.cmpi slt, %230, %c0_i64 : i64
    %238 = arith.select %237, %c1_i64, %230 : i64
    %239 = arith.extui %237 : i1 to i64
    %240 = arith.muli %238, %c16_i64 : i64
    %241 = arith.muli %240, %232 : i64
    %242 = arith.addi %239, %c1_i64 : i64
    %243 = arith.cmpi slt, %232, %c0_i64 : i64
    %244 = arith.select %243, %240, %241 : i64
    %245 = arith.select %243, %242, %239 : i64
    %246 = arith.muli %244, %c64_i64 : i64
    %247 = arith.cmpi sle, %245, %c1_i64 : i64
    cf.assert %247, "must have at most one inferred (negative) dimension"
    %248 = arith.muli %230, %c16_i64 : i64
    %249 = arith.muli %248, %232 : i64
    %250 = arith.muli %249, %c64_i64 : i64
    %251 = arith.divsi %250, %246 : i64
    %252 = arith.select %237, %251, %230 : i64
    %253 = arith.select %243, %251, %232 : i64
    %from_elements_74 = tensor.from_elements %252, %c16_i64, %253, %c64_i64 : tensor<4xi64>
    %reshape_75 = tensor.reshape %234(%from_elements_74) : (tensor<?x8x2x?x64xf32>, tensor<4xi64>) -> tensor<?x16x?x64xf32>
    %254 = arith.index_cast %252 : i64 to index
    %255 = arith.maxui %213, %254 : index
    %256 = arith.cmpi eq, %204, %253 : i64
    cf.assert %256, "mismatching contracting dimension"
    %collapsed_76 = tensor.collapse_shape %229 [[0, 1], [2], [3]] : tensor<?x16x?x?xf32> into tensor<?x?x?xf32>
    %collapsed_77 = tensor.collapse_shape %reshape_75 [[0, 1], [2], [3]] : tensor<?x16x?x64xf32> into tensor<?x?x64xf32>
    %257 = arith.muli %255, %c16 : index
    %258 = tensor.empty(%257, %dim_10) : tensor<?x?x64xf32>
    %259 = linalg.fill ins(%cst : f32) outs(%258 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
    %260 = linalg.batch_matmul ins(%collapsed_76, %collapsed_77 : tensor<?x?x?xf32>, tensor<?x?x64xf32>) outs(%259 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
    %261 = arith.divsi %257, %c16 : index
    %expanded_78 = tensor.expand_shape %260 [[0, 1], [2], [3]] output_shape [%261, 16, %dim_10, 64] : tensor<?x?x64xf32> into tensor<?x16x?x64xf32>
    %262 = tensor.empty(%261, %dim_10) : tensor<?x?x16x64xf32>
    %transposed_79 = linalg.transpose ins(%expanded_78 : tensor<?x16x?x64xf32>) outs(%262 : tensor<?x?x16x64xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_80 = tensor.collapse_shape %transposed_79 [[0], [1], [2, 3]] : tensor<?x?x16x64xf32> into tensor<?x?x1024xf32>
    %263 = arith.index_cast %261 : index to i64
    %264 = arith.cmpi sge, %263, %c0_i64 : i64
    cf.assert %264, "negative values not allowed in new dimensions"
    %265 = tensor.empty(%261) : tensor<?x1024x1024xf32>
    %266 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg20 : tensor<1024x1024xf32>) outs(%265 : tensor<?x1024x1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x1024x1024xf32>
    %267 = tensor.empty(%261, %dim_10) : tensor<?x?x1024xf32>
    %268 = linalg.fill ins(%cst : f32) outs(%267 : tensor<?x?x1024xf32>) -> tensor<?x?x1024xf32>
    %269 = linalg.batch_matmul ins(%collapsed_80, %266 : tensor<?x?x1024xf32>, tensor<?x1024x1024xf32>) outs(%268 : tensor<?x?x1024xf32>) -> tensor<?x?x1024xf32>
    %270 = arith.cmpi eq, %dim_9, %261 : index
    cf.assert %270, "mismatched size for broadcast"
    %271 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%158, %269 : tensor<?x?x1024xf32>, tensor<?x?x1024xf32>) outs(%7 : tensor<?x?x1024xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.addf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1024xf32>
    %272 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%271, %271 : tensor<?x?x1024xf32>, tensor<?x?x1024xf32>) outs(%7 : tensor<?x?x1024xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1024xf32>
    %273 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%272 : tensor<?x?x1024xf32>) outs(%10 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = arith.addf %in, %out : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1xf32>
    %274 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%273 : tensor<?x?x1xf32>) outs(%9 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = arith.divf %in, %cst_5 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1xf32>
    %275 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%274, %cst_3 : tensor<?x?x1xf32>, tensor<f32>) outs(%9 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.addf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1xf32>
    %276 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%275 : tensor<?x?x1xf32>) outs(%9 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = math.sqrt %in : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1xf32>
    %277 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%276 : tensor<?x?x1xf32>) outs(%9 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = arith.cmpf one, %in, %cst : f32
      cf.assert %290, "unimplemented: tensor with zero element"
      %291 = arith.divf %cst_0, %in : f32
      linalg.yield %291 : f32
    } -> tensor<?x?x1xf32>
    %278 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%271, %277 : tensor<?x?x1024xf32>, tensor<?x?x1xf32>) outs(%7 : tensor<?x?x1024xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1024xf32>
    %279 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%278, %arg21 : tensor<?x?x1024xf32>, tensor<1024xf32>) outs(%7 : tensor<?x?x1024xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1024xf32>
    cf.assert %19, "negative values not allowed in new dimensions"
    %280 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg22 : tensor<1024x2816xf32>) outs(%145 : tensor<?x1024x2816xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x1024x2816xf32>
    %281 = linalg.batch_matmul ins(%279, %280 : tensor<?x?x1024xf32>, tensor<?x1024x2816xf32>) outs(%148 : tensor<?x?x2816xf32>) -> tensor<?x?x2816xf32>
    cf.assert %19, "negative values not allowed in new dimensions"
    %282 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg23 : tensor<1024x2816xf32>) outs(%145 : tensor<?x1024x2816xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x1024x2816xf32>
    %283 = linalg.batch_matmul ins(%279, %282 : tensor<?x?x1024xf32>, tensor<?x1024x2816xf32>) outs(%148 : tensor<?x?x2816xf32>) -> tensor<?x?x2816xf32>
    %284 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%281 : tensor<?x?x2816xf32>) outs(%147 : tensor<?x?x2816xf32>) {
    ^bb0(%in: f32, %out: f32):
      %290 = arith.negf %in : f32
      %291 = math.exp %290 : f32
      %292 = arith.addf %291, %cst_0 : f32
      %293 = arith.divf %cst_0, %292 : f32
      linalg.yield %293 : f32
    } -> tensor<?x?x2816xf32>
    %285 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%281, %284 : tensor<?x?x2816xf32>, tensor<?x?x2816xf32>) outs(%147 : tensor<?x?x2816xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x2816xf32>
    %286 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%285, %283 : tensor<?x?x2816xf32>, tensor<?x?x2816xf32>) outs(%147 : tensor<?x?x2816xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.mulf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x2816xf32>
    cf.assert %19, "negative values not allowed in new dimensions"
    %287 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg24 : tensor<2816x1024xf32>) outs(%155 : tensor<?x2816x1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x2816x1024xf32>
    %288 = linalg.batch_matmul ins(%286, %287 : tensor<?x?x2816xf32>, tensor<?x2816x1024xf32>) outs(%22 : tensor<?x?x1024xf32>) -> tensor<?x?x1024xf32>
    %289 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%271, %288 : tensor<?x?x1024xf32>, tensor<?x?x1024xf32>) outs(%7 : tensor<?x?x1024xf32>) {
    ^bb0(%in: f32, %in_81: f32, %out: f32):
      %290 = arith.addf %in, %in_81 : f32
      linalg.yield %290 : f32
    } -> tensor<?x?x1024xf32>
    return %289, %concat_21, %concat_22, %concat_57, %concat_58 : tensor<?x?x1024xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>
  }
}
