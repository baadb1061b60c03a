"""What bulk tensor copies know of a tensor.

The driver's encoding is its own secret.  This one, which the stand-in driver of the tests writes too, has in 128 bytes, little endian:
magic, bytes of an element (4 each), rank, swizzle in bytes (4 each), address (8), five extents (4 each), five strides in bytes
(8 each, the first that of an element), five extents of the box (4 each).  Dimensions are innermost first; those beyond the rank are 0.
"""
import struct
from dataclasses import dataclass

import numpy as np

from .memory import SimulationError

BYTES = 128
FORM = struct.Struct("<4I Q 5I 5Q 5I".replace(" ", ""))
MAGIC = 0x70616D54
MOST = 5
PATTERN = 1024  # bytes after which the 128-byte swizzle repeats


def swizzled(addresses):
    """PTX ISA, 128-byte swizzle: the chunk of 16 bytes XOR the row of 128."""
    return addresses ^ ((addresses >> 3) & 0x70)


@dataclass
class TensorMap:
    address: int
    element_bytes: int
    extents: tuple
    strides: tuple  # in bytes, the innermost first: one for each dimension
    box: tuple
    swizzle: int = 128

    @staticmethod
    def of(address, shape, element_bytes, box):
        """That of a dense tensor; SHAPE and BOX outermost first."""
        strides = [element_bytes]
        for extent in reversed(shape[1:]):
            strides.append(strides[-1] * extent)
        return TensorMap(address, element_bytes, tuple(reversed(shape)), tuple(strides), tuple(reversed(box))).checked()

    def checked(self):
        """What the driver asks of a map."""
        rank = len(self.extents)
        wrong = ""
        if not 1 <= rank <= MOST or len(self.box) != rank or len(self.strides) != rank:
            wrong = f"has {rank} dimensions"
        elif self.address % 16:
            wrong = f"begins at {self.address:#x}, no multiple of 16"
        elif not all(1 <= x <= 2**32 for x in self.extents):
            wrong = f"has extents {self.extents}"
        elif any(s % 16 or s >= 2**40 for s in self.strides[1:]):
            wrong = f"has strides {self.strides} in bytes, which must be multiples of 16 below 2^40"
        elif not all(1 <= x <= 256 for x in self.box) or self.box[0] * self.element_bytes % 16:
            wrong = f"has a box of {self.box}"
        elif self.swizzle and self.box[0] * self.element_bytes > self.swizzle:
            wrong = f"has a box with rows of {self.box[0] * self.element_bytes} bytes in a swizzle of {self.swizzle}"
        if wrong:
            raise SimulationError("a tensor map " + wrong)
        return self

    def encode(self):
        def five(values):
            return list(values) + [0] * (MOST - len(values))
        return FORM.pack(MAGIC, self.element_bytes, len(self.extents), self.swizzle, self.address, *five(self.extents),
                         *five(self.strides), *five(self.box)).ljust(BYTES, b"\0")

    @staticmethod
    def decode(data):
        magic, size, rank, swizzle, address, *rest = FORM.unpack(data[: FORM.size])
        if magic != MAGIC or not 1 <= rank <= MOST:
            raise SimulationError("a parameter is no tensor map")
        return TensorMap(address, size, tuple(rest[:rank]), tuple(rest[5 : 5 + rank]), tuple(rest[10 : 10 + rank]), swizzle).checked()

    def box_rows(self):
        return int(np.prod(self.box[1:], dtype=np.int64))

    def row_bytes(self):
        return self.box[0] * self.element_bytes

    def parts(self, origin):
        """What of the box at ORIGIN is inside of the tensor: (row of the box, bytes of it, address, how many), a row each."""
        size = self.element_bytes
        if self.swizzle not in (0, 128):
            raise SimulationError(f"the simulator knows swizzles of 128 bytes, not of {self.swizzle}")
        first, last = max(0, origin[0]), min(self.extents[0], origin[0] + self.box[0])
        if last <= first:
            return
        for row, place in enumerate(np.ndindex(*reversed(self.box[1:]))):
            point = [o + p for o, p in zip(origin[1:], reversed(place))]
            if all(0 <= p < extent for p, extent in zip(point, self.extents[1:])):
                address = self.address + first * size + sum(p * s for p, s in zip(point, self.strides[1:]))
                yield row, slice((first - origin[0]) * size, (last - origin[0]) * size), address, (last - first) * size
