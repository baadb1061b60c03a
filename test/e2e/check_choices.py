"""check_choices.py RUNTIME_PY LIBRARY ARTIFACT: what vortexFunctionChoose says is what calls then do.

ARTIFACT holds @ffn, an attention-like chain with a weight and a loop (choices.test has its source)."""
import importlib.util
import sys

import numpy as np

spec = importlib.util.spec_from_file_location("runtime", sys.argv[1])
runtime = importlib.util.module_from_spec(spec)
spec.loader.exec_module(runtime)



def aligned(*shape):
    """Choices that are told without tensors are for operands that start where vectors do; NumPy's start anywhere."""
    count = int(np.prod(shape))
    room = np.empty(count + 16, np.float32)
    first = -(room.ctypes.data // 4) % 16
    values = room[first:first + count].reshape(shape)
    values[...] = rng.standard_normal(shape, dtype=np.float32)
    return values


rng = np.random.default_rng(7)
seen = set()
for threads in (1, 2):
    model = runtime.Model(sys.argv[2], sys.argv[3], threads)
    width = 96
    model.bind("ffn", [rng.standard_normal((width, 64), dtype=np.float32)])
    sizes = [(m, k) for m in (0, 1, 2, 3, 5, 7, 13, 16, 28, 29, 64, 127, 300) for k in (1, 17, 96, 260)]
    for m, k in sizes:
        x, y, out = (aligned(*shape) for shape in ((m, k), (k, width), (m, 64)))
        predicted = {kernel: candidate for kernel, candidate, _ in model.predict("ffn", [x, y])}
        made = {kernel: candidate for kernel, candidate, _ in model.choices("ffn", [x, y], [out])}
        if not made:
            sys.exit(f"m={m} k={k}: the call chose nothing")
        for kernel, candidate in made.items():
            if predicted.get(kernel) != candidate:
                sys.exit(f"m={m} k={k}, {threads} threads: {kernel} ran {candidate}, predicted was {predicted.get(kernel)}")
            seen.add(candidate)
        costs = [ns for _, _, ns in model.predict("ffn", [x, y])]
        if any(ns is None or not ns >= 0 for ns in costs):
            sys.exit(f"m={m} k={k}: costs {costs}")
        if not np.allclose(out, np.maximum(x @ y, 0) @ model.weights[0], atol=1e-2, rtol=1e-3):
            sys.exit(f"m={m} k={k}: wrong result after choosing")
    model.close()
if len(seen) < 2:
    sys.exit(f"only {seen} was chosen at any size: the comparison says nothing")
print(f"{len(seen)} candidates chosen as predicted")
