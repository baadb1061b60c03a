"""What registers hold: an array of 32 numbers of the type that the last instruction wrote; who reads another type sees their bits."""
import re

import numpy as np

U64 = np.dtype(np.uint64)
UNSIGNED = {1: np.dtype(np.uint8), 2: np.dtype(np.uint16), 4: np.dtype(np.uint32), 8: U64}


def as_bits(value):
    """Numbers of any type as register bits, uint64."""
    return value if value.dtype == U64 else value.view(UNSIGNED[value.itemsize]).astype(U64)


def from_bits(bits, dtype):
    """The low bits of registers as numbers of DTYPE."""
    return bits != 0 if dtype == bool else bits.astype(UNSIGNED[dtype.itemsize], copy=False).view(dtype)


def constant(name):
    """The bits that the text of a constant stands for; None if it is none."""
    if re.match(r"^-?\d+$", name):
        return int(name) & (2**64 - 1)
    if re.match(r"^0[fFdD]", name) or re.match(r"^-?0[xX]", name):
        return int(re.sub(r"^0[fFdD]", "", name).rstrip("U"), 16) & (2**64 - 1)
    return None


def reader(name, dtype):
    """A function of a warp: what operand NAME is in each lane, as DTYPE."""
    bits = constant(name)
    if bits is not None:
        known = from_bits(np.full(32, bits, U64), dtype)
        return lambda warp: known

    def read(warp):
        value = warp.registers.get(name)
        if value is None or warp.products.sums:
            value = warp.read(name)
        if value.dtype == dtype:
            return value
        if value.itemsize == dtype.itemsize and dtype != bool:
            return value.view(dtype)
        return from_bits(as_bits(value), dtype)
    return read
