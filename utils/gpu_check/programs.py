"""The programs that gpu-check compiles, as MLIR: every size is unknown."""
import re

ID = "affine_map<(i, j) -> (i, j)>"
ROW = "affine_map<(i, j) -> (i)>"
COLUMN = "affine_map<(i, j) -> (j)>"


def generic(result, maps, iterators, operands, init, body):
    """One linalg.generic; operands and init are (value, type)."""
    names = ", ".join(f'"{i}"' for i in iterators)
    ins = f"ins({', '.join(v for v, _ in operands)} : {', '.join(t for _, t in operands)}) "
    return (f"  {result} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{names}]}}\n"
            f"      {ins}outs({init[0]} : {init[1]}) {{\n{body}  }} -> {init[1]}\n")


def product(name, element, order="nn", bias=False, sums="f32", narrow=True, precision=None):
    """C = A B, where ORDER has a t for each factor that is transposed in memory, added up in SUMS, rounded to the elements' type where they
    are NARROWer; with a bias of columns and ReLU."""
    t, wide = f"tensor<?x?x{element}>", f"tensor<?x?x{sums}>"
    left, right = ("(k, m)" if order[0] == "t" else "(m, k)"), ("(n, k)" if order[1] == "t" else "(k, n)")
    maps = (f"indexing_maps = [affine_map<(m, n, k) -> {left}>, affine_map<(m, n, k) -> {right}>, affine_map<(m, n, k) -> (m, n)>] "
            if "t" in order else "")
    narrow = narrow and element != sums
    marked = f' attributes {{vortex.precision = "{precision}"}}' if precision else ""
    text = (f"func.func @{name}(%a: {t}, %b: {t}{', %bias: tensor<?xf32>' if bias else ''}) -> {t if narrow else wide}{marked} {{\n"
            f"  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %zero = arith.constant {'0.0' if sums[0] == 'f' else '0'} : {sums}\n"
            f"  %m = tensor.dim %a, %{'c1' if order[0] == 't' else 'c0'} : {t}\n  %n = tensor.dim %b, %{'c0' if order[1] == 't' else 'c1'} : {t}\n"
            f"  %e = tensor.empty(%m, %n) : {wide}\n"
            f"  %z = linalg.fill ins(%zero : {sums}) outs(%e : {wide}) -> {wide}\n"
            f"  %p = linalg.matmul {maps}ins(%a, %b : {t}, {t}) outs(%z : {wide}) -> {wide}\n")
    if not narrow and not bias:
        return text + f"  return %p : {wide}\n}}\n"
    value, body, operands, reads = "%x", f"  ^bb0(%x: f32, %o: {element}):\n", [("%p", wide)], [ID, ID]
    if bias:
        body = f"  ^bb0(%x: f32, %y: f32, %o: {element}):\n    %s = arith.addf %x, %y : f32\n    %r = arith.maximumf %s, %zero : f32\n"
        value, operands, reads = "%r", operands + [("%bias", "tensor<?xf32>")], [ID, COLUMN, ID]
    body += f"    %t = arith.truncf {value} : f32 to {element}\n    linalg.yield %t : {element}\n"
    text += f"  %n0 = tensor.empty(%m, %n) : {t}\n"
    return text + generic("%q", reads, ["parallel"] * 2, operands, ("%n0", t), body) + f"  return %q : {t}\n}}\n"


SOFTMAX = """
func.func @softmax_f32(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""

ARGMAX = """
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
"""

GATHER = """
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


def batched(name, transposed=False):
    """A product for each of a batch, of f16, added up in f32."""
    t, s, three = "tensor<?x?x?xf16>", "tensor<?x?x?xf32>", "affine_map<(b, m, n) -> (b, m, n)>"
    maps = ("indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, "
            "affine_map<(b, m, n, k) -> (b, m, n)>] " if transposed else "")
    return (f"func.func @{name}(%a: {t}, %b: {t}) -> {t} {{\n"
            "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c2 = arith.constant 2 : index\n"
            f"  %zero = arith.constant 0.0 : f32\n  %g = tensor.dim %a, %c0 : {t}\n  %m = tensor.dim %a, %c1 : {t}\n"
            f"  %n = tensor.dim %b, %{'c1' if transposed else 'c2'} : {t}\n"
            f"  %e = tensor.empty(%g, %m, %n) : {s}\n  %z = linalg.fill ins(%zero : f32) outs(%e : {s}) -> {s}\n"
            f"  %p = linalg.batch_matmul {maps}ins(%a, %b : {t}, {t}) outs(%z : {s}) -> {s}\n  %en = tensor.empty(%g, %m, %n) : {t}\n"
            + generic("%r", [three, three], ["parallel"] * 3, [("%p", s)], ("%en", t),
                      "  ^bb0(%x: f32, %o: f16):\n    %y = arith.truncf %x : f32 to f16\n    linalg.yield %y : f16\n")
            + f"  return %r : {t}\n}}\n")


