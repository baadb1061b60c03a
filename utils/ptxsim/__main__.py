"""ptxsim FILE [--function=F] --grid=X[,Y[,Z]] --shared=BYTES [--threads=T] [--early] ARGUMENT...

Runs a PTX kernel without a GPU and prints what it counted.  FILE holds PTX, or MLIR with a gpu.binary of PTX; '-' is standard input.
`--ptx` prints the PTX instead.  Each ARGUMENT is
  i:N        an integer                      f:X        a float
  in:FILE    a .npy array that is read       out:FILE   a .npy array that is read and written back after the run
Exit code 0: done; 1: the kernel did something wrong; 2: usage.
"""
import sys

import numpy as np

from . import GlobalMemory, Launch, SimulationError, read_ptx, run
from .module import parse


def usage(message):
    print(f"ptxsim: {message}\n\n{__doc__}", file=sys.stderr)
    return 2


def main(arguments):
    options, positional = {}, []
    for argument in arguments:
        if argument.startswith("--"):
            key, _, value = argument[2:].partition("=")
            if key not in ("function", "grid", "shared", "threads", "early", "ptx", "help"):
                return usage(f"unknown option --{key}")
            options[key] = value
        else:
            positional.append(argument)
    if "help" in options:
        print(__doc__)
        return 0
    if not positional:
        return usage("no file given")
    try:
        text = sys.stdin.read() if positional[0] == "-" else open(positional[0]).read()
    except OSError as error:
        print(f"ptxsim: {positional[0]}: {error.strerror}", file=sys.stderr)
        return 1
    try:
        text = read_ptx(text)
        if "ptx" in options:
            print(text)
            return 0
        memory, values, outputs = GlobalMemory(), [], []
        try:
            for argument in positional[1:]:
                kind, _, value = argument.partition(":")
                if kind == "i":
                    values.append(int(value))
                elif kind == "f":
                    values.append(float(value))
                elif kind in ("in", "out"):
                    array = np.ascontiguousarray(np.load(value))
                    values.append(memory.place(array, value))
                    if kind == "out":
                        outputs.append((value, array))
                else:
                    return usage(f"argument '{argument}' has an unknown form")
            grid = tuple(int(x) for x in options["grid"].split(","))
            shared, threads = int(options["shared"]), int(options.get("threads", 0))
        except KeyError as error:
            return usage(f"--{error.args[0]} is needed")
        except ValueError as error:
            return usage(str(error))
        counts = run(parse(text), Launch(grid, shared, values, threads, late="early" not in options), memory,
                     options.get("function", ""))
    except (SimulationError, OSError) as error:
        print(f"ptxsim: {error}", file=sys.stderr)
        return 1
    for path, array in outputs:
        np.save(path, array)
    for name, count in sorted(counts.items()):
        print(f"{name}: {count}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:
        sys.exit(1)
