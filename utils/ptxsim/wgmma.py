"""Matrix instructions of groups of four warps, on operands in shared memory.

Each warp has sixteen of the 64 rows.  Products run from their issue to the wait that covers their group: until then what they read
must stay, and nothing but copies of registers may touch their sums.
"""
import re

import numpy as np

from . import float8
from .tensormap import swizzled
from .memory import SimulationError
from .registers import as_bits, from_bits
from .transfer import pieces

GROUP, IN_GROUP = np.arange(32) >> 2, np.arange(32) & 3
SWIZZLE_128 = 1


def decode(instruction):
    opcode = instruction.opcode
    if opcode.startswith("wgmma.mma_async."):
        return decode_product(instruction)
    if opcode.startswith("wgmma.fence."):
        def fence(warp, mask):
            warp.products.fenced = True
        return fence
    if opcode.startswith("wgmma.commit_group."):
        return lambda warp, mask: warp.products.commit()
    if opcode.startswith("wgmma.wait_group."):
        return lambda warp, mask: warp.products.wait(int(instruction.operands[0]))
    return None


class Products:
    """The matrix instructions of one warp that are under way."""

    def __init__(self, warp):
        self.warp, self.fenced = warp, False
        self.groups, self.open = [], []  # what each instruction reads
        self.committed = self.complete = 0  # groups
        self.sums = {}  # register -> group whose end it waits for

    def start(self, where, registers):
        shared = self.warp.block.shared
        if not self.fenced:
            raise SimulationError("no wgmma.fence before the first product")
        shared.before_read(where, self.warp.agent)
        if not shared.fenced(where, self.warp.agent):
            raise SimulationError("a matrix instruction reads shared memory that threads wrote without a fence.proxy.async behind it")
        shared.reading[where] += 1
        self.open.append(where)
        self.sums.update(dict.fromkeys(registers, self.committed))

    def commit(self):
        self.groups.append(self.open)
        self.open = []
        self.committed += 1

    def wait(self, pending):
        shared = self.warp.block.shared
        while len(self.groups) > pending:
            for where in self.groups.pop(0):
                shared.reading[where] -= 1
                shared.after_read(where, self.warp.agent)
            self.complete += 1
        self.sums = {register: group for register, group in self.sums.items() if group >= self.complete}

    def check(self, register):
        if register in self.sums:
            raise SimulationError(f"register {register} is read while a matrix instruction still adds to it")


class Operand:
    """A descriptor: where the elements of a matrix lie."""

    def __init__(self, bits, transposed):
        self.start, self.leading, self.stride = ((bits >> shift & 0x3FFF) << 4 for shift in (0, 16, 32))
        self.transposed = transposed
        if bits >> 62 != SWIZZLE_128 or bits >> 49 & 7:
            raise SimulationError(f"descriptor {bits:#x}: the simulator knows the swizzle of 128 bytes from the beginning of a pattern")

    def addresses(self, rows, steps, size):
        """Of elements of SIZE bytes: a row of the result (column for B), a step of the reduction."""
        r, k = rows[:, None], steps[None, :]
        if self.transposed and size != 2:
            raise SimulationError("a transposed operand of other than 16-bit elements")
        if self.transposed:
            plain = self.start + r // 64 * self.leading + k // 8 * self.stride + k % 8 * 128 + r % 64 * 2
        else:
            plain = self.start + r // 8 * self.stride + r % 8 * 128 + k * size
        return swizzled(plain)


# By the type in the opcode: bytes of an element, steps, how it is read, as what products are added.
ELEMENTS = {"f16": (2, 16, np.float16, np.float32), "bf16": (2, 16, np.uint16, np.float32), "tf32": (4, 8, np.uint32, np.float32),
            "s8": (1, 32, np.int8, np.int64), "u8": (1, 32, np.uint8, np.int64), "e4m3": (1, 32, np.uint8, np.float32),
            "e5m2": (1, 32, np.uint8, np.float32)}
SUMS = {"f32": np.float32, "s32": np.int32}


def decode_product(instruction):
    shape = re.search(r"\.m64n(\d+)k(\d+)\.(f32|s32)\.(\w+)\.(\w+)$", instruction.opcode)
    kinds = shape.groups()[3:] if shape else ()
    known = shape and all(kind in ELEMENTS and ELEMENTS[kind][1] == int(shape[2]) for kind in kinds)
    if not known or (shape[3] == "s32") != (kinds[0] in ("s8", "u8")) or (shape[3] == "f32" and kinds[0] != kinds[1]):
        raise SimulationError(f"{instruction}: the simulator knows wgmma of floats of 16 and 8 bits and tf32 with f32, of 8-bit integers with"
                              " s32")
    columns, number = int(shape[1]), SUMS[shape[3]]
    # Signs and transpositions are operands where the types have them.
    sums, a, b, scale, *rest = instruction.operands
    sums = pieces(sums)
    signs, turned = rest[:2], rest[2:] or ["0", "0"]
    if len(sums) != columns // 2 or any(sign != "1" for sign in signs):
        raise SimulationError(f"{instruction}: {len(sums)} registers of sums, or negated operands")
    steps = np.arange(int(shape[2]))

    def numbers(shared, operand, rows, kind):
        size, _, held, added = ELEMENTS[kind]
        at = operand.addresses(rows, steps, size)
        shared.check(int(at.min()), int(at.max()) + size - int(at.min()), size)
        bytes_at = at[..., None] + np.arange(size)
        raw = np.ascontiguousarray(shared.data[bytes_at]).view(held)[..., 0]
        if kind == "bf16":
            raw = (raw.astype(np.uint32) << np.uint32(16)).view(np.float32)
        if kind in float8.VALUES:
            raw = float8.decode(raw, kind)
        if kind == "tf32":
            raw = (raw & np.uint32(0xFFFFE000)).view(np.float32)
        return bytes_at, raw.astype(added)

    def multiply(warp, mask):
        shared = warp.block.shared
        if len({int(x) for x in warp.read(a)}) > 1 or len({int(x) for x in warp.read(b)}) > 1:
            raise SimulationError("the lanes of a warp have different descriptors")
        rows = np.arange(16) + 16 * (warp.index % 4)
        at_a, left = numbers(shared, Operand(int(warp.read(a)[0]), turned[0] == "1"), rows, kinds[0])
        at_b, right = numbers(shared, Operand(int(warp.read(b)[0]), turned[1] == "1"), np.arange(columns), kinds[1])
        warp.products.start(np.concatenate([at_a.ravel(), at_b.ravel()]), sums)
        product = (left @ right.T).astype(number)
        adds = warp.read(scale)[0] != 0
        for i, register in enumerate(sums):
            part = product[GROUP + 8 * (i >> 1 & 1), 8 * (i >> 2) + 2 * IN_GROUP + (i & 1)]
            if adds:
                part = from_bits(as_bits(warp.registers[register]), np.dtype(number)) + part
            warp.registers[register] = np.ascontiguousarray(part.astype(number))
        warp.block.counts["wgmma"] += 1
    return multiply
