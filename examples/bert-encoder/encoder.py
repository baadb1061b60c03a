"""The encoder's weights and its reference: seeded NumPy, float64, one batch element at a time."""
import math

import numpy as np

HIDDEN, HEADS, HEAD, INNER = 768, 12, 64, 3072
LAYERS = 4

_erf = np.vectorize(math.erf, otypes=[np.float64])


def make_weights(seed=0):
    """The weight arguments of @bert_encoder in order: 16 float32 arrays a layer."""
    rng = np.random.default_rng(seed)

    def matrix(rows, columns):
        return (rng.standard_normal((rows, columns)) / math.sqrt(rows)).astype(np.float32)

    def vector(size, mean=0.0, scale=0.02):
        return (mean + scale * rng.standard_normal(size)).astype(np.float32)

    weights = []
    for _ in range(LAYERS):
        for _ in range(4):
            weights += [matrix(HIDDEN, HIDDEN), vector(HIDDEN)]
        weights += [vector(HIDDEN, 1.0, 0.1), vector(HIDDEN, 0.0, 0.1)]
        weights += [matrix(HIDDEN, INNER), vector(INNER), matrix(INNER, HIDDEN), vector(HIDDEN)]
        weights += [vector(HIDDEN, 1.0, 0.1), vector(HIDDEN, 0.0, 0.1)]
    return weights


def make_inputs(batch, seq, rng):
    """x and an additive mask that hides the padding of sequences of random length (at least one token is seen)."""
    x = rng.standard_normal((batch, seq, HIDDEN)).astype(np.float32)
    length = rng.integers(1, seq + 1, batch)
    mask = np.where(np.arange(seq)[None, :] < length[:, None], 0.0, -1.0e4).astype(np.float32)
    return x, mask


def _layer_norm(x, gamma, beta):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-5) * gamma + beta


def _softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def reference(x, mask, weights):
    """The encoder on one batch element, X of seq x 768 and MASK of seq, in float64.  Batch elements do not see each other."""
    y, seq = x.astype(np.float64), x.shape[0]
    for layer in range(LAYERS):
        wq, bq, wk, bk, wv, bv, wo, bo, g1, be1, w1, b1, w2, b2, g2, be2 = weights[16 * layer:16 * layer + 16]
        q, k, v = ((y @ w + b).reshape(seq, HEADS, HEAD).transpose(1, 0, 2) for w, b in ((wq, bq), (wk, bk), (wv, bv)))
        p = _softmax(q @ k.transpose(0, 2, 1) / math.sqrt(HEAD) + mask)
        y = _layer_norm(y + (p @ v).transpose(1, 0, 2).reshape(seq, HIDDEN) @ wo + bo, g1, be1)
        h = y @ w1 + b1
        y = _layer_norm(y + (0.5 * h * (1.0 + _erf(h / math.sqrt(2.0)))) @ w2 + b2, g2, be2)
    return y


def flops(batch, seq):
    """Multiplications and additions of the matrix products: eight of them a layer."""
    dense = 2 * batch * seq * (4 * HIDDEN * HIDDEN + 2 * HIDDEN * INNER)
    return LAYERS * (dense + 2 * 2 * batch * HEADS * seq * seq * HEAD)
