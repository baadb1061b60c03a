"""choices.py TARGET: the candidate that the machine TARGET prefers for products at thirty fixed sizes, one line each.

Sizes are static and machine parameters their defaults, so that each choice folds to one candidate.  After a change of costs that is
meant, write the output over Inputs/choices-TARGET.txt and look at the difference.
"""
import re
import sys

from opt import opt

# m, n, k: few rows, tiles and their edges, square, long, wide, deep.
SIZES = [(1, 1, 1), (3, 5, 7), (1, 768, 768), (1, 4096, 4096), (2, 1000, 64), (7, 512, 512), (8, 512, 512), (9, 512, 512), (14, 3072, 768),
         (15, 33, 17), (16, 16, 16), (32, 768, 768), (64, 64, 64), (100, 1, 100), (100, 10, 1000), (127, 129, 131), (128, 768, 3072),
         (256, 256, 256), (384, 768, 768), (512, 512, 512), (1000, 1000, 1000), (1024, 16, 1024), (1024, 1024, 8), (16, 4096, 11008),
         (64, 4096, 4096), (2048, 2048, 2048), (4096, 4096, 64), (5000, 31, 31), (35, 8457, 2560), (7680, 16, 2560)]
ELEMENTS = {"sm_80": ["f16"], "x86-avx512-amx": ["f32", "bf16"]}


def function(index, size, element, attribute):
    m, n, k = size
    a, b, o = f"tensor<{m}x{k}x{element}>", f"tensor<{k}x{n}x{element}>", f"tensor<{m}x{n}xf32>"
    return (f"func.func @f{index}(%a: {a}, %b: {b}{attribute}, %o: {o}) -> {o} {{\n"
            "  %zero = arith.constant 0.0 : f32\n"
            f"  %z = linalg.fill ins(%zero : f32) outs(%o : {o}) -> {o}\n"
            f"  %p = linalg.matmul ins(%a, %b : {a}, {b}) outs(%z : {o}) -> {o}\n"
            f"  return %p : {o}\n}}\n")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    target = sys.argv[1]
    forms = {"plain": ""} if target.startswith("sm_") else {"plain": "", "weight": " {vortex.weight}"}
    elements = ELEMENTS.get(target, ["f32"])
    rows = [(form, element, size) for element in elements for form in forms for size in SIZES]
    program = "".join(function(i, size, element, forms[form]) for i, (form, element, size) in enumerate(rows))
    planned = opt(program, f"--target={target}", "--vortex-hierarchize", "--vortex-select-kernels=machine-defaults")
    for function_text in planned.split("func.func ")[1:]:
        row = int(re.match(r"@f(\d+)", function_text)[1])
        names = re.findall(r"vortex\.candidate @(\S+)", function_text)
        form, element, size = rows[row]
        choice = names[0] if len(names) == 1 else "does not fold"
        form += f" {element}" if element != elements[0] else ""
        print(f"{form:6} {'x'.join(map(str, size)):16} {choice}")


main()
