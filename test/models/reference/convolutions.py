"""References of conv.mlir, windows.mlir, windows_channels.mlir, matrix_window.mlir, window_blocks.mlir and quantized.mlir."""
import numpy as np

from .numerics import *
from .registry import program

NHW = ("n=1,h=5,w=5", "n=2,h=9,w=12", "n=3,h=7,w=17")


@program("conv", *NHW)
def conv2d_s1(r, n, h, w):
    x, f = r.f(n, h, w, 16), r.f(3, 3, 16, 32)
    return [x, f], [conv(x, f)]


@program("conv", *NHW)
def conv2d_s2(r, n, h, w):
    x, f = r.f(n, h, w, 16), r.f(3, 3, 16, 32)
    return [x, f], [conv(x, f, 2)]


@program("conv", *NHW)
def conv2d_d2(r, n, h, w):
    x, f = r.f(n, h, w, 16), r.f(3, 3, 16, 32)
    return [x, f], [conv(x, f, 1, 2)]


@program("conv", *NHW, "n=1,h=1,w=1")
def conv2d_same_bias_relu(r, n, h, w):
    x, f, b = r.f(n, h, w, 16), r.f(3, 3, 16, 32), r.f(32)
    return [x, f, b], [np.maximum(conv(x, f, pad=1) + b, 0)]


@program("conv", "n=1,h=4,w=4,c=1,f=1,kh=1,kw=1", "n=2,h=8,w=11,c=3,f=5,kh=3,kw=2", "n=1,h=9,w=7,c=17,f=33,kh=5,kw=7")
def conv2d_all_dynamic(r, n, h, w, c, f, kh, kw):
    x, k = r.f(n, h, w, c), r.f(kh, kw, c, f)
    return [x, k], [conv(x, k)]


@program("conv", *NHW, "n=1,h=1,w=2")
def conv2d_1x1_s2(r, n, h, w):
    x, f = r.f(n, h, w, 16), r.f(1, 1, 16, 32)
    return [x, f], [conv(x, f, 2)]


@program("conv", *NHW, "n=1,h=1,w=1", "n=2,h=7,w=7")
def conv2d_1x1_shortcut(r, n, h, w):
    x, f, b, s = r.f(n, h, w, 16), r.f(1, 1, 16, 32), r.f(32), r.f(n, h, w, 32)
    return [x, f, b, s], [np.maximum(conv(x, f) + b + s, 0)]


@program("conv", "n=1,h=1,w=1,c=1,f=1", "n=2,h=7,w=7,c=17,f=33", "n=3,h=2,w=5,c=16,f=16")
def conv2d_1x1_gate(r, n, h, w, c, f):
    x, k, g = r.f(n, c, h, w), r.f(f, c, 1, 1), r.f(n, f)
    return [x, k, g], [conv(x.transpose(0, 2, 3, 1), k.transpose(2, 3, 1, 0)).transpose(0, 3, 1, 2) * g[:, :, None, None]]


@program("conv", *NHW)
def depthwise_s1(r, n, h, w):
    x, f = r.f(n, h, w, 24), r.f(3, 3, 24)
    return [x, f], [depthwise(x, f)]


@program("conv", "n=1,h=5,w=5,c=1", "n=2,h=8,w=11,c=7", "n=1,h=13,w=3,c=33")
def depthwise_s2(r, n, h, w, c):
    x, f = r.f(n, h, w, c), r.f(3, 3, c)
    return [x, f], [depthwise(x, f, 2)]


@program("conv", *NHW, tol=0)
def conv2d_i8_i32(r, n, h, w):
    x, f = r.i8(n, h, w, 16), r.i8(3, 3, 16, 32)
    return [x, f], [conv(x, f)]


