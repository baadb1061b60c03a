// Two products that know how many columns and steps they have.
func.func @a(%x: tensor<?x40xf32>, %w: tensor<40x70xf32>) -> tensor<?x70xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x40xf32>
  %e = tensor.empty(%m) : tensor<?x70xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x70xf32>) -> tensor<?x70xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x40xf32>, tensor<40x70xf32>) outs(%z : tensor<?x70xf32>) -> tensor<?x70xf32>
  return %p : tensor<?x70xf32>
}
func.func @b(%x: tensor<?x130xf32>, %w: tensor<130x257xf32>) -> tensor<?x257xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x130xf32>
  %e = tensor.empty(%m) : tensor<?x257xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x257xf32>) -> tensor<?x257xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x130xf32>, tensor<130x257xf32>) outs(%z : tensor<?x257xf32>) -> tensor<?x257xf32>
  return %p : tensor<?x257xf32>
}
