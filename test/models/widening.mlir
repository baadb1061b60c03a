func.func @widening_i8_i64(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %m = tensor.dim %a, %c0 : tensor<?x?xi8>
  %n = tensor.dim %b, %c1 : tensor<?x?xi8>
  %empty = tensor.empty(%m, %n) : tensor<?x?xi64>
  %init = linalg.fill ins(%zero : i64) outs(%empty : tensor<?x?xi64>) -> tensor<?x?xi64>
  %c = linalg.matmul ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%init : tensor<?x?xi64>) -> tensor<?x?xi64>
  return %c : tensor<?x?xi64>
}

func.func @widening_f16_f64(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %m = tensor.dim %a, %c0 : tensor<?x?xf16>
  %n = tensor.dim %b, %c1 : tensor<?x?xf16>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf64>
  %init = linalg.fill ins(%zero : f64) outs(%empty : tensor<?x?xf64>) -> tensor<?x?xf64>
  %c = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%init : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %c : tensor<?x?xf64>
}
