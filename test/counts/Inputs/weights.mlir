// Two weights of known size: between two uses of one the other passes through the caches.
func.func @weights(%x: tensor<?x700xf32>, %u: tensor<700x40xf32> {vortex.weight}, %w: tensor<40x9000xf32> {vortex.weight}) -> tensor<?x9000xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x700xf32>
  %e0 = tensor.empty(%m) : tensor<?x40xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x40xf32>) -> tensor<?x40xf32>
  %h = linalg.matmul ins(%x, %u : tensor<?x700xf32>, tensor<700x40xf32>) outs(%f0 : tensor<?x40xf32>) -> tensor<?x40xf32>
  %e1 = tensor.empty(%m) : tensor<?x9000xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x9000xf32>) -> tensor<?x9000xf32>
  %y = linalg.matmul ins(%h, %w : tensor<?x40xf32>, tensor<40x9000xf32>) outs(%f1 : tensor<?x9000xf32>) -> tensor<?x9000xf32>
  return %y : tensor<?x9000xf32>
}
