"""From linalg to PTX and through the simulator: every candidate of an f16 product with bias and relu, at sizes its guard allows."""
import os
import re
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "utils"))
from ptxsim import GlobalMemory, Launch, read_ptx, run  # noqa: E402
from ptxsim.module import parse  # noqa: E402

FUNCTION = """func.func @mm(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""


def opt(text, *passes):
    done = subprocess.run(["vortex-opt", "-", *passes], input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


planned = opt(FUNCTION, "--target=sm_80", "--vortex-hierarchize", "--vortex-select-kernels",
              "--vortex-split-reductions")
converted = opt(planned, "--vortex-convert-to-nvvm")
facts = {name: (int(shared), tuple(int(x) for x in tile.split(",")))
         for name, shared, tile in re.findall(
             r"llvm\.func @(\w+)\(.*vortex\.shared_bytes = (\d+) : i64, vortex\.tile = array<i64: ([\d, ]+)>", converted)}
failed = False
for binary in re.findall(r"gpu\.binary.*", opt(planned, "--vortex-lower-to-ptx")):
    module = parse(read_ptx(binary))
    name = next(iter(module.functions))
    if "_split_" in name:
        continue  # two kernels with a host between them: test/cuda/split.test
    shared, tile = facts[name]
    sizes = [(tile[0] + 3, tile[1] + 8, 136), (1, 8, 72), (tile[0], tile[1], 64), (17, 40, 0)]
    if "_any_" in name:
        sizes += [(67, 65, 33), (1, 1, 1), (3, 5, 7)]
    for m, n, k in sizes:
        rng = np.random.default_rng(m + n + k)
        a, b = rng.integers(-3, 4, (m, k)), rng.integers(-3, 4, (k, n))
        bias = rng.integers(-20, 21, n).astype(np.float32)
        out = np.full((m, n), np.nan, np.float32)
        memory = GlobalMemory()
        arguments = [memory.place(x) for x in (a.astype(np.float16), b.astype(np.float16), bias, out)] + [m, n, k, k, n, n]
        counts = run(module, Launch((-(-m // tile[0]) * -(-n // tile[1]),), shared, arguments), memory)
        bad = int((out != np.maximum(a @ b + bias, 0)).sum())
        conflicts = counts["bank conflicts of ldmatrix"]
        print(f"{name} {m}x{n}x{k}: {bad} wrong, {conflicts} bank conflicts of ldmatrix")
        failed |= bad > 0 or conflicts > 0
sys.exit(failed)
