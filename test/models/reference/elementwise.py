"""References of elementwise.mlir, transpose.mlir and pooling.mlir."""
import numpy as np

from .contractions import MNK
from .numerics import *
from .registry import program
from .rows import MN


@program("elementwise", *MN)
def add_bias(r, m, n):
    x, b = r.f(m, n), r.f(n)
    return [x, b], [d(x) + b]


@program("elementwise", *MN)
def outer(r, m, n):
    x, y = r.f(m, 1), r.f(1, n)
    return [x, y], [d(x) * y]


@program("elementwise", *MN)
def outer_across(r, m, n):
    x, y = r.f(m), r.f(n)
    return [x, y], [np.outer(d(y), x)]


@program("elementwise", *MN)
def start_twice(r, m, n):
    x = r.f(m, n)
    return [x], [np.exp(d(x)) - x, np.exp(d(x)) + x]


@program("elementwise", "")
def start_twice_scalar(r):
    x = np.array(r.f(1)[0], f32)
    return [x], [np.exp(d(x)) - x, np.exp(d(x)) + x]


@program("elementwise", "m=1,n=1,ym=1,yn=1", "m=5,n=7,ym=1,yn=7", "m=5,n=7,ym=5,yn=1", "m=33,n=17,ym=1,yn=1", "m=33,n=17,ym=33,yn=17")
def add_runtime_broadcast(r, m, n, ym, yn):
    x, y = r.f(m, n), r.f(ym, yn)
    return [x, y], [d(x) + y]


@program("elementwise", *MN)
def swiglu(r, m, n):
    g, u = r.f(m, n), r.f(m, n)
    return [g, u], [g * sigmoid(g) * u]


@program("elementwise", *MN)
def named_chain(r, m, n):
    x, y = r.f(m, n), r.f(m, n)
    return [x, y], [np.tanh(d(x) * x + y) / np.maximum(d(x), 1)]


@program("elementwise", *MN, tol=0)
def select_mask(r, m, n):
    mask, x, v = r.f(m, n) > 0, r.f(m, n), np.array(-7, f32)
    return [mask, x, v], [np.where(mask, x, v)]


@program("elementwise", *MN, tol=0)
def cast_bf16(r, m, n):
    x = r.f(m, n)
    return [x], [to_bf16(x)]


# Of squares of 16, of 8 and of 4: one less, one more, blocks of columns longer than L1 keeps.
SQUARES = ("m=0,n=3", "m=3,n=0", "m=3,n=4", "m=9,n=5", "m=7,n=9", "m=8,n=8", "m=15,n=17", "m=16,n=16", "m=32,n=33", "m=1,n=131", "m=1031,n=3",
           "m=700,n=31")


@program("transpose", *MN, *SQUARES, tol=0)
def transpose_2d(r, m, n):
    x = r.f(m, n)
    return [x], [x.T]


@program("transpose", "b=1,s=1,h=1,d=1", "b=2,s=5,h=3,d=7", "b=1,s=17,h=12,d=64", tol=0)
def transpose_0213(r, b, s, h, d):
    x = r.f(b, s, h, d)
    return [x], [x.transpose(0, 2, 1, 3)]


@program("transpose", "n=1,c=1,h=1,w=1", "n=2,c=3,h=5,w=7", "n=1,c=17,h=9,w=33", tol=0)
def nchw_to_nhwc_i8(r, n, c, h, w):
    x = r.i8(n, c, h, w)
    return [x], [x.transpose(0, 2, 3, 1)]


@program("transpose", "a=1,b=1,c=1", "a=5,b=3,c=0", "a=16,b=3,c=16", "a=17,b=1,c=31", "a=33,b=2,c=48", "a=3,b=5,c=700", "a=300,b=2,c=4",
         tol=1e-6)
def transpose_chain(r, a, b, c):
    x, y, row, column = r.f(b, c, a), r.f(a, b, c), r.f(c), r.f(a)
    return [x, y, row, column], [np.maximum(d(x).transpose(2, 0, 1) * row + column[:, None, None], y)]


@program("transpose", *MN, *SQUARES, tol=0, double=True)
def transpose_f64(r, m, n):
    x = r.f(m, n).astype(f64)
    return [x], [x.T]


@program("transpose", *(f"b={b},{s}" for b, s in zip((1, 3, 2) * 6, MN + SQUARES)), tol=0)
def transpose_widened(r, b, m, n):
    x = r.bf16(b, m, n)
    return [x], [from_bf16(x).transpose(0, 2, 1)]


@program("transpose", *MNK)
def transpose_then_matmul(r, m, n, k):
    a, b = r.f(m, k), r.f(n, k)
    return [a, b], [mm(a, b.T)]


NHWC = ("n=1,h=2,w=2,c=1", "n=2,h=5,w=8,c=3", "n=1,h=9,w=7,c=33")


@program("pooling", *NHWC, tol=0)
def maxpool_2x2_s2(r, n, h, w, c):
    x = r.f(n, h, w, c)
    return [x], [windows(x, 2, 2, lambda p: np.max(p, axis=0))]


@program("pooling", *NHWC)
def avgpool_3x3_same(r, n, h, w, c):
    x = r.f(n, h, w, c)
    return [x], [windows(np.pad(d(x), ((0, 0), (1, 1), (1, 1), (0, 0))), 3, 1, sum) / 9]


@program("pooling", *NHWC)
def global_avgpool(r, n, h, w, c):
    x = r.f(n, h, w, c)
    return [x], [d(x).mean((1, 2))]


@program("elementwise", *MN, "m=7,n=16", "m=300,n=3", "m=0,n=4", "m=5,n=0")
def gated_halves(r, m, n):
    x = r.f(m, 2 * n)
    return [x], [d(x)[:, :n] * np.maximum(d(x)[:, n:], 0)]


@program("elementwise", *MN, "m=7,n=16", "m=300,n=3", "m=0,n=4", "m=5,n=0")
def double_half(r, m, n):
    x, y = r.f(m, 2 * n), r.f(m, n)
    return [x, y], [np.concatenate([2 * d(y), d(x)[:, n:]], axis=1)]


@program("elementwise", "b=1,m=1,n=1", "b=2,m=5,n=7", "b=3,m=300,n=2", "b=2,m=4,n=16", "b=0,m=3,n=2", "b=2,m=0,n=3")
def scale_3d(r, b, m, n):
    x = r.f(b, m, n)
    return [x], [3 * d(x), d(x) * np.arange(n)]
