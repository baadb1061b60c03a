#!/usr/bin/env python3
"""Rows alone, in parts and all together give the same bits, whichever candidate runs and with however many threads.

    batch_invariant.py gemm_f32 layernorm       those functions of test/models, compiled with --deterministic=batch-invariant
    batch_invariant.py gemm_f32 --differs       compiled without: each call repeats its bits, and some part gives others

The runs that all are compared with have every row and take the candidates that are chosen there with one thread.  Ends with 0 when all
bits are as they should be, 1 when not, 2 on a usage error.
"""
import argparse
import importlib.util
import os
import sys
import tempfile

import numpy as np

from driver import ROOT, TEST, ToolError, Tools, default_bin
from reference import PROGRAMS, parse_sizes
from reference.registry import program

# Which size counts what does not depend on each other, and the other sizes: lengths of reductions at and beside the unrolled loop's
# steps, on both sides of the guard of blocks, widths at and beside one and two vectors and a panel.
GEMM = ["n=33,k=1", "n=1,k=4", "n=16,k=7", "n=32,k=64", "n=65,k=257", "n=40,k=9001"]
BATCHED = ["m=1,n=33,k=65", "m=5,n=16,k=257", "m=15,n=40,k=31"]
TILES = ["n=33,k=1", "n=32,k=64", "n=65,k=257", "n=40,k=2049"]  # the last in blocks where L2 has 128 KiB
WIDTHS = ["n=1", "n=15", "n=64", "n=257"]
CASES = {
    "gemm_f32": ("m", GEMM), "gemm_acc_f32": ("m", GEMM), "gemm_nt_f32": ("m", GEMM), "gemm_tn_f32": ("m", GEMM),
    "gemm_bf16_f32": ("m", GEMM), "gemm_bf16_bf16": ("m", GEMM), "gemm_f16_f32": ("m", GEMM), "gemm_bias_gelu": ("m", GEMM),
    "matvec_f32": ("m", ["k=1", "k=17", "k=259"]), "mlp_all_dynamic": ("m", ["k=33,h=70,n=17"]),
    "batch_matmul_f32": ("b", BATCHED), "batch_matmul_shared_f32": ("b", BATCHED), "batch_matmul_heads_f32": ("b", BATCHED),
    "softmax_rows": ("m", WIDTHS), "softmax_masked_4d": ("b", ["h=2,m=5,n=33"]), "layernorm": ("m", WIDTHS), "rmsnorm": ("m", WIDTHS),
    "tile_bf16": ("m", TILES), "tile_acc_i8": ("m", TILES),
    "attention": ("b", ["m=1,n=1", "m=17,n=65"]), "attention_all_dynamic": ("b", ["m=17,n=33,d=40,dv=24"]),
}


@program("../e2e/Inputs/shared_product", "m=5,n=7,k=3")
def shared_product(r, m, n, k):
    a, b, s, t = r.f(m, k), r.f(k, n), r.f(n), r.f(n)
    return [a, b, s, t], [a @ b + s * t]


CASES["shared_product"] = ("m", ["n=33,k=3", "n=64,k=1", "n=17,k=40"])
WEIGHTS = {"gemm_acc_f32": 1, "gemm_nt_f32": 1, "tile_bf16": 1}         # the argument that is bound, so that panels are made beforehand
ROWS = 37
PARTS = [(0, 1), (36, 37), (5, 7), (20, 23), (8, 13), (0, 8), (3, 17), (22, 37), (1, 37)]


def load_runtime():
    """examples/bert-encoder/runtime.py, with bf16 for arrays of 16 bits, as the references keep it."""
    spec = importlib.util.spec_from_file_location("runtime", os.path.join(ROOT, "examples", "bert-encoder", "runtime.py"))
    runtime = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(runtime)
    describe = runtime._describe

    def describe_bf16(array):
        tensor, kept = describe(array)
        if array.dtype == np.uint16:
            tensor.code = 4
        return tensor, kept
    runtime._describe = describe_bf16
    return runtime


def varying_axis(small, large):
    """For each pair of arrays the axis in which they differ; None: none."""
    axes = []
    for a, b in zip(small, large):
        differing = [i for i, (x, y) in enumerate(zip(np.shape(a), np.shape(b))) if x != y]
        if len(differing) > 1:
            raise SystemExit("the batch is in two axes of one array")
        axes.append(differing[0] if differing else None)
    return axes


def part(array, axis, begin, end):
    return array if axis is None else np.ascontiguousarray(np.take(array, range(begin, end), axis))