def slide(x, taps, stride, dil, pads):
    """For each tap of a window over the dimensions behind the first, the pixels it falls on; zeros around them. `stride`: of all, or of each."""
    x = np.pad(x, [(0, 0)] + pads + [(0, 0)] * (x.ndim - 1 - len(pads)))
    strides = [stride] * len(taps) if np.isscalar(stride) else stride
    out = [(x.shape[1 + i] - (t - 1) * dil - 1) // s + 1 for i, (t, s) in enumerate(zip(taps, strides))]
    for tap in np.ndindex(*taps):
        yield tap, x[(slice(None),) + tuple(slice(t * dil, t * dil + (o - 1) * s + 1, s) for t, o, s in zip(tap, out, strides))]


def dense(x, f, stride, dil, pads):
    return sum(pixels @ d(f)[tap] for tap, pixels in slide(d(x), f.shape[:-2], stride, dil, pads))


def each(x, f, stride, dil, pads):
    return sum(pixels * d(f)[tap] for tap, pixels in slide(d(x), f.shape[:-1], stride, dil, pads))


ALL = ("n=1,h=1,w=1,c=1,f=1,kh=1,kw=1", "n=1,h=4,w=5,c=3,f=31,kh=3,kw=3", "n=2,h=7,w=1,c=15,f=32,kh=3,kw=3", "n=1,h=9,w=18,c=4,f=33,kh=3,kw=5",
       "n=1,h=3,w=37,c=17,f=3,kh=2,kw=3", "n=1,h=6,w=6,c=16,f=49,kh=4,kw=4")
EACH = ("n=1,h=1,w=1,c=1,kh=1,kw=1", "n=1,h=2,w=1,c=15,kh=2,kw=2", "n=2,h=5,w=9,c=16,kh=3,kw=3", "n=1,h=6,w=21,c=17,kh=3,kw=5",
        "n=1,h=9,w=40,c=33,kh=5,kw=3", "n=1,h=4,w=4,c=70,kh=4,kw=4")


def images(r, n, h, w, c, kh, kw, f):
    return r.f(n, h, w, c), r.f(kh, kw, c, f)


@program("windows", *ALL)
def conv2d_pad(r, n, h, w, c, f, kh, kw):
    x, k = images(r, n, h, w, c, kh, kw, f)
    return [x, k], [dense(x, k, 1, 1, [(1, 1), (1, 1)])]


@program("windows", *ALL, tol=0)
def conv2d_pad_i8(r, n, h, w, c, f, kh, kw):
    x, k = r.i8(n, h, w, c), r.i8(kh, kw, c, f)
    return [x, k], [dense(x, k, 1, 1, [(1, 1), (1, 1)]).astype(np.int32)]


@program("windows", *ALL, tol=0)
def conv2d_pad_u8s8(r, n, h, w, c, f, kh, kw):
    x, k = r.i8(n, h, w, c), r.i8(kh, kw, c, f)
    return [x, k], [dense(x.view(np.uint8), k, 1, 1, [(1, 1), (1, 1)]).astype(np.int32)]


# Also channels in whole steps of matrix tiles, and rows of pixels about as long as one and two of these.
@program("windows", *ALL, "n=1,h=3,w=16,c=32,f=35,kh=3,kw=3", "n=2,h=2,w=33,c=64,f=32,kh=3,kw=2", "n=1,h=5,w=15,c=32,f=64,kh=2,kw=3")
def conv2d_pad_bf16(r, n, h, w, c, f, kh, kw):
    x, k = r.bf16(n, h, w, c), r.bf16(kh, kw, c, f)
    return [x, k], [dense(from_bf16(x), from_bf16(k), 1, 1, [(1, 1), (1, 1)])]


@program("windows", "n=1,h=1,w=1,c=1,f=1", "n=2,h=7,w=14,c=40,f=33", "n=0,h=3,w=3,c=5,f=7", "n=1,h=13,w=31,c=64,f=35")
def conv2d_1x1_s2_bf16(r, n, h, w, c, f):
    x, k = r.bf16(n, h, w, c), r.bf16(1, 1, c, f)
    return [x, k], [dense(from_bf16(x), from_bf16(k), 2, 1, [(0, 0), (0, 0)])]


@program("windows", "n=1,h=4,w=4,c=1,f=1,kh=3,kw=4", "n=2,h=8,w=11,c=3,f=17,kh=3,kw=2", "n=1,h=9,w=40,c=7,f=33,kh=2,kw=4",
         "n=1,h=5,w=33,c=64,f=33,kh=2,kw=3", "n=2,h=4,w=70,c=128,f=16,kh=3,kw=2", tol=0)
def conv2d_s2_i8(r, n, h, w, c, f, kh, kw):
    x, k = r.i8(n, h, w, c), r.i8(kh, kw, c, f)
    return [x, k], [dense(x, k, 2, 1, [(0, 0), (0, 0)]).astype(np.int32)]


@program("windows", *ALL)
def conv2d_pad_s2(r, n, h, w, c, f, kh, kw):
    x, k = images(r, n, h, w, c, kh, kw, f)
    return [x, k], [dense(x, k, 2, 1, [(3, 3), (3, 3)])]


@program("windows", "n=1,h=5,w=5,c=1,f=1,kh=2,kw=2", "n=2,h=8,w=11,c=3,f=17,kh=3,kw=2", "n=1,h=9,w=28,c=7,f=33,kh=3,kw=4")
def conv2d_pad_uneven(r, n, h, w, c, f, kh, kw):
    x, k = images(r, n, h, w, c, kh, kw, f)
    return [x, k], [dense(x, k, 3, 2, [(1, 0), (0, 2)])]


@program("windows", *ALL, "n=2,h=5,w=29,c=65,f=33,kh=1,kw=1", "n=0,h=4,w=4,c=3,f=5,kh=3,kw=3", "n=1,h=4,w=4,c=0,f=5,kh=3,kw=3", tol=0)
def conv2d_pad_s2_weight_i8(r, n, h, w, c, f, kh, kw):
    x, k = r.i8(n, h, w, c), r.i8(kh, kw, c, f)
    return [x, k], [dense(x, k, 2, 1, [(3, 3), (3, 3)]).astype(np.int32)]


@program("windows", "n=1,h=1,w=1,f=1,kh=1", "n=2,h=5,w=29,f=33,kh=3", "n=1,h=7,w=16,f=16,kh=7", tol=0)
def conv2d_pad_s2_few_i8(r, n, h, w, f, kh):
    x, k = r.i8(n, h, w, 3), r.i8(kh, 5, 3, f)
    return [x, k], [dense(x, k, 2, 1, [(3, 3), (3, 3)]).astype(np.int32)]


@program("windows", "n=1,h=1,w=1,f=1,kh=1", "n=2,h=5,w=29,f=33,kh=3", "n=1,h=7,w=48,f=16,kh=3")
def conv2d_pad_one_bf16(r, n, h, w, f, kh):
    x, k = r.bf16(n, h, w, 1), r.bf16(kh, 3, 1, f)
    return [x, k], [dense(from_bf16(x), from_bf16(k), 1, 1, [(1, 1), (1, 1)])]


@program("windows", "n=1,h=5,w=5,c=1,f=1,kh=2,kw=2", "n=2,h=8,w=11,c=3,f=17,kh=3,kw=2", "n=1,h=9,w=28,c=7,f=33,kh=3,kw=4", tol=0)
def conv2d_pad_uneven_weight_i8(r, n, h, w, c, f, kh, kw):
    x, k = r.i8(n, h, w, c), r.i8(kh, kw, c, f)
    return [x, k], [dense(x, k, 3, 2, [(1, 0), (0, 2)]).astype(np.int32)]


@program("windows", "n=1,h=1,w=1,c=1,f=1,kh=1,kw=1", "n=2,h=2,w=13,c=5,f=17,kh=5,kw=3", "n=1,h=7,w=31,c=16,f=49,kh=3,kw=2", tol=0)
def conv2d_pad_rows_weight_i8(r, n, h, w, c, f, kh, kw):
    x, k = r.i8(n, h, w, c), r.i8(kh, kw, c, f)
    return [x, k], [dense(x, k, 1, 1, [(2, 1), (0, 0)]).astype(np.int32)]


@program("windows", "n=1,d=1,h=1,w=1,c=1,f=1,kd=3,kh=3,kw=3", "n=2,d=3,h=4,w=9,c=3,f=17,kd=2,kh=3,kw=1", tol=0)
def conv3d_pad_weight_i8(r, n, d, h, w, c, f, kd, kh, kw):
    x, k = r.i8(n, d, h, w, c), r.i8(kd, kh, kw, c, f)
    return [x, k], [dense(x, k, 1, 1, [(1, 1)] * 3).astype(np.int32)]


@program("windows", "n=1,h=4,w=4,c=1,f=1,kh=3,kw=4", "n=2,h=8,w=11,c=3,f=17,kh=3,kw=2", "n=1,h=9,w=40,c=7,f=33,kh=2,kw=4")
def conv2d_s2_all_dynamic(r, n, h, w, c, f, kh, kw):
    x, k = images(r, n, h, w, c, kh, kw, f)
    return [x, k], [dense(x, k, 2, 1, [(0, 0), (0, 0)])]


@program("windows", "n=1,w=1,c=1,f=1,kw=1", "n=2,w=17,c=3,f=33,kw=5", "n=1,w=300,c=1,f=16,kw=4")
def conv1d_pad(r, n, w, c, f, kw):
    x, k = r.f(n, w, c), r.f(kw, c, f)
    return [x, k], [dense(x, k, 1, 1, [(2, 2)])]


@program("windows", "n=1,d=1,h=1,w=1,c=1,f=1,kd=3,kh=3,kw=3", "n=2,d=3,h=4,w=9,c=3,f=17,kd=2,kh=3,kw=1")
def conv3d_pad(r, n, d, h, w, c, f, kd, kh, kw):
    x, k = r.f(n, d, h, w, c), r.f(kd, kh, kw, c, f)
    return [x, k], [dense(x, k, 1, 1, [(1, 1)] * 3)]


GROUPS = ("n=1,h=3,w=3,g=1,c=1,f=1,kh=3,kw=3", "n=2,h=5,w=9,g=3,c=4,f=17,kh=3,kw=2", "n=1,h=7,w=4,g=4,c=15,f=33,kh=2,kw=3")


def grouped(x, f, stride, pads):
    return np.stack([dense(x[..., i, :], f[i].transpose(1, 2, 3, 0), stride, 1, pads) for i in range(x.shape[3])], 3)


@program("windows_channels", *GROUPS)
def grouped_pad(r, n, h, w, g, c, f, kh, kw):
    x, k = r.f(n, h, w, g, c), r.f(g, f, kh, kw, c)
    return [x, k], [grouped(x, k, 1, [(1, 1), (1, 1)])]


@program("windows_channels", *GROUPS)
def grouped_s2(r, n, h, w, g, c, f, kh, kw):
    x, k = r.f(n, h, w, g, c), r.f(g, f, kh, kw, c)
    return [x, k], [grouped(x, k, 2, [(0, 0), (0, 0)])]


@program("windows_channels", *EACH)
def depthwise_pad(r, n, h, w, c, kh, kw):
    x, k = r.f(n, h, w, c), r.f(kh, kw, c)
    return [x, k], [each(x, k, 1, 1, [(1, 1), (1, 1)])]


@program("windows_channels", *EACH)
def depthwise_pad_s2(r, n, h, w, c, kh, kw):
    x, k = r.f(n, h, w, c), r.f(kh, kw, c)
    return [x, k], [each(x, k, 2, 1, [(2, 1), (1, 3)])]


@program("windows_channels", *EACH)
def depthwise_pad_d2(r, n, h, w, c, kh, kw):
    x, k = r.f(n, h, w, c), r.f(kh, kw, c)
    return [x, k], [each(x, k, 1, 2, [(2, 2), (2, 2)])]


@program("windows_channels", "n=1,h=1,c=1", "n=2,h=5,c=17", "n=1,h=4,c=65")
def depthwise_pad_w5(r, n, h, c):
    x, k = r.f(n, h, 5, c), r.f(3, 3, c)
    return [x, k], [each(x, k, 1, 1, [(1, 1), (1, 1)])]


@program("windows_channels", "n=1,h=1,c=1", "n=2,h=5,c=17", "n=1,h=4,c=65")
def depthwise_pad_s2_w14(r, n, h, c):
    x, k = r.f(n, h, 14, c), r.f(3, 3, c)
    return [x, k], [each(x, k, 2, 1, [(1, 1), (1, 1)])]


@program("windows_channels", "n=1,h=1,c=1", "n=2,h=5,c=17", "n=1,h=4,c=65")
def sumpool_pad_s3_w13(r, n, h, c):
    x = r.f(n, h, 13, c)
    return [x], [each(x, np.ones((5, 5, c), np.float32), 3, 1, [(2, 2), (2, 2)])]


@program("windows_channels", "n=1,h=1,w=1,c=1", "n=2,h=5,w=19,c=17", "n=1,h=8,w=3,c=33", tol=0)
def maxpool_3x3_pad(r, n, h, w, c):
    x = r.f(n, h, w, c) - 3
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)), constant_values=-np.inf)
    taps = [pixels for _, pixels in slide(padded, (3, 3), 2, 1, [(0, 0), (0, 0)])]
    return [x], [np.max(taps, axis=0)]


