"""run_kernels.py FILE... [--only=WORD] [--sizes=AxBx...,...] [--most=N] [--target=sm_80] [--verbose] [--fault='PATTERN=>TEXT'] [--chains] [--conflicts]

Plans the programs of each FILE for a GPU, makes device code of every candidate, runs it in the simulator at ragged sizes that its guard
allows and compares with NumPy.  --only: kernels or candidates whose names contain WORD.  --most: at most N sizes each.  --sizes: these
extents of the axes instead, for kernels that have as many, those that types fix left as they are.  --fault replaces matches of a
regular expression in the PTX; runs must then find it.  --chains: also kernels of several products (vortex-fuse-chains).
--conflicts: loads, stores and ldmatrix of shared memory must have no bank conflicts.
Ends with 0 when every run is right, 1 when one is not or a candidate has no device code, 2 on a usage error.
"""
import collections
import os
import re
import subprocess
import sys
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "utils"))
import payload  # noqa: E402
from ptxsim import GlobalMemory, Launch, SimulationError, TensorMap, float8, read_ptx, run  # noqa: E402
from ptxsim.module import parse  # noqa: E402

# Largest error, relative to one and what is wanted: functions are polynomials, sums are added in another order.  It grows with the
# square root of what is summed.
TOLERANCE = {"f16": 4e-3, "bf16": 3e-2, "f32": 2e-5, "f64": 1e-11, "f8E4M3FN": 0.13, "f8E5M2": 0.26}
# Of a queue, so that there are fewer than tiles.
QUEUE_BLOCKS = 2


