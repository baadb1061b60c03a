// Functions of vectors, of f32 and f64. The size is unknown, so that the last vector is partial.

func.func @exp_f32(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %y = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @erf_f32(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %y = linalg.erf ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @exp_f64(%x: tensor<?xf64>, %o: tensor<?xf64>) -> tensor<?xf64> {
  %y = linalg.exp ins(%x : tensor<?xf64>) outs(%o : tensor<?xf64>) -> tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @erf_f64(%x: tensor<?xf64>, %o: tensor<?xf64>) -> tensor<?xf64> {
  %y = linalg.erf ins(%x : tensor<?xf64>) outs(%o : tensor<?xf64>) -> tensor<?xf64>
  return %y : tensor<?xf64>
}