@program("windows_channels", *ALL)
def nchw_pad(r, n, h, w, c, f, kh, kw):
    x, k = r.f(n, c, h, w), r.f(f, c, kh, kw)
    return [x, k], [dense(x.transpose(0, 2, 3, 1), k.transpose(2, 3, 1, 0), 1, 1, [(1, 1), (1, 1)]).transpose(0, 3, 1, 2)]


@program("windows_channels", *ALL)
def nchw_pad_s2(r, n, h, w, c, f, kh, kw):
    x, k = r.f(n, c, h, w), r.f(f, c, kh, kw)
    return [x, k], [dense(x.transpose(0, 2, 3, 1), k.transpose(2, 3, 1, 0), 2, 1, [(1, 1), (1, 1)]).transpose(0, 3, 1, 2)]


def requantize(x, zero, least):
    """What QuantizeLinear and DequantizeLinear make of X, with a scale of 0.03."""
    scale = f32(0.03)
    return (np.clip(np.rint(x / scale) + zero, least, least + 255) - zero) * f64(scale)


@program("quantized", "m=1,n=1", "m=5,n=7", "m=17,n=65", "m=64,n=33")
def qdq_linear(r, m, n):
    x, w, scale, bias = r.f(m, 96), r.i8(n, 96), np.abs(r.f(n, scale=0.01)), r.f(n)
    return [x, w, scale, bias], [requantize(x, 10, 0) @ (d(w) * d(scale)[:, None]).T + bias]


