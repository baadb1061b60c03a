"""run_kernels.py FILE... [--only=WORD] [--sizes=AxBx...,...] [--most=N] [--target=gfx90a] [--fault='PATTERN=>TEXT'] --tools=DIR --wavefronts=LIB

As test/ptxsim/run_kernels.py, for GPUs of AMD: the LLVM IR of every candidate runs on this processor (native.py), the work items of a
block once in their order and once against it, and is compared with NumPy.  --fault replaces in the IR.  --tools: LLVM's programs.
Ends with 0 when every run is right, 1 when one is not or a candidate has no device code, 2 on a usage error.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptxsim"))
import native  # noqa: E402
import run_kernels as common  # noqa: E402


def check(kernel, module, facts, extents):
    """What is wrong with one launch, or nothing."""
    threads, shared, tile = facts
    grid = common.count_blocks(extents, tile)
    for backwards in (0, 1):
        memory = native.Memory()
        values, pointers, strides, placed, _ = common.make_arguments(kernel, extents, memory.place)
        want = kernel.run(values)
        if grid:
            native.run(module, kernel.function, grid, threads, shared, pointers + list(extents) + strides, backwards)
        wrong = common.count_wrong(kernel, extents, tile, placed, want)
        if wrong:
            return f"{wrong} wrong"
    return ""


def run_file(path, options):
    """Failures of a file's kernels."""
    guards, selected = common.plan(path, options)
    converted = common.opt(["-", "--vortex-convert-to-rocdl"], selected)
    binaries = common.binaries_of(common.opt(["-", "--vortex-lower-to-amdgcn=format=llvm"], selected))
    facts = {name: (int(threads), int(shared), [int(x) for x in tile.split(",")] if tile else [])
             for name, threads, shared, tile in re.findall(
                 r"llvm\.func @(\w+)\(.*rocdl\.reqd_work_group_size = array<i32: (\d+), 1, 1>.*?"
                 r"vortex\.shared_bytes = (\d+) : i64, vortex\.tile = array<i64(?:: ([-\d, ]+))?>", converted)}

    def prepare(kernel):
        if not kernel.function:
            raise common.Settled("no device code", True)
        text = common.plant(native.read_ir(binaries[kernel.module], options["tools"]), options["fault"])
        module = native.Module(text, options["tools"], options["wavefronts"])

        def launch(extents):
            try:
                return check(kernel, module, facts[kernel.function], extents)
            except native.LaunchError as error:
                return str(error)
        return facts[kernel.function][2], launch
    return common.run_candidates(converted, guards, options, prepare)


def main():
    options = {"only": "", "sizes": "", "most": "6", "target": "gfx90a", "fault": "", "tools": "", "wavefronts": ""}
    files = common.read_arguments(__doc__, options, needed=("tools", "wavefronts"))
    sys.exit(1 if sum(run_file(path, options) for path in files) else 0)


main()
