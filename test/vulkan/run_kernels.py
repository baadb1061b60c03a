"""run_kernels.py FILE... [--only=WORD] [--sizes=AxBx...,...] [--most=N] [--target=vulkan] [--validate-only]

As test/ptxsim/run_kernels.py, for devices of Vulkan: spirv-val looks at the shader of every candidate, the device that libvulkan has runs
it (a software driver such as Mesa's lavapipe will do), and NumPy says what is right.  --validate-only: runs nothing.
Ends with 0 when every run is right, 1 when one is not or a candidate has no device code, 2 on a usage error.
"""
import os
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptxsim"))
import payload  # noqa: E402
import run_kernels as common  # noqa: E402

# Vulkan's required limits: maxComputeWorkGroupCount.
MOST_BLOCKS = 65535


def unescape(text):
    """The bytes of a string attribute."""
    raw = text.encode("latin-1")
    return re.sub(rb"\\([0-9A-F]{2}|\\)", lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1], 16)]), raw)


def validate(code):
    """What spirv-val says, nothing when it is content."""
    with tempfile.NamedTemporaryFile(suffix=".spv") as file:
        file.write(code)
        file.flush()
        done = subprocess.run(["spirv-val", "--target-env", "vulkan1.2", file.name], capture_output=True, text=True)
        return (done.stdout + done.stderr).strip()


def check(device, kernel, pipeline, tile, extents):
    """What is wrong with one launch, or nothing."""
    values, pointers, strides, placed, _ = common.make_arguments(kernel, extents, device.place)
    grid = int(np.prod([-(-x // t) for x, t in zip(extents, tile) if t], dtype=np.int64))
    if grid > MOST_BLOCKS:
        return f"{grid} blocks"
    want = kernel.run(values)
    if grid:
        slots = np.array([x & 0xFFFFFFFFFFFFFFFF for x in pointers + list(extents) + strides], np.uint64)
        where, _ = device.place(slots)
        device.run(pipeline, struct.pack("<Q", where), grid)
    wrong = common.count_wrong(kernel, extents, tile, placed, want)
    return f"{wrong} wrong" if wrong else ""


def run_file(path, options, device):
    """Failures of a file's kernels."""
    planned = common.keep(common.opt([path, f"--target={options['target']}", "--vortex-decompose-ops", "--vortex-apply-precision",
                                      "--vortex-hierarchize", "--mlir-print-op-generic"]), options["only"])
    guards = {k.name: k for k in payload.kernels(planned) if k.candidates}
    selected = common.opt(["-", "--vortex-select-kernels", "--vortex-split-reductions"], planned)
    converted = common.opt(["-", "--vortex-convert-to-spirv"], selected)
    lowered = common.opt(["-", "--vortex-lower-to-spirv"], selected)
    binaries = {m[1]: m[0] for m in re.finditer(r"gpu\.binary @(\w+) .*", lowered)}
    tiles = {name: [int(x) for x in tile.split(",")] if tile else []
             for name, tile in re.findall(r"llvm\.func @(\w+)\(.*vortex\.tile = array<i64(?:: ([-\d, ]+))?>", converted)}
    failures = 0
    for kernel in payload.kernels(common.opt(["-", "--mlir-print-op-generic"], converted)):
        if not kernel.candidates or options["only"] not in kernel.name + " " + kernel.candidates[0]:
            continue
        if kernel.candidates[0].startswith("split_"):
            continue  # two kernels with a host between them
        label = f"{kernel.name} {kernel.candidates[0]}"
        if kernel.module not in binaries:
            print(f"{label}: no device code")
            failures += 1
            continue
        code = unescape(re.search(r'bin = "(.*)">\]', binaries[kernel.module])[1])
        said = validate(code)
        if said or options["validate-only"]:
            failures += bool(said)
            print(f"{label}: {said or 'valid'}", flush=True)
            continue
        pipeline = device.pipeline(code, kernel.function, 8)
        tried = common.sizes_of(kernel, tiles[kernel.function])
        if options["sizes"]:
            listed = [[int(x) for x in sizes.split("x")] for sizes in options["sizes"].split(",")]
            tried = [[kernel.fixed().get(i, x) for i, x in enumerate(s)] for s in listed if len(s) == len(kernel.axes)]
            if not tried:
                continue
        ran, bad = [], []
        for extents in tried:
            if len(ran) >= int(options["most"]):
                break
            if not guards[kernel.name].allows(kernel.candidates[0], extents):
                continue
            ran.append("x".join(str(x) for x in extents))
            if message := check(device, kernel, pipeline, tiles[kernel.function], extents):
                bad.append(f"{ran[-1]}: {message}")
        failures += bool(bad) or not ran
        print(f"{label}: {'; '.join(bad) if bad else 'right' if ran else 'never allowed'} at {', '.join(ran)}", flush=True)
    return failures


def main():
    options, files = {"only": "", "sizes": "", "most": "6", "target": "vulkan", "validate-only": ""}, []
    for argument in sys.argv[1:]:
        key, _, value = argument[2:].partition("=")
        if argument.startswith("--") and key in options:
            options[key] = value or "1"
        else:
            files.append(argument)
    if not files or any(f.startswith("--") for f in files):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    device = None
    if not options["validate-only"]:
        import vulkan
        device = vulkan.Device()
    sys.exit(1 if sum(run_file(path, options, device) for path in files) else 0)


main()
