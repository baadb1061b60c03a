// LSTM 128 -> 128 over a sequence of run-time length: scf.for with the state as loop-carried tensors.
// Imported from ONNX through torch-mlir's lowerings, unedited.  Dynamic dims: batch, seq.  Tolerance: 1e-05.
//
//   %arg0  x [seq, batch, 128]
//   %arg1  h0 [1, batch, 128]
//   %arg2  c0 [1, batch, 128]
//   %arg3  lstm.w [1, 512, 128]
//   %arg4  lstm.r [1, 512, 128]
//   %arg5  lstm.b [1, 1024]
//   result 0: y [seq, batch, 128]
//   result 1: hn [1, batch, 128]
//   result 2: cn [1, batch, 128]

module {
  func.func @lstm(%arg0: tensor<?x?x128xf32>, %arg1: tensor<1x?x128xf32>, %arg2: tensor<1x?x128xf32>, %arg3: tensor<1x512x128xf32>, %arg4: tensor<1x512x128xf32>, %arg5: tensor<1x1024xf32>) -> (tensor<?x?x128xf32>, tensor<1x?x128xf32>, tensor<1x?x128xf32>) {
    %c0_i64 = arith.constant 0 : i64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %dim = tensor.dim %arg0, %c0 : tensor<?x?x128xf32>
    %dim_1 = tensor.dim %arg0, %c1 : tensor<?x?x128xf32>
    %collapsed = tensor.collapse_shape %arg3 [[0, 1], [2]] : tensor<1x512x128xf32> into tensor<512x128xf32>
    %collapsed_2 = tensor.collapse_shape %arg4 [[0, 1], [2]] : tensor<1x512x128xf32> into tensor<512x128xf32>
    %collapsed_3 = tensor.collapse_shape %arg5 [[0, 1]] : tensor<1x1024xf32> into tensor<1024xf32>
    %dim_4 = tensor.dim %arg1, %c1 : tensor<1x?x128xf32>
    %extracted_slice = tensor.extract_slice %arg1[0, 0, 0] [1, %dim_4, 128] [1, 1, 1] : tensor<1x?x128xf32> to tensor<1x?x128xf32>
    %collapsed_5 = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<1x?x128xf32> into tensor<?x128xf32>
    %dim_6 = tensor.dim %arg2, %c1 : tensor<1x?x128xf32>
    %extracted_slice_7 = tensor.extract_slice %arg2[0, 0, 0] [1, %dim_6, 128] [1, 1, 1] : tensor<1x?x128xf32> to tensor<1x?x128xf32>
    %collapsed_8 = tensor.collapse_shape %extracted_slice_7 [[0, 1], [2]] : tensor<1x?x128xf32> into tensor<?x128xf32>
    %extracted_slice_9 = tensor.extract_slice %collapsed_3[0] [512] [1] : tensor<1024xf32> to tensor<512xf32>
    %extracted_slice_10 = tensor.extract_slice %collapsed_3[512] [512] [1] : tensor<1024xf32> to tensor<512xf32>
    %extracted_slice_11 = tensor.extract_slice %extracted_slice_9[0] [128] [1] : tensor<512xf32> to tensor<128xf32>
    %extracted_slice_12 = tensor.extract_slice %extracted_slice_9[128] [128] [1] : tensor<512xf32> to tensor<128xf32>
    %extracted_slice_13 = tensor.extract_slice %extracted_slice_9[256] [128] [1] : tensor<512xf32> to tensor<128xf32>
    %extracted_slice_14 = tensor.extract_slice %extracted_slice_9[384] [128] [1] : tensor<512xf32> to tensor<128xf32>
    %extracted_slice_15 = tensor.extract_slice %extracted_slice_10[0] [128] [1] : tensor<512xf32> to tensor<128xf32>
    %extracted_slice_16 = tensor.extract_slice %extracted_slice_10[128] [128] [1] : tensor<512xf32> to tensor<128xf32>
    %extracted_slice_17 = tensor.extract_slice %extracted_slice_10[256] [128] [1] : tensor<512xf32> to tensor<128xf32>
    %extracted_slice_18 = tensor.extract_slice %extracted_slice_10[384] [128] [1] : tensor<512xf32> to tensor<128xf32>
    %extracted_slice_19 = tensor.extract_slice %collapsed[0, 0] [128, 128] [1, 1] : tensor<512x128xf32> to tensor<128x128xf32>
    %extracted_slice_20 = tensor.extract_slice %collapsed[128, 0] [128, 128] [1, 1] : tensor<512x128xf32> to tensor<128x128xf32>
    %extracted_slice_21 = tensor.extract_slice %collapsed[256, 0] [128, 128] [1, 1] : tensor<512x128xf32> to tensor<128x128xf32>
    %extracted_slice_22 = tensor.extract_slice %collapsed[384, 0] [128, 128] [1, 1] : tensor<512x128xf32> to tensor<128x128xf32>
    %extracted_slice_23 = tensor.extract_slice %collapsed_2[0, 0] [128, 128] [1, 1] : tensor<512x128xf32> to tensor<128x128xf32>
    %extracted_slice_24 = tensor.extract_slice %collapsed_2[128, 0] [128, 128] [1, 1] : tensor<512x128xf32> to tensor<128x128xf32>
    %extracted_slice_25 = tensor.extract_slice %collapsed_2[256, 0] [128, 128] [1, 1] : tensor<512x128xf32> to tensor<128x128xf32>
    %extracted_slice_26 = tensor.extract_slice %collapsed_2[384, 0] [128, 128] [1, 1] : tensor<512x128xf32> to tensor<128x128xf32>
    %0 = arith.index_cast %dim : index to i64
    %1 = tensor.empty(%dim, %dim_1) : tensor<?x?x128xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?x?x128xf32>) -> tensor<?x?x128xf32>
    %3:3 = scf.for %arg6 = %c0 to %dim step %c1 iter_args(%arg7 = %2, %arg8 = %collapsed_5, %arg9 = %collapsed_8) -> (tensor<?x?x128xf32>, tensor<?x128xf32>, tensor<?x128xf32>) {
      %4 = arith.index_cast %arg6 : index to i64
      %5 = arith.cmpi slt, %4, %c0_i64 : i64
      %6 = arith.extui %5 : i1 to i64
      %7 = arith.muli %6, %0 : i64
      %8 = arith.addi %4, %7 : i64
      %9 = arith.addi %8, %0 : i64
      %10 = arith.cmpi sge, %8, %c0_i64 : i64
      %11 = arith.select %10, %8, %9 : i64
      %12 = arith.maxsi %11, %c0_i64 : i64
      %13 = arith.minsi %12, %0 : i64
      %14 = arith.index_cast %13 : i64 to index
      %extracted_slice_34 = tensor.extract_slice %arg0[%14, 0, 0] [1, %dim_1, 128] [1, 1, 1] : tensor<?x?x128xf32> to tensor<1x?x128xf32>
      %collapsed_35 = tensor.collapse_shape %extracted_slice_34 [[0, 1], [2]] : tensor<1x?x128xf32> into tensor<?x128xf32>
      %15 = tensor.empty() : tensor<128x128xf32>
      %transposed = linalg.transpose ins(%extracted_slice_19 : tensor<128x128xf32>) outs(%15 : tensor<128x128xf32>) permutation = [1, 0] 
      %16 = tensor.empty(%dim_1) : tensor<?x128xf32>
      %17 = linalg.fill ins(%cst : f32) outs(%16 : tensor<?x128xf32>) -> tensor<?x128xf32>
      %18 = linalg.matmul ins(%collapsed_35, %transposed : tensor<?x128xf32>, tensor<128x128xf32>) outs(%17 : tensor<?x128xf32>) -> tensor<?x128xf32>
      %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%18, %extracted_slice_11 : tensor<?x128xf32>, tensor<128xf32>) outs(%16 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %in_48: f32, %out: f32):
        %58 = arith.addf %in, %in_48 : f32
        linalg.yield %58 : f32
      } -> tensor<?x128xf32>
      %transposed_36 = linalg.transpose ins(%extracted_slice_23 : tensor<128x128xf32>) outs(%15 : tensor<128x128xf32>) permutation = [1, 0] 
      %dim_37 = tensor.dim %arg8, %c0 : tensor<?x128xf32>
      %20 = tensor.empty(%dim_37) : tensor<?x128xf32>
      %21 = linalg.fill ins(%cst : f32) outs(%20 : tensor<?x128xf32>) -> tensor<?x128xf32>
      %22 = linalg.matmul ins(%arg8, %transposed_36 : tensor<?x128xf32>, tensor<128x128xf32>) outs(%21 : tensor<?x128xf32>) -> tensor<?x128xf32>
      %23 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%22, %extracted_slice_15 : tensor<?x128xf32>, tensor<128xf32>) outs(%20 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %in_48: f32, %out: f32):
        %58 = arith.addf %in, %in_48 : f32
        linalg.yield %58 : f32
      } -> tensor<?x128xf32>
      %24 = arith.cmpi eq, %dim_1, %dim_37 : index
      cf.assert %24, "mismatched size for broadcast"
      %25 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%19, %23 : tensor<?x128xf32>, tensor<?x128xf32>) outs(%16 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %in_48: f32, %out: f32):
        %58 = arith.addf %in, %in_48 : f32
        linalg.yield %58 : f32
      } -> tensor<?x128xf32>
      %26 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%25 : tensor<?x128xf32>) outs(%16 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %out: f32):
        %58 = arith.negf %in : f32
        %59 = math.exp %58 : f32
        %60 = arith.addf %59, %cst_0 : f32
        %61 = arith.divf %cst_0, %60 : f32
        linalg.yield %61 : f32
      } -> tensor<?x128xf32>
      %transposed_38 = linalg.transpose ins(%extracted_slice_20 : tensor<128x128xf32>) outs(%15 : tensor<128x128xf32>) permutation = [1, 0] 
      %27 = linalg.matmul ins(%collapsed_35, %transposed_38 : tensor<?x128xf32>, tensor<128x128xf32>) outs(%17 : tensor<?x128xf32>) -> tensor<?x128xf32>
      %28 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%27, %extracted_slice_12 : tensor<?x128xf32>, tensor<128xf32>) outs(%16 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %in_48: f32, %out: f32):
        %58 = arith.addf %in, %in_48 : f32
        linalg.yield %58 : f32
      } -> tensor<?x128xf32>
      %transposed_39 = linalg.transpose ins(%extracted_slice_24 : tensor<128x128xf32>) outs(%15 : tensor<128x128xf32>) permutation = [1, 0] 
      %29 = linalg.matmul ins(%arg8, %transposed_39 : tensor<?x128xf32>, tensor<128x128xf32>) outs(%21 : tensor<?x128xf32>) -> tensor<?x128xf32>
      %30 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%29, %extracted_slice_16 : tensor<?x128xf32>, tensor<128xf32>) outs(%20 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %in_48: f32, %out: f32):
        %58 = arith.addf %in, %in_48 : f32
        linalg.yield %58 : f32
      } -> tensor<?x128xf32>
      cf.assert %24, "mismatched size for broadcast"
      %31 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%28, %30 : tensor<?x128xf32>, tensor<?x128xf32>) outs(%16 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %in_48: f32, %out: f32):
        %58 = arith.addf %in, %in_48 : f32
        linalg.yield %58 : f32
      } -> tensor<?x128xf32>
      %32 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%31 : tensor<?x128xf32>) outs(%16 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %out: f32):
        %58 = arith.negf %in : f32
        %59 = math.exp %58 : f32
        %60 = arith.addf %59, %cst_0 : f32
        %61 = arith.divf %cst_0, %60 : f32
        linalg.yield %61 : f32
      } -> tensor<?x128xf32>
      %transposed_40 = linalg.transpose ins(%extracted_slice_21 : tensor<128x128xf32>) outs(%15 : tensor<128x128xf32>) permutation = [1, 0] 
      %33 = linalg.matmul ins(%collapsed_35, %transposed_40 : tensor<?x128xf32>, tensor<128x128xf32>) outs(%17 : tensor<?x128xf32>) -> tensor<?x128xf32>
      %34 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%33, %extracted_slice_13 : tensor<?x128xf32>, tensor<128xf32>) outs(%16 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %in_48: f32, %out: f32):
        %58 = arith.addf %in, %in_48 : f32
        linalg.yield %58 : f32
      } -> tensor<?x128xf32>
      %transposed_41 = linalg.transpose ins(%extracted_slice_25 : tensor<128x128xf32>) outs(%15 : tensor<128x128xf32>) permutation = [1, 0] 
      %35 = linalg.matmul ins(%arg8, %transposed_41 : tensor<?x128xf32>, tensor<128x128xf32>) outs(%21 : tensor<?x128xf32>) -> tensor<?x128xf32>
      %36 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%35, %extracted_slice_17 : tensor<?x128xf32>, tensor<128xf32>) outs(%20 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %in_48: f32, %out: f32):
        %58 = arith.addf %in, %in_48 : f32
        linalg.yield %58 : f32
      } -> tensor<?x128xf32>
      cf.assert %24, "mismatched size for broadcast"
      %37 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%34, %36 : tensor<?x128xf32>, tensor<?x128xf32>) outs(%16 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %in_48: f32, %out: f32):
        %58 = arith.addf %in, %in_48 : f32
        linalg.yield %58 : f32
      } -> tensor<?x128xf32>
      %38 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%37 : tensor<?x128xf32>) outs(%16 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %out: f32):
        %58 = arith.negf %in : f32
        %59 = math.exp %58 : f32
        %60 = arith.addf %59, %cst_0 : f32
        %61 = arith.divf %cst_0, %60 : f32
        linalg.yield %61 : f32
      } -> tensor<?x128xf32>
      %transposed_42 = linalg.transpose ins(%extracted_slice_22 : tensor<128x128xf32>) outs(%15 : tensor<128x128xf32>) permutation = [1, 0] 
      %39 = linalg.matmul ins(%collapsed_35, %transposed_42 : tensor<?x128xf32>, tensor<128x128xf32>) outs(%17 : tensor<?x128xf32>) -> tensor<?x128xf32>
      %40 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%39, %extracted_slice_14 : tensor<?x128xf32>, tensor<128xf32>) outs(%16 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %in_48: f32, %out: f32):
        %58 = arith.addf %in, %in_48 : f32
        linalg.yield %58 : f32
      } -> tensor<?x128xf32>
      %transposed_43 = linalg.transpose ins(%extracted_slice_26 : tensor<128x128xf32>) outs(%15 : tensor<128x128xf32>) permutation = [1, 0] 
      %41 = linalg.matmul ins(%arg8, %transposed_43 : tensor<?x128xf32>, tensor<128x128xf32>) outs(%21 : tensor<?x128xf32>) -> tensor<?x128xf32>
      %42 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%41, %extracted_slice_18 : tensor<?x128xf32>, tensor<128xf32>) outs(%20 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %in_48: f32, %out: f32):
        %58 = arith.addf %in, %in_48 : f32
        linalg.yield %58 : f32
      } -> tensor<?x128xf32>
      cf.assert %24, "mismatched size for broadcast"
      %43 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%40, %42 : tensor<?x128xf32>, tensor<?x128xf32>) outs(%16 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %in_48: f32, %out: f32):
        %58 = arith.addf %in, %in_48 : f32
        linalg.yield %58 : f32
      } -> tensor<?x128xf32>
      %44 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%43 : tensor<?x128xf32>) outs(%16 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %out: f32):
        %58 = math.tanh %in : f32
        linalg.yield %58 : f32
      } -> tensor<?x128xf32>
      %dim_44 = tensor.dim %arg9, %c0 : tensor<?x128xf32>
      %45 = arith.cmpi eq, %dim_1, %dim_44 : index
      cf.assert %45, "mismatched size for broadcast"
      %46 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%38, %arg9 : tensor<?x128xf32>, tensor<?x128xf32>) outs(%16 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %in_48: f32, %out: f32):
        %58 = arith.mulf %in, %in_48 : f32
        linalg.yield %58 : f32
      } -> tensor<?x128xf32>
      %47 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%26, %44 : tensor<?x128xf32>, tensor<?x128xf32>) outs(%16 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %in_48: f32, %out: f32):
        %58 = arith.mulf %in, %in_48 : f32
        linalg.yield %58 : f32
      } -> tensor<?x128xf32>
      %48 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%46, %47 : tensor<?x128xf32>, tensor<?x128xf32>) outs(%16 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %in_48: f32, %out: f32):
        %58 = arith.addf %in, %in_48 : f32
        linalg.yield %58 : f32
      } -> tensor<?x128xf32>
      %49 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%48 : tensor<?x128xf32>) outs(%16 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %out: f32):
        %58 = math.tanh %in : f32
        linalg.yield %58 : f32
      } -> tensor<?x128xf32>
      %50 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%32, %49 : tensor<?x128xf32>, tensor<?x128xf32>) outs(%16 : tensor<?x128xf32>) {
      ^bb0(%in: f32, %in_48: f32, %out: f32):
        %58 = arith.mulf %in, %in_48 : f32
        linalg.yield %58 : f32
      } -> tensor<?x128xf32>
      %expanded_45 = tensor.expand_shape %50 [[0, 1], [2]] output_shape [1, %dim_1, 128] : tensor<?x128xf32> into tensor<1x?x128xf32>
      %dim_46 = tensor.dim %arg7, %c0 : tensor<?x?x128xf32>
      %51 = arith.index_cast %dim_46 : index to i64
      %52 = arith.addi %4, %51 : i64
      %53 = arith.cmpi sge, %4, %c0_i64 : i64
      %54 = arith.select %53, %4, %52 : i64
      %55 = arith.maxsi %54, %c0_i64 : i64
      %56 = arith.minsi %55, %51 : i64
      %57 = arith.index_cast %56 : i64 to index
      %dim_47 = tensor.dim %arg7, %c1 : tensor<?x?x128xf32>
      %inserted_slice = tensor.insert_slice %expanded_45 into %arg7[%57, 0, 0] [1, %dim_47, 128] [1, 1, 1] : tensor<1x?x128xf32> into tensor<?x?x128xf32>
      scf.yield %inserted_slice, %50, %48 : tensor<?x?x128xf32>, tensor<?x128xf32>, tensor<?x128xf32>
    }
    %dim_27 = tensor.dim %3#1, %c0 : tensor<?x128xf32>
    %expanded = tensor.expand_shape %3#1 [[0, 1], [2]] output_shape [1, %dim_27, 128] : tensor<?x128xf32> into tensor<1x?x128xf32>
    %dim_28 = tensor.dim %3#2, %c0 : tensor<?x128xf32>
    %expanded_29 = tensor.expand_shape %3#2 [[0, 1], [2]] output_shape [1, %dim_28, 128] : tensor<?x128xf32> into tensor<1x?x128xf32>
    %dim_30 = tensor.dim %3#0, %c0 : tensor<?x?x128xf32>
    %dim_31 = tensor.dim %3#0, %c1 : tensor<?x?x128xf32>
    %expanded_32 = tensor.expand_shape %3#0 [[0], [1, 2], [3]] output_shape [%dim_30, 1, %dim_31, 128] : tensor<?x?x128xf32> into tensor<?x1x?x128xf32>
    %collapsed_33 = tensor.collapse_shape %expanded_32 [[0, 1], [2], [3]] : tensor<?x1x?x128xf32> into tensor<?x?x128xf32>
    return %collapsed_33, %expanded, %expanded_29 : tensor<?x?x128xf32>, tensor<1x?x128xf32>, tensor<1x?x128xf32>
  }
}
