#!/usr/bin/env python3
"""What the trees of a GPU's candidates compute: each is expanded to its nest of loops on tensors, which a CPU then runs.

    gpu_nests.py TARGET gemm conv ...        the functions of those files of test/models, at the sizes listed for them

The first candidates of all kernels are taken together, then the second ones, and so on; a function whose nest has been seen, as copies of several
widths are one to a CPU, does not run again.  Device code is made of the trees too, but not of
the nests: this shows that tiles cover everything once, that edges are right and that fused ops meet the tiles they belong to.
Ends with 0 when every run is right, 1 when one is not, 2 on a usage error.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

from driver import TEST, ArrayFiles, ToolError, Tools, default_bin
from reference import PROGRAMS, spell_sizes


def opt(tools, source, *flags):
    done = subprocess.run([tools.path("vortex-opt"), source, *flags], capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise ToolError(f"vortex-opt {' '.join(flags)} ended with {done.returncode}\n    {done.stderr[:2000]}")
    return done.stdout


def check(tools, target, file, folder):
    """(runs, failures) of all candidates of FILE's kernels."""
    files, programs = ArrayFiles(folder), [p for p in PROGRAMS.values() if p.file == file]
    planned = os.path.join(folder, file + ".planned.mlir")
    text = opt(tools, os.path.join(TEST, "models", file + ".mlir"), f"--target={target}", "--vortex-decompose-ops", "--vortex-hierarchize")
    with open(planned, "w") as f:
        f.write(text)
    kernels = text.split("vortex.kernel ")[1:]
    missing = sum("vortex.candidate @" not in k for k in kernels)
    if missing:
        raise ToolError(f"{missing} of {len(kernels)} kernels have no candidates")
    runs = failures = 0
    seen = {p.name: set() for p in programs}
    for position in range(max((len(re.findall(r"vortex\.candidate @", k)) for k in kernels), default=0)):
        nest, artifact = os.path.join(folder, "nest.mlir"), os.path.join(folder, "nest.so")
        expanded = opt(tools, planned, f"--vortex-expand=position={position}", "--vortex-lower-micro-kernels=inline=true", "--mlir-print-local-scope")
        with open(nest, "w") as f:
            f.write(expanded)
        bodies = dict(re.findall(r"^  func\.func @(\w+)(.*?^  \})$", expanded, re.M | re.S))
        new = [p for p in programs if bodies[p.name] not in seen[p.name]]
        if not new:
            continue
        for program in new:
            seen[program.name].add(bodies[program.name])
        tools.compile(tools.extract(nest, [p.name for p in new], os.path.join(folder, "new.mlir")), artifact, flags=["--candidates=none"])
        for program in new:
            for index, sizes in enumerate(program.sizes):
                inputs, results = program.make(sizes)
                wants = [(f"arg{program.inout[i]}=" if i < len(program.inout) else "", files.spec(r)) for i, r in enumerate(results)]
                runs += 1
                try:
                    tools.run(artifact, program.name, [files.spec(a) for a in inputs], wants, program.tolerance, threads=1 + index % 2)
                except ToolError as e:
                    failures += 1
                    print(f"FAIL {program.name} at {spell_sizes(sizes)}, candidates {position}: {e}")
                files.forget_values()
    return runs, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--bin", default=default_bin())
    options = parser.parse_args()
    known = {p.file for p in PROGRAMS.values()}
    for file in options.files:
        if file not in known:
            parser.error(f"there is no program in a file '{file}'")
    tools, failed = Tools(options.bin), 0
    for file in options.files:
        with tempfile.TemporaryDirectory() as folder:
            try:
                runs, failures = check(tools, options.target, file, folder)
                failed += failures
                print(f"{'FAIL' if failures else 'PASS'} {file}: {runs} runs, {failures} wrong", flush=True)
            except ToolError as e:
                failed += 1
                print(f"FAIL {file}: {e}", flush=True)
    sys.exit(1 if failed else 0)


main()
