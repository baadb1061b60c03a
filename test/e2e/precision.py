#!/usr/bin/env python3
"""precision.py RUNTIME_PY LIBRARY BIN PRECISION ARTIFACT NAME...: products under --precision against what docs/passes.md says they compute.

ARTIFACT has the functions NAME of Inputs/precision.mlir.  References round and quantise as documented and sum in float64, so what is left is
the rounding of f32 sums.  Runs every candidate that there is at sizes that break compilers, and NaN, infinities, zeros and tiny rows.
"""
import importlib.util
import sys

import numpy as np

from driver import Tools

SIZES = [(0, 3, 5), (3, 0, 5), (3, 5, 0), (1, 1, 1), (1, 37, 67), (2, 3, 127), (7, 33, 64), (17, 65, 129), (13, 32, 256), (15, 31, 63), (61, 97, 300)]
WEIGHT = np.array([[0.5, -1.0, 0.0], [0.25, 2.0, 0.0], [-0.125, 0.3, 0.0], [1.0, -0.7, 0.0]], np.float32)
LEAST = np.float32(2.0 ** -100)


def bf16(x):
    """X rounded to bf16, ties to even."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000).astype(np.uint32).view(np.float32)
    return np.where(np.isnan(x), np.float32(np.nan), rounded).astype(np.float64)


def tf32(x):
    """X rounded to tf32, ties away from zero."""
    bits = np.asarray(x, np.float32).view(np.uint32)
    rounded = ((bits + np.uint32(0x1000)) & np.uint32(0xffffe000)).view(np.float32)
    return np.where(np.isnan(x), np.float32(np.nan), rounded).astype(np.float64)


def int8(x, axis):
    """X as integers and scales along AXIS, as float64; a scale that is NaN where anything is not finite."""
    largest = np.maximum(np.max(np.abs(x), axis=axis, keepdims=True, initial=0), LEAST)
    scale = np.where(np.isfinite(largest), largest / np.float32(127), np.float32(np.nan)).astype(np.float32)
    whole = np.rint(x * (np.float32(1) / scale)).astype(np.float64)
    return np.where(np.isnan(whole), 0, np.clip(whole, -127, 127)), scale.astype(np.float64)


def product(precision, x, w, equation="mk,kn->mn", quantise=True):
    """X times W by einsum; the reduction is X's last axis and W's second last."""
    if precision in ("bf16", "tf32"):
        narrow = bf16 if precision == "bf16" else tf32
        return np.einsum(equation, narrow(x), narrow(w))
    if not quantise:
        return np.einsum(equation, x.astype(np.float64), w.astype(np.float64))
    (qx, sx), (qw, sw) = int8(x, -1), int8(w, -2)
    return np.einsum(equation, qx, qw) * np.einsum(equation, np.broadcast_to(sx, sx.shape[:-1] + (1,)), sw)


def convolve(precision, x, w):
    """A window of 3 x 3 over X with 0.1 around it; int8-dynamic leaves it alone."""
    x = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)), constant_values=np.float32(0.1))
    height, width = x.shape[1] - 2, x.shape[2] - 2
    return sum(product(precision if precision != "int8-dynamic" else "f32", x[:, i:i + height, j:j + width], w[i, j], "nhwc,cf->nhwf", quantise=False)
               for i in range(3) for j in range(3))


def reference(name, precision, args, constant=WEIGHT):
    if name == "linear":
        return product(precision, *args)
    if name == "linear_bias":
        x, w, bias = args
        return np.maximum(product(precision, x, w.T) + bias, 0)
    if name == "accumulate_constant":
        return args[1] + product(precision, args[0], constant)
    if name == "weight_first":
        return product(precision, *args)
    if name == "batch":
        return product(precision, *args, "dmk,dkn->mdn")
    if name == "batch_matmul":
        return product(precision, *args, "dmk,dkn->dmn")
    if name == "two_weights":
        return product(precision, args[0], args[1]) + product(precision, args[0], args[2])
    if name == "activations":
        return product(precision, *args, quantise=False)
    if name == "image":
        return convolve(precision, *args)
    return product("f32", *args, quantise=False)            # exact_head


def make(name, rng, m, n, k):
    draw = lambda *shape: rng.standard_normal(shape).astype(np.float32)
    if name == "linear_bias":
        return [draw(m, k), draw(n, k), draw(n)], [1]
    if name == "accumulate_constant":
        return [draw(m, 4), draw(m, 3)], []
    if name == "weight_first":
        return [draw(m, k), draw(k, n)], [0]
    if name in ("batch", "batch_matmul"):
        return [draw(3, m, k), draw(3, k, n)], [1]
    if name == "image":
        return [draw(m % 3, m, n, k % 50), draw(3, 3, k % 50, n)], [1]
    if name == "two_weights":
        return [draw(m, 40), draw(40, 24), draw(40, 24)], [1, 2]
    return [draw(m, k), draw(k, n)], [] if name == "activations" else [1]


class Checker:
    def __init__(self, model, tools, artifact, precision):
        self.model, self.tools, self.artifact, self.precision = model, tools, artifact, precision
        self.wrong = self.runs = self.forced = 0

    def check(self, name, args, weights, what):
        kernels = self.tools.candidates(self.artifact, name)
        precision = self.precision
        # Without an instruction for it, a convolution is not rounded to bf16.
        if name == "image" and precision == "bf16" and not any("dot" in c for cs in kernels.values() for c in cs):
            precision = "f32"
        with np.errstate(all="ignore"):
            want = reference(name, precision, args)
            bound = 1e-5 * reference(name, precision, [np.abs(a) for a in args], np.abs(WEIGHT)) + 1e-36
        if weights:
            self.model.bind(name, [args[i] for i in weights])
        inputs = [a for i, a in enumerate(args) if i not in weights]
        for force in [None] + [(k, c) for k, cs in kernels.items() for c in cs]:
            if force and self.model.lib.vortexContextForce(self.model.context, force[0].encode(), force[1].encode()):
                sys.exit(f"cannot force {force}")
            got = np.empty(want.shape, np.float32)
            try:
                self.model.call(name, inputs, [got])
            except Exception as e:                          # a guard may refuse
                if not force or "guard" not in str(e):
                    raise
                continue
            finally:
                if force:
                    self.model.lib.vortexContextForce(self.model.context, force[0].encode(), None)
            self.runs += 1
            self.forced += force is not None
            with np.errstate(all="ignore"):
                good = np.where(np.isfinite(want), np.abs(got - want) <= bound, (got == want) | (np.isnan(got) & np.isnan(want)))
            if not good.all():
                self.wrong += 1
                at = tuple(int(i) for i in np.argwhere(~good)[0])
                print(f"FAIL {self.precision} {name} {what}{f' {force[0]}={force[1]}' if force else ''}: "
                      f"{(~good).sum()} wrong, at {at} {got[at]!r} instead of {want[at]!r}")


def main():
    runtime_py, library, folder, precision, artifact, *names = sys.argv[1:]
    spec = importlib.util.spec_from_file_location("runtime", runtime_py)
    runtime = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(runtime)
    tools = Tools(folder)
    wrong = 0
    for threads in (1, 2):
        rng = np.random.default_rng(11)
        model = runtime.Model(library, artifact, threads)
        checker = Checker(model, tools, artifact, precision)
        for name in names:
            for m, n, k in SIZES:
                args, weights = make(name, rng, m, n, k)
                checker.check(name, args, weights, f"m={m},n={n},k={k}")
        # Rows and columns with a NaN, an infinity, zeros, numbers near zero and near the largest.
        for name in sorted({"linear", "weight_first"} & set(names)):
            (x, w), weights = make(name, rng, 19, 35, 70)
            x[1, 3], x[2, 5], x[3], x[4], x[5] = np.nan, -np.inf, 0, x[4] * np.float32(1e-38), x[5] * np.float32(1e30)
            x[6] = np.float32(1e-44)
            w[3, 1], w[5, 2], w[:, 3], w[:, 4], w[:, 5] = np.nan, np.inf, 0, w[:, 4] * np.float32(1e-38), w[:, 5] * np.float32(1e-30)
            # A dot instruction takes factors below the smallest normal number for zero: infinities meet none.
            x[4, 5] = x[6, 5] = w[5, 4] = 1
            checker.check(name, [x, w], weights, "special values")
        # A sum times the larger scale would be too large for f32, the result is not.
        checker.check("linear", [np.full((1, 100), 3e34, np.float32), np.full((100, 2), 1e-3, np.float32)], [1], "large activations")
        # Ties of the rounding, and the largest number as its own scale.
        x = (np.arange(-127, 128, dtype=np.float32) / 2)[None] * np.ones((3, 1), np.float32)
        checker.check("linear", [x, np.eye(255, dtype=np.float32)], [1], "ties")
        if precision == "int8-dynamic":
            model.bind("linear", [np.zeros((133145, 1), np.float32)])
            try:
                model.call("linear", [np.zeros((1, 133145), np.float32)], [np.empty((1, 1), np.float32)])
                print("FAIL int8-dynamic: a sum of 133145 products is not refused")
                wrong += 1
            except runtime.VortexError as e:
                if "133144" not in str(e):
                    print(f"FAIL int8-dynamic: 133145 products: {e}")
                    wrong += 1
            longest = np.ones((133144, 1), np.float32)
            checker.check("linear", [longest.T.copy(), longest], [1], "the longest sum")
        print(f"{precision}, {threads} threads: {checker.runs} runs, {checker.forced} of forced candidates, {checker.wrong} wrong")
        wrong += checker.wrong
        model.close()
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
