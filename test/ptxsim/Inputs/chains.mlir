// Two products with rows between them.

#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#id3 = affine_map<(b, i, j) -> (b, i, j)>
#row3 = affine_map<(b, i, j) -> (b, i)>

// Softmax of scaled scores; every size unknown.
func.func @attention(%q: tensor<?x?x?xf16>, %k: tensor<?x?x?xf16>, %v: tensor<?x?x?xf16>) -> tensor<?x?x?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.25 : f32
  %b = tensor.dim %q, %c0 : tensor<?x?x?xf16>
  %m = tensor.dim %q, %c1 : tensor<?x?x?xf16>
  %n = tensor.dim %k, %c1 : tensor<?x?x?xf16>
  %d = tensor.dim %v, %c2 : tensor<?x?x?xf16>
  %room = tensor.empty(%b, %m, %n) : tensor<?x?x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%room : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x?xf16>, tensor<?x?x?xf16>)
      outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %ss = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<?x?x?xf32>) outs(%room : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = arith.mulf %x, %scale : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%ss : tensor<?x?x?xf32>) outs(%room : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %half = tensor.empty(%b, %m, %n) : tensor<?x?x?xf16>
  %ph = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p : tensor<?x?x?xf32>) outs(%half : tensor<?x?x?xf16>) {
  ^bb0(%x: f32, %o: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<?x?x?xf16>
  %sums = tensor.empty(%b, %m, %d) : tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o = linalg.batch_matmul ins(%ph, %v : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%o0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %out = tensor.empty(%b, %m, %d) : tensor<?x?x?xf16>
  %r = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%o : tensor<?x?x?xf32>) outs(%out : tensor<?x?x?xf16>) {
  ^bb0(%x: f32, %y: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<?x?x?xf16>
  return %r : tensor<?x?x?xf16>
}

// Causal by index, heads of 32, softmax in one op each, an addend behind.
func.func @causal(%q: tensor<?x?x32xbf16>, %k: tensor<?x?x32xbf16>, %v: tensor<?x?x32xbf16>, %onto: tensor<?x?x32xf32>) -> tensor<?x?x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %b = tensor.dim %q, %c0 : tensor<?x?x32xbf16>
  %m = tensor.dim %q, %c1 : tensor<?x?x32xbf16>
  %n = tensor.dim %k, %c1 : tensor<?x?x32xbf16>
  %past = arith.subi %n, %m : index
  %room = tensor.empty(%b, %m, %n) : tensor<?x?x?xf32>
  %rows = tensor.empty(%b, %m) : tensor<?x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%room : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x32xbf16>, tensor<?x?x32xbf16>)
      outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %sm = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<?x?x?xf32>) outs(%room : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %last = arith.addi %i, %past : index
    %seen = arith.cmpi sle, %j, %last : index
    %t = arith.mulf %x, %scale : f32
    %u = arith.select %seen, %t, %lowest : f32
    linalg.yield %u : f32
  } -> tensor<?x?x?xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%rows : tensor<?x?xf32>) -> tensor<?x?xf32>
  %max = linalg.generic {indexing_maps = [#id3, #row3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%sm : tensor<?x?x?xf32>) outs(%max0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %u = arith.maximumf %x, %acc : f32
    linalg.yield %u : f32
  } -> tensor<?x?xf32>
  %e = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sm, %max : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%room : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %t = arith.subf %x, %y : f32
    %u = math.exp %t : f32
    linalg.yield %u : f32
  } -> tensor<?x?x?xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #row3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<?x?x?xf32>) outs(%sum0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %u = arith.addf %x, %acc : f32
    linalg.yield %u : f32
  } -> tensor<?x?xf32>
  %half = tensor.empty(%b, %m, %n) : tensor<?x?x?xbf16>
  %p = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %sum : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%half : tensor<?x?x?xbf16>) {
  ^bb0(%x: f32, %y: f32, %o: bf16):
    %u = arith.divf %x, %y : f32
    %h = arith.truncf %u : f32 to bf16
    linalg.yield %h : bf16
  } -> tensor<?x?x?xbf16>
  %o = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xbf16>, tensor<?x?x32xbf16>) outs(%onto : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  return %o : tensor<?x?x32xf32>
}

