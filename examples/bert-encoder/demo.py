#!/usr/bin/env python3
"""Compiles a BERT encoder with unknown batch and sequence length once, and runs it at sizes drawn on the spot.

Each result is compared with a float64 reference; the table says how fast each size ran and which candidates the compiler's formulas
chose for it.  Nothing is compiled, tuned or padded after the first line.
"""
import argparse
import collections
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import encoder
from picture import draw_throughput
from runtime import Model, VortexError

HERE = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = 5e-5                # of the largest magnitude, as float32 sums over 3072 terms through four layers need
CHECKED_ROWS = 400              # at most about so many rows go through the float64 reference


def compile_encoder(build, artifact):
    command = [os.path.join(build, "bin", "vortex-compile"), os.path.join(HERE, "bert_encoder.mlir"), "--target=host", "-o", artifact]
    print("$ " + " ".join(os.path.relpath(c) if os.path.isabs(c) else c for c in command), flush=True)
    start = time.perf_counter()
    if subprocess.run(command, stdin=subprocess.DEVNULL).returncode:
        raise VortexError("vortex-compile failed")
    print(f"compiled once in {time.perf_counter() - start:.1f} s: {os.path.getsize(artifact) / 2**20:.1f} MB\n", flush=True)


def draw_sizes(count, rng):
    """COUNT (batch, seq), spread evenly over the logarithms of the sequence lengths up to 384."""
    edges = np.geomspace(1, 385, count + 1)
    sizes = []
    for low, high in zip(edges, edges[1:]):
        seq = int(rng.integers(int(low), max(int(low) + 1, int(high))))
        sizes.append((int(rng.integers(1, 9 if seq < 200 else 5)), seq))
    return sizes


def largest_error(x, mask, y, weights, rng):
    """Of a few batch elements: max |got - want| over max(1, max |want|)."""
    batch, seq, _ = x.shape
    worst, picked = 0.0, rng.permutation(batch)[:max(1, CHECKED_ROWS // seq)]
    for b in picked:
        want = encoder.reference(x[b], mask[b], weights)
        error = np.abs(y[b] - want).max() / max(1.0, np.abs(want).max())
        worst = max(worst, float(error) if np.isfinite(error) else np.inf)
    return worst, len(picked)


def median_time(run, least=0.3):
    """Seconds of one run: the median of at least three, and of LEAST seconds of them."""
    run()
    times = []
    while len(times) < 3 or (sum(times) < least and len(times) < 1000):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def spell_choices(choices, explain):
    if explain:
        return "\n" + "\n".join(f"      {kernel}: {candidate} x{times}" for kernel, candidate, times in choices)
    counts = collections.Counter()
    for _, candidate, times in choices:
        counts[candidate] += times
    return ", ".join(f"{candidate} x{times}" for candidate, times in counts.most_common())


def run_from_c(build, artifact, weights, rng):
    """The same artifact from the C program, on a case of two short sequences; True unless it fails."""
    program = os.path.join(build, "bin", "run_encoder")
    if not os.path.exists(program):
        print("run_encoder was not built: the C program is skipped")
        return True
    x, mask = encoder.make_inputs(2, 11, rng)
    want = np.stack([encoder.reference(x[b], mask[b], weights) for b in range(2)]).astype(np.float32)
    with tempfile.NamedTemporaryFile(suffix=".case") as case:
        case.write(np.array(x.shape[:2], np.int64).tobytes())
        for array in weights + [x, mask, want]:
            case.write(array.tobytes())
        case.flush()
        return subprocess.run([program, artifact, case.name], stdin=subprocess.DEVNULL).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"), help="the build tree")
    parser.add_argument("--seed", type=int, help="of the sizes and inputs (default: the clock)")
    parser.add_argument("--sizes", type=int, default=10, help="how many sizes to draw (default 10)")
    parser.add_argument("--threads", type=int, default=0, help="default: as many as this process may use")
    parser.add_argument("--out", default="bert_throughput.png", help="where the picture goes")
    parser.add_argument("--explain", action="store_true", help="the choice of each kernel, not only how often each candidate ran")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else time.time_ns() % 1_000_000
    rng = np.random.default_rng(seed)
    build = os.path.abspath(options.build)
    artifact = os.path.join(build, "bert_encoder.so")
    try:
        compile_encoder(build, artifact)
        threads = options.threads or len(os.sched_getaffinity(0))
        model = Model(os.path.join(build, "lib", "libvortex_runtime.so"), artifact, threads)
        weights = encoder.make_weights()
        start = time.perf_counter()
        model.bind("bert_encoder", weights)
        print(f"{sum(w.nbytes for w in weights) / 1e6:.0f} MB of weights bound once in {time.perf_counter() - start:.2f} s")
        print(f"sizes drawn with --seed={seed}; {threads} threads\n")
        print(f"{'batch':>5} {'seq':>4} {'ms':>9} {'GF/s':>7} {'error':>8} checked   candidates chosen")
        points, wrong = [], 0
        for batch, seq in draw_sizes(options.sizes, rng):
            x, mask = encoder.make_inputs(batch, seq, rng)
            y = np.full_like(x, np.nan)
            seconds = median_time(lambda: model.call("bert_encoder", [x, mask], [y]))
            error, checked = largest_error(x, mask, y, weights, rng)
            rate = encoder.flops(batch, seq) / seconds / 1e9
            choices = spell_choices(model.choices("bert_encoder", [x, mask], [y]), options.explain)
            good = error <= TOLERANCE
            wrong += not good
            print(f"{batch:5} {seq:4} {1e3 * seconds:9.2f} {rate:7.1f} {error:8.1e} {checked}/{batch} {'ok   ' if good else 'WRONG'} {choices}",
                  flush=True)
            points.append((seq, rate, f"b={batch}"))
        print(f"\nscratch memory held: {model.scratch_bytes / 2**20:.1f} MB", flush=True)
        model.close()
        if not run_from_c(build, artifact, weights, rng):
            print("demo.py: the C program's result is wrong", file=sys.stderr)
            wrong += 1
        draw_throughput(options.out, points, "BERT encoder, one artifact for every size")
        print(f"throughput over sequence length: {os.path.relpath(options.out)}")
    except VortexError as e:
        print(f"demo.py: {e}", file=sys.stderr)
        return 1
    if wrong:
        print(f"{wrong} results are wrong", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
