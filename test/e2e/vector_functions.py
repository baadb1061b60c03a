#!/usr/bin/env python3
"""vector_functions.py RUNTIME_PY LIBRARY ARTIFACT: errors of exp and erf on vectors, in units in the last place, over samples of all numbers.

ARTIFACT is Inputs/vector_functions.mlir, compiled.  Arguments are random bits (so every exponent, subnormals, infinities and NaNs) and evenly
spaced where the function is neither zero nor infinite.  The references have more digits than the results, but erf of f64, where the C
library's, within one unit itself, has to do.  Ends with 1 when an error is above the bound that docs/passes.md states.
"""
import importlib.util
import math
import sys

import numpy as np

BOUNDS = {"exp_f32": 2, "erf_f32": 6, "exp_f64": 1.1, "erf_f64": 3}
SPACED = {"exp_f32": (-105, 90), "erf_f32": (-6, 6), "exp_f64": (-750, 711), "erf_f64": (-7, 7)}


def arguments(name, dtype):
    rng = np.random.default_rng(7)
    bits = rng.integers(0, 2 ** (8 * dtype().itemsize), 100001, dtype=np.uint64)
    drawn = bits.astype(np.dtype(f"u{dtype().itemsize}")).view(dtype)
    ends = [0.0, -0.0, np.inf, -np.inf, np.nan, np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max, -np.finfo(dtype).max, 1.0, -1.0]
    for at in (88.72283, 88.72284, -87.33654, -87.33655, 709.782712893384, 709.7827128933841, -708.3964185322641, -745.1332191019411,
               -745.1332191019412, 3.92, 6.0):
        ends += [at, np.nextafter(dtype(at), dtype(np.inf)), np.nextafter(dtype(at), dtype(-np.inf))]
    spaced = [np.linspace(*SPACED[name], 200003)]
    if name == "erf_f32":    # where its error is largest: one number in five
        spaced.append(np.linspace(3.4, 3.95, 461393))
    return np.concatenate([drawn, *spaced, np.array(ends)]).astype(dtype)


def reference(name, x):
    if name.startswith("exp"):
        return np.exp(x.astype(np.longdouble))
    return np.array([math.erf(v) for v in x.astype(np.float64)]).astype(np.longdouble)


def main():
    spec = importlib.util.spec_from_file_location("runtime", sys.argv[1])
    runtime = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(runtime)
    model = runtime.Model(sys.argv[2], sys.argv[3], 1)
    failed = False
    np.seterr(all="ignore")
    for name, bound in BOUNDS.items():
        dtype = np.float32 if name.endswith("f32") else np.float64
        x = arguments(name, dtype)
        y = np.empty_like(x)
        model.call(name, [x, y], [y])
        want = reference(name, x)
        rounded = want.astype(dtype)
        if name == "exp_f32":
            zero = (y == 0) & (np.abs(rounded) < np.finfo(dtype).tiny)    # as documented
            want, rounded = np.where(zero, 0, want), np.where(zero, 0, rounded)
        finite = np.isfinite(rounded)
        wrong = np.where(finite, ~np.isfinite(y), ~((y == rounded) | (np.isnan(y) & np.isnan(rounded))))
        error = np.where(finite & ~wrong, np.abs(y.astype(np.longdouble) - want) / np.spacing(np.abs(rounded)), 0)
        at = int(np.argmax(error))
        if name.startswith("erf"):    # 1 + erf(x), as in GELU, is 0 there
            wrong |= (np.abs(x) > 6) & (np.abs(y) != 1)
        good = not wrong.any() and error[at] <= bound and np.array_equal(np.signbit(y[x == 0]), np.signbit(rounded[x == 0]))
        failed |= not good
        print(f"{'PASS' if good else 'FAIL'} {name}: {float(error[at]):.2f} units at {x[at]!r}, at most {bound}"
              + "".join(f"; {x[i]!r} gives {y[i]!r}, not {rounded[i]!r}" for i in np.flatnonzero(wrong)[:3]))
    return failed


if __name__ == "__main__":
    sys.exit(main())
