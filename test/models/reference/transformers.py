"""References of bert_layer.mlir, llama_layer.mlir and of their imported stacks."""
import numpy as np

from .numerics import *
from .registry import draw, program


def bert_weights(l):
    """One layer's weights in the order of the arguments."""
    p, out = f"bert.{l}.", []
    for n in "qkvo":
        out += [draw(p + n + ".w", (768, 768)), draw(p + n + ".b", (768,), 0.02)]
    out += [draw(p + "ln1.g", (768,), 0.1, mean=1.0), draw(p + "ln1.b", (768,), 0.1)]
    for n, k, m in (("ff1", 768, 3072), ("ff2", 3072, 768)):
        out += [draw(p + n + ".w", (k, m)), draw(p + n + ".b", (m,), 0.02)]
    return out + [draw(p + "ln2.g", (768,), 0.1, mean=1.0), draw(p + "ln2.b", (768,), 0.1)]


def bert_ref(x, mask, w):
    wq, bq, wk, bk, wv, bv, wo, bo, g1, b1, f1, c1, f2, c2, g2, b2 = w
    b, s, _ = x.shape
    q, k, v = (np.reshape(mm(x, m) + c, (b, s, 12, 64)).transpose(0, 2, 1, 3) for m, c in ((wq, bq), (wk, bk), (wv, bv)))
    p = softmax(q @ k.transpose(0, 1, 3, 2) / 8 + mask[:, None, None, :])
    x = layer_norm(x + (p @ v).transpose(0, 2, 1, 3).reshape(b, s, 768) @ wo + bo, g1, b1)
    return layer_norm(x + gelu(x @ f1 + c1) @ f2 + c2, g2, b2)


def padding_mask(b, s):
    return np.where(np.arange(s)[None, :] < np.maximum(1, s - 2 * np.arange(b))[:, None], 0, -1e4).astype(f32)


@program("bert_layer", "b=1,s=1", "b=2,s=5", "b=3,s=17", tol=2e-5)
def bert_layer(r, b, s):
    x, mask, w = r.f(b, s, 768), padding_mask(b, s), bert_weights(0)
    return [x, mask] + w, [bert_ref(x, mask, w)]


@program("imported/bert_encoder", "b=1,s=1", "b=2,s=5", "b=3,s=11", tol=5e-5)
def bert_encoder(r, b, s):
    x, mask = r.f(b, s, 768), padding_mask(b, s)
    w, y = [bert_weights(l) for l in range(4)], x
    for l in range(4):
        y = bert_ref(y, mask, w[l])
    return [x, mask[:, None, None, :]] + sum(w, []), [y]


FREQ = (10000.0 ** (-np.arange(0, 64, 2, dtype=f64) / 64)).astype(f32)


def llama_weights(l):
    p = f"llama.{l}."
    return [draw(p + "n1.g", (1024,), 0.1, mean=1.0), draw(p + "q.w", (1024, 1024)), draw(p + "k.w", (1024, 512)), draw(p + "v.w", (1024, 512)),
            draw(p + "o.w", (1024, 1024)), draw(p + "n2.g", (1024,), 0.1, mean=1.0), draw(p + "gate.w", (1024, 2816)),
            draw(p + "up.w", (1024, 2816)), draw(p + "down.w", (2816, 1024))]


def llama_ref(x, pos, past_k, past_v, w):
    """(y, keys, values); causal: query i sees keys 0 .. past + i."""
    g1, wq, wk, wv, wo, g2, wg, wu, wd = w
    b, s, _ = x.shape
    past = past_k.shape[2]
    ang = (pos[..., None].astype(f32) * FREQ).astype(f64)[:, None]
    cos, sin = np.cos(ang), np.sin(ang)

    def rope(t):
        lo, hi = t[..., :32], t[..., 32:]
        return np.concatenate([lo * cos - hi * sin, hi * cos + lo * sin], -1)

    a = rms_norm(x, g1)
    q, k, v = ((a @ m).reshape(b, s, -1, 64).transpose(0, 2, 1, 3) for m in (wq, wk, wv))
    q, k = rope(q), np.concatenate([past_k, rope(k)], 2)
    v = np.concatenate([past_v, v], 2)
    seen = np.arange(past + s)[None, :] <= np.arange(s)[:, None] + past
    p = softmax(np.where(seen, q @ np.repeat(k, 2, 1).transpose(0, 1, 3, 2) / 8, -np.inf))
    x = x + (p @ np.repeat(v, 2, 1)).transpose(0, 2, 1, 3).reshape(b, s, 1024) @ wo
    a = rms_norm(x, g2)
    g = a @ wg
    return x + (g * sigmoid(g) * (a @ wu)) @ wd, k, v


BSP = ("b=1,s=1,past=0", "b=2,s=5,past=3", "b=1,s=7,past=0", "b=3,s=1,past=11")


@program("llama_layer", *BSP, tol=5e-5)
def llama_layer(r, b, s, past):
    x, pos = r.f(b, s, 1024), np.tile(np.arange(past, past + s), (b, 1)).astype(np.int64)
    pk, pv, w = r.f(b, 8, past, 64), r.f(b, 8, past, 64), llama_weights(0)
    return [x, pos, pk, pv, FREQ] + w, list(llama_ref(x, pos, pk, pv, w))


@program("imported/llama_block", *BSP, tol=5e-5)
def llama_block(r, b, s, past):
    x, pos = r.f(b, s, 1024), np.tile(np.arange(past, past + s), (b, 1)).astype(np.int64)
    mask = np.where(np.arange(past + s)[None, :] <= np.arange(s)[:, None] + past, 0, -1e9).astype(f32)
    caches, w = [(r.f(b, 8, past, 64), r.f(b, 8, past, 64)) for _ in range(2)], [llama_weights(l) for l in range(2)]
    y, out = x, []
    for l in range(2):
        y, k, v = llama_ref(y, pos, *caches[l], w[l])
        out += [k, v]
    return [x, pos, np.tile(mask, (b, 1, 1, 1))] + [c for kv in caches for c in kv] + sum(w, []), [y] + out
