"""run_kernels.py FILE... [--only=WORD] [--sizes=AxBx...,...] [--most=N] [--target=vulkan] [--dimension=65535] [--validate-only]

As test/ptxsim/run_kernels.py, for devices of Vulkan: spirv-val looks at the shader of every candidate, the device that libvulkan has runs
it (a software driver such as Mesa's lavapipe will do), and NumPy says what is right.  --dimension: blocks of one dimension of a grid,
at most; longer grids go on in the second.  --validate-only: runs nothing.
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
import run_kernels as common  # noqa: E402

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


def check(device, kernel, pipeline, tile, extents, dimension):
    """What is wrong with one launch, or nothing."""
    values, pointers, strides, placed, _ = common.make_arguments(kernel, extents, device.place)
    grid = common.count_blocks(extents, tile)
    want = kernel.run(values)
    if grid:
        slots = np.array([x & 0xFFFFFFFFFFFFFFFF for x in pointers + list(extents) + strides], np.uint64)
        where, _ = device.place(slots)
        device.run(pipeline, struct.pack("<Q", where), min(grid, dimension), -(-grid // dimension))
    wrong = common.count_wrong(kernel, extents, tile, placed, want)
    return f"{wrong} wrong" if wrong else ""


def run_file(path, options, device):
    """Failures of a file's kernels."""
    guards, selected = common.plan(path, options)
    converted = common.opt(["-", "--vortex-convert-to-spirv"], selected)
    binaries = common.binaries_of(common.opt(["-", "--vortex-lower-to-spirv"], selected))
    tiles = {name: [int(x) for x in tile.split(",")] if tile else []
             for name, tile in re.findall(r"llvm\.func @(\w+)\(.*vortex\.tile = array<i64(?:: ([-\d, ]+))?>", converted)}

    def prepare(kernel):
        if kernel.module not in binaries:
            raise common.Settled("no device code", True)
        code = unescape(re.search(r'bin = "(.*)">\]', binaries[kernel.module])[1])
        said = validate(code)
        if said or options["validate-only"]:
            raise common.Settled(said or "valid", bool(said))
        pipeline, tile = device.pipeline(code, kernel.function, 8), tiles[kernel.function]
        return tile, lambda extents: check(device, kernel, pipeline, tile, extents, int(options["dimension"]))
    return common.run_candidates(converted, guards, options, prepare)


def main():
    options = {"only": "", "sizes": "", "most": "6", "target": "vulkan", "dimension": "65535", "validate-only": ""}
    files = common.read_arguments(__doc__, options)
    device = None
    if not options["validate-only"]:
        import vulkan
        device = vulkan.Device()
    sys.exit(1 if sum(run_file(path, options, device) for path in files) else 0)


main()