def convolution(name, stride, element="f16", precision=None):
    """Images n x h x w x c (their padding with them), weights f x p x q x c, added up in f32."""
    t, s, four = f"tensor<?x?x?x?x{element}>", "tensor<?x?x?x?xf32>", "affine_map<(n, h, w, f) -> (n, h, w, f)>"
    marked = f' attributes {{vortex.precision = "{precision}"}}' if precision else ""
    extent = lambda result, image, window: (  # noqa: E731
        f"  {result}s = arith.subi {image}, {window} : index\n  {result}q = arith.divui {result}s, %step : index\n"
        f"  {result} = arith.addi {result}q, %c1 : index\n")
    dims = "".join(f"  %{v} = tensor.dim %{of}, %c{i} : {t}\n" for v, of, i in
                   (("n", "x", 0), ("h", "x", 1), ("w", "x", 2), ("f", "k", 0), ("p", "k", 1), ("q", "k", 2)))
    return (f"func.func @{name}(%x: {t}, %k: {t}) -> {t}{marked} {{\n"
            + "".join(f"  %c{i} = arith.constant {i} : index\n" for i in range(3))
            + f"  %step = arith.constant {stride} : index\n  %zero = arith.constant 0.0 : f32\n" + dims
            + extent("%oh", "%h", "%p") + extent("%ow", "%w", "%q")
            + f"  %e = tensor.empty(%n, %oh, %ow, %f) : {s}\n  %z = linalg.fill ins(%zero : f32) outs(%e : {s}) -> {s}\n"
            f"  %y = linalg.conv_2d_nhwc_fhwc {{strides = dense<{stride}> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}}\n"
            f"      ins(%x, %k : {t}, {t}) outs(%z : {s}) -> {s}\n"
            + (f"  return %y : {t}\n}}\n" if element == "f32" else f"  %en = tensor.empty(%n, %oh, %ow, %f) : {t}\n"
               + generic("%r", [four, four], ["parallel"] * 4, [("%y", s)], ("%en", t),
                         f"  ^bb0(%u: f32, %o: {element}):\n    %v = arith.truncf %u : f32 to {element}\n    linalg.yield %v : {element}\n")
               + f"  return %r : {t}\n}}\n"))


def transpose(name, element):
    t = f"tensor<?x?x{element}>"
    return (f"func.func @{name}(%x: {t}) -> {t} {{\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
            f"  %m = tensor.dim %x, %c0 : {t}\n  %n = tensor.dim %x, %c1 : {t}\n  %e = tensor.empty(%n, %m) : {t}\n"
            f"  %r = linalg.transpose ins(%x : {t}) outs(%e : {t}) permutation = [1, 0]\n  return %r : {t}\n}}\n")


def column_sum():
    """The sum of each column."""
    t, r = "tensor<?x?xf32>", "tensor<?xf32>"
    return (f"func.func @column_sum_f32(%x: {t}) -> {r} {{\n  %c1 = arith.constant 1 : index\n  %zero = arith.constant 0.0 : f32\n"
            f"  %n = tensor.dim %x, %c1 : {t}\n  %e = tensor.empty(%n) : {r}\n  %z = linalg.fill ins(%zero : f32) outs(%e : {r}) -> {r}\n"
            + generic("%r", [ID, COLUMN], ["reduction", "parallel"], [("%x", t)], ("%z", r),
                      "  ^bb0(%a: f32, %o: f32):\n    %s = arith.addf %o, %a : f32\n    linalg.yield %s : f32\n")
            + f"  return %r : {r}\n}}\n")


def rms_norm():
    """Rows of f16 over the root of the mean of their squares, in f32, times a weight a column."""
    t, r, w = "tensor<?x?xf16>", "tensor<?xf32>", "tensor<?x?xf32>"
    text = (f"func.func @rms_norm_f16(%x: {t}, %gamma: {r}) -> {t} {{\n"
            "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %zero = arith.constant 0.0 : f32\n"
            "  %eps = arith.constant 1.0e-5 : f32\n"
            f"  %m = tensor.dim %x, %c0 : {t}\n  %n = tensor.dim %x, %c1 : {t}\n  %ni = arith.index_cast %n : index to i64\n"
            f"  %nf = arith.sitofp %ni : i64 to f32\n  %er = tensor.empty(%m) : {r}\n  %e = tensor.empty(%m, %n) : {t}\n"
            f"  %z = linalg.fill ins(%zero : f32) outs(%er : {r}) -> {r}\n")
    text += generic("%sq", [ID, ROW], ["parallel", "reduction"], [("%x", t)], ("%z", r),
                    "  ^bb0(%h: f16, %acc: f32):\n    %a = arith.extf %h : f16 to f32\n    %p = arith.mulf %a, %a : f32\n"
                    "    %s = arith.addf %acc, %p : f32\n    linalg.yield %s : f32\n")
    text += generic("%y", [ID, ROW, COLUMN, ID], ["parallel"] * 2, [("%x", t), ("%sq", r), ("%gamma", r)], ("%e", t),
                    "  ^bb0(%h: f16, %q: f32, %g: f32, %o: f16):\n    %a = arith.extf %h : f16 to f32\n    %v = arith.divf %q, %nf : f32\n"
                    "    %ve = arith.addf %v, %eps : f32\n    %rs = math.rsqrt %ve : f32\n    %u = arith.mulf %a, %rs : f32\n"
                    "    %w = arith.mulf %u, %g : f32\n    %t = arith.truncf %w : f32 to f16\n    linalg.yield %t : f16\n")
    return text + f"  return %y : {t}\n}}\n"


