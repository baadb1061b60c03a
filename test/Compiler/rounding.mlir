// REQUIRES: vortex-compile, vortex-run
// RUN: vortex-compile %s -o %t.so
// RUN: vortex-run %t.so --function=narrow --input=3xf32="1.001 0.1 3.14159" --expected-output=3xf32="0.00100004673 -0.0000976547599 0.000965118408" --atol=1e-9
// RUN: vortex-run %t.so --function=half --input=3xf32="70000 1.0001 0.5" --expected-output=3xf32="inf 1.0 0.5" --atol=0
// RUN: vortex-run %t.so --function=near_zero --input=6xf32="1e-8 1e-4 0.01 0 -0.5 inf" --rtol=1e-6 --atol=0 \
// RUN:   --expected-output=6xf32="1e-8 9.99950003e-05 0.00995033085 0 -0.69314718 inf" --expected-output=6xf32="1e-8 1.00005000e-04 0.0100501671 0 -0.39346934 inf"
// RUN: vortex-run %t.so --function=one --input=f32=1e-8 --rtol=1e-6 --atol=0 --expected-output=f32=1e-8

// A number that is made narrower and wide again is another number: what is cut off is the difference.
func.func @narrow(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %h = arith.truncf %a : f32 to bf16
    %w = arith.extf %h : bf16 to f32
    %d = arith.subf %a, %w : f32
    linalg.yield %d : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @half(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %h = arith.truncf %a : f32 to f16
    %w = arith.extf %h : f16 to f32
    linalg.yield %w : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// log(1 + x) and e^x - 1 keep their digits near zero.
func.func @near_zero(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = math.log1p %a : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = math.expm1 %a : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %l, %m : tensor<?xf32>, tensor<?xf32>
}

func.func @one(%x: f32) -> f32 {
  %y = math.log1p %x : f32
  return %y : f32
}
