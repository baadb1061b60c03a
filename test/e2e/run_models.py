#!/usr/bin/env python3
"""Compiles programs of test/models once each and compares them with their NumPy references at many sizes.

    run_models.py gemm conv                  the functions of those files, at the sizes listed for them and a short sweep
    run_models.py gemm_f32 --sizes m=5,n=7,k=3 --sizes m=1,n=1,k=9
    run_models.py --all --sweep=60           everything, at many more sizes (zeros, ones, primes, tile edges)
    run_models.py gemm --every-candidate     also forces every candidate of every kernel in turn; only its guard may refuse

Ends with 0 when every run is right, 1 when one is not, 2 on a usage error.
"""
import argparse
import os
import sys
import tempfile
import time

from driver import TEST, ArrayFiles, ToolError, Tools, default_bin
from oracle.upstream import llvm_tool
from reference import PROGRAMS, parse_sizes, spell_sizes, sweep
from reference.constants import FORMS, write_module


class Tally:
    def __init__(self):
        self.runs = self.failures = self.refused = 0
        self.idle = {}                                  # of each candidate, whether it has run at no size so far


class Checker:
    """Runs programs and prints one line for each, and one for each failure."""

    def __init__(self, tools, folder, options, programs):
        self.tools, self.folder, self.options = tools, folder, options
        self.wanted = {}                                # the functions of each file that are checked
        for program in programs:
            self.wanted.setdefault(program.file, []).append(program.name)
        self.files, self.artifacts, self.forced = ArrayFiles(folder), {}, 0

    def artifact(self, file):
        """The artifact of FILE, compiled at its first use; a failure is remembered for the file's other functions."""
        if file not in self.artifacts:
            source = os.path.join(TEST, "models", file + ".mlir")
            if file in FORMS:
                source = write_module(file, self.folder, llvm_tool("mlir-opt"))
            try:
                if len(self.wanted[file]) < sum(p.file == file for p in PROGRAMS.values()):
                    source = self.tools.extract(source, self.wanted[file], os.path.join(self.folder, os.path.basename(file) + ".mlir"))
                self.artifacts[file] = self.tools.compile(source, os.path.join(self.folder, os.path.basename(file) + ".so"),
                                                          self.options.target, [f"--weights={w}" for w in self.options.weights] +
                                                          self.options.compile_flag)
            except ToolError as e:
                self.artifacts[file] = e
        if isinstance(self.artifacts[file], ToolError):
            raise self.artifacts[file]
        return self.artifacts[file]

    def check_at(self, program, artifact, sizes, index, tally):
        inputs, results = program.make(sizes)
        specs = [self.files.spec(a) for a in inputs]
        wants = [(f"arg{program.inout[i]}=" if i < len(program.inout) else "", self.files.spec(r)) for i, r in enumerate(results)]

        def fail(threads, why, forced=""):
            tally.failures += 1
            if tally.failures <= self.options.show:
                print(f"FAIL {program.name} --sizes={spell_sizes(sizes)} --threads={threads}{forced}: {why}", flush=True)
        for nth, threads in enumerate(self.options.threads or [1 + index % 2]):
            tally.runs += 1
            try:
                if nth or not self.options.every_candidate:
                    self.tools.run(artifact, program.name, specs, wants, program.tolerance, threads)
                    continue
                for forced, outcome in self.tools.run_every_candidate(artifact, program.name, specs, wants, program.tolerance, threads):
                    tally.runs += 1
                    ran = not outcome.startswith(("refused", "not reached"))
                    tally.refused += outcome.startswith("refused")
                    candidate = forced.split()[0]
                    tally.idle[candidate] = tally.idle.get(candidate, True) and not ran
                    self.forced += ran
                    if ran and outcome != "right":
                        fail(threads, outcome, f" {forced}")
            except ToolError as e:
                fail(threads, e)
        self.files.forget_values()

    def check(self, program):
        start, tally = time.time(), Tally()
        try:
            artifact = self.artifact(program.file)
            at = self.options.sizes or program.sizes + sweep(program, self.options.sweep, self.options.seed)
            for index, sizes in enumerate(at):
                self.check_at(program, artifact, sizes, index, tally)
        except ToolError as e:
            tally.failures += 1
            print(f"FAIL {program.name}: {e}", flush=True)
        refused = f", {tally.refused} refused by a guard" if tally.refused else ""
        print(f"{'FAIL' if tally.failures else 'PASS'} {program.name}: {tally.runs} runs, {tally.failures} wrong{refused}, "
              f"{time.time() - start:.1f} s", flush=True)
        for candidate in sorted(c for c, idle in tally.idle.items() if idle):
            print(f"note: no size here lets {program.name} run {candidate}", flush=True)
        return tally.failures == 0


def chosen(names, everything):
    """The programs that NAMES (functions, files, or a file's last part) stand for, in the order of the table."""
    picked = []
    for name in names:
        found = [p for p in PROGRAMS.values() if name in (p.name, p.file)]
        if not found:
            raise SystemExit(f"run_models.py: no program or file '{name}' in test/models")
        picked += found
    return [p for p in PROGRAMS.values() if everything or p in picked]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="functions, or files such as gemm or imported/mlp")
    parser.add_argument("--all", action="store_true", help="every program")
    parser.add_argument("--list", action="store_true", help="print the programs and end")
    parser.add_argument("--sizes", type=parse_sizes, action="append", help="these sizes only, as m=5,n=7; may be given again")
    parser.add_argument("--sweep", type=int, default=10, metavar="COUNT", help="sizes besides the listed ones (default 10)")
    parser.add_argument("--seed", type=int, default=0, help="of the sweep")
    parser.add_argument("--threads", type=int, action="append", help="thread counts to run with; by default 1 and 2 in turn")
    parser.add_argument("--every-candidate", action="store_true", help="force each candidate of each kernel in turn")
    parser.add_argument("--target", default="host")
    parser.add_argument("--device", default="cpu", help="where to run, as for vortex-run")
    parser.add_argument("--timeout", type=int, default=300, metavar="SECONDS", help="for each run of a tool (default 300)")
    parser.add_argument("--compile-flag", action="append", default=[], metavar="FLAG", help="for vortex-compile")
    parser.add_argument("--weights", action="append", default=[], metavar="F:ARGS", help="arguments bound once, as for vortex-compile")
    parser.add_argument("--show", type=int, default=5, help="failures printed a program (default 5)")
    parser.add_argument("--bin", default=default_bin(), help="folder of the tools (default: VORTEX_BIN or build/bin)")
    options = parser.parse_args()
    if options.list:
        for p in PROGRAMS.values():
            print(f"{p.file:24} {p.name:28} tolerance {p.tolerance:<8g} {'; '.join(map(spell_sizes, p.sizes))}")
        return 0
    if not options.names and not options.all:
        parser.error("name programs, or give --all")
    programs = chosen(options.names, options.all)
    with tempfile.TemporaryDirectory(prefix="vortex-e2e-") as folder:
        try:
            checker = Checker(Tools(options.bin, options.timeout, options.device), folder, options, programs)
        except ToolError as e:
            print(f"run_models.py: {e}", file=sys.stderr)
            return 1
        wrong = [p.name for p in programs if not checker.check(p)]
        if options.every_candidate and not checker.forced and not wrong:
            print("FAIL: --every-candidate found no candidate to force in any of these programs")
            return 1
    print(f"{len(programs) - len(wrong)} of {len(programs)} functions right" + (f"; wrong: {', '.join(wrong)}" if wrong else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
