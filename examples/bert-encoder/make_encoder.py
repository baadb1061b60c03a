#!/usr/bin/env python3
"""Writes bert_encoder.mlir: N layers of BERT-base with unknown batch and sequence length.

    make_encoder.py [--layers=4] > bert_encoder.mlir

One layer (layer.mlir) is one private function; the encoder calls it N times with weights of its own.  Sizes have names ("batch",
"seq"), so the caller's mistakes are reported by name; weights are marked, so they are bound and packed once.
"""
import argparse
import os

HIDDEN, HEADS, HEAD, INNER = 768, 12, 64, 3072
SQUARE, WIDE, TALL = f"tensor<{HIDDEN}x{HIDDEN}xf32>", f"tensor<{HIDDEN}x{INNER}xf32>", f"tensor<{INNER}x{HIDDEN}xf32>"
ROW, LONG_ROW = f"tensor<{HIDDEN}xf32>", f"tensor<{INNER}xf32>"
WEIGHTS = [("wq", SQUARE), ("bq", ROW), ("wk", SQUARE), ("bk", ROW), ("wv", SQUARE), ("bv", ROW), ("wo", SQUARE), ("bo", ROW),
           ("g1", ROW), ("be1", ROW), ("w1", WIDE), ("b1", LONG_ROW), ("w2", TALL), ("b2", ROW), ("g2", ROW), ("be2", ROW)]


def encoder(layers):
    """The public function, as text."""
    x, mask = "tensor<?x?x768xf32>", "tensor<?x?xf32>"
    lines = [f'func.func @bert_encoder(%x: {x} {{vortex.dims = ["batch", "seq", ""]}}, %mask: {mask} {{vortex.dims = ["batch", "seq"]}},']
    for layer in range(layers):
        arguments = [f"%{name}_{layer}: {type_} {{vortex.weight}}" for name, type_ in WEIGHTS]
        for at in range(0, len(arguments), 4):
            lines.append("    " + ", ".join(arguments[at:at + 4]) + ",")
    lines[-1] = lines[-1][:-1] + f") -> {x} {{"
    value = "%x"
    types = ", ".join([x, mask] + [type_ for _, type_ in WEIGHTS])
    for layer in range(layers):
        names = ", ".join(f"%{name}_{layer}" for name, _ in WEIGHTS)
        lines.append(f"  %y{layer} = func.call @layer({value}, %mask, {names})")
        lines.append(f"      : ({types}) -> {x}")
        value = f"%y{layer}"
    return "\n".join(lines + [f"  return {value} : {x}", "}"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=4)
    layers = parser.parse_args().layers
    print(f"// BERT-base encoder, {layers} layers ({HIDDEN} features, {HEADS} heads of {HEAD}, feed-forward {INNER}); batch and seq unknown.")
    print("// Written by make_encoder.py.\n")
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "layer.mlir")) as f:
        print(f.read())
    print(encoder(layers), end="")


if __name__ == "__main__":
    main()