def add():
    """What memory bounds and nothing else."""
    t = "tensor<?x?xf32>"
    dims = (f"  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %m = tensor.dim %x, %c0 : {t}\n"
            f"  %n = tensor.dim %x, %c1 : {t}\n")
    text = f"func.func @add_f32(%x: {t}, %y: {t}) -> {t} {{\n{dims}  %e = tensor.empty(%m, %n) : {t}\n"
    text += generic("%r", [ID, ID, ID], ["parallel"] * 2, [("%x", t), ("%y", t)], ("%e", t),
                    "  ^bb0(%a: f32, %b: f32, %o: f32):\n    %s = arith.addf %a, %b : f32\n    linalg.yield %s : f32\n")
    return text + f"  return %r : {t}\n}}\n"


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


def attention(name="attention_f16", element="f16", causal=False):
    """softmax(Q K^T / sqrt(d)) V on batch x rows x d; scores in f32. Causal: row i has keys 0 to i."""
    t, s = f"tensor<?x?x?x{element}>", "tensor<?x?x?xf32>"
    three = "affine_map<(b, i, j) -> (b, i, j)>"
    cast = lambda result, value, init, kind: generic(  # noqa: E731
        result, [three, three], ["parallel"] * 3, [(value, s)], (init, t),
        f"  ^bb0(%x: f32, %o: {element}):\n    %c = arith.truncf %x : f32 to {element}\n    linalg.yield %c : {element}\n")
    masked = ("    %i = linalg.index 1 : index\n    %j = linalg.index 2 : index\n    %later = arith.cmpi ugt, %j, %i : index\n"
              "    %lowest = arith.constant 0xFF800000 : f32\n    %kept = arith.select %later, %lowest, %y : f32\n    linalg.yield %kept : f32\n"
              if causal else "    linalg.yield %y : f32\n")
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
                      "  ^bb0(%x: f32, %o: f32):\n    %y = arith.mulf %x, %scale : f32\n" + masked)
            + f"  %p = linalg.softmax dimension(2) ins(%w : {s}) outs(%e : {s}) -> {s}\n"
            f"  %eh = tensor.empty(%b, %m, %n) : {t}\n" + cast("%ph", "%p", "%eh", t)
            + f"  %eo = tensor.empty(%b, %m, %d) : {s}\n  %zo = linalg.fill ins(%zero : f32) outs(%eo : {s}) -> {s}\n"
            f"  %pv = linalg.batch_matmul ins(%ph, %v : {t}, {t}) outs(%zo : {s}) -> {s}\n"
            f"  %er = tensor.empty(%b, %m, %d) : {t}\n" + cast("%r", "%pv", "%er", t) + f"  return %r : {t}\n}}\n")


def functions():
    """{name: text} of all programs."""
    texts = [product("gemm_f16", "f16"), product("gemm_bf16", "bf16"), product("gemm_f32", "f32"), product("gemm_f64", "f64", sums="f64"),
             product("gemm_tf32", "f32", precision="tf32"),
             product("gemm_nt_f16", "f16", "nt"), product("gemm_tn_f16", "f16", "tn"), product("gemm_i8", "i8", "nt", sums="i32", narrow=False),
             product("gemm_e4m3", "f8E4M3FN", "nt", narrow=False), product("linear_f16", "f16", bias=True), batched("bmm_f16"),
             batched("bmm_nt_f16", transposed=True), convolution("conv_f16", 1), convolution("conv_s2_f16", 2),
             convolution("conv_f32", 1, "f32"), convolution("conv_tf32", 1, "f32", precision="tf32"), SOFTMAX, ARGMAX, GATHER, layer_norm(),
             rms_norm(), add(), transpose("transpose_f32", "f32"), transpose("transpose_f16", "f16"), column_sum(), attention(),
             attention("attention_bf16", "bf16"), attention("attention_causal_f16", causal=True)]
    return {re.search(r"func\.func @(\w+)", text)[1]: text for text in texts}
