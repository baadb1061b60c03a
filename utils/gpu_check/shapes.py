"""The sizes that programs are timed at: the sets of the project, which lie beside this folder, and some of our own."""
import csv
import os

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "shapes")

SQUARES = [(n, n, n) for n in (256, 512, 1024, 2048, 4096, 8192)]
LAYERS = [(m, n, k) for m in (1, 8, 16, 64, 128, 512, 2048, 4096) for n, k in ((4096, 4096), (11008, 4096), (4096, 11008))]
ODD = [(127, 127, 127), (1000, 1000, 1000), (1023, 1025, 2047), (4097, 4096, 4096), (64, 64, 16384)]
ROWS = [(m, n) for m in (1, 128, 4096, 65536) for n in (128, 1000, 1024, 4096)] + [(8, 1 << 20)]


def rows_of(name):
    with open(os.path.join(FOLDER, f"{name}.csv")) as f:
        return list(csv.DictReader(f))


def numbers(row, *keys):
    return tuple(int(row[key]) for key in keys)


def deepbench(order):
    """DeepBench's products are of columns first: their transposition is one of rows, with the factors in the other place."""
    wanted = tuple("true" if c == "t" else "false" for c in order)
    return sorted({numbers(row, "n", "m", "k") for row in rows_of("deepbench_gemm") if (row["b_t"], row["a_t"]) == wanted})


def encoder():
    dense = {numbers(row, "m", "n", "k") for row in rows_of("dietcode_shapes") if row["op"] == "dense"}
    return sorted(dense | {numbers(row, "m", "n", "k") for row in rows_of("transformer_gemm")})


def batches(op):
    return [numbers(row, "batch", "m", "n", "k") for row in rows_of("dietcode_shapes") if row["op"] == op]


def heads():
    return [(b * h, m, n, d) for b, h, m, n, d in (numbers(row, "batch", "heads", "m", "n", "k") for row in rows_of("transformer_attention"))]


def convolutions(stride):
    """(images, height, width, channels, filters, window): images with their padding, which programs get so."""
    found = set()
    for row in rows_of("deepbench_conv"):
        if numbers(row, "hstride", "wstride") == (stride, stride):
            n, h, w, c, f, p, q, ph, pw = numbers(row, "n", "h", "w", "c", "k", "filter_h(r)", "filter_w(s)", "pad_h", "pad_w")
            found.add((n, h + 2 * ph, w + 2 * pw, c, f, p, q))
    return sorted(found)
