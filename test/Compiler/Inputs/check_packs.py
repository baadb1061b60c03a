"""Packs and unpacks with the artifact PREFIX.so at tiles around those of registers, and compares with NumPy."""

import subprocess
import sys

import numpy as np

prefix = sys.argv[1]
random = np.random.default_rng(1)


def run(function, source, arguments, expected):
    np.save(prefix + ".in.npy", source)
    np.save(prefix + ".out.npy", expected)
    shape = "x".join(map(str, source.shape))
    subprocess.run(["vortex-run", prefix + ".so", "--function=" + function, f"--input={shape}xf32=@{prefix}.in.npy",
                    *("--input=" + argument for argument in arguments), f"--expected-output=@{prefix}.out.npy", "--tol=0"], check=True)


def packed(source, s, t, padding):
    """Groups of rows, groups of columns, rows, columns."""
    m, k = source.shape
    groups, panels = -(-m // s), -(-k // t)
    whole = np.full((groups * s, panels * t), padding, np.float32)
    whole[:m, :k] = source
    return whole.reshape(groups, s, panels, t).transpose(0, 2, 1, 3)


CASES = ((1, 1, 1, 1), (5, 7, 2, 3), (16, 16, 16, 16), (20, 3, 17, 2), (67, 35, 33, 16), (40, 9, 64, 8), (0, 4, 3, 3), (4, 0, 3, 3))
for m, k, s, t in CASES:
    source = random.standard_normal((m, k)).astype(np.float32)
    run("pack", source, [f"index={s}"], packed(source, s, 1, 0)[:, :, :, 0].reshape(-(-m // s), k, s))
    run("packpad", source, [f"index={t}", "f32=-1.5"], packed(source, 1, t, -1.5)[:, :, 0, :].reshape(m, -(-k // t), t))
    both = packed(source, s, t, 2).transpose(1, 0, 2, 3)
    run("both", source, [f"index={s}", f"index={t}", "f32=2"], both)
    run("unpack", both, [f"index={m}", f"index={k}"], source)
