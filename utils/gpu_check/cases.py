"""What each program computes, in f64, the sizes it is checked at and those it is timed at.

References are written for NumPy and for PyTorch: XP is either, whose functions take `axis` and `keepdims` alike."""

from . import shapes as sets

# Zero, one, primes, one less, as many and one more than a tile, sizes that no vector divides.
EDGES = [(0, 5, 7), (5, 0, 7), (5, 7, 0), (1, 1, 1), (1, 8, 16), (17, 33, 15), (63, 64, 65), (64, 64, 64), (65, 66, 72), (129, 72, 40),
         (16, 130, 264), (257, 264, 512), (300, 520, 1000), (1025, 2056, 136), (2, 4104, 8200)]
ROW_EDGES = [(0, 5), (5, 1), (3, 32), (9, 128), (1, 1), (1, 31), (7, 33), (2, 129), (2, 512), (9, 1025), (3, 1024), (5, 4096), (130, 7), (3000, 1000),
             (7, 8192), (2, 70001), (3, 70004)]
# Images, height, width, channels, filters, window.
WINDOW_EDGES = [(0, 5, 5, 3, 4, 3, 3), (1, 3, 3, 1, 1, 3, 3), (2, 7, 5, 8, 16, 1, 1), (1, 9, 11, 3, 5, 3, 3), (2, 15, 14, 17, 33, 5, 3),
                (1, 9, 9, 64, 130, 3, 3), (3, 1, 70, 16, 8, 1, 3), (9, 29, 30, 64, 136, 3, 3), (5, 14, 14, 256, 264, 1, 1)]


class Case:
    """FUNCTION of the program: SHAPES gives (shape, type) of its inputs and of its results at sizes, TOLERANCE is relative to the
    largest element of the reference."""

    def __init__(self, function, shapes, reference, tolerance, edges, timed=(), flops=None, moved=None):
        self.function, self.shapes, self.reference, self.tolerance = function, shapes, reference, tolerance
        self.edges, self.timed, self.flops, self.moved = edges, timed, flops, moved

    def sizes(self, listed):
        """Those LISTED that have an extent for each of the program's."""
        return [sizes for sizes in listed if len(sizes) == len(self.edges[0])]


