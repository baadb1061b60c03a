"""References of softmax.mlir, norm.mlir and reduce.mlir."""
import numpy as np

from .numerics import *
from .registry import program

MN = ("m=1,n=1", "m=5,n=7", "m=33,n=65", "m=3,n=1000")


@program("softmax", *MN)
def softmax_named(r, m, n):
    x = r.f(m, n, scale=3)
    return [x], [softmax(d(x))]


@program("softmax", *MN, "m=0,n=5")
def softmax_rows(r, m, n):
    x = r.f(m, n, scale=3)
    return [x], [softmax(d(x))]


@program("softmax", "b=1,h=1,m=1,n=1", "b=2,h=3,m=5,n=7", "b=1,h=2,m=17,n=33")
def softmax_masked_4d(r, b, h, m, n):
    x = r.f(b, h, m, n)
    mask = np.where(np.arange(n)[None, :] < np.maximum(1, n - np.arange(b))[:, None], 0, -1e4).astype(f32)
    return [x, mask, f32(0.3)], [softmax(d(x) * f64(f32(0.3)) + mask[:, None, None, :])]


@program("norm", *MN, tol=2e-5)
def layernorm(r, m, n):
    x, g, b = r.f(m, n), r.f(n), r.f(n)
    return [x, g, b], [layer_norm(x, g, b)]


@program("norm", *MN, "m=2,n=3", "m=40,n=2")
def rms_scaled(r, m, n):
    x = r.f(m, n)
    part = f32(1 / max(n, 1))
    return [x, part], [d(x) / np.sqrt((d(x) ** 2).sum(1, keepdims=True) * f64(part))]


@program("norm", *MN, "m=2,n=3", "m=40,n=2", tol=2e-5)
def center_rows(r, m, n):
    x = r.f(m, n)
    return [x], [d(x) - d(x).sum(1, keepdims=True) / max(n, 1)]


@program("norm", "b=1,m=1,n=1", "b=2,m=5,n=7", "b=1,m=300,n=3", "b=3,m=4,n=65", tol=0)
def below_maximum(r, b, m, n):
    x = r.f(b, m, n)
    return [x], [x - x.max(2, keepdims=True, initial=-np.inf)]


@program("norm", "b=1,s=1", "b=2,s=5", "b=3,s=17", tol=2e-5)
def add_layernorm_768(r, b, s):
    x, y, g, be = r.f(b, s, 768), r.f(b, s, 768), r.f(768), r.f(768)
    return [x, y, g, be], [layer_norm(d(x) + y, g, be), d(x) + y]


@program("norm", *MN, tol=2e-5)
def rmsnorm(r, m, n):
    x, g = r.f(m, n), r.f(n)
    return [x, g], [rms_norm(x, g)]


@program("reduce", *MN)
def reduce_last_sum(r, m, n):
    x = r.f(m, n)
    return [x], [d(x).sum(1)]


@program("reduce", *MN, "m=3,n=0")
def reduce_last_sum_from_one(r, m, n):
    x = r.f(m, n)
    return [x], [1 + d(x).sum(1)]


@program("reduce", *MN)
def reduce_first_sum(r, m, n):
    x = r.f(m, n)
    return [x], [d(x).sum(0)]


@program("reduce", *MN, tol=1e-4)
def reduce_both_sum(r, m, n):
    x = r.f(m, n)
    return [x], [d(x).sum()]


@program("reduce", "m=1,k=1,n=1", "m=3,k=5,n=7", "m=2,k=33,n=17", tol=0)
def reduce_middle_max(r, m, k, n):
    x = r.f(m, k, n)
    return [x], [x.max(1)]


@program("reduce", *MN, tol=0)
def argmax_last(r, m, n):
    x = np.round(r.f(m, n), 1)                              # so that rows have equal values
    return [x], [x.max(1), x.argmax(1).astype(np.int64)]


@program("reduce", *MN, tol=1e-5)
def moments_first(r, m, n):
    x = r.f(m, n)
    return [x], [d(x).mean(0), d(x).var(0)]