// Causal, and no sum to divide by: a row that sees nothing is no number all the same.
func.func @unnormalised(%q: tensor<?x?x32xbf16>, %k: tensor<?x?x32xbf16>, %v: tensor<?x?x32xbf16>) -> tensor<?x?x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %b = tensor.dim %q, %c0 : tensor<?x?x32xbf16>
  %m = tensor.dim %q, %c1 : tensor<?x?x32xbf16>
  %n = tensor.dim %k, %c1 : tensor<?x?x32xbf16>
  %past = arith.subi %n, %m : index
  %room = tensor.empty(%b, %m, %n) : tensor<?x?x?xf32>
  %rows = tensor.empty(%b, %m) : tensor<?x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%room : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x32xbf16>, tensor<?x?x32xbf16>)
      outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %sm = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<?x?x?xf32>) outs(%room : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %last = arith.addi %i, %past : index
    %seen = arith.cmpi sle, %j, %last : index
    %t = arith.mulf %x, %scale : f32
    %u = arith.select %seen, %t, %lowest : f32
    linalg.yield %u : f32
  } -> tensor<?x?x?xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%rows : tensor<?x?xf32>) -> tensor<?x?xf32>
  %max = linalg.generic {indexing_maps = [#id3, #row3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%sm : tensor<?x?x?xf32>) outs(%max0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %u = arith.maximumf %x, %acc : f32
    linalg.yield %u : f32
  } -> tensor<?x?xf32>
  %e = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sm, %max : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%room : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %t = arith.subf %x, %y : f32
    %u = math.exp %t : f32
    linalg.yield %u : f32
  } -> tensor<?x?x?xf32>
  %half = tensor.empty(%b, %m, %n) : tensor<?x?x?xbf16>
  %p = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e : tensor<?x?x?xf32>) outs(%half : tensor<?x?x?xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %h = arith.truncf %x : f32 to bf16
    linalg.yield %h : bf16
  } -> tensor<?x?x?xbf16>
  %out = tensor.empty(%b, %m) : tensor<?x?x32xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%out : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xbf16>, tensor<?x?x32xbf16>) outs(%o0 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  return %o : tensor<?x?x32xf32>
}

