#!/usr/bin/env python3
"""Stands for vortex-bench: of three sizes two are behind. Sizes that it gets from a file of numbers are answered as such, 0.1 further ahead in each
process that reads the same one."""
import csv
import json
import os
import sys

options = dict(arg.lstrip("-").split("=", 1) for arg in sys.argv[2:] if "=" in arg)
sizes = [{"m": 1, "n": 2, "k": 3, "b_t": True}, {"m": 4, "n": 5, "k": 6}, {"m": 7, "n": 8, "k": 9}]
ratios = [0.5, 0.7, 1.2]
if options["json"].endswith(".again"):
    with open(options["shapes"], encoding="utf-8") as file:
        sizes = [{key: True if value == "true" else int(value) for key, value in row.items()} for row in csv.DictReader(file)]
    calls = os.environ["COUNT"] + os.path.basename(options["shapes"])
    with open(calls, "a", encoding="utf-8") as file:
        file.write(".")
    ratios = [0.5 + 0.1 * os.path.getsize(calls)] * len(sizes)
rows = [{**size, "dtype": "f32", "us": {"vortex": 1, "mkl": ratio}, "best": "mkl", "over_best": ratio} for size, ratio in zip(sizes, ratios)]
with open(options["json"], "w", encoding="utf-8") as file:
    json.dump({"peers": {"mkl": "1"}, "rows": rows, "left_out": [], "failed": [], "geomean": {"mkl": 0.8, "best": 0.8}}, file)
