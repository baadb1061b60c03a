"""References of conv.mlir."""
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