// Heads between rows and columns, two to one of the keys; a mask that is added; exponentials of base two, multiplied by a reciprocal.
#q4 = affine_map<(b, h, i, j, d) -> (b, i, h, d)>
#k4 = affine_map<(b, h, i, j, d) -> (b, j, h floordiv 2, d)>
#s4 = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
#id4 = affine_map<(b, h, i, j) -> (b, h, i, j)>
#row4 = affine_map<(b, h, i, j) -> (b, h, i)>
#mask4 = affine_map<(b, h, i, j) -> (b, j)>
#id3r = affine_map<(b, h, i) -> (b, h, i)>
#p4 = affine_map<(b, i, h, d, j) -> (b, h, i, j)>
#v4 = affine_map<(b, i, h, d, j) -> (b, j, h floordiv 2, d)>
#o4 = affine_map<(b, i, h, d, j) -> (b, i, h, d)>
func.func @grouped(%q: tensor<?x?x4x24xf16>, %k: tensor<?x?x2x24xf16>, %v: tensor<?x?x2x40xf16>, %mask: tensor<?x?xf16>) -> tensor<?x?x4x40xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 1.4426950408889634 : f32
  %b = tensor.dim %q, %c0 : tensor<?x?x4x24xf16>
  %m = tensor.dim %q, %c1 : tensor<?x?x4x24xf16>
  %n = tensor.dim %k, %c1 : tensor<?x?x2x24xf16>
  %room = tensor.empty(%b, %m, %n) : tensor<?x4x?x?xf32>
  %rows = tensor.empty(%b, %m) : tensor<?x4x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%room : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %s = linalg.generic {indexing_maps = [#q4, #k4, #s4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x?x4x24xf16>, tensor<?x?x2x24xf16>) outs(%s0 : tensor<?x4x?x?xf32>) {
  ^bb0(%x: f16, %y: f16, %acc: f32):
    %xe = arith.extf %x : f16 to f32
    %ye = arith.extf %y : f16 to f32
    %t = arith.mulf %xe, %ye : f32
    %u = arith.addf %acc, %t : f32
    linalg.yield %u : f32
  } -> tensor<?x4x?x?xf32>
  %sm = linalg.generic {indexing_maps = [#id4, #mask4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %mask : tensor<?x4x?x?xf32>, tensor<?x?xf16>) outs(%room : tensor<?x4x?x?xf32>) {
  ^bb0(%x: f32, %y: f16, %o: f32):
    %ye = arith.extf %y : f16 to f32
    %t = arith.addf %x, %ye : f32
    linalg.yield %t : f32
  } -> tensor<?x4x?x?xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%rows : tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
  %max = linalg.generic {indexing_maps = [#id4, #row4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%sm : tensor<?x4x?x?xf32>) outs(%max0 : tensor<?x4x?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %u = arith.maxnumf %acc, %x : f32
    linalg.yield %u : f32
  } -> tensor<?x4x?xf32>
  %e = linalg.generic {indexing_maps = [#id4, #row4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sm, %max : tensor<?x4x?x?xf32>, tensor<?x4x?xf32>) outs(%room : tensor<?x4x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %t = arith.subf %x, %y : f32
    %l = arith.mulf %t, %scale : f32
    %u = math.exp2 %l : f32
    linalg.yield %u : f32
  } -> tensor<?x4x?x?xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
  %sum = linalg.generic {indexing_maps = [#id4, #row4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%e : tensor<?x4x?x?xf32>) outs(%sum0 : tensor<?x4x?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %u = arith.addf %x, %acc : f32
    linalg.yield %u : f32
  } -> tensor<?x4x?xf32>
  %inverse = linalg.generic {indexing_maps = [#id3r, #id3r], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sum : tensor<?x4x?xf32>) outs(%rows : tensor<?x4x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %u = arith.divf %one, %x : f32
    linalg.yield %u : f32
  } -> tensor<?x4x?xf32>
  %half = tensor.empty(%b, %m, %n) : tensor<?x4x?x?xf16>
  %p = linalg.generic {indexing_maps = [#id4, #row4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%e, %inverse : tensor<?x4x?x?xf32>, tensor<?x4x?xf32>) outs(%half : tensor<?x4x?x?xf16>) {
  ^bb0(%x: f32, %y: f32, %o: f16):
    %u = arith.mulf %x, %y : f32
    %h = arith.truncf %u : f32 to f16
    linalg.yield %h : f16
  } -> tensor<?x4x?x?xf16>
  %out = tensor.empty(%b, %m) : tensor<?x?x4x40xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%out : tensor<?x?x4x40xf32>) -> tensor<?x?x4x40xf32>
  %o = linalg.generic {indexing_maps = [#p4, #v4, #o4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<?x4x?x?xf16>, tensor<?x?x2x40xf16>) outs(%o0 : tensor<?x?x4x40xf32>) {
  ^bb0(%x: f16, %y: f16, %acc: f32):
    %xe = arith.extf %x : f16 to f32
    %ye = arith.extf %y : f16 to f32
    %t = arith.mulf %xe, %ye : f32
    %u = arith.addf %acc, %t : f32
    linalg.yield %u : f32
  } -> tensor<?x?x4x40xf32>
  return %o : tensor<?x?x4x40xf32>
}

// No exponential: scores over the sum of their squares, with a bound; nothing has to be repaired.
func.func @squares(%q: tensor<?x?x16xf16>, %k: tensor<?x?x16xf16>, %v: tensor<?x?x16xf16>) -> tensor<?x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %b = tensor.dim %q, %c0 : tensor<?x?x16xf16>
  %m = tensor.dim %q, %c1 : tensor<?x?x16xf16>
  %n = tensor.dim %k, %c1 : tensor<?x?x16xf16>
  %room = tensor.empty(%b, %m, %n) : tensor<?x?x?xf32>
  %rows = tensor.empty(%b, %m) : tensor<?x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%room : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x16xf16>, tensor<?x?x16xf16>)
      outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %sum0 = linalg.fill ins(%one : f32) outs(%rows : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #row3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<?x?x?xf32>) outs(%sum0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %u = arith.mulf %x, %x : f32
    %a = arith.addf %acc, %u : f32
    linalg.yield %a : f32
  } -> tensor<?x?xf32>
  %half = tensor.empty(%b, %m, %n) : tensor<?x?x?xf16>
  %p = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %sum : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%half : tensor<?x?x?xf16>) {
  ^bb0(%x: f32, %y: f32, %o: f16):
    %r = math.sqrt %y : f32
    %u = arith.divf %x, %r : f32
    %h = arith.truncf %u : f32 to f16
    linalg.yield %h : f16
  } -> tensor<?x?x?xf16>
  %out = tensor.empty(%b, %m) : tensor<?x?x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%out : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf16>, tensor<?x?x16xf16>) outs(%o0 : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return %o : tensor<?x?x16xf32>
}
