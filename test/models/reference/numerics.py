"""The mathematics that several references share, in float64.

bf16 is carried as its bits in uint16.
"""
import math

import numpy as np

f32, f64 = np.float32, np.float64


def to_bf16(x):
    """float32 -> bf16 bits, to nearest, ties to even."""
    u = np.ascontiguousarray(x, f32).view(np.uint32).astype(np.uint64)
    return ((u + 0x7FFF + ((u >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (np.atleast_1d(bits).astype(np.uint32) << np.uint32(16)).view(f32).reshape(bits.shape)


_erf = np.vectorize(math.erf, otypes=[f64])


def d(x):
    return np.asarray(x, f64)


def mm(a, b):
    return d(a) @ d(b)


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-d(x)))


def gelu(x):
    return 0.5 * x * (1.0 + _erf(x / np.sqrt(2.0))) if x.size else x


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def layer_norm(x, g, b, eps=1e-5):
    x = d(x)
    mu = x.mean(-1, keepdims=True)
    return (x - mu) / np.sqrt(((x - mu) ** 2).mean(-1, keepdims=True) + eps) * g + b


def rms_norm(x, g, eps=1e-5):
    x = d(x)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * g


def conv(x, f, stride=1, dil=1, pad=0):
    """NHWC x HWCF."""
    x, f = (d(x), d(f)) if x.dtype != np.int8 else (x.astype(np.int32), f.astype(np.int32))
    if pad:
        x = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    kh, kw = f.shape[:2]
    oh = (x.shape[1] - (kh - 1) * dil - 1) // stride + 1
    ow = (x.shape[2] - (kw - 1) * dil - 1) // stride + 1
    y = 0
    for i in range(kh):
        for j in range(kw):
            y = y + x[:, i * dil:i * dil + (oh - 1) * stride + 1:stride, j * dil:j * dil + (ow - 1) * stride + 1:stride] @ f[i, j]
    return y


def depthwise(x, f, stride=1):
    x, f = d(x), d(f)
    oh, ow = (x.shape[1] - 3) // stride + 1, (x.shape[2] - 3) // stride + 1
    return sum(x[:, i:i + (oh - 1) * stride + 1:stride, j:j + (ow - 1) * stride + 1:stride] * f[i, j]
               for i in range(3) for j in range(3))


def windows(x, k, stride, op):
    oh, ow = (x.shape[1] - k) // stride + 1, (x.shape[2] - k) // stride + 1
    return op([x[:, i:i + (oh - 1) * stride + 1:stride, j:j + (ow - 1) * stride + 1:stride] for i in range(k) for j in range(k)])
