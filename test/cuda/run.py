"""run.py ARTIFACT FUNCTION SIZES... [-- FLAGS]: runs FUNCTION of programs.mlir (or of integers.mlir, tf32.mlir, windows.mlir, sums.mlir) on the stand-in driver, compares with NumPy.

SIZES are those of the function's axes, 'x' between them.  Elements are small integers, so every order of f32 sums gives the same."""
import os
import subprocess
import sys
import tempfile

import numpy as np


def matrix(rng, *shape):
    return rng.integers(-3, 4, shape).astype(np.float16)


def layer(rng, m, n, k):
    x, w, bias = matrix(rng, m, k), matrix(rng, k, n), rng.integers(-9, 9, n).astype(np.float32)
    return [x, w, bias], [np.maximum(x.astype(np.float32) @ w.astype(np.float32) + bias, 0)]


def columns(rng, m, n, k):
    x, w, bias, rest = matrix(rng, m, k), matrix(rng, n, k), rng.integers(-9, 9, n).astype(np.float32), rng.integers(-9, 9, (m, n)).astype(np.float32)
    return [x, w, bias, rest], [x.astype(np.float32) @ w.astype(np.float32).T + bias + rest]


def chain(rng, m, n, k, h):
    x, w, v = matrix(rng, m, k), matrix(rng, k, h), matrix(rng, h, n)
    middle = (x.astype(np.float32) @ w.astype(np.float32)).astype(np.float16)
    return [x, w, v], [middle.astype(np.float32) @ v.astype(np.float32)]


def batch(rng, b, m, n, k):
    x, w = matrix(rng, b, m, k), matrix(rng, b, k, n)
    return [x, w], [x.astype(np.float32) @ w.astype(np.float32)]


def attention(rng, b, m, n):
    q, k, v = (rng.integers(-8, 9, (b, x, 24)).astype(np.float16) / 8 for x in (m, n, n))
    scores = np.einsum("bid,bjd->bij", q.astype(np.float64), k.astype(np.float64))
    i, j = np.arange(m)[:, None], np.arange(n)[None, :]
    scores = np.where(j <= i + n - m, scores, -np.inf)
    with np.errstate(invalid="ignore", divide="ignore"):
        weights = np.exp(scores - scores.max(2, keepdims=True, initial=-np.inf))
        weights /= weights.sum(2, keepdims=True)
    return [q, k, v], [np.einsum("bij,bjd->bid", weights, v.astype(np.float64)).astype(np.float32)]


def single(rng, m, n, k):
    """Of tf32.mlir: factors of twelve bits, which are rounded to eleven; ties away from zero."""
    x, w = (rng.integers(-4095, 4096, shape).astype(np.float32) for shape in ((m, k), (n, k)))

    def rounded(values):
        return ((values.view(np.uint32) + np.uint32(0x1000)) & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64)
    return [x, w], [(rounded(x) @ rounded(w).T).astype(np.float32)]


def integers(rng, m, n, k):
    """Of integers.mlir."""
    x, w = (rng.integers(-128, 128, shape).astype(np.int8) for shape in ((m, k), (n, k)))
    return [x, w], [x.astype(np.int32) @ w.astype(np.int32).T]


def window(rng, n, h, v, f, kh, kw, c):
    """Of windows.mlir, from the sizes of its result and of the window."""
    x, w = matrix(rng, n, h + kh - 1, v + kw - 1, c), matrix(rng, kh, kw, c, f)
    y = np.zeros((n, h, v, f), np.float32)
    for i in range(kh):
        for j in range(kw):
            y += x[:, i : i + h, j : j + v].astype(np.float32) @ w[i, j].astype(np.float32)
    return [x, w], [y]


def sums(rng, i, j, c):
    """Of sums.mlir."""
    x, bias = matrix(rng, i, j, c), rng.integers(-9, 9, c).astype(np.float32)
    return [x, bias], [x.astype(np.float32).sum((0, 1)) + bias]


def vecmat(rng, k, n):
    """Of sums.mlir."""
    x, w = matrix(rng, k), matrix(rng, k, n)
    return [x, w], [x.astype(np.float32) @ w.astype(np.float32)]


def constant(rng, m):
    x = matrix(rng, m, 4)
    w = np.array([[1, 2, 3, 4, 5, 6, 7, 8], [0, 1] * 4, [2] * 8, [-1, 0, 0, 0, 0, 0, 0, 9]], np.float32)
    return [x], [x.astype(np.float32) @ w, x[0, 0]]


def entries(rng, m):
    x = matrix(rng, m, 4)
    return [x], [np.array([m, 7], np.int64), x.astype(np.float32)]


def concat(rng, m, n, k):
    x, y = matrix(rng, m, n), matrix(rng, m, k)
    return [x, y], [np.concatenate([x, y], 1)]


def pad(rng, m, n):
    x = matrix(rng, m, n)
    return [x], [np.pad(x, ((1, 3), (2, 0)), constant_values=1)]


def pad64(rng, m, n):
    x = rng.standard_normal((m, n))
    return [x], [np.pad(x, ((1, 3), (2, 0)), constant_values=1.7)]


def main():
    arguments = sys.argv[1:]
    flags = []
    if "--" in arguments:
        split = arguments.index("--")
        arguments, flags = arguments[:split], arguments[split + 1 :]
    artifact, function, *sizes = arguments
    failed = False
    for size in sizes:
        shape = [int(s) for s in size.split("x")]
        inputs, want = globals()[function](np.random.default_rng(len(size) + sum(shape)), *shape)
        with tempfile.TemporaryDirectory() as folder:
            command = ["vortex-run", artifact, f"--function={function}", "--device=cuda:0", *flags]
            for i, (flag, value) in enumerate([("input", x) for x in inputs] + [("expected-output", y) for y in want]):
                path = os.path.join(folder, f"{i}.npy")
                np.save(path, value)
                command.append(f"--{flag}=@{path}")
            if function == "attention":  # weights are f16
                command += ["--atol=2e-3", "--rtol=2e-3"]
            done = subprocess.run(command, capture_output=True, text=True)
        print(f"{function} {size}: {'right' if done.returncode == 0 else 'wrong'}")
        said = done.stdout + done.stderr
        if said:
            print(said.rstrip())
        failed |= done.returncode != 0
    sys.exit(failed)


if __name__ == "__main__":
    main()
