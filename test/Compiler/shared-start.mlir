// Results that start from one value: each is what was computed for it.
// RUN: vortex-compile %s -o %t.so
// RUN: vortex-run %t.so --function=shared --input=2x2xf32=1 --input=2x2xf32=1 --input=2x2xf32=10 --input=2xf32=0.5 --expected-output=2x2xf32=2.5 --expected-output=2x2xf32=20.5
// RUN: vortex-run %t.so --function=filled --input=2x2xi32=1 --input=2x2xi32=2 --expected-output=2xi32=2 --expected-output=2xi32=4

func.func @shared(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>, %c: tensor<2x2xf32>, %bias: tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %e = tensor.empty() : tensor<2x2xf32>
  %i = linalg.broadcast ins(%bias : tensor<2xf32>) outs(%e : tensor<2x2xf32>) dimensions = [0]
  %x = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%i : tensor<2x2xf32>) -> tensor<2x2xf32>
  %y = linalg.matmul ins(%a, %c : tensor<2x2xf32>, tensor<2x2xf32>) outs(%i : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %x, %y : tensor<2x2xf32>, tensor<2x2xf32>
}

// An op that forms no kernel.
func.func @filled(%a: tensor<2x2xi32>, %b: tensor<2x2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<2xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<2xi32>) -> tensor<2xi32>
  %x = linalg.reduce ins(%a : tensor<2x2xi32>) outs(%z : tensor<2xi32>) dimensions = [0]
    (%v: i32, %s: i32) {
      %t = arith.addi %v, %s : i32
      linalg.yield %t : i32
    }
  %y = linalg.reduce ins(%b : tensor<2x2xi32>) outs(%z : tensor<2xi32>) dimensions = [0]
    (%v: i32, %s: i32) {
      %t = arith.addi %v, %s : i32
      linalg.yield %t : i32
    }
  return %x, %y : tensor<2xi32>, tensor<2xi32>
}
