"""What each program computes, in f64, the sizes it is checked at and those it is timed at.

References are written for NumPy and for PyTorch: XP is either, whose functions take `axis` and `keepdims` alike."""

# Zero, one, primes, one less, as many and one more than a tile, sizes that no vector divides.
EDGES = [(0, 5, 7), (5, 0, 7), (5, 7, 0), (1, 1, 1), (1, 8, 16), (17, 33, 15), (63, 64, 65), (64, 64, 64), (65, 66, 72), (129, 72, 40),
         (16, 130, 264)]
ROW_EDGES = [(0, 5), (5, 1), (1, 1), (1, 31), (3, 32), (7, 33), (2, 129), (9, 1025), (130, 7)]


def softmax(xp, x):
    e = xp.exp(x - xp.amax(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def layer_norm(xp, x, gamma, beta):
    d = x - xp.mean(x, axis=-1, keepdims=True)
    return d / xp.sqrt(xp.mean(d * d, axis=-1, keepdims=True) + 1e-5) * gamma + beta


def relu(x):
    return x * (x > 0)


class Case:
    """FUNCTION of the program: SHAPES gives (shape, type) of its inputs and of its results at sizes, TOLERANCE is relative to the
    largest element of the reference."""

    def __init__(self, function, shapes, reference, tolerance, edges, timed=(), flops=None, moved=None):
        self.function, self.shapes, self.reference, self.tolerance = function, shapes, reference, tolerance
        self.edges, self.timed, self.flops, self.moved = edges, timed, flops, moved


def products(kind, transposed=False):
    def shapes(m, n, k):
        return [((m, k), kind), ((n, k) if transposed else (k, n), kind)], [((m, n), kind)]
    return shapes


SQUARES = [(n, n, n) for n in (256, 512, 1024, 2048, 4096, 8192)]
LAYERS = [(m, n, k) for m in (1, 8, 16, 64, 128, 512, 2048, 4096) for n, k in ((4096, 4096), (11008, 4096), (4096, 11008))]
ODD = [(127, 127, 127), (1000, 1000, 1000), (1023, 1025, 2047), (4097, 4096, 4096), (64, 64, 16384)]
GEMM = {"timed": SQUARES + LAYERS + ODD, "flops": lambda m, n, k: 2.0 * m * n * k}
ROWS = {"timed": [(m, n) for m in (1, 128, 4096, 65536) for n in (128, 1000, 1024, 4096)] + [(8, 1 << 20)],
        "moved": lambda m, n: 8.0 * m * n}

CASES = [
    Case("gemm_f16", products("float16"), lambda xp, a, b: a @ b, 2e-3, EDGES, **GEMM),
    Case("gemm_bf16", products("bfloat16"), lambda xp, a, b: a @ b, 1.6e-2, EDGES, **GEMM),
    Case("gemm_f32", products("float32"), lambda xp, a, b: a @ b, 1e-5, EDGES, timed=SQUARES[:5], flops=GEMM["flops"]),
    Case("gemm_nt_f16", products("float16", True), lambda xp, a, b: a @ b.swapaxes(0, 1), 2e-3, EDGES, **GEMM),
    Case("linear_f16", lambda m, n, k: ([((m, k), "float16"), ((k, n), "float16"), ((n,), "float32")], [((m, n), "float16")]),
         lambda xp, a, b, bias: relu(a @ b + bias), 2e-3, EDGES, timed=LAYERS, flops=GEMM["flops"]),
    Case("softmax_f32", lambda m, n: ([((m, n), "float32")], [((m, n), "float32")]), softmax, 1e-5, ROW_EDGES, **ROWS),
    Case("layer_norm_f32", lambda m, n: ([((m, n), "float32"), ((n,), "float32"), ((n,), "float32")], [((m, n), "float32")]),
         layer_norm, 1e-4, ROW_EDGES, **ROWS),
    Case("attention_f16", lambda b, m, n, d: ([((b, m, d), "float16"), ((b, n, d), "float16"), ((b, n, d), "float16")],
                                              [((b, m, d), "float16")]),
         lambda xp, q, k, v: softmax(xp, q @ k.swapaxes(1, 2) / q.shape[2] ** 0.5) @ v, 4e-3,
         [(0, 3, 4, 8), (1, 1, 1, 8), (2, 17, 33, 16), (3, 5, 65, 64)],
         timed=[(b * 32, n, n, 64) for b, n in ((1, 128), (1, 512), (1, 2048), (8, 512), (8, 1024))] + [(256, 1, 2048, 128)],
         flops=lambda b, m, n, d: 4.0 * b * m * n * d),
    Case("argmax_f32", lambda m, n: ([((m, n), "float32")], [((m,), "float32"), ((m,), "int64")]),
         lambda xp, x: (xp.amax(x, axis=-1), xp.argmax(x, axis=-1)), 0, [s for s in ROW_EDGES]),
    Case("gather_f32", lambda m, n: ([((97, n), "float32"), ((m,), "int64")], [((m, n), "float32")]),
         lambda xp, table, ids: table[ids], 0, ROW_EDGES),
]
