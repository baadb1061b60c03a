// ResNet-18, batch norm folded, NCHW, any image size.
// Imported from ONNX through torch-mlir's lowerings, unedited.  Dynamic dims: batch, height, width.  Tolerance: 1e-04.
//
//   %arg0  x [batch, 3, height, width]
//   %arg1  resnet.stem.w [64, 3, 7, 7]
//   %arg2  resnet.stem.b [64]
//   %arg3  resnet.0.0.c1.w [64, 64, 3, 3]
//   %arg4  resnet.0.0.c1.b [64]
//   %arg5  resnet.0.0.c2.w [64, 64, 3, 3]
//   %arg6  resnet.0.0.c2.b [64]
//   %arg7  resnet.0.1.c1.w [64, 64, 3, 3]
//   %arg8  resnet.0.1.c1.b [64]
//   %arg9  resnet.0.1.c2.w [64, 64, 3, 3]
//   %arg10  resnet.0.1.c2.b [64]
//   %arg11  resnet.1.0.c1.w [128, 64, 3, 3]
//   %arg12  resnet.1.0.c1.b [128]
//   %arg13  resnet.1.0.c2.w [128, 128, 3, 3]
//   %arg14  resnet.1.0.c2.b [128]
//   %arg15  resnet.1.0.down.w [128, 64, 1, 1]
//   %arg16  resnet.1.0.down.b [128]
//   %arg17  resnet.1.1.c1.w [128, 128, 3, 3]
//   %arg18  resnet.1.1.c1.b [128]
//   %arg19  resnet.1.1.c2.w [128, 128, 3, 3]
//   %arg20  resnet.1.1.c2.b [128]
//   %arg21  resnet.2.0.c1.w [256, 128, 3, 3]
//   %arg22  resnet.2.0.c1.b [256]
//   %arg23  resnet.2.0.c2.w [256, 256, 3, 3]
//   %arg24  resnet.2.0.c2.b [256]
//   %arg25  resnet.2.0.down.w [256, 128, 1, 1]
//   %arg26  resnet.2.0.down.b [256]
//   %arg27  resnet.2.1.c1.w [256, 256, 3, 3]
//   %arg28  resnet.2.1.c1.b [256]
//   %arg29  resnet.2.1.c2.w [256, 256, 3, 3]
//   %arg30  resnet.2.1.c2.b [256]
//   %arg31  resnet.3.0.c1.w [512, 256, 3, 3]
//   %arg32  resnet.3.0.c1.b [512]
//   %arg33  resnet.3.0.c2.w [512, 512, 3, 3]
//   %arg34  resnet.3.0.c2.b [512]
//   %arg35  resnet.3.0.down.w [512, 256, 1, 1]
//   %arg36  resnet.3.0.down.b [512]
//   %arg37  resnet.3.1.c1.w [512, 512, 3, 3]
//   %arg38  resnet.3.1.c1.b [512]
//   %arg39  resnet.3.1.c2.w [512, 512, 3, 3]
//   %arg40  resnet.3.1.c2.b [512]
//   %arg41  resnet.fc.w [1000, 512]
//   %arg42  resnet.fc.b [1000]
//   result 0: y [batch, 1000]