def softmax(xp, x):
    e = xp.exp(x - xp.amax(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def layer_norm(xp, x, gamma, beta):
    d = x - xp.mean(x, axis=-1, keepdims=True)
    return d / xp.sqrt(xp.mean(d * d, axis=-1, keepdims=True) + 1e-5) * gamma + beta


def rms_norm(xp, x, gamma):
    return x / xp.sqrt(xp.mean(x * x, axis=-1, keepdims=True) + 1e-5) * gamma


def relu(x):
    return x * (x > 0)


def attention(xp, q, k, v, causal=False):
    scores = q @ k.swapaxes(1, 2) / q.shape[2] ** 0.5
    if causal:
        later = xp.triu(xp.ones_like(scores), 1)
        scores = scores - later * 1e300
    return softmax(xp, scores) @ v


def windows(stride):
    """The reference of a convolution, a product for each place of the window."""
    def convolve(xp, x, w):
        filters, rows, columns, _ = w.shape
        high, wide = (x.shape[1] - rows) // stride + 1, (x.shape[2] - columns) // stride + 1
        return sum(xp.einsum("nhwc,fc->nhwf", x[:, i:i + (high - 1) * stride + 1:stride, j:j + (wide - 1) * stride + 1:stride], w[:, i, j])
                   for i in range(rows) for j in range(columns))
    return convolve


def convolution(name, stride, kind="float16", tolerance=2e-3, timed=None):
    def shapes(n, h, w, c, f, p, q):
        return ([((n, h, w, c), kind), ((f, p, q, c), kind)],
                [((n, (h - p) // stride + 1, (w - q) // stride + 1, f), kind)])

    def flops(n, h, w, c, f, p, q):
        return 2.0 * n * ((h - p) // stride + 1) * ((w - q) // stride + 1) * f * p * q * c
    timed = sets.convolutions(stride)[:timed]
    return Case(name, shapes, windows(stride), tolerance, WINDOW_EDGES, timed=timed, flops=flops)


def product(name, kind, tolerance, timed, order="nn", sums=None):
    """A product whose factors ORDER gives a t where they are transposed in memory."""
    turn = lambda x, c: x.swapaxes(0, 1) if c == "t" else x  # noqa: E731
    place = lambda rows, columns, c: (columns, rows) if c == "t" else (rows, columns)  # noqa: E731
    return Case(name, lambda m, n, k: ([(place(m, k, order[0]), kind), (place(k, n, order[1]), kind)], [((m, n), sums or kind)]),
                lambda xp, a, b: turn(a, order[0]) @ turn(b, order[1]), tolerance, EDGES, timed, flops=lambda m, n, k: 2.0 * m * n * k)


def batched(name, transposed, timed):
    return Case(name, lambda b, m, n, k: ([((b, m, k), "float16"), ((b, n, k) if transposed else (b, k, n), "float16")],
                                          [((b, m, n), "float16")]),
                lambda xp, a, b: a @ (b.swapaxes(1, 2) if transposed else b), 2e-3,
                [(0, 5, 7, 3), (3, 1, 1, 1), (2, 17, 33, 15), (5, 65, 40, 72), (3, 257, 264, 136)], timed,
                flops=lambda b, m, n, k: 2.0 * b * m * n * k)


ALL = sets.SQUARES + sets.LAYERS + sets.ODD
ROWS = {"timed": sets.ROWS, "moved": lambda m, n: 8.0 * m * n}
LONGER = [(b * 32, n, n, 64) for b, n in ((1, 128), (1, 512), (1, 2048), (8, 512), (8, 1024))] + [(256, 1, 2048, 128)]
ATTENTION = [(0, 3, 4, 8), (1, 1, 1, 8), (2, 17, 33, 16), (3, 5, 65, 64), (2, 300, 257, 128), (1, 33, 129, 200), (3, 1, 1000, 63)]


def attends(name, kind, tolerance):
    return Case(name, lambda b, m, n, d: ([((b, m, d), kind), ((b, n, d), kind), ((b, n, d), kind)], [((b, m, d), kind)]),
                attention, tolerance, ATTENTION,
                timed=sets.heads() + LONGER,
                flops=lambda b, m, n, d: 4.0 * b * m * n * d)


CASES = [
    product("gemm_f16", "float16", 2e-3, ALL + sets.encoder() + sets.deepbench("nn")),
    product("gemm_bf16", "bfloat16", 1.6e-2, ALL + sets.encoder()),
    product("gemm_f32", "float32", 1e-5, sets.SQUARES[:5] + sets.encoder()),
    product("gemm_f64", "float64", 1e-12, sets.SQUARES[:5]),
    product("gemm_tf32", "float32", 2e-3, sets.SQUARES + sets.encoder()),
    product("gemm_nt_f16", "float16", 2e-3, ALL + sets.deepbench("nt"), "nt"),
    product("gemm_tn_f16", "float16", 2e-3, sets.SQUARES + sets.deepbench("tn"), "tn"),
    product("gemm_i8", "int8", 0, ALL + sets.encoder(), "nt", "int32"),
    product("gemm_e4m3", "float8_e4m3fn", 4e-3, ALL + sets.encoder(), "nt", "float32"),
    batched("bmm_f16", False, sets.batches("batch_matmul_nn")),
    batched("bmm_nt_f16", True, sets.batches("batch_matmul_nt")),
    Case("linear_f16", lambda m, n, k: ([((m, k), "float16"), ((k, n), "float16"), ((n,), "float32")], [((m, n), "float16")]),
         lambda xp, a, b, bias: relu(a @ b + bias), 2e-3, EDGES, timed=sets.LAYERS + sets.encoder(),
         flops=lambda m, n, k: 2.0 * m * n * k),
    convolution("conv_f16", 1),
    convolution("conv_s2_f16", 2),
    convolution("conv_f32", 1, "float32", 1e-5, 20),
    convolution("conv_tf32", 1, "float32", 2e-3, 20),
    Case("softmax_f32", lambda m, n: ([((m, n), "float32")], [((m, n), "float32")]), softmax, 1e-5, ROW_EDGES, **ROWS),
    Case("layer_norm_f32", lambda m, n: ([((m, n), "float32"), ((n,), "float32"), ((n,), "float32")], [((m, n), "float32")]),
         layer_norm, 1e-4, ROW_EDGES, **ROWS),
    Case("rms_norm_f16", lambda m, n: ([((m, n), "float16"), ((n,), "float32")], [((m, n), "float16")]), rms_norm, 2e-3, ROW_EDGES,
         timed=sets.ROWS, moved=lambda m, n: 4.0 * m * n),
    attends("attention_f16", "float16", 4e-3),
    attends("attention_bf16", "bfloat16", 3e-2),
    Case("attention_causal_f16", lambda b, n, d: ([((b, n, d), "float16")] * 3, [((b, n, d), "float16")]),
         lambda xp, q, k, v: attention(xp, q, k, v, causal=True), 4e-3, [(0, 3, 8), (1, 1, 8), (2, 17, 16), (3, 65, 64), (2, 300, 128)],
         timed=[(b * 32, n, d) for b, n in ((1, 128), (1, 1000), (1, 2048), (4, 4096)) for d in (64, 128)],
         flops=lambda b, n, d: 2.0 * b * n * n * d),
    Case("add_f32", lambda m, n: ([((m, n), "float32")] * 2, [((m, n), "float32")]), lambda xp, x, y: x + y, 1e-6, ROW_EDGES,
         timed=sets.ROWS, moved=lambda m, n: 12.0 * m * n),
    Case("transpose_f32", lambda m, n: ([((m, n), "float32")], [((n, m), "float32")]), lambda xp, x: x.swapaxes(0, 1), 0, ROW_EDGES,
         **ROWS),
    Case("transpose_f16", lambda m, n: ([((m, n), "float16")], [((n, m), "float16")]), lambda xp, x: x.swapaxes(0, 1), 0, ROW_EDGES,
         timed=sets.ROWS, moved=lambda m, n: 4.0 * m * n),
    Case("column_sum_f32", lambda m, n: ([((m, n), "float32")], [((n,), "float32")]), lambda xp, x: xp.sum(x, axis=0), 1e-5, ROW_EDGES,
         timed=sets.ROWS, moved=lambda m, n: 4.0 * m * n),
    Case("argmax_f32", lambda m, n: ([((m, n), "float32")], [((m,), "float32"), ((m,), "int64")]),
         lambda xp, x: (xp.amax(x, axis=-1), xp.argmax(x, axis=-1)), 0, [s for s in ROW_EDGES]),
    Case("gather_f32", lambda m, n: ([((97, n), "float32"), ((m,), "int64")], [((m, n), "float32")]),
         lambda xp, table, ids: table[ids], 0, ROW_EDGES),
]
