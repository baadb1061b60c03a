// Functions whose calls are checked by code, or cannot be.

func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

// One size is a number, and the weight's sizes are there before the call.
func.func @weighted(%a: tensor<?x8xf32>, %b: tensor<8x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// Names of sizes, two results and a scalar of another type.
func.func @named(%x: tensor<?x?xf16> {vortex.dims = ["n", "n"]}, %s: f64, %y: tensor<?xcomplex<f64>> {vortex.dims = ["n"]})
    -> (tensor<?x?xf16> {vortex.dims = ["n", "n"]}, tensor<?xcomplex<f64>>) {
  return %x, %y : tensor<?x?xf16>, tensor<?xcomplex<f64>>
}

func.func @bounded(%x: tensor<?xf32> {vortex.dims = ["n"]}) -> tensor<?xf32> attributes {vortex.where = ["n <= 100"]} {
  return %x : tensor<?xf32>
}

func.func @computed(%x: tensor<?xf32> {vortex.dims = ["n"]}, %y: tensor<?xf32> {vortex.dims = ["2*n"]}) -> tensor<?xf32> {
  return %y : tensor<?xf32>
}

func.func @number(%s: i64) -> i64 {
  return %s : i64
}

// Data decides the size of the result.
func.func @sized(%n: index) -> tensor<?xf32> {
  %seven = arith.constant 7.0 : f32
  %empty = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.fill ins(%seven : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// A size is a number and declared to be another one.
func.func @declared(%x: tensor<?xf32> {vortex.dims = ["n"]}, %y: tensor<4xf32>) -> (tensor<4xf32> {vortex.dims = ["n"]}) {
  return %y : tensor<4xf32>
}
