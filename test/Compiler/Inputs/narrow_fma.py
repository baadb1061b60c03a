"""Writes to FOLDER operands of a * b + c in f16 and bf16 and what they give, rounded once: narrow_fma.py FOLDER"""
import os
import sys
from fractions import Fraction

import numpy as np

# Bits of the significand, the least exponent of its last bit, the greatest exponent, in bits of the storage.
FORMATS = {"f16": (11, -24, 15), "bf16": (8, -133, 127)}


def value(bits, name):
    """What finite BITS stand for."""
    width, least, _ = FORMATS[name]
    exponent, fraction = (bits & 0x7FFF) >> (width - 1), bits & ((1 << (width - 1)) - 1)
    significand = fraction + ((1 << (width - 1)) if exponent else 0)
    return (-1 if bits >> 15 else 1) * significand * Fraction(2) ** (least + max(exponent, 1) - 1)


def nearest(x, name):
    """The bits of X, not zero, rounded to nearest, ties to even."""
    width, least, most = FORMATS[name]
    sign, x = (0x8000 if x < 0 else 0), abs(x)
    last = least
    while x >= Fraction(2) ** (last + width):
        last += 1
    units = round(x / Fraction(2) ** last)               # of a fraction: ties to even
    if units >= Fraction(2) ** (most + 1 - last):
        return sign | (((1 << (16 - width)) - 1) << (width - 1))     # infinity
    # A carry into the next exponent is a carry in the bits.
    return sign | (((last - least) << (width - 1)) + units)


def operands(name, r, count):
    """Operands and what they give: anywhere, where much cancels, and where the exact result lies just beside the middle of two values."""
    width, least, most = FORMATS[name]
    infinity = ((1 << (16 - width)) - 1) << (width - 1)

    def number(x, exponent):
        return nearest(x * Fraction(2) ** int(exponent), name)

    def anything():
        return int(r.integers(infinity)) | int(r.integers(2)) << 15

    # An odd number of one bit too many is a middle, here as a product.
    factors = {"f16": (7, 293), "bf16": (7, 37)}[name]
    tiny = Fraction(1, 1 << (width - 1))
    done = 0
    while done < count:
        a, b, c = anything(), anything(), anything()
        kind, sign = r.integers(4), 1 - 2 * int(r.integers(2))
        if kind == 1 and value(a, name) * value(b, name):
            c = number(value(a, name) * value(b, name), r.integers(-width - 3, width + 3))
        elif kind == 2:                                  # the addend is a value, the product almost half a step
            exponent = r.integers(least // 2 + width, most // 2)
            a, b = number(1 + tiny, exponent), number(sign * (1 - tiny), 0)
            c = number(1 + int(r.integers(1 << (width - 1))) * tiny, exponent + width)
        elif kind == 3:                                  # the product is a middle, the addend may be very small
            a, b = number(factors[0], r.integers(most // 2)), number(sign * factors[1], -4)
            c = anything() & ~(infinity & infinity << 2)
        if max(bits & 0x7FFF for bits in (a, b, c)) >= infinity:
            continue
        exact = value(a, name) * value(b, name) + value(c, name)
        if exact:
            yield a, b, c, nearest(exact, name)
            done += 1


for name in FORMATS:
    table = np.array(list(operands(name, np.random.default_rng(7), 4000)), dtype=np.uint16)
    for column, which in zip(table.T, ("a", "b", "c", "want")):
        column = np.ascontiguousarray(column)
        np.save(os.path.join(sys.argv[1], f"{name}-{which}.npy"), column.view(np.float16) if name == "f16" else column)
