func.func @heads(%x: tensor<?x?xf32>, %like: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?xf32>
  %all = tensor.dim %x, %c1 : tensor<?x?xf32>
  %h = tensor.dim %like, %c0 : tensor<?xf32>
  %k = arith.divui %all, %h : index
  %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [%b, %h, %k] : tensor<?x?xf32> into tensor<?x?x?xf32>
  %o = tensor.empty(%h, %b, %k) : tensor<?x?x?xf32>
  %t = linalg.transpose ins(%e : tensor<?x?x?xf32>) outs(%o : tensor<?x?x?xf32>) permutation = [1, 0, 2]
  return %t : tensor<?x?x?xf32>
}

func.func @as(%x: tensor<?xf32>, %like: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %like, %c0 : tensor<?x?xf32>
  %n = tensor.dim %like, %c1 : tensor<?x?xf32>
  %e = tensor.expand_shape %x [[0, 1]] output_shape [%m, %n] : tensor<?xf32> into tensor<?x?xf32>
  %o = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.add ins(%e, %like : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @reshape(%x: tensor<?xf32>, %shape: tensor<2xi64>) -> tensor<?x?xf32> {
  %r = tensor.reshape %x(%shape) : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @unpack(%x: tensor<?x4xf32>, %like: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.unpack %x inner_dims_pos = [0] inner_tiles = [4] into %like : tensor<?x4xf32> -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @pack(%x: tensor<?xf32>, %like: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = linalg.pack %x inner_dims_pos = [0] inner_tiles = [4] into %like : tensor<?xf32> -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

func.func @insert(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %r = tensor.insert_slice %x into %y[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}
