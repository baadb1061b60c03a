"""choices.py TARGET: the candidate that the machine TARGET prefers for products at some fixed sizes, on CPUs also with a transposed B and
for convolutions.

Sizes are static and machine parameters their defaults, so that each choice folds to one candidate.  After a change of costs that is
meant, write the output over Inputs/choices-TARGET.txt and look at the difference.  TARGET may have fields, as `--target` has.
"""
import re
import sys

from opt import opt

# m, n, k: few rows, tiles and their edges, square, long, wide, deep, few steps, rows of B that start elsewhere than lines do.
SIZES = [(1, 1, 1), (3, 5, 7), (1, 768, 768), (1, 4096, 4096), (2, 1000, 64), (7, 512, 512), (8, 512, 512), (9, 512, 512), (14, 3072, 768),
         (15, 33, 17), (16, 16, 16), (32, 768, 768), (64, 64, 64), (100, 1, 100), (100, 10, 1000), (127, 129, 131), (128, 768, 3072),
         (256, 256, 256), (384, 768, 768), (512, 512, 512), (1000, 1000, 1000), (1024, 16, 1024), (1024, 1024, 8), (16, 4096, 11008),
         (64, 4096, 4096), (2048, 2048, 2048), (4096, 4096, 64), (5000, 31, 31), (35, 8457, 2560), (7680, 16, 2560),
         (12, 1, 4), (852, 1, 3), (2809, 2, 1), (300, 8, 2), (4096, 3, 5), (4096, 3, 40), (300, 250, 3), (300, 250, 6),
         (300, 256, 6), (3, 501, 99), (8, 501, 99), (8, 131, 700), (24, 1024, 1024), (26, 3610, 110), (100, 250, 2000), (200, 500, 1000)]
# Few rows by a transposed B, lying a power of two apart or not, and the sizes from which packing pays.
TRANSPOSED = [(1, 64, 64), (1, 4096, 4096), (16, 2048, 2048), (16, 2560, 2560), (16, 4608, 1536), (32, 2048, 2048), (64, 1760, 1760),
              (700, 1024, 512), (1024, 1024, 1024)]
# h, w, c, f, window, stride, padding: few channels, many, small images that are mostly edge, windows in the padding alone.
CONVOLUTIONS = [(224, 224, 3, 64, 7, 2, 3), (224, 224, 3, 64, 3, 1, 1), (48, 480, 1, 16, 3, 1, 1), (24, 240, 16, 32, 3, 1, 1),
                (56, 56, 64, 64, 3, 1, 1), (14, 14, 256, 256, 3, 1, 1), (14, 14, 512, 48, 5, 1, 2), (7, 7, 832, 128, 5, 1, 2),
                (7, 7, 2048, 512, 1, 2, 3), (28, 28, 192, 64, 1, 1, 0), (56, 56, 64, 256, 1, 2, 0)]
ELEMENTS = {"sm_80": ["f16"], "x86-avx512-amx": ["f32", "bf16"]}


MAPS = " indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]"


def function(index, size, element, attribute, transposed):
    m, n, k = size
    b = f"{n}x{k}" if transposed else f"{k}x{n}"
    a, b, o = f"tensor<{m}x{k}x{element}>", f"tensor<{b}x{element}>", f"tensor<{m}x{n}xf32>"
    return (f"func.func @f{index}(%a: {a}, %b: {b}{attribute}, %o: {o}) -> {o} {{\n"
            "  %zero = arith.constant 0.0 : f32\n"
            f"  %z = linalg.fill ins(%zero : f32) outs(%o : {o}) -> {o}\n"
            f"  %p = linalg.matmul{MAPS if transposed else ''} ins(%a, %b : {a}, {b}) outs(%z : {o}) -> {o}\n"
            f"  return %p : {o}\n}}\n")


def convolution(index, size):
    h, w, c, f, window, stride, pad = size
    out = [(extent + 2 * pad - window) // stride + 1 for extent in (h, w)]
    x, p = f"tensor<1x{h}x{w}x{c}xf32>", f"tensor<1x{h + 2 * pad}x{w + 2 * pad}x{c}xf32>"
    k, o = f"tensor<{window}x{window}x{c}x{f}xf32>", f"tensor<1x{out[0]}x{out[1]}x{f}xf32>"
    padded = (f"  %p = tensor.pad %x low[0, {pad}, {pad}, 0] high[0, {pad}, {pad}, 0] {{\n"
              "  ^bb0(%i: index, %j: index, %k: index, %l: index):\n    tensor.yield %zero : f32\n"
              f"  }} : {x} to {p}\n") if pad else ""
    return (f"func.func @f{index}(%x: {x}, %f: {k} {{vortex.weight}}, %o: {o}) -> {o} {{\n"
            "  %zero = arith.constant 0.0 : f32\n" + padded +
            f"  %z = linalg.fill ins(%zero : f32) outs(%o : {o}) -> {o}\n"
            f"  %y = linalg.conv_2d_nhwc_hwcf {{strides = dense<{stride}> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}} "
            f"ins({'%p' if pad else '%x'}, %f : {p}, {k}) outs(%z : {o}) -> {o}\n"
            f"  return %y : {o}\n}}\n")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    target = sys.argv[1]
    cpu = not target.startswith("sm_")
    forms = {"plain": "", "weight": " {vortex.weight}"} if cpu else {"plain": ""}
    elements = ELEMENTS.get(target, ["f32"])
    rows = [(form, element, size) for element in elements for form in forms for size in SIZES]
    rows += [("b_t", elements[0], size) for size in TRANSPOSED if cpu]
    rows += [("conv", "f32", size) for size in CONVOLUTIONS if cpu]
    program = "".join(convolution(i, size) if form == "conv" else function(i, size, element, forms.get(form, ""), form == "b_t")
                      for i, (form, element, size) in enumerate(rows))
    planned = opt(program, f"--target={target}", "--vortex-hierarchize", "--vortex-select-kernels=machine-defaults")
    for function_text in planned.split("func.func ")[1:]:
        row = int(re.match(r"@f(\d+)", function_text)[1])
        names = re.findall(r"vortex\.candidate @(\S+)", function_text)
        form, element, size = rows[row]
        choice = names[0] if len(names) == 1 else "does not fold"
        form += f" {element}" if element != elements[0] else ""
        print(f"{form:6} {'x'.join(map(str, size)):16} {choice}")


main()
