"""Prints a program without tm_tensor: expand_loops.py ROOT FILE."""
import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "utils"))
from import_model import loops  # noqa: E402

with open(sys.argv[2]) as f:
    print(loops.expand(f.read()))
