"""run_kernels.py FILE... [--only=WORD] [--sizes=AxBx...,...] [--most=N] [--target=gfx90a] [--fault='PATTERN=>TEXT'] --tools=DIR --wavefronts=LIB

As test/ptxsim/run_kernels.py, for GPUs of AMD: the LLVM IR of every candidate runs on this processor (native.py), the work items of a
block once in their order and once against it, and is compared with NumPy.  --fault replaces in the IR.  --tools: LLVM's programs.
Ends with 0 when every run is right, 1 when one is not or a candidate has no device code, 2 on a usage error.
"""
import os
import re
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptxsim"))
import native  # noqa: E402
import payload  # noqa: E402
import run_kernels as common  # noqa: E402


def check(kernel, module, facts, extents):
    """What is wrong with one launch, or nothing."""
    threads, shared, tile = facts
    grid = int(np.prod([-(-x // t) for x, t in zip(extents, tile) if t], dtype=np.int64))
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
    planned = common.keep(common.opt([path, f"--target={options['target']}", "--vortex-decompose-ops", "--vortex-apply-precision",
                                      "--vortex-hierarchize", "--mlir-print-op-generic"]), options["only"])
    guards = {k.name: k for k in payload.kernels(planned) if k.candidates}
    selected = common.opt(["-", "--vortex-select-kernels", "--vortex-split-reductions"], planned)
    converted = common.opt(["-", "--vortex-convert-to-rocdl"], selected)
    lowered = common.opt(["-", "--vortex-lower-to-amdgcn=format=llvm"], selected)
    binaries = {m[1]: m[0] for m in re.finditer(r"gpu\.binary @(\w+) .*", lowered)}
    facts = {name: (int(threads), int(shared), [int(x) for x in tile.split(",")] if tile else [])
             for name, threads, shared, tile in re.findall(
                 r"llvm\.func @(\w+)\(.*rocdl\.reqd_work_group_size = array<i32: (\d+), 1, 1>.*?"
                 r"vortex\.shared_bytes = (\d+) : i64, vortex\.tile = array<i64(?:: ([-\d, ]+))?>", converted)}
    failures = 0
    for kernel in payload.kernels(common.opt(["-", "--mlir-print-op-generic"], converted)):
        if not kernel.candidates or options["only"] not in kernel.name + " " + kernel.candidates[0]:
            continue
        if kernel.candidates[0].startswith("split_"):
            continue  # two kernels with a host between them
        label = f"{kernel.name} {kernel.candidates[0]}"
        if not kernel.function:
            print(f"{label}: no device code")
            failures += 1
            continue
        text = native.read_ir(binaries[kernel.module], options["tools"])
        if options["fault"]:
            text, count = re.subn(*options["fault"].split("=>"), text)
            if not count:
                sys.exit("the fault changes nothing")
        module = native.Module(text, options["tools"], options["wavefronts"])
        tried = common.sizes_of(kernel, facts[kernel.function][2])
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
            try:
                message = check(kernel, module, facts[kernel.function], extents)
            except native.LaunchError as error:
                message = str(error)
            if message:
                bad.append(f"{ran[-1]}: {message}")
        failures += bool(bad) or not ran
        print(f"{label}: {'; '.join(bad) if bad else 'right' if ran else 'never allowed'} at {', '.join(ran)}", flush=True)
    return failures


def main():
    options, files = {"only": "", "sizes": "", "most": "6", "target": "gfx90a", "fault": "", "tools": "", "wavefronts": ""}, []
    for argument in sys.argv[1:]:
        key, _, value = argument[2:].partition("=")
        if argument.startswith("--") and key in options:
            options[key] = value
        else:
            files.append(argument)
    if not files or any(f.startswith("--") for f in files) or not options["tools"] or not options["wavefronts"]:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(1 if sum(run_file(path, options) for path in files) else 0)


main()