def opt(arguments, text=None):
    done = subprocess.run(["vortex-opt", *arguments], input=text, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        sys.exit(1)
    return done.stdout


def sizes_of(kernel, tile):
    """Extents of the axes, worth trying first."""
    fixed, axes = kernel.fixed(), len(kernel.axes)
    primes = [2, 3, 5, 7, 3, 2, 5]
    # Reductions and what no block divides: a little longer than a few steps of the lanes, or, of many, very short.
    ragged = []
    for i, t in enumerate(tile):
        if axes > 4:
            ragged.append(33 if t > 64 else 3 if t > 1 else 2)
        else:
            ragged.append(primes[i % 7] if t in (1, -1) else t + 1 if 1 < t <= 64 else 37 if t else 131 if i == axes - 1 else 9)
    ragged8 = [-(-x // 8) * 8 for x in ragged]
    choices = [ragged, ragged8, [1] * axes, [8] * axes]
    choices += [[0 if i == j else x for i, x in enumerate(ragged8)] for j in range(axes) if j not in fixed]
    choices += [[t if t > 1 and t <= 128 else x for t, x in zip(tile, ragged8)], [max(t - 1, 1) if t and t <= 128 else 32 for t in tile]]
    # Copies of 16 bytes are of 16 elements where these are bytes.
    choices += [[-(-x // 16) * 16 for x in ragged], [16] * axes]
    seen = []
    for choice in choices:
        extents = [fixed.get(i, x) for i, x in enumerate(choice)]
        if extents not in seen:
            seen.append(extents)
    return seen


def random_array(rng, shape, element):
    if element in payload.INTEGERS:
        low, high = (0, 2) if element == "i1" else (-4, 5)
        return rng.integers(low, high, shape).astype(payload.INTEGERS[element])
    return payload.rounded(rng.uniform(-2, 2, shape), element)


def to_memory(values, element):
    """As the device sees it."""
    if element == "bf16":
        return (np.ascontiguousarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16).reshape(np.shape(values))
    if element in float8.NAMES:
        return float8.encode(values, float8.NAMES[element])
    return np.ascontiguousarray(values)


def from_memory(array, element):
    if element == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32)
    if element in float8.NAMES:
        return float8.decode(array, float8.NAMES[element])
    return array


def make_arguments(kernel, extents, place):
    """(values for NumPy, parameters of the device function without extents, strides, arrays in memory, where inputs are).

    PLACE(array, name): its address in the device's memory, and the array there."""
    rng = np.random.default_rng(sum(x * 31**i for i, x in enumerate(extents)))
    shapes = kernel.shapes(extents)
    values, pointers, strides, placed, at = [], [], [], [], {}
    for position, ((name, kind), shape) in enumerate(zip(kernel.arguments, shapes)):
        _, element = payload.shape_of(kind)
        if shape is None:
            value = np.int64(7) if element == "index" else random_array(rng, (), element)
            if element in payload.FLOATS:
                value = np.abs(value) + payload.rounded(0.5, element)
            values.append(value)
            if element != "index":
                bits = to_memory(value, element).reshape(1)
                pointers.append(bits.view({1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[bits.itemsize])[0].item())
            continue
        value = random_array(rng, shape, element)
        if name in kernel.tf32:
            value = (value.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
        values.append(value)
        address, array = place(to_memory(value, element).copy(), name)
        placed.append((array, element))
        pointers.append(address)
        at[position] = (pointers[-1], shape, placed[-1][0].itemsize)
        strides += [int(np.prod(shape[i + 1:])) for i in range(len(shape) - 1)]
    return values, pointers, strides, placed, at


def count_blocks(extents, tile):
    """Tiles of the axes that blocks divide; -1: the points of an axis are counted together with those of the next such axis."""
    blocks = points = 1
    for x, t in zip(extents, tile):
        if t:
            points *= x
        if t > 0:
            blocks *= -(-points // t)
            points = 1
    return blocks


def check(kernel, module, facts, extents):
    """(number of wrong elements, counts) of one launch."""
    threads, shared, tile, queue = facts
    memory = GlobalMemory()
    values, pointers, strides, placed, at = make_arguments(kernel, extents, lambda array, name: (memory.place(array, name), array))
    grid = count_blocks(extents, tile)
    grid *= module.entry(kernel.function).cluster
    if queue:  # every block walks several tiles
        grid = min(grid, QUEUE_BLOCKS)
    want = kernel.run(values)
    counts = collections.Counter()
    if grid:
        maps = [TensorMap.of(*at[operand], box) for operand, *box in kernel.boxes]
        counts = run(module, Launch((grid,), shared, pointers + list(extents) + strides + maps, threads), memory)
    return count_wrong(kernel, extents, tile, placed, want), counts


def count_wrong(kernel, extents, tile, placed, want):
    """Elements of the results, the last of PLACED, that are not those of WANT."""
    wrong, summed = 0, float(np.prod([x for x, t in zip(extents, tile) if not t]))
    for (array, element), expected in zip(placed[-kernel.results:], want):
        got = from_memory(array, element)
        if element in payload.INTEGERS:
            wrong += int((got != expected).sum())
            continue
        got, expected = got.astype(np.float64), np.asarray(expected, np.float64)
        # Weights of a chain are rounded before they are divided by their sum.
        narrow = payload.shape_of(kernel.anchor.operand_types[0])[1] if kernel.is_chain() else element
        tolerance = max(TOLERANCE[element], TOLERANCE[narrow]) * max(1, summed**0.5 / 16)
        same = (got == expected) | (np.isnan(got) & np.isnan(expected))
        with np.errstate(all="ignore"):
            wrong += int((~(same | (np.abs(got - expected) <= tolerance * (1 + np.abs(expected))))).sum())
    return wrong


def keep(planned, only):
    """PLANNED without the candidates that are not run, for which no code needs to be made."""
    kept, kernel, end = [], "", None
    for line in planned.splitlines(keepends=True):
        if end is not None:
            end = None if line.startswith(end) else end
            continue
        kernel = m[1] if (m := re.search(r'"vortex\.kernel"\(.* name = "([^"]*)"', line)) else kernel
        candidate = re.match(r'( *)"vortex\.candidate"\(.* ?sym_name = "([^"]*)"', line)
        if candidate and only not in f"{kernel} {candidate[2]}":
            end = candidate[1] + "})"
            continue
        kept.append(line)
    return "".join(kept)


class Settled(Exception):
    """A candidate that is not run: what is said of it, and whether that is a failure."""

    def __init__(self, said, failed):
        super().__init__(said)
        self.failed = failed


def plan(path, options, passes=()):
    """A file's kernels with the candidates that are asked for, the guards of those, and the program behind the choice."""
    planned = keep(opt([path, f"--target={options['target']}", "--vortex-decompose-ops", "--vortex-apply-precision", *passes, "--vortex-hierarchize",
                        "--mlir-print-op-generic"]), options["only"])
    guards = {k.name: k for k in payload.kernels(planned) if k.candidates}
    return guards, opt(["-", "--vortex-select-kernels", "--vortex-split-reductions"], planned)


def binaries_of(lowered):
    """What stands for each kernel's code, by the name of its module."""
    return {m[1]: m[0] for m in re.finditer(r"gpu\.binary @(\w+) .*", lowered)}


def plant(text, fault):
    """The text with PATTERN=>TEXT replaced everywhere."""
    if not fault:
        return text
    text, count = re.subn(*fault.split("=>"), text)
    if not count:
        sys.exit("the fault changes nothing")
    return text


def run_candidates(converted, guards, options, prepare):
    """Failures of the candidates of a converted program, each at sizes that its guard allows. `prepare(kernel)` answers its tile and what makes a launch
    at some extents, which answers what is wrong with it or nothing; or it raises Settled."""
    failures = 0
    for kernel in payload.kernels(opt(["-", "--mlir-print-op-generic"], converted)):
        if not kernel.candidates or options["only"] not in kernel.name + " " + kernel.candidates[0]:
            continue
        if kernel.candidates[0].startswith("split_"):
            continue  # two kernels with a host between them: test/cuda/split.test
        label = f"{kernel.name} {kernel.candidates[0]}"
        try:
            tile, launch = prepare(kernel)
        except Settled as settled:
            print(f"{label}: {settled}", flush=True)
            failures += settled.failed
            continue
        if options["sizes"]:
            listed = [[int(x) for x in sizes.split("x")] for sizes in options["sizes"].split(",")]
            tried = [[kernel.fixed().get(i, x) for i, x in enumerate(s)] for s in listed if len(s) == len(kernel.axes)]
            if not tried:
                continue
        else:
            tried = sizes_of(kernel, tile)
        ran, bad, start = [], [], time.monotonic()
        for extents in tried:
            if len(ran) >= int(options["most"]):
                break
            if not guards[kernel.name].allows(kernel.candidates[0], extents):
                continue
            ran.append("x".join(str(x) for x in extents))
            if message := launch(extents):
                bad.append(f"{ran[-1]}: {message}")
        failures += bool(bad) or not ran
        print(f"{label}: {'; '.join(bad) if bad else 'right' if ran else 'never allowed'} at {', '.join(ran)}"
              f" ({time.monotonic() - start:.1f} s)", flush=True)
    return failures


def read_arguments(usage, options, needed=()):
    """The files among the program's arguments; `options` gets the values of others. Ends with 2 where they are wrong."""
    files = []
    for argument in sys.argv[1:]:
        key, _, value = argument[2:].partition("=")
        if argument.startswith("--") and key in options:
            options[key] = value or "1"
        else:
            files.append(argument)
    if not files or any(f.startswith("--") for f in files) or not all(options[key] for key in needed):
        print(usage, file=sys.stderr)
        sys.exit(2)
    return files


def run_file(path, options):
    """Failures of a file's kernels."""
    guards, selected = plan(path, options, ["--canonicalize", "--cse", "--vortex-fuse-chains"] if options["chains"] else [])
    converted = opt(["-", "--vortex-convert-to-nvvm"], selected)
    binaries = binaries_of(opt(["-", "--vortex-lower-to-ptx"], selected))
    facts = {name: (int(threads), int(shared), [int(x) for x in tile.split(",")] if tile else [], int(queue or 0))
             for name, threads, queue, shared, tile in re.findall(
                 r"llvm\.func @(\w+)\(.*nvvm\.reqntid = array<i32: (\d+), 1, 1>.*?"
                 r"(?:vortex\.queue = (\d+) : i64, )?vortex\.shared_bytes = (\d+) : i64, vortex\.tile = array<i64(?:: ([-\d, ]+))?>", converted)}

    def prepare(kernel):
        if not kernel.function:
            raise Settled("no device code", True)
        module = parse(plant(read_ptx(binaries[kernel.module]), options["fault"]))

        def launch(extents):
            try:
                wrong, counts = check(kernel, module, facts[kernel.function], extents)
            except SimulationError as error:
                return str(error)
            if options["verbose"]:
                print(f"  {'x'.join(str(x) for x in extents)} {dict(counts)}")
            conflicts = sum(counts[f"bank conflicts of {what}"] for what in ("loads", "stores", "ldmatrix"))
            if conflicts and options["conflicts"]:
                return f"{conflicts} bank conflicts"
            return f"{wrong} wrong" if wrong else ""
        return facts[kernel.function][2], launch
    return run_candidates(converted, guards, options, prepare)


def main():
    options = {"only": "", "sizes": "", "most": "6", "target": "sm_80", "verbose": "", "fault": "", "chains": "", "conflicts": ""}
    files = read_arguments(__doc__, options)
    sys.exit(1 if sum(run_file(path, options) for path in files) else 0)


if __name__ == "__main__":
    main()
