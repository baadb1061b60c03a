"""The table of programs: which file holds each, the sizes it is checked at, and how its inputs are drawn.

A reference is a function of a random source and the program's sizes that returns (inputs, expected results).  Results are computed
in float64 and rounded once; programs that quantise are followed step by step in float32.  A run is right when
max|got - want| <= tolerance * max(1, max|want|) for each result.
"""
import functools
import warnings
import zlib

import numpy as np

from .numerics import f32, f64, to_bf16

PROGRAMS = {}


@functools.lru_cache(maxsize=256)
def draw(name, shape, scale=None, dtype=f32, mean=0.0):
    """The weight called NAME: the same whenever it is drawn, so that programs that share a weight agree on it."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    if np.dtype(dtype) == np.int8:
        weight = rng.integers(-127, 128, size=shape, dtype=np.int8)
    else:
        if scale is None:
            scale = 1.0 / np.sqrt(shape[0] if len(shape) < 4 else np.prod(shape[1:]))
        weight = (mean + scale * rng.standard_normal(shape)).astype(dtype)
    weight.flags.writeable = False                    # shared by all who draw it
    return weight


class Random:
    """Seeded inputs by element type."""

    def __init__(self, seed):
        self.g = np.random.default_rng(seed)

    def f(self, *shape, scale=1.0):
        return (scale * self.g.standard_normal(shape)).astype(f32)

    def bf16(self, *shape, scale=1.0):
        return to_bf16(self.f(*shape, scale=scale))

    def i8(self, *shape):
        return self.g.integers(-128, 128, shape, dtype=np.int8)

    def ints(self, low, high, *shape):
        return self.g.integers(low, high, shape, dtype=np.int64)


def parse_sizes(text):
    """'m=5,n=7' -> {'m': 5, 'n': 7}."""
    return {k: int(v) for k, v in (p.split("=") for p in text.replace(" ", "").split(",") if p)}


def spell_sizes(sizes):
    return ",".join(f"{k}={v}" for k, v in sizes.items())


class Program:
    """One function of a model file.  SIZES are the sizes it is always checked at, INOUT the arguments it writes;
    with DOUBLE its f64 results are not rounded to f32."""

    def __init__(self, fn, file, sizes, tolerance, inout, double):
        self.fn, self.name, self.file = fn, fn.__name__, file
        self.sizes = [parse_sizes(s) for s in sizes]
        self.dims = list(self.sizes[0])
        self.tolerance, self.inout = tolerance, inout
        self.rounded = f64 if double else f32

    def make(self, sizes, seed=0):
        """(inputs, expected results) at SIZES; arguments that the program writes come first among the results."""
        if set(sizes) != set(self.dims):
            raise ValueError(f"{self.name} takes the sizes {', '.join(self.dims)}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)       # the mean of nothing is NaN, here as in the program
            ins, outs = self.fn(Random([seed, zlib.crc32(self.name.encode())]), **sizes)
        ins = [np.ascontiguousarray(a) if isinstance(a, np.ndarray) and a.ndim else a for a in ins]
        return ins, [np.ascontiguousarray(o.astype(self.rounded) if o.dtype == f64 else o).reshape(o.shape) for o in map(np.asarray, outs)]


def program(file, *sizes, tol=1e-5, inout=(), double=False):
    """Registers the decorated reference as that of function @<its name> in FILE."""
    def add(fn):
        PROGRAMS[fn.__name__] = Program(fn, file, list(sizes), tol, list(inout), double)
        return fn
    return add
