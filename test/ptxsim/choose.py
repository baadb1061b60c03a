"""choose.py MxNxK...: the candidate that sm_80 prefers for an f16 product with bias at each size.

Sizes are made static and machine parameters their defaults, so that the choice folds."""
import re
import subprocess
import sys

FUNCTION = """func.func @mm(%a: tensor<{m}x{k}xf16>, %b: tensor<{k}x{n}xf16>, %o: tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32> {{
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %p = linalg.matmul ins(%a, %b : tensor<{m}x{k}xf16>, tensor<{k}x{n}xf16>) outs(%z : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  return %p : tensor<{m}x{n}xf32>
}}
"""


def opt(text, *passes):
    done = subprocess.run(["vortex-opt", "-", "--target=sm_80", *passes], input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


for size in sys.argv[1:]:
    m, n, k = size.split("x")
    planned = opt(FUNCTION.format(m=m, n=n, k=k), "--vortex-hierarchize", "--vortex-select-kernels")
    numbers = re.sub(r'vortex\.machine_param "[^"]*" default', "arith.constant", planned)
    folded = opt(numbers, "--canonicalize", "--cse", "--canonicalize")
    names, choice = re.search(r'vortex\.select "[^"]*" \[([^]]*)\] %(\w+)', folded).groups()
    position = int(re.search(rf"%{choice} = arith\.constant (-?\d+) : index", folded)[1])
    costs = [float(re.search(rf"{name} = arith\.constant (\S+) : f64", folded)[1])
             for name in re.search(r"costs\(([^)]*)\)", folded)[1].split(", ")]
    print(size, names.replace('"', "").split(", ")[position] if position >= 0 else "none", f"{costs[position] / 1000:.1f} us")
