"""Fails when a number of a description in FOLDER does not say where it comes from."""
import pathlib
import re
import sys

bad = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.mlir")):
    for line, text in enumerate(path.read_text().splitlines(), 1):
        text = re.sub(r'"(\\.|[^"\\])*"', '""', text.split("//")[0])
        # One unit of a level says nothing about the machine; registers are part of the instruction's definition.
        for field, rest in re.findall(r"(\w+) = ([0-9][^,<>]*)", text):
            if field in ("shape", "registers") or (field == "units" and rest.strip() == "1"):
                continue
            if 'from ""' not in rest:
                print(f"{path.name}:{line}: '{field}' has no provenance")
                bad += 1
sys.exit(bad != 0)
