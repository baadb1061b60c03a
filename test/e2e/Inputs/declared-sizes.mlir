// Two layers and what follows them, of at most 500 rows.
#id = affine_map<(d0, d1) -> (d0, d1)>

func.func @layers(%x: tensor<?x256xf32> {vortex.dims = ["m", ""]}, %w1: tensor<256x1024xf32>, %w2: tensor<1024x256xf32>) -> tensor<?x256xf32>
    attributes {vortex.where = ["m <= 500"]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x256xf32>
  %e1 = tensor.empty(%m) : tensor<?x1024xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  %p1 = linalg.matmul ins(%x, %w1 : tensor<?x256xf32>, tensor<256x1024xf32>) outs(%z1 : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  %r1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p1 : tensor<?x1024xf32>) outs(%e1 : tensor<?x1024xf32>) {
  ^bb0(%v: f32, %o: f32):
    %r = arith.maximumf %v, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x1024xf32>
  %e2 = tensor.empty(%m) : tensor<?x256xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x256xf32>) -> tensor<?x256xf32>
  %p2 = linalg.matmul ins(%r1, %w2 : tensor<?x1024xf32>, tensor<1024x256xf32>) outs(%z2 : tensor<?x256xf32>) -> tensor<?x256xf32>
  %y = linalg.softmax dimension(1) ins(%p2 : tensor<?x256xf32>) outs(%e2 : tensor<?x256xf32>) -> tensor<?x256xf32>
  return %y : tensor<?x256xf32>
}