module {
  func.func @resnet_small(%arg0: tensor<?x3x?x?xf32>, %arg1: tensor<64x3x7x7xf32>, %arg2: tensor<64xf32>, %arg3: tensor<64x64x3x3xf32>, %arg4: tensor<64xf32>, %arg5: tensor<64x64x3x3xf32>, %arg6: tensor<64xf32>, %arg7: tensor<64x64x3x3xf32>, %arg8: tensor<64xf32>, %arg9: tensor<64x64x3x3xf32>, %arg10: tensor<64xf32>, %arg11: tensor<128x64x3x3xf32>, %arg12: tensor<128xf32>, %arg13: tensor<128x128x3x3xf32>, %arg14: tensor<128xf32>, %arg15: tensor<128x64x1x1xf32>, %arg16: tensor<128xf32>, %arg17: tensor<128x128x3x3xf32>, %arg18: tensor<128xf32>, %arg19: tensor<128x128x3x3xf32>, %arg20: tensor<128xf32>, %arg21: tensor<256x128x3x3xf32>, %arg22: tensor<256xf32>, %arg23: tensor<256x256x3x3xf32>, %arg24: tensor<256xf32>, %arg25: tensor<256x128x1x1xf32>, %arg26: tensor<256xf32>, %arg27: tensor<256x256x3x3xf32>, %arg28: tensor<256xf32>, %arg29: tensor<256x256x3x3xf32>, %arg30: tensor<256xf32>, %arg31: tensor<512x256x3x3xf32>, %arg32: tensor<512xf32>, %arg33: tensor<512x512x3x3xf32>, %arg34: tensor<512xf32>, %arg35: tensor<512x256x1x1xf32>, %arg36: tensor<512xf32>, %arg37: tensor<512x512x3x3xf32>, %arg38: tensor<512xf32>, %arg39: tensor<512x512x3x3xf32>, %arg40: tensor<512xf32>, %arg41: tensor<1000x512xf32>, %arg42: tensor<1000xf32>) -> tensor<?x1000xf32> {
    %c2_i64 = arith.constant 2 : i64
    %c1_i64 = arith.constant 1 : i64
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c2 = arith.constant 2 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %c-1_i64 = arith.constant -1 : i64
    %dim = tensor.dim %arg0, %c0 : tensor<?x3x?x?xf32>
    %dim_1 = tensor.dim %arg0, %c2 : tensor<?x3x?x?xf32>
    %dim_2 = tensor.dim %arg0, %c3 : tensor<?x3x?x?xf32>
    %padded = tensor.pad %arg0 low[0, 0, 3, 3] high[0, 0, 3, 3] {
    ^bb0(%arg43: index, %arg44: index, %arg45: index, %arg46: index):
      tensor.yield %cst : f32
    } : tensor<?x3x?x?xf32> to tensor<?x3x?x?xf32>
    %0 = arith.index_cast %dim_1 : index to i64
    %1 = arith.addi %0, %c-1_i64 : i64
    %2 = arith.floordivsi %1, %c2_i64 : i64
    %3 = arith.addi %2, %c1_i64 : i64
    %4 = arith.index_cast %3 : i64 to index
    %5 = arith.index_cast %dim_2 : index to i64
    %6 = arith.addi %5, %c-1_i64 : i64
    %7 = arith.floordivsi %6, %c2_i64 : i64
    %8 = arith.addi %7, %c1_i64 : i64
    %9 = arith.index_cast %8 : i64 to index
    %10 = tensor.empty(%dim, %4, %9) : tensor<?x64x?x?xf32>
    %broadcasted = linalg.broadcast ins(%arg2 : tensor<64xf32>) outs(%10 : tensor<?x64x?x?xf32>) dimensions = [0, 2, 3] 
    %11 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded, %arg1 : tensor<?x3x?x?xf32>, tensor<64x3x7x7xf32>) outs(%broadcasted : tensor<?x64x?x?xf32>) -> tensor<?x64x?x?xf32>
    %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<?x64x?x?xf32>) outs(%10 : tensor<?x64x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %99 = arith.cmpf ugt, %in, %cst : f32
      %100 = arith.select %99, %in, %cst : f32
      linalg.yield %100 : f32
    } -> tensor<?x64x?x?xf32>
    %padded_3 = tensor.pad %12 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg43: index, %arg44: index, %arg45: index, %arg46: index):
      tensor.yield %cst_0 : f32
    } : tensor<?x64x?x?xf32> to tensor<?x64x?x?xf32>
    %13 = arith.floordivsi %7, %c2_i64 : i64
    %14 = arith.addi %13, %c1_i64 : i64
    %15 = arith.index_cast %14 : i64 to index
    %16 = arith.floordivsi %2, %c2_i64 : i64
    %17 = arith.addi %16, %c1_i64 : i64
    %18 = arith.index_cast %17 : i64 to index
    %19 = tensor.empty(%dim, %18, %15) : tensor<?x64x?x?xf32>
    %20 = linalg.fill ins(%cst_0 : f32) outs(%19 : tensor<?x64x?x?xf32>) -> tensor<?x64x?x?xf32>
    %21 = tensor.empty() : tensor<3x3xf32>
    %22 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_3, %21 : tensor<?x64x?x?xf32>, tensor<3x3xf32>) outs(%20 : tensor<?x64x?x?xf32>) -> tensor<?x64x?x?xf32>
    %padded_4 = tensor.pad %22 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg43: index, %arg44: index, %arg45: index, %arg46: index):
      tensor.yield %cst : f32
    } : tensor<?x64x?x?xf32> to tensor<?x64x?x?xf32>
    %broadcasted_5 = linalg.broadcast ins(%arg4 : tensor<64xf32>) outs(%19 : tensor<?x64x?x?xf32>) dimensions = [0, 2, 3] 
    %23 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_4, %arg3 : tensor<?x64x?x?xf32>, tensor<64x64x3x3xf32>) outs(%broadcasted_5 : tensor<?x64x?x?xf32>) -> tensor<?x64x?x?xf32>
    %24 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<?x64x?x?xf32>) outs(%19 : tensor<?x64x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %99 = arith.cmpf ugt, %in, %cst : f32
      %100 = arith.select %99, %in, %cst : f32
      linalg.yield %100 : f32
    } -> tensor<?x64x?x?xf32>
    %padded_6 = tensor.pad %24 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg43: index, %arg44: index, %arg45: index, %arg46: index):
      tensor.yield %cst : f32
    } : tensor<?x64x?x?xf32> to tensor<?x64x?x?xf32>
    %broadcasted_7 = linalg.broadcast ins(%arg6 : tensor<64xf32>) outs(%19 : tensor<?x64x?x?xf32>) dimensions = [0, 2, 3] 
    %25 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_6, %arg5 : tensor<?x64x?x?xf32>, tensor<64x64x3x3xf32>) outs(%broadcasted_7 : tensor<?x64x?x?xf32>) -> tensor<?x64x?x?xf32>
    %26 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %25 : tensor<?x64x?x?xf32>, tensor<?x64x?x?xf32>) outs(%19 : tensor<?x64x?x?xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %99 = arith.addf %in, %in_39 : f32
      linalg.yield %99 : f32
    } -> tensor<?x64x?x?xf32>
    %27 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<?x64x?x?xf32>) outs(%19 : tensor<?x64x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %99 = arith.cmpf ugt, %in, %cst : f32
      %100 = arith.select %99, %in, %cst : f32
      linalg.yield %100 : f32
    } -> tensor<?x64x?x?xf32>
    %padded_8 = tensor.pad %27 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg43: index, %arg44: index, %arg45: index, %arg46: index):
      tensor.yield %cst : f32
    } : tensor<?x64x?x?xf32> to tensor<?x64x?x?xf32>
    %broadcasted_9 = linalg.broadcast ins(%arg8 : tensor<64xf32>) outs(%19 : tensor<?x64x?x?xf32>) dimensions = [0, 2, 3] 
    %28 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_8, %arg7 : tensor<?x64x?x?xf32>, tensor<64x64x3x3xf32>) outs(%broadcasted_9 : tensor<?x64x?x?xf32>) -> tensor<?x64x?x?xf32>
    %29 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<?x64x?x?xf32>) outs(%19 : tensor<?x64x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %99 = arith.cmpf ugt, %in, %cst : f32
      %100 = arith.select %99, %in, %cst : f32
      linalg.yield %100 : f32
    } -> tensor<?x64x?x?xf32>
    %padded_10 = tensor.pad %29 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg43: index, %arg44: index, %arg45: index, %arg46: index):
      tensor.yield %cst : f32
    } : tensor<?x64x?x?xf32> to tensor<?x64x?x?xf32>
    %broadcasted_11 = linalg.broadcast ins(%arg10 : tensor<64xf32>) outs(%19 : tensor<?x64x?x?xf32>) dimensions = [0, 2, 3] 
    %30 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_10, %arg9 : tensor<?x64x?x?xf32>, tensor<64x64x3x3xf32>) outs(%broadcasted_11 : tensor<?x64x?x?xf32>) -> tensor<?x64x?x?xf32>
    %31 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %30 : tensor<?x64x?x?xf32>, tensor<?x64x?x?xf32>) outs(%19 : tensor<?x64x?x?xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %99 = arith.addf %in, %in_39 : f32
      linalg.yield %99 : f32
    } -> tensor<?x64x?x?xf32>
    %32 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<?x64x?x?xf32>) outs(%19 : tensor<?x64x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %99 = arith.cmpf ugt, %in, %cst : f32
      %100 = arith.select %99, %in, %cst : f32
      linalg.yield %100 : f32
    } -> tensor<?x64x?x?xf32>
    %padded_12 = tensor.pad %32 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg43: index, %arg44: index, %arg45: index, %arg46: index):
      tensor.yield %cst : f32
    } : tensor<?x64x?x?xf32> to tensor<?x64x?x?xf32>
    %33 = arith.floordivsi %16, %c2_i64 : i64
    %34 = arith.addi %33, %c1_i64 : i64
    %35 = arith.index_cast %34 : i64 to index
    %36 = arith.floordivsi %13, %c2_i64 : i64
    %37 = arith.addi %36, %c1_i64 : i64
    %38 = arith.index_cast %37 : i64 to index
    %39 = tensor.empty(%dim, %35, %38) : tensor<?x128x?x?xf32>
    %broadcasted_13 = linalg.broadcast ins(%arg12 : tensor<128xf32>) outs(%39 : tensor<?x128x?x?xf32>) dimensions = [0, 2, 3] 
    %40 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_12, %arg11 : tensor<?x64x?x?xf32>, tensor<128x64x3x3xf32>) outs(%broadcasted_13 : tensor<?x128x?x?xf32>) -> tensor<?x128x?x?xf32>
    %41 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40 : tensor<?x128x?x?xf32>) outs(%39 : tensor<?x128x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %99 = arith.cmpf ugt, %in, %cst : f32
      %100 = arith.select %99, %in, %cst : f32
      linalg.yield %100 : f32
    } -> tensor<?x128x?x?xf32>
    %padded_14 = tensor.pad %41 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg43: index, %arg44: index, %arg45: index, %arg46: index):
      tensor.yield %cst : f32
    } : tensor<?x128x?x?xf32> to tensor<?x128x?x?xf32>
    %broadcasted_15 = linalg.broadcast ins(%arg14 : tensor<128xf32>) outs(%39 : tensor<?x128x?x?xf32>) dimensions = [0, 2, 3] 
    %42 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_14, %arg13 : tensor<?x128x?x?xf32>, tensor<128x128x3x3xf32>) outs(%broadcasted_15 : tensor<?x128x?x?xf32>) -> tensor<?x128x?x?xf32>
    %broadcasted_16 = linalg.broadcast ins(%arg16 : tensor<128xf32>) outs(%39 : tensor<?x128x?x?xf32>) dimensions = [0, 2, 3] 
    %43 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%32, %arg15 : tensor<?x64x?x?xf32>, tensor<128x64x1x1xf32>) outs(%broadcasted_16 : tensor<?x128x?x?xf32>) -> tensor<?x128x?x?xf32>
    %44 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%43, %42 : tensor<?x128x?x?xf32>, tensor<?x128x?x?xf32>) outs(%39 : tensor<?x128x?x?xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %99 = arith.addf %in, %in_39 : f32
      linalg.yield %99 : f32
    } -> tensor<?x128x?x?xf32>
    %45 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44 : tensor<?x128x?x?xf32>) outs(%39 : tensor<?x128x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %99 = arith.cmpf ugt, %in, %cst : f32
      %100 = arith.select %99, %in, %cst : f32
      linalg.yield %100 : f32
    } -> tensor<?x128x?x?xf32>
    %padded_17 = tensor.pad %45 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg43: index, %arg44: index, %arg45: index, %arg46: index):
      tensor.yield %cst : f32
    } : tensor<?x128x?x?xf32> to tensor<?x128x?x?xf32>
    %broadcasted_18 = linalg.broadcast ins(%arg18 : tensor<128xf32>) outs(%39 : tensor<?x128x?x?xf32>) dimensions = [0, 2, 3] 
    %46 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_17, %arg17 : tensor<?x128x?x?xf32>, tensor<128x128x3x3xf32>) outs(%broadcasted_18 : tensor<?x128x?x?xf32>) -> tensor<?x128x?x?xf32>
    %47 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46 : tensor<?x128x?x?xf32>) outs(%39 : tensor<?x128x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %99 = arith.cmpf ugt, %in, %cst : f32
      %100 = arith.select %99, %in, %cst : f32
      linalg.yield %100 : f32
    } -> tensor<?x128x?x?xf32>
    %padded_19 = tensor.pad %47 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg43: index, %arg44: index, %arg45: index, %arg46: index):
      tensor.yield %cst : f32
    } : tensor<?x128x?x?xf32> to tensor<?x128x?x?xf32>
    %broadcasted_20 = linalg.broadcast ins(%arg20 : tensor<128xf32>) outs(%39 : tensor<?x128x?x?xf32>) dimensions = [0, 2, 3] 
    %48 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_19, %arg19 : tensor<?x128x?x?xf32>, tensor<128x128x3x3xf32>) outs(%broadcasted_20 : tensor<?x128x?x?xf32>) -> tensor<?x128x?x?xf32>
    %49 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%45, %48 : tensor<?x128x?x?xf32>, tensor<?x128x?x?xf32>) outs(%39 : tensor<?x128x?x?xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %99 = arith.addf %in, %in_39 : f32
      linalg.yield %99 : f32
    } -> tensor<?x128x?x?xf32>
    %50 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%49 : tensor<?x128x?x?xf32>) outs(%39 : tensor<?x128x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %99 = arith.cmpf ugt, %in, %cst : f32
      %100 = arith.select %99, %in, %cst : f32
      linalg.yield %100 : f32
    } -> tensor<?x128x?x?xf32>
    %padded_21 = tensor.pad %50 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg43: index, %arg44: index, %arg45: index, %arg46: index):
      tensor.yield %cst : f32
    } : tensor<?x128x?x?xf32> to tensor<?x128x?x?xf32>
    %51 = arith.floordivsi %33, %c2_i64 : i64
    %52 = arith.addi %51, %c1_i64 : i64
    %53 = arith.index_cast %52 : i64 to index
    %54 = arith.floordivsi %36, %c2_i64 : i64
    %55 = arith.addi %54, %c1_i64 : i64
    %56 = arith.index_cast %55 : i64 to index
    %57 = tensor.empty(%dim, %53, %56) : tensor<?x256x?x?xf32>
    %broadcasted_22 = linalg.broadcast ins(%arg22 : tensor<256xf32>) outs(%57 : tensor<?x256x?x?xf32>) dimensions = [0, 2, 3] 
    %58 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_21, %arg21 : tensor<?x128x?x?xf32>, tensor<256x128x3x3xf32>) outs(%broadcasted_22 : tensor<?x256x?x?xf32>) -> tensor<?x256x?x?xf32>
    %59 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%58 : tensor<?x256x?x?xf32>) outs(%57 : tensor<?x256x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %99 = arith.cmpf ugt, %in, %cst : f32
      %100 = arith.select %99, %in, %cst : f32
      linalg.yield %100 : f32
    } -> tensor<?x256x?x?xf32>
    %padded_23 = tensor.pad %59 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg43: index, %arg44: index, %arg45: index, %arg46: index):
      tensor.yield %cst : f32
    } : tensor<?x256x?x?xf32> to tensor<?x256x?x?xf32>
    %broadcasted_24 = linalg.broadcast ins(%arg24 : tensor<256xf32>) outs(%57 : tensor<?x256x?x?xf32>) dimensions = [0, 2, 3] 
    %60 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_23, %arg23 : tensor<?x256x?x?xf32>, tensor<256x256x3x3xf32>) outs(%broadcasted_24 : tensor<?x256x?x?xf32>) -> tensor<?x256x?x?xf32>
    %broadcasted_25 = linalg.broadcast ins(%arg26 : tensor<256xf32>) outs(%57 : tensor<?x256x?x?xf32>) dimensions = [0, 2, 3] 
    %61 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%50, %arg25 : tensor<?x128x?x?xf32>, tensor<256x128x1x1xf32>) outs(%broadcasted_25 : tensor<?x256x?x?xf32>) -> tensor<?x256x?x?xf32>
    %62 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%61, %60 : tensor<?x256x?x?xf32>, tensor<?x256x?x?xf32>) outs(%57 : tensor<?x256x?x?xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %99 = arith.addf %in, %in_39 : f32
      linalg.yield %99 : f32
    } -> tensor<?x256x?x?xf32>
    %63 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%62 : tensor<?x256x?x?xf32>) outs(%57 : tensor<?x256x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %99 = arith.cmpf ugt, %in, %cst : f32
      %100 = arith.select %99, %in, %cst : f32
      linalg.yield %100 : f32
    } -> tensor<?x256x?x?xf32>
    %padded_26 = tensor.pad %63 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg43: index, %arg44: index, %arg45: index, %arg46: index):
      tensor.yield %cst : f32
    } : tensor<?x256x?x?xf32> to tensor<?x256x?x?xf32>
    %broadcasted_27 = linalg.broadcast ins(%arg28 : tensor<256xf32>) outs(%57 : tensor<?x256x?x?xf32>) dimensions = [0, 2, 3] 
    %64 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_26, %arg27 : tensor<?x256x?x?xf32>, tensor<256x256x3x3xf32>) outs(%broadcasted_27 : tensor<?x256x?x?xf32>) -> tensor<?x256x?x?xf32>
    %65 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%64 : tensor<?x256x?x?xf32>) outs(%57 : tensor<?x256x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %99 = arith.cmpf ugt, %in, %cst : f32
      %100 = arith.select %99, %in, %cst : f32
      linalg.yield %100 : f32
    } -> tensor<?x256x?x?xf32>
    %padded_28 = tensor.pad %65 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg43: index, %arg44: index, %arg45: index, %arg46: index):
      tensor.yield %cst : f32
    } : tensor<?x256x?x?xf32> to tensor<?x256x?x?xf32>
    %broadcasted_29 = linalg.broadcast ins(%arg30 : tensor<256xf32>) outs(%57 : tensor<?x256x?x?xf32>) dimensions = [0, 2, 3] 
    %66 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_28, %arg29 : tensor<?x256x?x?xf32>, tensor<256x256x3x3xf32>) outs(%broadcasted_29 : tensor<?x256x?x?xf32>) -> tensor<?x256x?x?xf32>
    %67 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%63, %66 : tensor<?x256x?x?xf32>, tensor<?x256x?x?xf32>) outs(%57 : tensor<?x256x?x?xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %99 = arith.addf %in, %in_39 : f32
      linalg.yield %99 : f32
    } -> tensor<?x256x?x?xf32>
    %68 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%67 : tensor<?x256x?x?xf32>) outs(%57 : tensor<?x256x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %99 = arith.cmpf ugt, %in, %cst : f32
      %100 = arith.select %99, %in, %cst : f32
      linalg.yield %100 : f32
    } -> tensor<?x256x?x?xf32>
    %padded_30 = tensor.pad %68 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg43: index, %arg44: index, %arg45: index, %arg46: index):
      tensor.yield %cst : f32
    } : tensor<?x256x?x?xf32> to tensor<?x256x?x?xf32>
    %69 = arith.floordivsi %51, %c2_i64 : i64
    %70 = arith.addi %69, %c1_i64 : i64
    %71 = arith.index_cast %70 : i64 to index
    %72 = arith.floordivsi %54, %c2_i64 : i64
    %73 = arith.addi %72, %c1_i64 : i64
    %74 = arith.index_cast %73 : i64 to index
    %75 = tensor.empty(%dim, %71, %74) : tensor<?x512x?x?xf32>
    %broadcasted_31 = linalg.broadcast ins(%arg32 : tensor<512xf32>) outs(%75 : tensor<?x512x?x?xf32>) dimensions = [0, 2, 3] 
    %76 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_30, %arg31 : tensor<?x256x?x?xf32>, tensor<512x256x3x3xf32>) outs(%broadcasted_31 : tensor<?x512x?x?xf32>) -> tensor<?x512x?x?xf32>
    %77 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%76 : tensor<?x512x?x?xf32>) outs(%75 : tensor<?x512x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %99 = arith.cmpf ugt, %in, %cst : f32
      %100 = arith.select %99, %in, %cst : f32
      linalg.yield %100 : f32
    } -> tensor<?x512x?x?xf32>
    %padded_32 = tensor.pad %77 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg43: index, %arg44: index, %arg45: index, %arg46: index):
      tensor.yield %cst : f32
    } : tensor<?x512x?x?xf32> to tensor<?x512x?x?xf32>
    %broadcasted_33 = linalg.broadcast ins(%arg34 : tensor<512xf32>) outs(%75 : tensor<?x512x?x?xf32>) dimensions = [0, 2, 3] 
    %78 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_32, %arg33 : tensor<?x512x?x?xf32>, tensor<512x512x3x3xf32>) outs(%broadcasted_33 : tensor<?x512x?x?xf32>) -> tensor<?x512x?x?xf32>
    %broadcasted_34 = linalg.broadcast ins(%arg36 : tensor<512xf32>) outs(%75 : tensor<?x512x?x?xf32>) dimensions = [0, 2, 3] 
    %79 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%68, %arg35 : tensor<?x256x?x?xf32>, tensor<512x256x1x1xf32>) outs(%broadcasted_34 : tensor<?x512x?x?xf32>) -> tensor<?x512x?x?xf32>
    %80 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%79, %78 : tensor<?x512x?x?xf32>, tensor<?x512x?x?xf32>) outs(%75 : tensor<?x512x?x?xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %99 = arith.addf %in, %in_39 : f32
      linalg.yield %99 : f32
    } -> tensor<?x512x?x?xf32>
    %81 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%80 : tensor<?x512x?x?xf32>) outs(%75 : tensor<?x512x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %99 = arith.cmpf ugt, %in, %cst : f32
      %100 = arith.select %99, %in, %cst : f32
      linalg.yield %100 : f32
    } -> tensor<?x512x?x?xf32>
    %padded_35 = tensor.pad %81 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg43: index, %arg44: index, %arg45: index, %arg46: index):
      tensor.yield %cst : f32
    } : tensor<?x512x?x?xf32> to tensor<?x512x?x?xf32>
    %broadcasted_36 = linalg.broadcast ins(%arg38 : tensor<512xf32>) outs(%75 : tensor<?x512x?x?xf32>) dimensions = [0, 2, 3] 
    %82 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_35, %arg37 : tensor<?x512x?x?xf32>, tensor<512x512x3x3xf32>) outs(%broadcasted_36 : tensor<?x512x?x?xf32>) -> tensor<?x512x?x?xf32>
    %83 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%82 : tensor<?x512x?x?xf32>) outs(%75 : tensor<?x512x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %99 = arith.cmpf ugt, %in, %cst : f32
      %100 = arith.select %99, %in, %cst : f32
      linalg.yield %100 : f32
    } -> tensor<?x512x?x?xf32>
    %padded_37 = tensor.pad %83 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg43: index, %arg44: index, %arg45: index, %arg46: index):
      tensor.yield %cst : f32
    } : tensor<?x512x?x?xf32> to tensor<?x512x?x?xf32>
    %broadcasted_38 = linalg.broadcast ins(%arg40 : tensor<512xf32>) outs(%75 : tensor<?x512x?x?xf32>) dimensions = [0, 2, 3] 
    %84 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_37, %arg39 : tensor<?x512x?x?xf32>, tensor<512x512x3x3xf32>) outs(%broadcasted_38 : tensor<?x512x?x?xf32>) -> tensor<?x512x?x?xf32>
    %85 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%81, %84 : tensor<?x512x?x?xf32>, tensor<?x512x?x?xf32>) outs(%75 : tensor<?x512x?x?xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %99 = arith.addf %in, %in_39 : f32
      linalg.yield %99 : f32
    } -> tensor<?x512x?x?xf32>
    %86 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%85 : tensor<?x512x?x?xf32>) outs(%75 : tensor<?x512x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %99 = arith.cmpf ugt, %in, %cst : f32
      %100 = arith.select %99, %in, %cst : f32
      linalg.yield %100 : f32
    } -> tensor<?x512x?x?xf32>
    %87 = tensor.empty(%dim) : tensor<?x512x1x1xf32>
    %88 = linalg.fill ins(%cst : f32) outs(%87 : tensor<?x512x1x1xf32>) -> tensor<?x512x1x1xf32>
    %89 = tensor.empty(%71, %74) : tensor<?x?xf32>
    %90 = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%86, %89 : tensor<?x512x?x?xf32>, tensor<?x?xf32>) outs(%88 : tensor<?x512x1x1xf32>) -> tensor<?x512x1x1xf32>
    %91 = arith.muli %70, %73 : i64
    %92 = arith.sitofp %91 : i64 to f32
    %93 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%90 : tensor<?x512x1x1xf32>) outs(%87 : tensor<?x512x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %99 = arith.divf %in, %92 : f32
      linalg.yield %99 : f32
    } -> tensor<?x512x1x1xf32>
    %collapsed = tensor.collapse_shape %93 [[0], [1, 2, 3]] : tensor<?x512x1x1xf32> into tensor<?x512xf32>
    %94 = tensor.empty() : tensor<512x1000xf32>
    %transposed = linalg.transpose ins(%arg41 : tensor<1000x512xf32>) outs(%94 : tensor<512x1000xf32>) permutation = [1, 0] 
    %95 = tensor.empty(%dim) : tensor<?x1000xf32>
    %96 = linalg.fill ins(%cst : f32) outs(%95 : tensor<?x1000xf32>) -> tensor<?x1000xf32>
    %97 = linalg.matmul ins(%collapsed, %transposed : tensor<?x512xf32>, tensor<512x1000xf32>) outs(%96 : tensor<?x1000xf32>) -> tensor<?x1000xf32>
    %98 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%97, %arg42 : tensor<?x1000xf32>, tensor<1000xf32>) outs(%95 : tensor<?x1000xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %99 = arith.addf %in, %in_39 : f32
      linalg.yield %99 : f32
    } -> tensor<?x1000xf32>
    return %98 : tensor<?x1000xf32>
  }
}