@program("quantized", "n=1,h=1,w=1,f=1", "n=2,h=5,w=9,f=33", "n=1,h=7,w=37,f=48")
def qdq_conv(r, n, h, w, f):
    x, k, scale = r.f(n, 17, h, w), r.i8(f, 17, 3, 3), np.abs(r.f(f, scale=0.01))
    image, filters = requantize(x, -5, -128).transpose(0, 2, 3, 1), (d(k) * d(scale)[:, None, None, None]).transpose(2, 3, 1, 0)
    return [x, k, scale], [dense(image, filters, 1, 1, [(1, 1), (1, 1)]).transpose(0, 3, 1, 2)]


# Rows of pixels of which several share a matrix tile, about as long as one and two of these, and none; a small image of many rows.
ROWS = ("n=1,h=7,w=7,f=32", "n=2,h=14,w=14,f=33", "n=3,h=5,w=15,f=16", "n=1,h=3,w=16,f=65", "n=2,h=2,w=17,f=64", "n=1,h=4,w=32,f=32",
        "n=1,h=3,w=37,f=47", "n=1,h=1,w=1,f=1", "n=0,h=3,w=3,f=5", "n=2,h=40,w=9,f=32")


def zeros(y):
    return np.zeros(y.shape, np.float32)


@program("matrix_window", *ROWS, tol=8e-3)
def window_few_bf16(r, n, h, w, f):
    x, k, bias = r.bf16(n, h, w, 16), r.bf16(3, 3, 16, f), r.f(f)
    y = dense(from_bf16(x), from_bf16(k), 1, 1, [(1, 1), (1, 1)])
    return [x, k, zeros(y), bias, r.bf16(*y.shape)], [to_bf16(np.maximum(y + bias, 0))]


