"""Writes what vortex-bench --oracle would of COUNT sizes: FILE COUNT FACTOR, the factor of the tall tile's time over its cost."""
import json
import sys

rows = []
for size in range(1, int(sys.argv[2]) + 1):
    flat, tall = 3.0 * size, 2.5 * size
    rows.append({"m": size, "n": 7, "k": 2 * size, "dtype": "f32", "us": {"vortex": flat}, "choice": "tall",
                 "candidates_us": {"flat": flat, "tall": tall * float(sys.argv[3])}, "costs_us": {"flat": flat, "tall": tall}})
json.dump({"rows": rows}, open(sys.argv[1], "w"))
