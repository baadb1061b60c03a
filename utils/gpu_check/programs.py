"""The programs that gpu-check compiles, as MLIR: every size is unknown."""

ID = "affine_map<(i, j) -> (i, j)>"
ROW = "affine_map<(i, j) -> (i)>"
COLUMN = "affine_map<(i, j) -> (j)>"


def generic(result, maps, iterators, operands, init, body):
    """One linalg.generic; operands and init are (value, type)."""
    names = ", ".join(f'"{i}"' for i in iterators)
    ins = f"ins({', '.join(v for v, _ in operands)} : {', '.join(t for _, t in operands)}) "
    return (f"  {result} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{names}]}}\n"
            f"      {ins}outs({init[0]} : {init[1]}) {{\n{body}  }} -> {init[1]}\n")


def product(name, element, transposed=False, bias=False):
    """C = A B, or A B^T, summed in f32, rounded to the elements' type; with a bias of columns and ReLU."""
    t, wide = f"tensor<?x?x{element}>", "tensor<?x?xf32>"
    maps = ("indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] "
            if transposed else "")
    text = (f"func.func @{name}(%a: {t}, %b: {t}{', %bias: tensor<?xf32>' if bias else ''}) -> {t} {{\n"
            "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %zero = arith.constant 0.0 : f32\n"
            f"  %m = tensor.dim %a, %c0 : {t}\n  %n = tensor.dim %b, %{'c0' if transposed else 'c1'} : {t}\n"
            f"  %e = tensor.empty(%m, %n) : {wide}\n"
            f"  %z = linalg.fill ins(%zero : f32) outs(%e : {wide}) -> {wide}\n"
            f"  %p = linalg.matmul {maps}ins(%a, %b : {t}, {t}) outs(%z : {wide}) -> {wide}\n")
    if element == "f32" and not bias:
        return text + f"  return %p : {t}\n}}\n"
    value, body, operands, reads = "%x", f"  ^bb0(%x: f32, %o: {element}):\n", [("%p", wide)], [ID, ID]
    if bias:
        body = f"  ^bb0(%x: f32, %y: f32, %o: {element}):\n    %s = arith.addf %x, %y : f32\n    %r = arith.maximumf %s, %zero : f32\n"
        value, operands, reads = "%r", operands + [("%bias", "tensor<?xf32>")], [ID, COLUMN, ID]
    body += f"    %t = arith.truncf {value} : f32 to {element}\n    linalg.yield %t : {element}\n"
    text += f"  %n0 = tensor.empty(%m, %n) : {t}\n"
    return text + generic("%q", reads, ["parallel"] * 2, operands, ("%n0", t), body) + f"  return %q : {t}\n}}\n"