@program("matrix_window", *(size.replace("h=", "h=1") for size in ROWS if "w=1," not in size and "w=3," not in size), tol=0)
def window_few_i8(r, n, h, w, f):
    x, k = r.i8(n, h, w, 12), r.i8(3, 5, 12, f)
    y = dense(x, k, 2, 1, [(0, 0), (0, 0)])
    o = r.g.integers(-2**20, 2**20, y.shape, dtype=np.int32)
    return [x, k, o], [y.astype(np.int32) + o]


@program("matrix_window", *ROWS)
def window_48_bf16(r, n, h, w, f):
    x, k = r.bf16(n, h, w, 48), r.bf16(3, 3, 48, f)
    y = dense(from_bf16(x), from_bf16(k), 2, 1, [(1, 1), (1, 1)])
    return [x, k, zeros(y)], [y]


@program("matrix_window", *ROWS)
def window_residual_bf16(r, n, h, w, f):
    x, k = r.bf16(n, h, w, 32), r.bf16(3, 3, 32, f)
    y = dense(from_bf16(x), from_bf16(k), 1, 2, [(2, 2), (2, 2)])
    more = r.f(*y.shape)
    return [x, k, zeros(y), more], [y + more]


@program("matrix_window", *ROWS, tol=0)
def window_u8s8(r, n, h, w, f):
    x, k = r.i8(n, h, w, 64), r.i8(2, 3, 64, f)
    y = dense(x.view(np.uint8), k, (1, 2), 1, [(1, 1), (1, 1)])
    return [x, k, zeros(y).astype(np.int32)], [y.astype(np.int32)]


