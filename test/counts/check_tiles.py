"""check_tiles.py FILE --target=T [--most=R]: the code of each kept candidate with matrix tiles, counted in its assembly.

Prints a line for each such kernel module and ends with 1 when its fullest loop has anything but loads and products of tiles and at most one store, or more than
R instructions for each product, when a tile goes to the stack, or when tiles are configured in the loops of rows, columns or steps.
"""
import argparse
import os
import subprocess
import sys
import tempfile

from check_code import kept_modules
from hot_loops import depths, hot_loops


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--target", required=True)
    parser.add_argument("--most", type=float, default=float("inf"), metavar="R")
    options = parser.parse_args()
    seen = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        command = ["vortex-compile", options.file, f"--target={options.target}", "--no-cache", f"--dump-stages-to={folder}",
                   "-o", os.path.join(folder, "out.so")]
        if subprocess.run(command, stdin=subprocess.DEVNULL).returncode:
            return 1
        for module in kept_modules(folder):
            with open(os.path.join(folder, f"kernel-{module}.s")) as f:
                text = f.read()
            products = depths(text, "tdp")
            if not products:
                continue
            seen += 1
            loops = hot_loops(text)
            fullest = max(loops, key=lambda loop: (sum(i.startswith("tdp") for i in loop.instructions), -len(loop.instructions)))
            count = {name: sum(i.startswith(name) for i in fullest.instructions) for name in ("tdp", "tileload", "tilestore", "tile", "ldtilecfg")}
            spills = sum(loop.spills for loop in loops)
            # Steps, rows and columns are loops of the products; blocks of rows, which ask for memory, are around them.
            outside = max(products) - max(depths(text, "ldtilecfg"))
            ratio = len(fullest.instructions) / count["tdp"]
            bad = spills or outside < 3 or ratio > options.most or count["tile"] != count["tileload"] + count["tilestore"] or count["tilestore"] > 1 or count["ldtilecfg"]
            wrong += bool(bad)
            print(f"{'FAIL' if bad else 'ok':4} {module}: {count['tdp']} products and {count['tileload']} loads in "
                  f"{len(fullest.instructions)} instructions, {spills} spills, tiles configured {outside} loops outside")
    if not seen:
        print("FAIL: no kernel has products of tiles")
    return 1 if wrong or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
