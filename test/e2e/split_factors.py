#!/usr/bin/env python3
"""split_factors.py RUNTIME_PY LIBRARY BIN ARTIFACT [NAME...]: products under --precision=bf16x2 against float64.

ARTIFACT has the functions NAME (default: all) of Inputs/precision.mlir.  Results must be within the bound that docs/rationale.md states, and
be the sum of three products of bf16 but for the rounding of f32 sums.  Runs every candidate that there is at sizes around tiles, with numbers
of all magnitudes, infinities, NaNs, numbers near the largest and below the smallest normal one; prints the largest error relative to the sum
of |a||b|.
"""
import importlib.util
import itertools
import sys

import numpy as np

from driver import Tools
from precision import bf16, make

NAMES = ("linear", "linear_bias", "accumulate_constant", "weight_first", "batch", "batch_matmul", "activations", "two_weights")
SIZES = [(0, 3, 5), (3, 0, 5), (3, 5, 0), (1, 1, 1), (1, 37, 67), (2, 3, 127), (7, 33, 64), (15, 31, 16), (16, 32, 15), (17, 33, 17),
         (31, 15, 33), (32, 16, 31), (33, 17, 32), (61, 97, 301)]
LEAST, LARGEST = 2.0 ** -126, np.finfo(np.float32).max
BOUND, BOUND_OF_LARGEST = 2.0 ** -15, 1.25 * 2.0 ** -15
WEIGHT = np.array([[0.5, -1.0, 0.0], [0.25, 2.0, 0.0], [-0.125, 0.3, 0.0], [1.0, -0.7, 0.0]], np.float32)


def cut(x):
    """X rounded to bf16 towards zero."""
    return (np.asarray(x, np.float32).view(np.uint32) & np.uint32(0xffff0000)).view(np.float32).astype(np.float64)


def split(x):
    """The two terms of X as float64."""
    with np.errstate(all="ignore"):
        large = np.isinf(bf16(x))
        hi = np.where(large, cut(x), bf16(x))
        rest = (x - hi).astype(np.float32)
        lo = np.where(large, cut(rest), bf16(rest))
        return hi, np.where(np.isfinite(hi), lo, 0.0)


def three(multiply, x, y):
    """What x and y give as three products, by MULTIPLY."""
    (hx, lx), (hy, ly) = split(x), split(y)
    finite = lambda hi: np.where(np.isfinite(hi), hi, 0.0)
    return multiply(lx, finite(hy)) + multiply(finite(hx), ly) + multiply(hx, hy)


def exact(multiply, x, y):
    return multiply(x.astype(np.float64), y.astype(np.float64))


def reference(name, args, product):
    """What function NAME gives where PRODUCT(multiply, x, y) is a product."""
    plain, batched = (lambda x, y: np.einsum("mk,kn->mn", x, y)), lambda x, y: np.einsum("dmk,dkn->mdn", x, y)
    if name == "linear_bias":
        x, w, bias = args
        return np.maximum(product(plain, x, w.T) + bias, 0)
    if name == "accumulate_constant":
        return args[1] + product(plain, args[0], WEIGHT)
    if name == "two_weights":
        return product(plain, args[0], args[1]) + product(plain, args[0], args[2])
    if name == "batch_matmul":
        return product(np.matmul, *args)
    return product(batched if name == "batch" else plain, *args)


def magnitudes(name, args):
    """sum |a||b| of each result, sum |a| + |b|, and how many products there are."""
    absolute = [np.abs(np.where(np.isfinite(a), a, 0)) for a in args]
    size = reference(name, absolute, lambda multiply, x, y: multiply(np.abs(x).astype(np.float64), np.abs(y).astype(np.float64)))
    of_one = lambda x: np.minimum(np.abs(x), LARGEST).astype(np.float64)
    sums = reference(name, absolute, lambda multiply, x, y: multiply(of_one(x), np.ones(y.shape)) + multiply(np.ones(x.shape), of_one(y)))
    steps = {"accumulate_constant": 4, "two_weights": 80}.get(name, args[0].shape[-1])
    return size, sums, steps


