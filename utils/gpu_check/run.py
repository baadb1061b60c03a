#!/usr/bin/env python3
"""Checks and times the programs of this folder on a GPU; needs a driver, Python with NumPy, and PyTorch for times.

    ./run                 numbers of every candidate at its edges, then times against PyTorch; report.json and a table
    ./run --few           a few sizes of each
    ./run --numerics      numbers alone; with NumPy where there is no PyTorch
    ./run --sizes=1x4096x4096,64x768x768     numbers and times at these sizes, of the programs with as many extents

Ends with 0 when every number is right, 1 when one is not, 2 on a usage error.
"""
import argparse
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from gpu_check import numerics, timing  # noqa: E402
from gpu_check.cases import CASES  # noqa: E402
from gpu_check.device import DeviceError, Program  # noqa: E402


def open_program(number, targets):
    """The first of TARGETS, the latest first, that the device runs."""
    problems = []
    for target in targets:
        try:
            return target, Program(os.path.join(HERE, "libvortex_runtime.so"), os.path.join(HERE, f"{target}.so"), number)
        except DeviceError as e:
            problems.append(f"{target}: {e}")
    sys.exit("run: no program runs on this device\n  " + "\n  ".join(problems))


def find_torch():
    try:
        import torch
        return torch if torch.cuda.is_available() else None
    except ImportError:
        return None


def sizes_of(text):
    listed = [s.split("x") for s in text.split(",")]
    if not all(x.isdigit() and int(x) for s in listed for x in s):
        raise argparse.ArgumentTypeError(f"extents are positive numbers, got '{text}'")
    return [tuple(int(x) for x in s) for s in listed]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", type=int, default=0, help="which CUDA device (default 0)")
    parser.add_argument("--target", help="one of those prepared; default: the latest that the device runs")
    parser.add_argument("--numerics", action="store_true", help="no times")
    parser.add_argument("--few", action="store_true", help="a few sizes of each program")
    parser.add_argument("--functions", help="these programs alone, commas between")
    parser.add_argument("--sizes", type=sizes_of, default=[], help="these sizes instead, commas between, extents by 'x'")
    parser.add_argument("--rounds", type=int, metavar="N", default=timing.ROUNDS, help=f"rounds of {timing.CALLS} calls (default {timing.ROUNDS})")
    parser.add_argument("--json", default=os.path.join(HERE, "report.json"), help="where the report goes")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error(f"a median is of one round or more, got {options.rounds}")
    torch = find_torch()
    if torch:
        torch.cuda.set_device(options.device)
        torch.zeros(1, device="cuda")                       # makes the context that all share
    with open(os.path.join(HERE, "prepared.json")) as f:
        prepared = json.load(f)
    targets = [options.target] if options.target else prepared["targets"]
    target, program = open_program(options.device, targets)
    wanted = options.functions.split(",") if options.functions else prepared["functions"]
    cases = [case for case in CASES if case.function in wanted and case.function in prepared["functions"]]
    if not cases:
        parser.error(f"no program is called {options.functions}")
    cases = [case for case in cases if not options.sizes or case.sizes(options.sizes)]
    if not cases:
        parser.error("no program has as many extents as the sizes")
    say = lambda line: print(line, flush=True)  # noqa: E731
    say(f"code for {target}; {'PyTorch ' + torch.__version__ if torch else 'no PyTorch with a GPU: no times'}")
    if program.remarks():
        say(program.remarks())
    device = f"cuda:{options.device}"
    arrays = numerics.TorchArrays(program, torch, device) if torch else numerics.NumpyArrays(program)
    report = {"target": target, "numerics": numerics.check(program, arrays, cases, say, options.few, options.sizes)}
    if torch and not options.numerics:
        report["device"] = torch.cuda.get_device_name(options.device)
        report["times"] = timing.run(program, torch, cases, device, say, options.few, options.sizes, options.rounds)
    with open(options.json, "w") as f:
        json.dump(report, f, indent=1)
    for line in timing.worst(report["times"]["entries"]) if "times" in report else []:
        say(line)
    wrong = len(report["numerics"]["failures"])
    say(f"{report['numerics']['runs']} runs, {wrong} wrong; the report is {options.json}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
