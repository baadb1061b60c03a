"""odd_masks.py FOLDER: writes @causal of Inputs/chains.mlir with masks whose bounds are none, or not where they seem to be, to FOLDER."""
import os
import re
import sys

CAST = "%i4 = arith.index_cast %i : index to {0}\n    %j4 = arith.index_cast %j : index to {0}\n    "
# What replaces the comparison: sums that wrap around in 64 and in 32 bits, numbers made narrower, a difference as a number without a sign.
MASKS = {
    "largest": "%h = arith.constant 9223372036854775807 : index\n    %y = arith.subi %h, %i : index\n    %seen = arith.cmpi sle, %j, %y : index",
    "wraps": "%h = arith.constant 9223372036854775807 : index\n    %y = arith.addi %h, %i : index\n    %seen = arith.cmpi sle, %j, %y : index",
    "wraps32": CAST.format("i32") + "%h = arith.constant 2147483647 : i32\n    %y = arith.addi %i4, %h : i32\n    %seen = arith.cmpi sle, %j4, %y : i32",
    "plain32": CAST.format("i32") + "%seen = arith.cmpi sle, %j4, %i4 : i32",
    "bytes": CAST.format("i8") + "%seen = arith.cmpi sle, %j4, %i4 : i8",
    "bytes64": CAST.format("i8") + "%i8 = arith.extsi %i4 : i8 to i64\n    %j8 = arith.extsi %j4 : i8 to i64\n    %seen = arith.cmpi sle, %j8, %i8 : i64",
    "unsigned": CAST.format("i8") + "%seen = arith.cmpi ule, %j4, %i4 : i8",
    "extended": CAST.format("i8") + "%d = arith.subi %j4, %i4 : i8\n    %e = arith.extsi %d : i8 to i32\n    %w = arith.constant 20 : i32\n"
                "    %seen = arith.cmpi sle, %e, %w : i32",
    "difference": CAST.format("i32") + "%d = arith.subi %j4, %i4 : i32\n    %e = arith.index_castui %d : i32 to index\n    %w = arith.constant 20 : index\n"
                  "    %seen = arith.cmpi sle, %e, %w : index",
}
PLAIN = "%seen = arith.cmpi sle, %j, %i : index"
EXPONENT = "%u = math.exp %t : f32"
SCALED = "%c = arith.constant {} : f32\n    %tt = arith.mulf %t, %c : f32\n    %u = math.exp %tt : f32"
# The infinity's weight is infinite, or none: no number, where a step of it is left out or not; and of softmin, none.
WEIGHTS = {
    "negative": [(EXPONENT, SCALED.format("-1.0"))],
    "none": [(EXPONENT, SCALED.format("0.0"))],
    "positive": [(EXPONENT, SCALED.format("0.5"))],
    "smallest": [("0xFF800000", "0x7F800000"), ("maximumf", "minimumf")],
    "softmin": [("0xFF800000", "0x7F800000"), ("maximumf", "minimumf"), (EXPONENT, SCALED.format("-1.0"))],
}


def main():
    text = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "chains.mlir")).read()
    head = "\n".join(line for line in text.splitlines() if line.startswith("#"))
    causal = re.search(r"^func\.func @causal\(.*?^}", text, re.S | re.M)[0]
    programs = {name: [(r"%seen = .*", mask)] for name, mask in MASKS.items()}
    programs.update({name: [(r"%seen = .*", PLAIN), *changes] for name, changes in WEIGHTS.items()})
    for name, changes in programs.items():
        body = causal.replace("@causal", "@" + name)
        for old, new in changes:
            body, count = re.subn(old if old.startswith("%seen") else re.escape(old), lambda _: new, body)
            assert count == 1, (name, old, count)
        with open(os.path.join(sys.argv[1], name + ".mlir"), "w") as file:
            file.write(head + "\n" + body + "\n")


if __name__ == "__main__":
    main()
