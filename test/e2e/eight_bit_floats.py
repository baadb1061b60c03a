#!/usr/bin/env python3
"""eight_bit_floats.py RUNTIME_PY PTXSIM LIBRARY ARTIFACT: f8E4M3FN and f8E5M2 on the host against tables of all their numbers.

ARTIFACT is Inputs/eight_bit_floats.mlir, compiled; PTXSIM is the folder whose float8.py has the tables.  Every byte is widened; what is rounded are
the numbers of the formats, what is half way between two, beside these, beyond the largest, and random ones of every exponent.  Of all bytes by all
bytes, sums and fused products are rounded once.  Results must have the same bits, NaNs aside.
"""
import importlib.util
import os
import sys

import numpy as np


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def arguments(values, dtype):
    rng = np.random.default_rng(3)
    finite = np.sort(np.unique(values[np.isfinite(values)].astype(np.float64)))
    halves = (finite[1:] + finite[:-1]) / 2
    beyond = finite[-1] * np.array([1, 1.03, 1.05, 1.0625, 1.07, 1.12, 1.125, 1.13, 1.5, 1e9])
    drawn = rng.standard_normal(5001) * np.exp2(rng.integers(-30, 20, 5001))
    x = np.concatenate([finite, halves, beyond, -beyond, drawn, [np.inf, -np.inf, np.nan, 0.0, -0.0]]).astype(dtype)
    return np.concatenate([x, np.nextafter(x, dtype(np.inf)), np.nextafter(x, dtype(-np.inf))])


def main():
    runtime, float8 = load("runtime", sys.argv[1]), load("float8", os.path.join(sys.argv[2], "float8.py"))
    model = runtime.Model(sys.argv[3], sys.argv[4], 1)
    np.seterr(all="ignore")
    failed = False

    def judge(name, got, want, isnan):
        nonlocal failed
        wrong = np.flatnonzero((got != want) & ~(isnan(got) & isnan(want)))
        failed |= len(wrong) > 0
        print(f"{'FAIL' if len(wrong) else 'PASS'} {name}: {len(got)} numbers" + "".join(f"; [{i}] is {got[i]}, not {want[i]}" for i in wrong[:3]))

    def call(name, inputs, dtype):
        result = np.empty(inputs[0].shape, dtype)
        model.call(name, inputs, [result])
        return result

    every = np.arange(256, dtype=np.uint8)
    for kind, values in float8.VALUES.items():
        def isnan(byte):
            return np.isnan(values[byte])

        widened = call(f"widen_{kind}", [every.view(np.int8)], np.float32)
        judge(f"widen {kind}", widened.view(np.uint32), values.view(np.uint32), lambda bits: np.isnan(bits.view(np.float32)))
        for dtype in (np.float32, np.float64):
            x = arguments(values, dtype)
            name = f"round_{kind}_f{8 * dtype().itemsize}"
            judge(name, call(name, [x], np.int8).view(np.uint8), float8.encode(x, kind), isnan)
        a, b = (np.ascontiguousarray(m.ravel()) for m in np.meshgrid(every, every))
        x, y = values[a].astype(np.float64), values[b].astype(np.float64)
        for name, want in (("add", x + y), ("fma", x * y + x)):
            judge(f"{name} {kind}", call(f"{name}_{kind}", [a.view(np.int8), b.view(np.int8)], np.int8).view(np.uint8), float8.encode(want, kind), isnan)

    rng = np.random.default_rng(5)
    for m, n, k in ((0, 3, 2), (3, 0, 2), (3, 5, 0), (1, 1, 1), (7, 17, 33), (61, 67, 71)):
        x, y, c = (rng.standard_normal(s).astype(np.float32) for s in ((m, k), (k, n), (m, n)))
        want = float8.decode(float8.encode(x, "e4m3"), "e4m3") @ float8.decode(float8.encode(y, "e5m2"), "e5m2") + c
        got = np.empty_like(c)
        model.call("product", [x, y, c], [got])
        error = float(np.abs(got - want).max(initial=0))
        failed |= not error <= 1e-4
        print(f"{'PASS' if error <= 1e-4 else 'FAIL'} product {m}x{n}x{k}: off by {error:.1e}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