@program("matrix_window", "n=1,w=1,f=1", "n=2,w=15,f=32", "n=1,w=16,f=33", "n=3,w=33,f=16", "n=1,w=300,f=65", "n=0,w=4,f=3")
def window_row_bf16(r, n, w, f):
    x, k = r.bf16(n, w, 32), r.bf16(5, 32, f)
    y = dense(from_bf16(x), from_bf16(k), 1, 1, [(2, 2)])
    return [x, k, zeros(y)], [y]


@program("matrix_window", "n=1,d=2,h=1,w=1,f=1", "n=2,d=3,h=7,w=7,f=33", "n=1,d=4,h=5,w=17,f=32")
def window_space_bf16(r, n, d, h, w, f):
    x, k = r.bf16(n, d, h, w, 32), r.bf16(2, 3, 3, 32, f)
    y = dense(from_bf16(x), from_bf16(k), 1, 1, [(1, 1)] * 3)
    return [x, k, zeros(y)], [y]


@program("matrix_window", *ROWS)
def window_three_bf16(r, n, h, w, f):
    x, k = r.bf16(n, h, w, 3), r.bf16(7, 7, 3, f)
    y = dense(from_bf16(x), from_bf16(k), 2, 1, [(3, 3), (3, 3)])
    return [x, k, zeros(y)], [y]


@program("matrix_window", "n=1,h=5,w=20,f=1", "n=2,h=7,w=51,f=32", "n=1,h=9,w=53,f=33", "n=3,h=6,w=85,f=16", "n=0,h=5,w=21,f=3")
def window_one_bf16(r, n, h, w, f):
    x, k = r.bf16(n, h, w, 1), r.bf16(5, 20, 1, f)
    y = dense(from_bf16(x), from_bf16(k), 2, 1, [(0, 0), (0, 0)])
    return [x, k, zeros(y)], [y]


@program("matrix_window", *ROWS, tol=0)
def window_five_i8(r, n, h, w, f):
    x, k = r.i8(n, h, w, 5), r.i8(3, 3, 5, f)
    y = dense(x, k, 1, 1, [(1, 1), (1, 1)])
    o = r.g.integers(-2**20, 2**20, y.shape, dtype=np.int32)
    return [x, k, o], [y.astype(np.int32) + o]


@program("window_blocks", "n=1,h=1,w=1", "n=2,h=7,w=9", "n=1,h=5,w=28", "n=0,h=3,w=3", tol=8e-3)
def conv2d_pad_blocks_bf16(r, n, h, w):
    x, k, bias = r.bf16(n, h, w, 32), r.bf16(3, 3, 32, 40), r.f(40)
    y = dense(from_bf16(x), from_bf16(k), 1, 1, [(1, 1), (1, 1)])
    return [x, k, zeros(y), bias, r.bf16(*y.shape)], [to_bf16(np.maximum(y + bias, 0))]


@program("window_blocks", "n=1,d=1,h=1,w=1", "n=2,d=2,h=3,w=9", "n=1,d=3,h=4,w=17", tol=0)
def conv3d_blocks_u8s8(r, n, d, h, w):
    x, k = r.i8(n, d, h, w, 24), r.i8(3, 2, 3, 24, 72)
    y = dense(x.view(np.uint8), k, 1, 1, [(1, 1)] * 3)
    o = r.g.integers(-2**20, 2**20, y.shape, dtype=np.int32)
    return [x, k, o], [y.astype(np.int32) + o]


@program("window_blocks", "n=1,h=1,w=1", "n=2,h=3,w=9", "n=1,h=4,w=17", tol=0)
def conv2d_blocks_i8(r, n, h, w):
    x, k = r.i8(n, h, w, 64), r.i8(3, 3, 64, 32)
    y = dense(x, k, 1, 1, [(1, 1), (1, 1)])
    return [x, k, zeros(y).astype(np.int32)], [y.astype(np.int32)]


@program("matrix_window", *ROWS[:-3], "n=1,h=3,w=2,f=1")
def window_even_bf16(r, n, h, w, f):
    x, k = r.bf16(n, h + 2, w + 1, 3), r.bf16(3, 2, 3, f)
    y = dense(from_bf16(x), from_bf16(k), 1, 1, [(0, 0), (0, 0)])
    return [x, k, zeros(y)], [y]


@program("matrix_window", *ROWS)
def window_behind_bf16(r, n, h, w, f):
    x, k = r.bf16(n, h + 3, w + 4, 32), r.bf16(3, 3, 32, f)
    y = dense(from_bf16(x[:, 1:, 2:]), from_bf16(k), 1, 1, [(0, 0), (0, 0)])
    return [x, k, zeros(y)], [y]
