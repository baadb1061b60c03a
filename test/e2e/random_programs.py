#!/usr/bin/env python3
"""Compiles seeded random linalg programs and compares them with upstream's naive lowering at random sizes.

    random_programs.py --seed=1 --count=10        programs 1 to 10
    random_programs.py --seed=7 --print           the IR of program 7
    random_programs.py --windows --seed=1         program 1 of those with windows over images
    random_programs.py --seed=1 --count=50 --oracle-only    only that the programs verify and run under the oracle

Ends with 0 when every result is right, 1 when one is not, 2 on a usage error.
"""
import argparse
import os
import sys
import tempfile

import numpy as np

from driver import ArrayFiles, ToolError, Tools, default_bin
from oracle.upstream import Oracle, OracleError
from program_generator import Function, draw_sizes, generate
from reference import spell_sizes
from reference.sweep import EDGES
from window_generator import WindowFunction


def check_program(seed, tools, folder, options):
    """The number of wrong functions of program SEED."""
    functions = generate(seed, options.functions, options.kind)
    text = "\n".join(f.text for f in functions)
    source = os.path.join(options.keep or folder, f"program{seed}.mlir")
    with open(source, "w") as f:
        f.write(text)
    oracle = Oracle(source)
    artifact = tools and tools.compile(source, os.path.join(folder, f"program{seed}.so"), options.target)
    wrong = 0
    for function in functions:
        files = ArrayFiles(folder)
        try:
            for i, sizes in enumerate(draw_sizes(function, options.sizes, seed, EDGES)):
                inputs = function.draw_inputs(sizes, np.random.default_rng([seed, i]))
                wants = oracle.call(function.name, [np.copy(a) for a in inputs])
                at = f"{spell_sizes(sizes)} --threads={1 + i % 2}"
                if tools:
                    call = artifact, function.name, [files.spec(a) for a in inputs], [("", files.spec(w)) for w in wants], function.tolerance, 1 + i % 2
                    if not options.every_candidate:
                        tools.run(*call)
                    for forced, outcome in tools.run_every_candidate(*call) if options.every_candidate else ():
                        if outcome != "right" and not outcome.startswith(("refused", "not reached")):
                            raise ToolError(f"{forced}: {outcome}")
                files.forget_values()
        except ToolError as e:
            wrong += 1
            print(f"FAIL program {seed} @{function.name} at {at}: {e}\n{function.text}", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="of the first program")
    parser.add_argument("--count", type=int, default=1, help="programs")
    parser.add_argument("--windows", dest="kind", action="store_const", const=WindowFunction, default=Function,
                        help="convolutions and pooling (default: everything else, and windows of three)")
    parser.add_argument("--functions", type=int, default=3, help="a program")
    parser.add_argument("--sizes", type=int, default=5, help="assignments of sizes a function")
    parser.add_argument("--every-candidate", action="store_true", help="force each candidate of each kernel in turn")
    parser.add_argument("--target", default="host")
    parser.add_argument("--bin", default=default_bin(), help="folder of the tools (default: VORTEX_BIN or build/bin)")
    parser.add_argument("--keep", metavar="DIR", help="write the programs there")
    parser.add_argument("--print", action="store_true", help="print the programs and end")
    parser.add_argument("--oracle-only", action="store_true", help="do not run Vortex")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.count)
    if options.print:
        for seed in seeds:
            print("\n".join(f.text for f in generate(seed, options.functions, options.kind)))
        return 0
    wrong, total = 0, 0
    with tempfile.TemporaryDirectory(prefix="vortex-random-") as folder:
        try:
            tools = None if options.oracle_only else Tools(options.bin)
        except ToolError as e:
            print(f"random_programs.py: {e}", file=sys.stderr)
            return 1
        for seed in seeds:
            total += options.functions
            try:
                wrong += check_program(seed, tools, folder, options)
            except (ToolError, OracleError) as e:
                wrong += options.functions
                print(f"FAIL program {seed}: {e}\n{chr(10).join(f.text for f in generate(seed, options.functions, options.kind))}", flush=True)
    print(f"{total - wrong} of {total} functions right, seeds {seeds[0]} to {seeds[-1]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