class Checker:
    def __init__(self, model, tools, artifact):
        self.model, self.tools, self.artifact = model, tools, artifact
        self.wrong = self.runs = self.forced = 0
        self.worst = 0.0

    def check(self, name, args, weights, what, most=BOUND):
        kernels = self.tools.candidates(self.artifact, name)
        with np.errstate(all="ignore"):
            want = reference(name, args, exact)
            # Beyond the largest f32 there is infinity alone.
            want = np.where(np.abs(want) > LARGEST, np.sign(want) * np.inf, want)
            terms = reference(name, args, three)
            size, sums, steps = magnitudes(name, args)
            rounding = (3 * steps + 4) * 2.0 ** -24 * 1.01 * size
            # Instructions take numbers below the smallest normal one for zero, sums among them.
            tiny = 1.01 * LEAST * sums + 2 * (3 * steps + 32) * LEAST
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
            finite = np.isfinite(want)
            with np.errstate(all="ignore"):
                error = np.abs(got - want)
                same = (got == want) | (np.isnan(got) & np.isnan(want))
                verdicts = {"the bound": np.where(finite, error <= most * size + rounding + tiny, same),
                            "three products": np.where(finite, np.abs(got - terms) <= rounding + tiny, same)}
                counts = finite & (size > 2.0 ** -90)
                self.worst = max(self.worst, np.max(error[counts] / size[counts], initial=0))
            for which, good in verdicts.items():
                if good.all():
                    continue
                self.wrong += 1
                at = tuple(int(i) for i in np.argwhere(~good)[0])
                print(f"FAIL {name} {what}{f' {force[0]}={force[1]}' if force else ''}: {(~good).sum()} beyond {which}, "
                      f"at {at} {got[at]!r} instead of {want[at]!r}")


def specials(rng):
    """(what, x, w, bound) of linear."""
    draw = lambda *shape: rng.standard_normal(shape).astype(np.float32)
    spread = lambda *shape: (draw(*shape) * np.exp2(rng.uniform(-40, 40, shape))).astype(np.float32)
    for m, n, k in [(1, 1, 1), (5, 7, 3), (17, 33, 67), (33, 16, 128)]:
        yield f"exponents from -40 to 40, m={m},n={n},k={k}", spread(m, k), spread(k, n), BOUND
    x, w = draw(19, 70), draw(70, 35)
    x[1, 3], x[2, 5], x[3], x[4, 1], x[4, 2], x[6, 0] = np.nan, -np.inf, 0, np.inf, -np.inf, np.inf
    w[3, 1], w[5, 2], w[:, 3], w[9, 4], w[0, 5] = np.nan, np.inf, 0, -np.inf, 0
    # Integers have no second term: an infinity meets a zero if it meets that.
    x[7], w[:, 6] = np.rint(x[7] * 4), np.rint(w[:, 6] * 4) + 16
    x[8, 2] = w[4, 7] = np.inf
    w[2, 8:16] = np.rint(w[2, 8:16] * 8) + 64
    yield "infinities and NaNs", x, w, BOUND
    # The largest numbers, which would be rounded to infinity.
    for number in (LARGEST, np.float32(3.3961e38), np.float32(3.3953e38), -LARGEST):
        yield f"{number!r} once", np.full((3, 1), number, np.float32), np.array([[1, -1, 0.5, 2.0 ** -100]], np.float32), BOUND_OF_LARGEST
        small = np.array([[1], [-1], [0.5], [2.0 ** -100]], np.float32)
        yield f"{number!r} second", small, np.full((1, 3), number, np.float32), BOUND_OF_LARGEST
    yield "sums beyond the largest", np.full((2, 33), 1e30, np.float32), np.full((33, 2), 1e10, np.float32), BOUND
    # Numbers without room for a second term, or for one.
    for exponent in (-117, -119, -125, -127, -140, -148):
        tiny = (draw(9, 21) * np.exp2(exponent)).astype(np.float32)
        yield f"around 2^{exponent}", tiny, draw(21, 8), BOUND
        yield f"around 2^{exponent}, second", draw(9, 21), (draw(21, 8) * np.exp2(exponent)).astype(np.float32), BOUND
    # The worst that two terms do: both round, and what is dropped is as large as it gets.
    worst = np.uint32(0x3f800000) + np.arange(0, 1 << 23, 61, dtype=np.uint32)
    yield "each a product of itself", worst[:1024, None].view(np.float32), worst[None, :1024].view(np.float32), BOUND
    near = np.uint32(0x3f800000) + np.arange(0x7e00, 0x8200, dtype=np.uint32)
    yield "nearly ties", near[:, None].view(np.float32), near[None].view(np.float32), BOUND


def main():
    spec = importlib.util.spec_from_file_location("runtime", sys.argv[1])
    runtime = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(runtime)
    tools, artifact, wrong = Tools(sys.argv[3]), sys.argv[4], 0
    for threads in (1, 2):
        rng = np.random.default_rng(13)
        model = runtime.Model(sys.argv[2], artifact, threads)
        checker = Checker(model, tools, artifact)
        for name, (m, n, k) in itertools.product(sys.argv[5:] or NAMES, SIZES):
            args, weights = make(name, rng, m, n, k)
            checker.check(name, args, weights, f"m={m},n={n},k={k}")
        usual = checker.worst
        for what, x, w, bound in specials(rng) if threads == 1 else ():
            checker.check("linear", [x, w], [1], what, bound)
            checker.check("activations", [x, w], [], what, bound)
        print(f"{threads} threads: {checker.runs} runs, {checker.forced} of forced candidates, {checker.wrong} wrong; "
              f"errors up to 2^{np.log2(usual):.2f}, of special numbers 2^{np.log2(checker.worst):.2f}")
        wrong += checker.wrong
        model.close()
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
