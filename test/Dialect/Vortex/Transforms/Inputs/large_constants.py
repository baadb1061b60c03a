"""Prints a program of three kernels that differ only in a constant of more than 2^20 elements; the first and the last are the same."""

SIZE = (1 << 20) + 1
KERNEL = """
  %k{number} = vortex.kernel "f.{number}" axes ["d0"] ins(%x : tensor<{size}xi8>) outs(%x : tensor<{size}xi8>) {{
  ^bb0(%in: tensor<{size}xi8>, %out: tensor<{size}xi8>):
    %c = arith.constant dense<"0x{bytes}"> : tensor<{size}xi8>
    %r = linalg.add {{vortex.anchor, vortex.id = "p0"}} ins(%in, %c : tensor<{size}xi8>, tensor<{size}xi8>)
        outs(%out : tensor<{size}xi8>) -> tensor<{size}xi8>
    vortex.yield %r : tensor<{size}xi8>
  }} candidates {{
  ^bb0(%d0: index):
    vortex.candidate @rows cost {{
      %ns = arith.constant 1.0 : f64
      vortex.yield %ns : f64
    }} schedule {{
      vortex.stage ["p0"]
    }}
  }} : tensor<{size}xi8>"""

print(f"func.func @f(%x: tensor<{SIZE}xi8>) -> ({', '.join([f'tensor<{SIZE}xi8>'] * 3)}) {{", end="")
for number, last in enumerate(("01", "02", "01")):
    print(KERNEL.format(number=number, size=SIZE, bytes="00" * (SIZE - 1) + last), end="")
print(f"\n  return %k0, %k1, %k2 : {', '.join([f'tensor<{SIZE}xi8>'] * 3)}\n}}")
