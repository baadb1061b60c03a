"""choose.py [--target=sm_80] MxNxK...: the candidate that the target prefers for an f16 product with bias at each size.

Sizes are made static, machine parameters their defaults and operands aligned, so that the choice folds."""
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


target = next((a for a in sys.argv[1:] if a.startswith("--target=")), "--target=sm_80")


def opt(text, *passes):
    done = subprocess.run(["vortex-opt", "-", target, *passes], input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


for size in [a for a in sys.argv[1:] if not a.startswith("--")]:
    m, n, k = size.split("x")
    planned = opt(FUNCTION.format(m=m, n=n, k=k), "--vortex-hierarchize", "--vortex-select-kernels")
    # A choice that is constant folds away; an op that nobody knows stays and keeps what it names.
    names, choice, costs = re.search(
        r'vortex\.select "[^"]*" \[([^]]*)\] (%\w+) .*?costs\(([^)]*)\)', planned).groups()
    count = len(costs.split(", "))
    keep = f'"test.keep"({choice}, {costs}) : (index{", f64" * count}) -> ()\n'
    numbers = re.sub(r'vortex\.machine_param "[^"]*" default (\S+)', r"arith.constant \1 : f64", planned)
    numbers = re.sub(r"vortex\.alignment .*", "arith.constant 64 : index", numbers)
    numbers = re.sub(r"vortex\.stride .*", "arith.constant 64 : index", numbers)
    numbers = re.sub(r"^.*vortex\.select ", lambda line: keep + line[0], numbers, flags=re.M)
    folded = opt(numbers, "--allow-unregistered-dialect", "--canonicalize", "--cse", "--canonicalize")
    values = [re.search(rf"{name} = arith\.constant (\S+) : (?:index|f64)", folded)[1]
              for name in re.search(r'"test\.keep"\(([^)]*)\)', folded)[1].split(", ")]
    position, cost = int(values[0]), float(values[1 + int(values[0])])
    print(size, names.replace('"', "").split(", ")[position] if position >= 0 else "none", f"{cost / 1000:.1f} us")
