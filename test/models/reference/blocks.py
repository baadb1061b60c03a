"""References of attention.mlir, mlp.mlir and dequant.mlir."""
import numpy as np

from .contractions import MNK
from .numerics import *
from .registry import draw, program


@program("attention", "b=1,m=1,n=1", "b=2,m=5,n=7", "b=1,m=33,n=33", "b=3,m=1,n=17")
def attention(r, b, m, n):
    q, k, v = r.f(b, 12, m, 64), r.f(b, 12, n, 64), r.f(b, 12, n, 64)
    mask = np.where(np.arange(n)[None, :] < np.maximum(1, n - np.arange(b))[:, None], 0, -1e4).astype(f32)
    p = softmax(mm(q, k.transpose(0, 1, 3, 2)) / 8 + mask[:, None, None, :])
    return [q, k, v, mask], [p @ v]


@program("attention", "b=1,m=1,past=0", "b=3,m=5,past=0", "b=2,m=7,past=11", "b=12,m=1,past=33")
def attention_causal(r, b, m, past):
    n = m + past
    q, k, v = r.f(b, m, 64), r.f(b, n, 64), r.f(b, n, 64)
    seen = np.arange(n)[None, :] <= np.arange(m)[:, None] + past
    p = softmax(np.where(seen, mm(q, k.transpose(0, 2, 1)) / 8, -np.inf))
    return [q, k, v], [p @ v]


@program("attention", "b=1,m=1,n=1,d=1,dv=1", "b=3,m=5,n=7,d=8,dv=3", "b=2,m=17,n=33,d=40,dv=65")
def attention_all_dynamic(r, b, m, n, d, dv):
    q, k, v = r.f(b, m, d), r.f(b, n, d), r.f(b, n, dv)
    return [q, k, v], [softmax(mm(q, k.transpose(0, 2, 1)) / np.sqrt(d)) @ v]


@program("attention", "b=1,n=1", "b=3,n=7", "b=2,n=65")
def attention_decode_gqa(r, b, n):
    q, k, v = r.f(b, 8, 2, 64), r.f(b, 8, n, 64), r.f(b, 8, n, 64)
    length = np.maximum(1, n - 2 * np.arange(b)).astype(np.int64)
    s = np.einsum("bgrd,bgjd->bgrj", d(q), d(k)) / 8
    p = softmax(np.where(np.arange(n) < length[:, None, None, None], s, -np.inf))
    return [q, k, v, length], [np.einsum("bgrj,bgjd->bgrd", p, d(v))]


@program("mlp", "m=1,k=1,h=1,n=1", "m=5,k=7,h=11,n=3", "m=17,k=33,h=65,n=31")
def mlp_all_dynamic(r, m, k, h, n):
    x, w1, b1, w2, b2 = r.f(m, k), r.f(k, h), r.f(h), r.f(h, n), r.f(n)
    return [x, w1, b1, w2, b2], [np.maximum(mm(x, w1) + b1, 0) @ w2 + b2]


@program("mlp", "m=1", "m=7", "m=33")
def ffn_gelu(r, m):
    x, w1, b1 = r.f(m, 768), draw("bert.0.ff1.w", (768, 3072)), draw("bert.0.ff1.b", (3072,), 0.02)
    w2, b2 = draw("bert.0.ff2.w", (3072, 768)), draw("bert.0.ff2.b", (768,), 0.02)
    h = mm(x, w1) + b1
    h = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h ** 3)))
    return [x, w1, b1, w2, b2], [x + h @ w2 + b2]


@program("mlp", "m=1", "m=5", "m=33", tol=4e-3)
def ffn_swiglu_bf16(r, m):
    x, wg, wu, wd = r.f(m, 256), r.bf16(256, 704, scale=1 / 16), r.bf16(256, 704, scale=1 / 16), r.bf16(704, 256, scale=1 / 26)
    xb = from_bf16(to_bf16(x))
    g, u = mm(xb, from_bf16(wg)), mm(xb, from_bf16(wu))
    return [x, wg, wu, wd], [mm(from_bf16(to_bf16(g * sigmoid(g) * u)), from_bf16(wd)) + x]


@program("dequant", *MNK[:4])
def dequant_i8_matmul(r, m, n, k):
    x, q, s = r.f(m, k), r.i8(k, n), np.abs(r.f(n)) / 100
    return [x, q, s], [mm(x, d(q) * s)]


@program("dequant", "m=1,n=1,g=1", "m=5,n=7,g=2", "m=17,n=65,g=3")
def dequant_i4_matmul(r, m, n, g):
    x, q = r.f(m, 32 * g), r.ints(0, 16, g, 32, n).astype(np.uint8)
    s, z = np.abs(r.f(g, n)) / 10, np.round(r.f(g, n) + 8)
    return [x, q, s, z], [mm(x, ((d(q) - z[:, None]) * s[:, None]).reshape(32 * g, n))]


@program("dequant", "m=1,n=1,half=1", "m=5,n=7,half=3", "m=17,n=65,half=33")
def dequant_i4_packed_matmul(r, m, n, half):
    x, w, s = r.f(m, 2 * half), r.ints(-8, 8, half, 2, n).astype(np.int8), np.abs(r.f(n)) / 10
    q = ((w[:, 0] & 15) | (w[:, 1] << 4)).astype(np.int8)
    return [x, q, s], [mm(x, d(w.reshape(2 * half, n)) * s)]


@program("dequant", *MNK[:4])
def dynamic_int8_linear(r, m, n, k):
    x, q, s, b = r.f(m, k), r.i8(k, n), np.abs(r.f(n)) / 100, r.f(n)
    amax = np.maximum(np.abs(x).max(1, initial=0), f32(1e-30))[:, None]
    xq = np.rint(x * (f32(127) / amax)).astype(np.int8)
    return [x, q, s, b], [d(xq.astype(np.int32) @ q.astype(np.int32)) * (amax / f32(127)) * s + b]
