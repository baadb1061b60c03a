func.func @softmax(%x: tensor<?x12x?x?xf32>) -> tensor<?x12x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %b = tensor.dim %x, %c0 : tensor<?x12x?x?xf32>
  %m = tensor.dim %x, %c2 : tensor<?x12x?x?xf32>
  %n = tensor.dim %x, %c3 : tensor<?x12x?x?xf32>
  %e = tensor.empty(%b, %m, %n) : tensor<?x12x?x?xf32>
  %y = linalg.softmax dimension(3) ins(%x : tensor<?x12x?x?xf32>) outs(%e : tensor<?x12x?x?xf32>) -> tensor<?x12x?x?xf32>
  return %y : tensor<?x12x?x?xf32>
}