ROWS = """
func.func @softmax_f32(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// The largest of each row and where it is: two results, and an index.
func.func @argmax_f32(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0 : i64
  %lowest = arith.constant 0xFF800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %ev = tensor.empty(%m) : tensor<?xf32>
  %ei = tensor.empty(%m) : tensor<?xi64>
  %v0 = linalg.fill ins(%lowest : f32) outs(%ev : tensor<?xf32>) -> tensor<?xf32>
  %i0 = linalg.fill ins(%none : i64) outs(%ei : tensor<?xi64>) -> tensor<?xi64>
  %v, %i = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                           iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%v0, %i0 : tensor<?xf32>, tensor<?xi64>) {
  ^bb0(%a: f32, %best: f32, %at: i64):
    %j = linalg.index 1 : index
    %ji = arith.index_cast %j : index to i64
    %more = arith.cmpf ogt, %a, %best : f32
    %nv = arith.select %more, %a, %best : f32
    %ni = arith.select %more, %ji, %at : i64
    linalg.yield %nv, %ni : f32, i64
  } -> (tensor<?xf32>, tensor<?xi64>)
  return %v, %i : tensor<?xf32>, tensor<?xi64>
}

// Rows of a table picked by number.
func.func @gather_f32(%table: tensor<?x?xf32>, %ids: tensor<?xi64>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %ids, %c0 : tensor<?xi64>
  %n = tensor.dim %table, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<?xi64>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%id: i64, %o: f32):
    %row = arith.index_cast %id : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%row, %j] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""


def layer_norm():
    t, r = "tensor<?x?xf32>", "tensor<?xf32>"
    text = (f"func.func @layer_norm_f32(%x: {t}, %gamma: {r}, %beta: {r}) -> {t} {{\n"
            "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %zero = arith.constant 0.0 : f32\n"
            "  %eps = arith.constant 1.0e-5 : f32\n"
            f"  %m = tensor.dim %x, %c0 : {t}\n  %n = tensor.dim %x, %c1 : {t}\n  %ni = arith.index_cast %n : index to i64\n"
            "  %nf = arith.sitofp %ni : i64 to f32\n"
            f"  %er = tensor.empty(%m) : {r}\n  %e = tensor.empty(%m, %n) : {t}\n"
            f"  %z = linalg.fill ins(%zero : f32) outs(%er : {r}) -> {r}\n")
    text += generic("%sum", [ID, ROW], ["parallel", "reduction"], [("%x", t)], ("%z", r),
                    "  ^bb0(%a: f32, %acc: f32):\n    %s = arith.addf %acc, %a : f32\n    linalg.yield %s : f32\n")
    text += generic("%sq", [ID, ROW, ROW], ["parallel", "reduction"], [("%x", t), ("%sum", r)], ("%z", r),
                    "  ^bb0(%a: f32, %b: f32, %acc: f32):\n    %mu = arith.divf %b, %nf : f32\n    %d = arith.subf %a, %mu : f32\n"
                    "    %p = arith.mulf %d, %d : f32\n    %s = arith.addf %acc, %p : f32\n    linalg.yield %s : f32\n")
    text += generic("%y", [ID, ROW, ROW, COLUMN, COLUMN, ID], ["parallel"] * 2,
                    [("%x", t), ("%sum", r), ("%sq", r), ("%gamma", r), ("%beta", r)], ("%e", t),
                    "  ^bb0(%a: f32, %b: f32, %q: f32, %g: f32, %h: f32, %o: f32):\n    %mu = arith.divf %b, %nf : f32\n"
                    "    %d = arith.subf %a, %mu : f32\n    %v = arith.divf %q, %nf : f32\n    %ve = arith.addf %v, %eps : f32\n"
                    "    %rs = math.rsqrt %ve : f32\n    %u = arith.mulf %d, %rs : f32\n    %w = arith.mulf %u, %g : f32\n"
                    "    %t = arith.addf %w, %h : f32\n    linalg.yield %t : f32\n")
    return text + f"  return %y : {t}\n}}\n"


def attention(name="attention_f16", element="f16"):
    """softmax(Q K^T / sqrt(d)) V on batch x rows x d; scores in f32."""
    t, s = f"tensor<?x?x?x{element}>", "tensor<?x?x?xf32>"
    three = "affine_map<(b, i, j) -> (b, i, j)>"
    cast = lambda result, value, init, kind: generic(  # noqa: E731
        result, [three, three], ["parallel"] * 3, [(value, s)], (init, t),
        f"  ^bb0(%x: f32, %o: {element}):\n    %c = arith.truncf %x : f32 to {element}\n    linalg.yield %c : {element}\n")
    return (f"func.func @{name}(%q: {t}, %k: {t}, %v: {t}) -> {t} {{\n"
            "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c2 = arith.constant 2 : index\n"
            "  %zero = arith.constant 0.0 : f32\n"
            f"  %b = tensor.dim %q, %c0 : {t}\n  %m = tensor.dim %q, %c1 : {t}\n  %n = tensor.dim %k, %c1 : {t}\n"
            f"  %d = tensor.dim %q, %c2 : {t}\n  %di = arith.index_cast %d : index to i64\n  %df = arith.sitofp %di : i64 to f32\n"
            "  %scale = math.rsqrt %df : f32\n"
            f"  %e = tensor.empty(%b, %m, %n) : {s}\n  %z = linalg.fill ins(%zero : f32) outs(%e : {s}) -> {s}\n"
            "  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, "
            f"affine_map<(b, i, j, d) -> (b, i, j)>] ins(%q, %k : {t}, {t}) outs(%z : {s}) -> {s}\n"
            + generic("%w", [three, three], ["parallel"] * 3, [("%s", s)], ("%e", s),
                      "  ^bb0(%x: f32, %o: f32):\n    %y = arith.mulf %x, %scale : f32\n    linalg.yield %y : f32\n")
            + f"  %p = linalg.softmax dimension(2) ins(%w : {s}) outs(%e : {s}) -> {s}\n"
            f"  %eh = tensor.empty(%b, %m, %n) : {t}\n" + cast("%ph", "%p", "%eh", t)
            + f"  %eo = tensor.empty(%b, %m, %d) : {s}\n  %zo = linalg.fill ins(%zero : f32) outs(%eo : {s}) -> {s}\n"
            f"  %pv = linalg.batch_matmul ins(%ph, %v : {t}, {t}) outs(%zo : {s}) -> {s}\n"
            f"  %er = tensor.empty(%b, %m, %d) : {t}\n" + cast("%r", "%pv", "%er", t) + f"  return %r : {t}\n}}\n")


def text():
    return "\n".join([product("gemm_f16", "f16"), product("gemm_bf16", "bf16"), product("gemm_f32", "f32"),
                      product("gemm_nt_f16", "f16", transposed=True), product("linear_f16", "f16", bias=True), ROWS, layer_norm(),
                      attention()])
