#!/usr/bin/env python3
"""Runs every program of test/models through upstream's naive lowering and compares with its NumPy reference.

    check_references.py [NAME ...] [--sizes m=5,n=7,k=3]
    check_references.py --passes='func.func(some-pass)' --opt=vortex-opt    the same after other passes: do they keep the meaning?

Checks the references and the oracle against each other, and with --passes any pass whose output upstream can lower.
"""
import argparse
import os
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "models")]

from oracle.upstream import Oracle, OracleError, llvm_tool   # noqa: E402
from oracle.values import difference                        # noqa: E402
from reference import PROGRAMS, parse_sizes, spell_sizes, sweep  # noqa: E402
from reference.constants import FORMS, write_module         # noqa: E402


def check_program(oracle, program, sizes_list):
    """The number of sizes at which oracle and reference differ; prints a line each and a summary."""
    worst, bad, written = 0.0, 0, set()
    for sizes in sizes_list:
        inputs, want = program.make(sizes)
        given = [np.copy(a) if isinstance(a, np.ndarray) else a for a in inputs]
        results = oracle.call(program.name, given)
        got = [given[i] for i in program.inout] + results
        errors = [difference(g, w) for g, w in zip(got, want)] if len(got) == len(want) else [float("inf")]
        worst = max([worst] + errors)
        written |= {i for i, (a, b) in enumerate(zip(inputs, given))
                    if i not in program.inout and not np.array_equal(a, b, equal_nan=np.asarray(a).dtype.kind == "f")}
        if max(errors) > program.tolerance:
            bad += 1
            print(f"FAILED {program.name} at {spell_sizes(sizes)}: {max(errors):.2e} over {program.tolerance:.0e}", flush=True)
    note = f"  upstream writes argument {sorted(written)}" if written else ""
    print(f"{program.file:24} {program.name:28} {len(sizes_list)} sizes  error {worst:.1e} of {program.tolerance:.0e}{note}", flush=True)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--sizes", help="these sizes in place of the listed ones")
    parser.add_argument("--sweep", type=int, default=0, metavar="COUNT", help="that many more sizes a program, zeros and tile edges")
    parser.add_argument("--passes", help="a pipeline inside builtin.module(...) to run first")
    parser.add_argument("--opt", help="the opt tool to run it with")
    options = parser.parse_args()
    unknown = [n for n in options.names if n not in PROGRAMS]
    if unknown:
        parser.error("no program " + ", ".join(unknown))
    bad, modules = 0, {}
    with tempfile.TemporaryDirectory() as folder:
        for program in PROGRAMS.values():
            if options.names and program.name not in options.names:
                continue
            try:
                if program.file not in modules:
                    modules.clear()
                    path = os.path.join(os.path.dirname(HERE), "models", program.file + ".mlir")
                    if program.file in FORMS:
                        path = write_module(program.file, folder, llvm_tool("mlir-opt"))
                    modules[program.file] = Oracle(path, options.passes, options.opt)
                bad += check_program(modules[program.file], program, 
                                     [parse_sizes(options.sizes)] if options.sizes else program.sizes + sweep(program, options.sweep))
            except OracleError as e:
                bad += 1
                print(f"FAILED {program.name}: {e}", flush=True)
    print(f"{bad} failures")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
