// Products whose groups of narrow elements dot-product instructions sum. Dims: m, n, k; b: batch. Integers are exact, also where they wrap.

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#bmk = affine_map<(b, m, n, k) -> (b, m, k)>
#bkn = affine_map<(b, m, n, k) -> (b, k, n)>
#bmn = affine_map<(b, m, n, k) -> (b, m, n)>

func.func @dot_i8(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %m = tensor.dim %a, %c0 : tensor<?x?xi8>
  %n = tensor.dim %b, %c1 : tensor<?x?xi8>
  %empty = tensor.empty(%m, %n) : tensor<?x?xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<?x?xi32>) -> tensor<?x?xi32>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%init : tensor<?x?xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %xw = arith.extsi %x : i8 to i32
    %yw = arith.extsi %y : i8 to i32
    %p = arith.muli %xw, %yw : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

func.func @dot_u8_i8(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %m = tensor.dim %a, %c0 : tensor<?x?xi8>
  %n = tensor.dim %b, %c1 : tensor<?x?xi8>
  %empty = tensor.empty(%m, %n) : tensor<?x?xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<?x?xi32>) -> tensor<?x?xi32>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%init : tensor<?x?xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %xw = arith.extui %x : i8 to i32
    %yw = arith.extsi %y : i8 to i32
    %p = arith.muli %xw, %yw : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

func.func @dot_i8_u8(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %m = tensor.dim %a, %c0 : tensor<?x?xi8>
  %n = tensor.dim %b, %c1 : tensor<?x?xi8>
  %empty = tensor.empty(%m, %n) : tensor<?x?xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<?x?xi32>) -> tensor<?x?xi32>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%init : tensor<?x?xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %xw = arith.extsi %x : i8 to i32
    %yw = arith.extui %y : i8 to i32
    %p = arith.muli %xw, %yw : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

// No instruction has these signs: multiply-adds of widened elements.
func.func @dot_u8(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %m = tensor.dim %a, %c0 : tensor<?x?xi8>
  %n = tensor.dim %b, %c1 : tensor<?x?xi8>
  %empty = tensor.empty(%m, %n) : tensor<?x?xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<?x?xi32>) -> tensor<?x?xi32>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%init : tensor<?x?xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %xw = arith.extui %x : i8 to i32
    %yw = arith.extui %y : i8 to i32
    %p = arith.muli %xw, %yw : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

func.func @dot_acc_i8(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%c : tensor<?x?xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %xw = arith.extsi %x : i8 to i32
    %yw = arith.extsi %y : i8 to i32
    %p = arith.muli %xw, %yw : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

func.func @dot_nt_i8(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %m = tensor.dim %a, %c0 : tensor<?x?xi8>
  %n = tensor.dim %b, %c0 : tensor<?x?xi8>
  %empty = tensor.empty(%m, %n) : tensor<?x?xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<?x?xi32>) -> tensor<?x?xi32>
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%init : tensor<?x?xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %xw = arith.extsi %x : i8 to i32
    %yw = arith.extsi %y : i8 to i32
    %p = arith.muli %xw, %yw : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

func.func @dot_batch_i8(%a: tensor<?x?x?xi8>, %b: tensor<?x?x?xi8>) -> tensor<?x?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %d = tensor.dim %a, %c0 : tensor<?x?x?xi8>
  %m = tensor.dim %a, %c1 : tensor<?x?x?xi8>
  %n = tensor.dim %b, %c2 : tensor<?x?x?xi8>
  %empty = tensor.empty(%d, %m, %n) : tensor<?x?x?xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<?x?x?xi32>) -> tensor<?x?x?xi32>
  %r = linalg.generic {indexing_maps = [#bmk, #bkn, #bmn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?x?xi8>, tensor<?x?x?xi8>) outs(%init : tensor<?x?x?xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %xw = arith.extsi %x : i8 to i32
    %yw = arith.extsi %y : i8 to i32
    %p = arith.muli %xw, %yw : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<?x?x?xi32>
  return %r : tensor<?x?x?xi32>
}

func.func @dot_i16(%a: tensor<?x?xi16>, %b: tensor<?x?xi16>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %m = tensor.dim %a, %c0 : tensor<?x?xi16>
  %n = tensor.dim %b, %c1 : tensor<?x?xi16>
  %empty = tensor.empty(%m, %n) : tensor<?x?xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<?x?xi32>) -> tensor<?x?xi32>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xi16>, tensor<?x?xi16>) outs(%init : tensor<?x?xi32>) {
  ^bb0(%x: i16, %y: i16, %s: i32):
    %xw = arith.extsi %x : i16 to i32
    %yw = arith.extsi %y : i16 to i32
    %p = arith.muli %xw, %yw : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

func.func @dot_bf16(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %b, %c1 : tensor<?x?xbf16>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%init : tensor<?x?xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %xw = arith.extf %x : bf16 to f32
    %yw = arith.extf %y : bf16 to f32
    %p = arith.mulf %xw, %yw : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @dot_nt_bf16(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %b, %c0 : tensor<?x?xbf16>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%init : tensor<?x?xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %xw = arith.extf %x : bf16 to f32
    %yw = arith.extf %y : bf16 to f32
    %p = arith.mulf %xw, %yw : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @dot_batch_bf16(%a: tensor<?x?x?xbf16>, %b: tensor<?x?x?xbf16>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %d = tensor.dim %a, %c0 : tensor<?x?x?xbf16>
  %m = tensor.dim %a, %c1 : tensor<?x?x?xbf16>
  %n = tensor.dim %b, %c2 : tensor<?x?x?xbf16>
  %empty = tensor.empty(%d, %m, %n) : tensor<?x?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %r = linalg.generic {indexing_maps = [#bmk, #bkn, #bmn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) outs(%init : tensor<?x?x?xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %xw = arith.extf %x : bf16 to f32
    %yw = arith.extf %y : bf16 to f32
    %p = arith.mulf %xw, %yw : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// Two reductions, which lie in memory in one order in A and in the other in B: in neither are four steps of a column beside each other.
func.func @dot_crossed_i8(%a: tensor<?x?x?xi8>, %b: tensor<?x?x?xi8>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %m = tensor.dim %a, %c1 : tensor<?x?x?xi8>
  %n = tensor.dim %b, %c0 : tensor<?x?x?xi8>
  %empty = tensor.empty(%m, %n) : tensor<?x?xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<?x?xi32>) -> tensor<?x?xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (k, m, l)>, affine_map<(m, n, k, l) -> (n, l, k)>, affine_map<(m, n, k, l) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<?x?x?xi8>, tensor<?x?x?xi8>) outs(%init : tensor<?x?xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %xw = arith.extsi %x : i8 to i32
    %yw = arith.extsi %y : i8 to i32
    %p = arith.muli %xw, %yw : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}
