// Attention that sees the keys up to its own place among them, f16 with sums of f32; every size unknown but that of a head.
#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#id3 = affine_map<(b, i, j) -> (b, i, j)>
func.func @attention(%q: tensor<?x?x24xf16>, %k: tensor<?x?x24xf16>, %v: tensor<?x?x24xf16>) -> tensor<?x?x24xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %b = tensor.dim %q, %c0 : tensor<?x?x24xf16>
  %m = tensor.dim %q, %c1 : tensor<?x?x24xf16>
  %n = tensor.dim %k, %c1 : tensor<?x?x24xf16>
  %past = arith.subi %n, %m : index
  %room = tensor.empty(%b, %m, %n) : tensor<?x?x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%room : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x24xf16>, tensor<?x?x24xf16>)
      outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %sm = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<?x?x?xf32>) outs(%room : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %last = arith.addi %i, %past : index
    %seen = arith.cmpi sle, %j, %last : index
    %u = arith.select %seen, %x, %lowest : f32
    linalg.yield %u : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%sm : tensor<?x?x?xf32>) outs(%room : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %half = tensor.empty(%b, %m, %n) : tensor<?x?x?xf16>
  %ph = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p : tensor<?x?x?xf32>) outs(%half : tensor<?x?x?xf16>) {
  ^bb0(%x: f32, %o: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<?x?x?xf16>
  %out = tensor.empty(%b, %m) : tensor<?x?x24xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%out : tensor<?x?x24xf32>) -> tensor<?x?x24xf32>
  %o = linalg.batch_matmul ins(%ph, %v : tensor<?x?x?xf16>, tensor<?x?x24xf16>) outs(%o0 : tensor<?x?x24xf32>) -> tensor<?x?x24xf32>
  return %o : tensor<?x?x24xf32>
}
