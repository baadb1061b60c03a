"""Compiles one contraction to PTX, runs it in the simulator at several sizes, compares every element.

matmul.py --sizes=200x136x72,1x8x8 [--block=128x128x32 --warp=64x64 --stages=4 --runs=8,8 --store=2 --element=f16 --layout=nn
          --epilogue=none --result=f32 --batch=B --producers=WARPS --queue=BLOCKS --cluster=MxN --swizzle=BYTES
          --fault='PATTERN=>TEXT' --early]

With --producers the kernel is one of sm_90a on wgmma, whose results go through boxes with rows of --store elements when that is above 2;
with --queue blocks walk all tiles, and so many of them start; with --cluster as many start together; --swizzle is what the tensor maps
of the operands say.

Operands are small integers, so f32 sums are exact and any order of them gives the same bits.  --fault replaces the first match of a
regular expression in the PTX and then expects a failure: the run must report one.
"""
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

import kernels

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "utils"))
from ptxsim import GlobalMemory, Launch, SimulationError, TensorMap, read_ptx, run  # noqa: E402
from ptxsim.module import parse  # noqa: E402


def to_bits(values, element):
    if element == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return values.astype({"f16": np.float16, "f32": np.float32}[element])


def integers(text):
    return tuple(int(x) for x in re.split("[x,]", text))


def compile_kernel(options):
    source = kernels.contraction(
        element=options["element"], layout=options["layout"], block=integers(options["block"]), warp=integers(options["warp"]),
        stages=int(options["stages"]), runs=integers(options["runs"]), store=int(options["store"]), epilogue=options["epilogue"],
        result=options["result"], batch=options["batch"] != "0", producers=int(options["producers"]),
        queue=options["queue"] != "0", cluster=integers(options["cluster"]))
    target = "sm_90a" if options["producers"] != "0" else "sm_80"
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(source)
        file.flush()
        lowered = subprocess.run(["vortex-opt", file.name, "--target=" + target, "--vortex-lower-to-ptx"], capture_output=True, text=True)
    if lowered.returncode:
        sys.exit(lowered.stderr)
    return read_ptx(lowered.stdout)


def launch(module, options, m, n, k):
    """Bad elements, counts of one run at m x n x k."""
    rng = np.random.default_rng(m * 7919 + n * 31 + k)
    batch = int(options["batch"])
    lead = (batch,) if batch else ()
    a = rng.integers(-3, 4, lead + (m, k)).astype(np.float32)
    b = rng.integers(-3, 4, lead + (k, n)).astype(np.float32)
    a_at, b_at = (np.ascontiguousarray(np.swapaxes(x, -1, -2)) if order == "t" else x for x, order in zip((a, b), options["layout"]))
    want = a @ b
    memory, arguments = GlobalMemory(), []
    arguments += [memory.place(to_bits(a_at, options["element"]), "A"), memory.place(to_bits(b_at, options["element"]), "B")]
    strides = [a_at.shape, b_at.shape]
    start = np.full(lead + (m, n), np.nan, np.float32)
    if options["epilogue"] == "bias_relu":
        bias = rng.integers(-20, 21, n).astype(np.float32)
        arguments.append(memory.place(bias, "bias"))
        want = np.maximum(want + bias, 0)
    elif options["epilogue"] == "scale":
        arguments.append(0.5)
        want = want * np.float32(0.5)
    elif options["epilogue"] == "accumulate":
        start = rng.integers(-5, 6, lead + (m, n)).astype(np.float32)
        want = want + start
    out = to_bits(start, options["result"])
    result_at = memory.place(out, "result")
    arguments.append(result_at)
    strides.append(out.shape)
    arguments += list(lead) + [m, n, k]
    for shape in strides:
        arguments += [int(np.prod(shape[i + 1 :])) for i in range(len(shape) - 1)]
    block = integers(options["block"])
    cluster = integers(options["cluster"])
    element_bytes = 2
    shared = int(options["stages"]) * (block[0] * block[2] + block[2] * block[1]) * element_bytes
    if options["producers"] != "0":
        shared += int(options["stages"]) * 16
        warp = integers(options["warp"])
        for i, shape in enumerate(strides[:2]):
            reduction_inner = options["layout"][i] == "nt"[i]
            rows = block[i] if reduction_inner else block[2]
            box = (1,) * len(lead) + (rows // cluster[1 - i], 64)
            tensor = TensorMap.of(arguments[i], shape, element_bytes, box)
            tensor.swizzle = int(options["swizzle"])
            arguments.append(tensor)
        if int(options["store"]) > 2:  # boxes: two for each group
            shared += (block[0] // warp[0]) * (block[1] // warp[1]) * 2 * 64 * 128
            arguments.append(TensorMap.of(result_at, out.shape, out.itemsize, (1,) * len(lead) + (64, int(options["store"]))))
    tiles = -(-m // (block[0] * cluster[0])) * -(-n // (block[1] * cluster[1]))
    grid = (tiles * cluster[0] * cluster[1] * max(batch, 1),)
    if options["queue"] != "0":
        grid = (min(grid[0], int(options["queue"])),)
    counts = run(module, Launch(grid, shared, arguments, late=options["early"] == "0"), memory)
    if options["result"] == "bf16":
        got = (out.astype(np.uint32) << 16).view(np.float32)
        want = (to_bits(want, "bf16").astype(np.uint32) << 16).view(np.float32)
    else:
        got, want = out.astype(np.float32), want.astype(out.dtype).astype(np.float32)
    return int((got != want).sum()), counts


def main():
    options = dict(sizes="", block="128x128x32", warp="64x64", stages="4", runs="8,8", store="2", element="f16", layout="nn",
                   epilogue="none", result="f32", batch="0", producers="0", queue="0", cluster="1x1", swizzle="128", fault="", early="0")
    for argument in sys.argv[1:]:
        key, _, value = argument.lstrip("-").partition("=")
        if key not in options:
            sys.exit(f"unknown option {argument}")
        options[key] = value or "1"
    ptx = compile_kernel(options)
    if options["fault"]:
        pattern, text = options["fault"].split("=>")
        ptx, count = re.subn(pattern, text, ptx, count=1)
        if not count:
            sys.exit(f"the fault changes nothing: no {pattern}")
    module = parse(ptx)
    failed = False
    for size in options["sizes"].split(","):
        m, n, k = integers(size)
        try:
            bad, counts = launch(module, options, m, n, k)
        except SimulationError as error:
            print(f"{size}: {error}")
            failed = True
            continue
        conflicts = counts["bank conflicts of ldmatrix"]
        print(f"{size}: {bad} wrong of {m * n}, {counts['instructions']} instructions, {counts['mma'] + counts['wgmma']} mma, "
              f"{conflicts} bank conflicts of ldmatrix")
        failed |= bad != 0 or conflicts != 0
    sys.exit(failed)


main()
