#!/usr/bin/env python3
"""Checks and times the programs of this folder on a GPU; needs a driver, Python with NumPy, and PyTorch for times.

    ./run                 numbers of every candidate at its edges, then times against PyTorch; report.json and a table
    ./run --seconds=540   stops in time; the next run goes on where this one stopped
    ./run --few           a few sizes of each
    ./run --numerics      numbers alone; with NumPy where there is no PyTorch
    ./run --candidates    instead times of all candidates that the sizes allow, by force, and what they were taken to cost
    ./run --sizes=1x4096x4096,64x768x768     numbers and times at these sizes, of the programs with as many extents

A kernel that faults or does not end is named, and the others run on. What report.json has is not run again, but for --again and --fresh.
Ends with 0 when every number is right, 1 when one is not or programs were skipped, 2 on a usage error.
"""
import argparse
import importlib.util
import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from gpu_check.cases import CASES  # noqa: E402
from gpu_check.report import Report  # noqa: E402
from gpu_check.supervise import Supervisor  # noqa: E402

ROUNDS = 11


def sizes_of(text):
    listed = [s.split("x") for s in text.split(",")]
    if not all(x.isdigit() and int(x) for s in listed for x in s):
        raise argparse.ArgumentTypeError(f"extents are positive numbers, got '{text}'")
    return [tuple(int(x) for x in s) for s in listed]


def at_least_one(text):
    if not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"expected a number of one or more, got '{text}'")
    return int(text)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", type=int, default=0, help="which CUDA device (default 0)")
    parser.add_argument("--target", help="one of those prepared; default: the latest that the device runs")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--numerics", dest="what", action="store_const", const="numerics", default="times", help="no times")
    what.add_argument("--candidates", dest="what", action="store_const", const="candidates",
                      help="times of all candidates, not against PyTorch, and no numbers")
    parser.add_argument("--few", action="store_true", help="a few sizes of each program")
    parser.add_argument("--functions", help="these programs alone, commas between")
    parser.add_argument("--sizes", type=sizes_of, default=[], help="these sizes instead, commas between, extents by 'x'")
    parser.add_argument("--rounds", type=at_least_one, metavar="N", default=ROUNDS, help=f"rounds of a time's median (default {ROUNDS})")
    parser.add_argument("--json", default=os.path.join(HERE, "report.json"), help="where the report goes, and goes on from")
    parser.add_argument("--seconds", type=at_least_one, metavar="N", help="begin nothing after so many")
    parser.add_argument("--limit", type=at_least_one, metavar="N", default=60, help="seconds for one call or one time (default 60)")
    parser.add_argument("--faults", type=at_least_one, metavar="N", default=20, help="end after so many (default 20)")
    parser.add_argument("--again", action="store_true", help="run what the report has of these programs again")
    parser.add_argument("--fresh", action="store_true", help="begin a new report")
    return parser, parser.parse_args()


def choose_functions(parser, options, prepared):
    wanted = options.functions.split(",") if options.functions else prepared["functions"]
    if unknown := [name for name in wanted if name not in prepared["functions"]]:
        parser.error(f"no program is called {unknown[0]}; there are {', '.join(prepared['functions'])}")
    cases = [case for case in CASES if case.function in wanted]
    cases = [case for case in cases if not options.sizes or case.sizes(options.sizes)]
    if not cases:
        parser.error("no program has as many extents as the sizes")
    return [case.function for case in cases]


def open_report(parser, options, prepared):
    """What is known so far; that it can be written is found out before hours of work."""
    try:
        if options.fresh and os.path.exists(options.json):
            os.remove(options.json)
        report = Report(options.json, prepared)
        report.save()
        return report
    except ValueError as e:
        parser.error(str(e))
    except OSError as e:
        sys.exit(f"run: the report {options.json} cannot be written: {e.strerror}")


def main():
    if not importlib.util.find_spec("numpy"):
        sys.exit(f"run: needs NumPy, and {sys.executable} does not have it (python3 -m pip install numpy)")
    parser, options = parse()
    with open(os.path.join(HERE, "prepared.json")) as f:
        prepared = json.load(f)
    functions = choose_functions(parser, options, prepared)
    report = open_report(parser, options, prepared)
    if options.again:
        report.forget(functions)
    task = {"functions": functions, "sizes": options.sizes, "few": options.few, "what": options.what, "rounds": options.rounds,
            "device": options.device, "targets": [options.target] if options.target else prepared["targets"],
            "until": time.time() + options.seconds if options.seconds else None}
    say = lambda line: print(line, flush=True)  # noqa: E731
    try:
        left = Supervisor([sys.executable, os.path.abspath(__file__), "--worker"], report, task, say, options.limit, options.faults).run()
    except ValueError as e:
        parser.error(str(e))
    except KeyboardInterrupt:
        left = None
    report.save()
    if "of" not in report.data:
        return 1
    if options.what == "candidates" and not report.data["of"]["torch"]:
        sys.exit("run: --candidates takes times, which needs PyTorch with a GPU")
    summary = report.data["summary"]
    for line in summary["table"]:
        say(line)
    if summary["never_ran"]:
        say(f"{len(summary['never_ran'])} candidates ran at no size so far; the report names them")
    if left is None or left:
        say(f"not complete: {'some' if left is None else left} of it left; run again to go on")
    skipped = summary["skipped"]
    unchecked = f", NOT ALL CHECKED: {len(skipped)} of {len(functions)} programs skipped" if skipped else ""
    say(f"{summary['runs']} runs, {len(summary['failures'])} wrong{unchecked}; the report is {options.json}")
    return 1 if summary["failures"] or skipped or left is None else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        from gpu_check import worker
        worker.main(HERE, sys.argv[2:])
    else:
        try:
            sys.exit(main())
        except OSError as e:
            sys.exit(f"run: {e.filename or 'the report'}: {e.strerror}")
