"""References of inplace.mlir: the arguments a program changes come first among its results."""
import numpy as np

from .numerics import *
from .registry import program
from .rows import MN


@program("inplace", *MN, inout=[0])
def running_mix(r, m, n):
    x = r.f(m, n)
    y = d(x)
    for i in range(1, m):
        y[i] += 0.5 * y[i - 1]
    return [x], [y]


@program("inplace", "n=1", "n=7", "n=100", tol=0, inout=[0])
def clip_boxes(r, n):
    b = r.f(n, 4, scale=400)
    w, h = f32(640), f32(481)
    return [b, w, h], [np.clip(b, 0, np.array([w, h, w, h], f32))]


@program("inplace", "most=1,pos=0", "most=9,pos=4", "most=65,pos=64", inout=[0, 4])
def cache_step(r, most, pos):
    cache, key, query, scores = r.f(most, 64), r.f(64), r.f(64), r.f(most)
    after, out = cache.copy(), d(scores)
    after[pos] = key
    out[:pos + 1] = mm(after[:pos + 1], query)
    return [cache, key, query, np.int64(pos), scores], [after, out]


@program("inplace", *MN, inout=[0])
def fix_rows(r, m, n):
    x = r.f(m, n)
    y = d(x)
    y = np.where(y.sum(1, keepdims=True) < 0, -y, 1.5 * y)
    y[1:] += y[0]
    return [x, f32(1.5)], [y]


@program("inplace", "m=1,n=1,steps=2", "m=5,n=7,steps=3", "m=17,n=33,steps=2", "m=3,n=2,steps=0", inout=[0])
def multiply_again(r, m, n, steps):
    x, w = r.f(m, n), r.f(n, n) / f32(2 * n ** 0.5)  # errors do not grow from step to step
    y = d(x)
    for _ in range(steps):
        y = np.tanh(mm(y, w))
    return [x, w, np.int64(steps)], [y]


@program("inplace", *MN, inout=[0])
def add_weights(r, m, n):
    c, x = r.f(m, n), r.f(m, n)
    e = np.exp(d(x))
    return [c, x], [d(c) + e / e.sum(1, keepdims=True)]
