// Factors of f32 that may be read as tf32.
func.func @singles(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {vortex.precision = "tf32"} {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %q = arith.mulf %x, %y : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

func.func @singles_inner(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {vortex.precision = "tf32"} {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %q = arith.mulf %x, %y : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// Floats of eight bits: groups of warps multiply them where the reduction is innermost, scalar units what they are widened to.
func.func @floats8(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) outs(%z : tensor<?x?xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %s: f32):
    %xw = arith.extf %x : f8E4M3FN to f32
    %yw = arith.extf %y : f8E4M3FN to f32
    %q = arith.mulf %xw, %yw : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

func.func @floats8_inner(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) outs(%z : tensor<?x?xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %s: f32):
    %xw = arith.extf %x : f8E4M3FN to f32
    %yw = arith.extf %y : f8E4M3FN to f32
    %q = arith.mulf %xw, %yw : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

func.func @floats8_wide(%a: tensor<?x?xf8E5M2>, %b: tensor<?x?xf8E5M2>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf8E5M2>, tensor<?x?xf8E5M2>) outs(%z : tensor<?x?xf32>) {
  ^bb0(%x: f8E5M2, %y: f8E5M2, %s: f32):
    %xw = arith.extf %x : f8E5M2 to f32
    %yw = arith.extf %y : f8E5M2 to f32
    %q = arith.mulf %xw, %yw : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}