class Function:
    """One function of an artifact, with one and with two threads."""

    def __init__(self, runtime, library, artifact, name, kernels):
        self.name, self.kernels, self.runtime = name, kernels, runtime
        self.models = [runtime.Model(library, artifact, threads) for threads in (1, 2)]

    def force(self, kernel, candidate):
        for model in self.models:
            model._check(model.lib.vortexContextForce(model.context, kernel.encode(), candidate.encode() if candidate else None))

    def call(self, model, inputs, shapes, dtypes):
        outputs = [np.empty(s, t) for s, t in zip(shapes, dtypes)]
        model.call(self.name, [np.asarray(i) for i in inputs], outputs)
        return outputs

    def close(self):
        for model in self.models:
            model.close()


def same(a, b):
    return a.shape == b.shape and a.tobytes() == np.ascontiguousarray(b).tobytes()


def check_at(function, reference, name, sizes):
    """(runs, places that differ) at SIZES, without the size NAME."""
    inputs, results = reference.make({**sizes, name: ROWS})
    fewer, fewer_results = reference.make({**sizes, name: ROWS - 1})
    in_axes, out_axes = varying_axis(fewer, inputs), varying_axis(fewer_results, results)
    if function.name in WEIGHTS:
        weight = WEIGHTS[function.name]
        for model in function.models:
            model.bind(function.name, [inputs[weight]])
        del inputs[weight], in_axes[weight]
    dtypes = [r.dtype for r in results]
    whole = function.call(function.models[0], inputs, [r.shape for r in results], dtypes)
    if not same(whole[0], function.call(function.models[0], inputs, [r.shape for r in results], dtypes)[0]):
        return 1, ["the same call twice"]
    runs, differing = 0, []
    forces = [(None, None)] + [(k, c) for k, names in function.kernels.items() for c in names]
    for kernel, candidate in forces:
        if kernel:
            function.force(kernel, candidate)
        for begin, end in PARTS + [(0, ROWS)]:
            some = [part(a, axis, begin, end) for a, axis in zip(inputs, in_axes)]
            wanted = [part(a, axis, begin, end) for a, axis in zip(whole, out_axes)]
            for model, threads in zip(function.models, (1, 2)):
                try:
                    got = function.call(model, some, [w.shape for w in wanted], dtypes)
                except function.runtime.VortexError as e:
                    if candidate and "guard" in str(e):
                        continue
                    raise
                runs += 1
                if not all(map(same, got, wanted)):
                    differing.append(f"rows {begin} to {end}, {threads} threads, {candidate or 'as chosen'}")
        if kernel:
            function.force(kernel, None)
    return runs, differing


def check(tools, runtime, library, folder, name, options):
    """Whether all bits are as they should be."""
    reference, (batch, cases) = PROGRAMS[name], CASES[name]
    flags = [] if options.differs else ["--deterministic=batch-invariant"]
    artifact = os.path.join(folder, os.path.basename(reference.file) + ".so")
    if not os.path.exists(artifact):
        together = [n for n in options.names if PROGRAMS[n].file == reference.file]
        flags += [f"--weights={f}:{WEIGHTS[f]}" for f in together if f in WEIGHTS]
        source = tools.extract(os.path.join(TEST, "models", reference.file + ".mlir"), together, artifact + ".mlir")
        tools.compile(source, artifact, options.target, flags)
    kernels = tools.candidates(artifact, name)
    function = Function(runtime, library, artifact, name, kernels)
    runs, failures = 0, []
    for text in cases:
        some, differing = check_at(function, reference, batch, parse_sizes(text))
        runs += some
        failures += [f"{text}: {d}" for d in differing]
    function.close()
    repeats = not any("twice" in f for f in failures)
    good = repeats and (bool(failures) if options.differs else not failures)
    print(f"{'PASS' if good else 'FAIL'} {name}: {runs} runs, {len(failures)} with other bits, "
          f"candidates of {len(kernels)} kernels forced", flush=True)
    if not good:
        for failure in failures[:5]:
            print(f"  {failure}", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(CASES), metavar="NAME")
    parser.add_argument("--differs", action="store_true", help="without the option: some part has to differ, or this test says nothing")
    parser.add_argument("--target", default="host")
    parser.add_argument("--bin", default=default_bin(), help="folder of the tools (default: VORTEX_BIN or build/bin)")
    parser.add_argument("--library", help="libvortex_runtime.so (default: ../lib beside the tools)")
    options = parser.parse_args()
    unknown = [n for n in options.names if n not in CASES]
    if unknown:
        parser.error(f"no case for {', '.join(unknown)}; known: {', '.join(CASES)}")
    library = options.library or os.path.join(options.bin, "..", "lib", "libvortex_runtime.so")
    runtime = load_runtime()
    with tempfile.TemporaryDirectory(prefix="vortex-e2e-") as folder:
        try:
            tools = Tools(options.bin)
            wrong = [n for n in options.names if not check(tools, runtime, library, folder, n, options)]
        except (ToolError, runtime.VortexError) as e:
            print(f"batch_invariant.py: {e}", file=sys.stderr)
            return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
