// Programs for a GPU: products of f16 with what is computed around them.
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

func.func @layer(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %bias: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf16>
  %n = tensor.dim %w, %c1 : tensor<?x?xf16>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %product = linalg.matmul ins(%x, %w : tensor<?x?xf16>, tensor<?x?xf16>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%p: f32, %b: f32, %o: f32):
    %sum = arith.addf %p, %b : f32
    %positive = arith.maximumf %sum, %zero : f32
    linalg.yield %positive : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Two kernels with an intermediate tensor.
func.func @chain(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %v: tensor<?x?xf16>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf16>
  %k = tensor.dim %w, %c1 : tensor<?x?xf16>
  %n = tensor.dim %v, %c1 : tensor<?x?xf16>
  %e0 = tensor.empty(%m, %k) : tensor<?x?xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p0 = linalg.matmul ins(%x, %w : tensor<?x?xf16>, tensor<?x?xf16>) outs(%i0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e1 = tensor.empty(%m, %k) : tensor<?x?xf16>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p0 : tensor<?x?xf32>) outs(%e1 : tensor<?x?xf16>) {
  ^bb0(%p: f32, %o: f16):
    %narrow = arith.truncf %p : f32 to f16
    linalg.yield %narrow : f16
  } -> tensor<?x?xf16>
  %e2 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.matmul ins(%h, %v : tensor<?x?xf16>, tensor<?x?xf16>) outs(%i2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @batch(%x: tensor<?x?x?xf16>, %w: tensor<?x?x?xf16>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : tensor<?x?x?xf16>
  %m = tensor.dim %x, %c1 : tensor<?x?x?xf16>
  %n = tensor.dim %w, %c2 : tensor<?x?x?xf16>
  %empty = tensor.empty(%b, %m, %n) : tensor<?x?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %y = linalg.batch_matmul ins(%x, %w : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%init : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// A weight of the program itself, and a scalar read from a tensor and returned.
func.func @constant(%x: tensor<?x4xf16>) -> (tensor<?x8xf32>, f16) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
                             [2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0], [-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 9.0]]> : tensor<4x8xf16>
  %m = tensor.dim %x, %c0 : tensor<?x4xf16>
  %empty = tensor.empty(%m) : tensor<?x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x4xf16>, tensor<4x8xf16>) outs(%init : tensor<?x8xf32>) -> tensor<?x8xf32>
  %first = tensor.extract %x[%c0, %c0] : tensor<?x4xf16>
  return %y, %first : tensor<?x8xf32>, f16
}

// Numbers of the host in a tensor of the device.
func.func @entries(%x: tensor<?x4xf16>) -> (tensor<2xi64>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7 : i64
  %m = tensor.dim %x, %c0 : tensor<?x4xf16>
  %rows = arith.index_cast %m : index to i64
  %shape = tensor.from_elements %rows, %seven : tensor<2xi64>
  %empty = tensor.empty(%m) : tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x4xf16>) outs(%empty : tensor<?x4xf32>) {
  ^bb0(%a: f16, %o: f32):
    %wide = arith.extf %a : f16 to f32
    linalg.yield %wide : f32
  } -> tensor<?x4xf32>
  return %shape, %y : tensor<2xi64>, tensor<?x4xf32>
}

// Tensors put into others: copies of rows and of columns, and a fill.
func.func @concat(%x: tensor<?x?xf16>, %y: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %r = tensor.concat dim(1) %x, %y : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>
  return %r : tensor<?x?xf16>
}
func.func @pad(%x: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %one = arith.constant 1.0 : f16
  %r = tensor.pad %x low[1, 2] high[3, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f16
  } : tensor<?x?xf16> to tensor<?x?xf16>
  return %r : tensor<?x?xf16>
}

// Eight bytes an element, which the driver fills in two parts.
func.func @pad64(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %value = arith.constant 1.7 : f64
  %r = tensor.pad %x low[1, 2] high[3, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %value : f64
  } : tensor<?x?xf64> to tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}
