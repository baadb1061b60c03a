"""Element types, signatures and comparison of values: what the oracle and the end-to-end tests share.

bf16 is carried as its bits in uint16, i4 as one uint8 an element (low half), index as int64.
"""
import re

import numpy as np

DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": np.uint16, "i1": np.bool_, "i4": np.uint8,
          "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "index": np.int64}
ELEMENTS = {np.dtype(t): e for e, t in DTYPES.items() if e != "index"}


def spell_type(array):
    """'5x7xf32' of an array, 'f32' of a scalar."""
    a = np.asarray(array)
    return "x".join([str(s) for s in a.shape] + [ELEMENTS[a.dtype]])


def parse_type(text):
    """'tensor<?x4xf32>' -> ([None, 4], 'f32'); a bare 'index' or 'f32' -> (None, that)."""
    m = re.fullmatch(r"(?:tensor|memref)<(.*)>", text.strip())
    if not m:
        return None, text.strip()
    dims, element = re.match(r"((?:[?\d]+x)*)(\w+)", m.group(1)).groups()
    return [None if d == "?" else int(d) for d in dims.split("x")[:-1]], element


def _split_top(text):
    out, depth, current = [], 0, ""
    for c in text:
        depth += (c in "<({[") - (c in ">)}]")
        if c == "," and depth == 0:
            out.append(current)
            current = ""
        else:
            current += c
    return [t.strip() for t in out + [current] if t.strip()]


def parse_functions(text):
    """{name: ([argument types], [result types])} of the public functions with a body in what mlir-opt prints."""
    functions = {}
    pattern = r"func\.func (?:public )?@([\w$.]+)\((.*?)\)(?: -> (.*?))?(?: attributes \{.*\})? \{\n"
    for m in re.finditer(pattern, text):
        args = [re.sub(r"\s*\{.*\}$", "", a.split(":", 1)[1]).strip() for a in _split_top(m.group(2))]
        results = m.group(3) or ""
        results = _split_top(results[1:-1] if results.startswith("(") else results)
        functions[m.group(1)] = ([parse_type(a) for a in args], [parse_type(re.sub(r"\s*\{.*\}$", "", r)) for r in results])
    return functions


def from_bf16(bits):
    return (np.atleast_1d(bits).astype(np.uint32) << np.uint32(16)).view(np.float32).reshape(bits.shape)


def difference(got, want):
    """Largest |got - want|, relative to the largest |want| where that is over 1; infinite when shape, element type or the places
    of NaN and infinity differ."""
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape or got.dtype != want.dtype:
        return float("inf")
    if got.size == 0:
        return 0.0
    g, w = ((from_bf16(a) if a.dtype == np.uint16 else a).astype(np.float64) for a in (got, want))
    finite = np.isfinite(w)
    if not np.array_equal(finite, np.isfinite(g)) or not np.array_equal(g[~finite], w[~finite], equal_nan=True):
        return float("inf")
    return float(np.max(np.abs(g - w)[finite], initial=0.0) / max(1.0, np.max(np.abs(w)[finite], initial=0.0)))
