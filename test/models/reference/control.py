"""References of gather.mlir, symbolic.mlir and control.mlir."""
import numpy as np

from .contractions import MNK
from .numerics import *
from .registry import draw, program


@program("gather", "m=1,v=1,n=1", "m=5,v=10,n=7", "m=33,v=100,n=65")
def embedding_matmul(r, m, v, n):
    ids, t, w = r.ints(0, v, m), r.f(v, 64), r.f(64, n)
    return [ids, t, w], [mm(t[ids], w)]


@program("gather", "m=1,v=1,n=1", "m=7,v=3,n=5", "m=65,v=10,n=33", "m=0,v=2,n=4")
def embedding_add(r, m, v, n):
    ids, t, x = r.ints(0, v, m), r.f(v, n), r.f(m, n)
    return [ids, t, x], [x.astype(f64) + t[ids]]


@program("gather", "m=1,v=1,n=1", "m=7,v=3,n=5", "m=65,v=10,n=33", "m=0,v=2,n=4")
def embedding_halves(r, m, v, n):
    ids, t, x = r.ints(0, v, m), r.f(v, n), r.f((m + 1) // 2, 3)
    i, j = np.meshgrid(np.arange(m), np.arange(n), indexing="ij")
    return [ids, t, x], [t[ids].astype(f64) + x[i // 2, (i + j) % 3]]


@program("gather", "n=1,h=1,w=1,c=1", "n=2,h=3,w=5,c=7", "n=1,h=16,w=33,c=17", "n=0,h=2,w=2,c=3")
def upsample_nearest(r, n, h, w, c):
    x = r.f(n, h, w, c)
    return [x], [x.repeat(2, 1).repeat(2, 2).astype(f64)]


@program("gather", "b=1,l=1,v=1,d=1", "b=3,l=5,v=10,d=7", "b=2,l=33,v=100,d=65", "b=2,l=0,v=5,d=3")
def embedding_bag(r, b, l, v, d):
    ids, t = r.ints(-1, v, b, l), r.f(v, d)
    return [ids, t], [np.where(ids[..., None] >= 0, t[np.maximum(ids, 0)].astype(f64), 0).sum(1)]


@program("gather", "m=1,v=1,n=1", "m=7,v=3,n=5", "m=65,v=10,n=33")
def scatter_add(r, m, v, n):
    acc, ids, x = r.f(v, n), r.ints(0, v, m), r.f(m, n)
    y = d(acc)
    np.add.at(y, ids, x)
    return [acc, ids, x], [y]


@program("symbolic", *MNK)
def residual(r, m, n, k):
    x, w, y = r.f(m, k), r.f(k, n), r.f(m, n)
    return [x, w, y], [y + mm(x, w)]


@program("symbolic", "m1=1,m2=1,k=1,n=1", "m1=5,m2=2,k=3,n=7", "m1=0,m2=4,k=5,n=3", "m1=17,m2=33,k=31,n=65")
def concat_rows_matmul(r, m1, m2, k, n):
    a, b, w = r.f(m1, k), r.f(m2, k), r.f(k, n)
    return [a, b, w], [mm(np.concatenate([a, b]), w)]


@program("symbolic", "m=1,k1=1,k2=1,n=1", "m=5,k1=3,k2=2,n=7", "m=17,k1=33,k2=31,n=65")
def concat_cols_matmul(r, m, k1, k2, n):
    a, b, w = r.f(m, k1), r.f(m, k2), r.f(k1 + k2, n)
    return [a, b, w], [mm(np.concatenate([a, b], 1), w)]


@program("symbolic", "m=1,d=1", "m=5,d=7", "m=17,d=64")
def per_head_softmax(r, m, d):
    x = r.f(m, 8 * d)
    return [x], [softmax(x.astype(f64).reshape(m, 8, d)).reshape(m, 8 * d)]


@program("symbolic", "groups=1,each=1,n=1", "groups=3,each=5,n=7", "groups=17,each=2,n=33")
def sum_groups(r, groups, each, n):
    x = r.f(groups * each, n)
    return [x, np.int64(groups)], [d(x).reshape(groups, each, n).sum(1)]


@program("symbolic", "m=1,start=0,len=1,k=1,n=1", "m=9,start=2,len=5,k=3,n=7", "m=40,start=7,len=33,k=17,n=65", "m=4,start=4,len=0,k=3,n=5")
def window_matmul(r, m, start, len, k, n):
    x, w = r.f(m, k), r.f(k, n)
    return [x, w, np.int64(start), np.int64(len)], [mm(x[start:start + len], w)]


@program("control", "s=1,b=1", "s=5,b=3", "s=17,b=2", "s=0,b=2")
def gru(r, s, b):
    x, h = r.f(s, b, 128), r.f(b, 128)
    wx, wh, bx, bh = r.f(128, 384, scale=.09), r.f(128, 384, scale=.09), r.f(384, scale=.1), r.f(384, scale=.1)
    ys, hn = [], d(h)
    for t in range(s):
        gx, gh = mm(x[t], wx) + bx, mm(hn, wh) + bh
        z, q = sigmoid(gx[:, :128] + gh[:, :128]), sigmoid(gx[:, 128:256] + gh[:, 128:256])
        n = np.tanh(gx[:, 256:] + q * gh[:, 256:])
        hn = (1 - z) * n + z * hn
        ys.append(hn)
    return [x, h, wx, wh, bx, bh], [np.array(ys).reshape(s, b, 128), hn]


@program("control", "n=1", "n=5", "n=33", tol=1e-4)
def power_iteration(r, n):
    q = np.linalg.qr(d(r.f(n, n)))[0]
    a = ((q * (2.0 ** -np.arange(n))) @ q.T).astype(f32)
    v = np.abs(r.f(n)) + f32(.1)
    x, moved, steps = d(v), 1e30, 0
    while moved >= 1e-3 and steps < 100:
        y = d(a) @ x
        y /= np.sqrt(y @ y)
        moved, x, steps = np.abs(y - x).max(), y, steps + 1
    return [a, v, f32(1e-3), np.int64(100)], [x, np.int64(steps)]


@program("control", "t=1", "t=3", "t=17", "t=64", "t=0")
def moe_top1(r, t):
    x, route = r.f(t, 256), draw("experts.route", (256, 4), 1 / 16)
    up, upb = draw("experts.up", (4, 256, 512), 1 / 16), draw("experts.up.b", (4, 512), 1.0)
    down, downb = draw("experts.down", (4, 512, 256), 1 / 23), draw("experts.down.b", (4, 256), 1.0)
    logits = mm(x, route)
    p = softmax(logits)
    y = np.zeros((t, 256))
    for i in range(t):
        e = logits[i].argmax()
        y[i] = (np.maximum(mm(x[i], up[e]) + upb[e], 0) @ down[e] + downb[e]) * p[i, e]
    return [x, route, up, upb, down, downb], [y]


@program("control", "b=1,most=1,k=1,n=1", "b=3,most=6,k=5,n=7", "b=9,most=40,k=33,n=31", "b=0,most=3,k=4,n=5")
def ragged_max(r, b, most, k, n):
    start = np.concatenate([[0], np.cumsum(r.ints(0, most + 1, b))]).astype(np.int64)
    x, w = r.f(start[-1], k), r.f(k, n)
    p = np.maximum(mm(x, w), 0)
    return [x, start, w], [np.array([p[s:e].max(0, initial=0) for s, e in zip(start, start[1:])]).reshape(b, n)]


@program("control", "m=1,n=1,steps=3", "m=3,n=100,steps=2", "m=20,n=40,steps=5", "m=7,n=65,steps=0")
def recurrence_hoisted(r, m, n, steps):
    x, w = r.f(m, n), r.f(n, n) / np.float32(np.sqrt(n))
    h = d(x)
    for _ in range(steps):
        h = h @ d(w)
    return [x, w, np.int64(steps)], [h]
