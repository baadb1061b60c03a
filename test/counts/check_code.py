"""check_code.py FILE --target=T [--most=R] [--strips=R]: what the code of each kept candidate costs, counted in its assembly.

Prints a line for each kernel module and ends with 1 when an innermost loop moves a vector register to or from the stack, or when the
loop with the most multiply-adds has more than R instructions for each; of strips, which permute for each, and of outer products, which store each row, there may be others. A line
also says how many lines of results the code requests for writing (prefetchw).
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

from hot_loops import hot_loops


def kept_modules(folder):
    """The kernel modules of the final plan; the folder may also hold code of candidates that were dropped."""
    with open(os.path.join(folder, "1-kernels.mlir")) as f:
        return re.findall(r'^\s+module @"?([^\s"]+)"? attributes \{[^\n]*vortex\.kernel_module', f.read(), flags=re.M)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--target", required=True)
    parser.add_argument("--most", type=float, default=float("inf"), metavar="R")
    parser.add_argument("--strips", type=float, default=float("inf"), metavar="R")
    options = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        command = ["vortex-compile", options.file, f"--target={options.target}", "--no-cache", f"--dump-stages-to={folder}",
                   "-o", os.path.join(folder, "out.so")]
        if subprocess.run(command, stdin=subprocess.DEVNULL).returncode:
            return 1
        modules = kept_modules(folder)
        for module in modules:
            with open(os.path.join(folder, f"kernel-{module}.s")) as f:
                code = f.read()
            loops = hot_loops(code)
            ahead = len(re.findall(r"^\s+prefetchw\b", code, flags=re.M))
            # A loop whose spills are no more than one in 32 instructions keeps its candidate (SpillCount.cpp).
            spills = sum(loop.spills for loop in loops if loop.spills * 32 > len(loop.instructions))
            tiles = [loop for loop in loops if loop.multiply_adds]
            fullest = max((loop.multiply_adds for loop in tiles), default=0)
            ratio = min((loop.ratio() for loop in tiles if loop.multiply_adds == fullest), default=0)
            bad = spills > 0 or ratio > (options.strips if "strip_" in module or "outer_" in module else options.most)
            wrong += bad
            print(f"{'FAIL' if bad else 'ok':4} {module}: {len(loops)} innermost loops, {spills} spills"
                  + (f", {fullest} multiply-adds at {ratio:.2f} instructions each" if fullest else "")
                  + (f", lines of results taken ahead: {ahead}" if ahead else ""))
    if not modules:
        print("FAIL: there is no kernel")
    return 1 if wrong or not modules else 0


if __name__ == "__main__":
    sys.exit(main())
