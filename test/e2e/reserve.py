"""reserve.py RUNTIME_PY LIBRARY BOUNDED UNBOUNDED: scratch memory of a program that declares its sizes is there before its first call.

BOUNDED is Inputs/declared-sizes.mlir, UNBOUNDED the same without the bound."""
import importlib.util
import sys

import numpy as np

ROWS = [1, 7, 499, 2, 500, 0, 64]


def load(path):
    spec = importlib.util.spec_from_file_location("runtime", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def expect(holds, what):
    if not holds:
        sys.exit(what)


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    runtime, (library, bounded, unbounded) = load(sys.argv[1]), sys.argv[2:]
    random = np.random.default_rng(1)
    weights = [random.standard_normal(shape, np.float32) / 16 for shape in ((256, 1024), (1024, 256))]

    def call(model, rows):
        x = random.standard_normal((rows, 256), np.float32)
        y = np.empty_like(x)
        model.call("layers", [x], [y])
        p = np.maximum(x.astype(np.float64) @ weights[0], 0) @ weights[1]
        e = np.exp(p - p.max(axis=1, keepdims=True)) if rows else p
        expect(np.allclose(y, e / e.sum(axis=1, keepdims=True), atol=1e-5), f"{rows} rows: wrong result")

    def make(artifact, reserve):
        model = runtime.Model(library, artifact, 1, reserve)
        model.bind("layers", weights)
        return model, model.scratch_bytes

    model, held = make(bounded, 0)
    expect(held >= 500 * 1024 * 4, f"{held} bytes are held before the first call")
    for rows in ROWS:
        call(model, rows)
        expect(model.scratch_bytes == held, f"a call of {rows} rows takes {model.scratch_bytes} bytes instead of {held}")
    model.close()
    for artifact in (bounded, unbounded):
        model, held = make(artifact, -1)
        expect(held == 0, f"{held} bytes are held that nobody asked for")
        for rows in sorted(ROWS):
            call(model, rows)
        # What is needed at once, in whole huge pages.
        expect(model.scratch_bytes <= 500 * 1280 * 4 + (4 << 20), f"{model.scratch_bytes} bytes are held")
        model.close()
    model, held = make(unbounded, 0)
    expect(held == 0, f"{held} bytes are held though sizes have no bound")
    model.close()
    model, held = make(unbounded, 8 << 20)
    expect(held >= 8 << 20, f"{held} bytes are held of 8 MiB")
    call(model, 500)
    expect(model.scratch_bytes == held, "a call takes more than the 8 MiB that there are")
    model.close()


main()
