"""Instructions of a whole warp on matrices."""
import re

import numpy as np

from .memory import SimulationError
from .registers import reader
from .transfer import address_of, pieces
from .warp import FULL, LANES

U64 = np.uint64
GROUP, IN_GROUP = LANES >> 2, LANES & 3  # PTX ISA, fragments of mma.m16n8k16


def decode(instruction):
    if instruction.opcode.startswith("ldmatrix."):
        return decode_ldmatrix(instruction)
    if instruction.opcode.startswith("mma.sync."):
        return decode_mma(instruction)
    if instruction.opcode in ("shfl.sync.idx.b32", "shfl.sync.bfly.b32"):
        return decode_shuffle(instruction)
    return None


def decode_shuffle(instruction):
    target, source, distance, clamp, members = instruction.operands
    butterfly = ".bfly." in instruction.opcode

    def shuffle(warp, mask):
        if (warp.read(clamp) != U64(31)).any():
            raise SimulationError("the simulator knows shuffles of whole warps")
        named = (warp.read(members)[0] >> np.arange(32, dtype=np.uint64)) & U64(1) != 0
        if (mask & ~named).any():
            raise SimulationError("a lane shuffles without being a member of the mask")
        if (named & ~mask).any():
            raise SimulationError("a lane of the mask does not take part in the shuffle")
        lane = (warp.read(distance) & U64(31)).astype(int)
        lane = lane ^ np.arange(32) if butterfly else lane
        warp.write(target.split("|")[0], warp.read(source)[lane], mask)
    return shuffle


def decode_ldmatrix(instruction):
    registers = pieces(instruction.operands[0])
    transposed = ".trans." in instruction.opcode

    def load(warp, mask):
        shared, counts = warp.block.shared, warp.block.counts
        addresses = address_of(warp, instruction.operands[1])[: 8 * len(registers)]
        where = shared.rows(addresses, 16)
        shared.before_read(where, warp.agent)
        counts["ldmatrix"] += 1
        halves = shared.data[where].view(np.uint16).reshape(len(registers), 8, 8)
        for i, register in enumerate(registers):
            banks = {(int(a) >> 4) & 7 for a in addresses[8 * i : 8 * i + 8]}
            counts["bank conflicts of ldmatrix"] += 8 - len(banks)
            matrix = halves[i].T if transposed else halves[i]
            warp.write(register, np.ascontiguousarray(matrix).view(np.uint32).reshape(32), FULL)
    return load


# What a register of a fragment holds, by the type in the opcode: (elements, their bits, as which numbers products are added).
ELEMENTS = {"f16": (2, np.float16, np.float32), "bf16": (2, np.uint16, np.float32), "tf32": (1, np.float32, np.float32),
            "s8": (4, np.int8, np.int64), "u8": (4, np.uint8, np.int64), "f64": (1, np.float64, np.float64)}
SUMS = {"f32": np.float32, "s32": np.int32, "f64": np.float64}
# PTX ISA: shapes of mma.sync by the type of A.
SHAPES = {"f16": (16, 8, 16), "bf16": (16, 8, 16), "tf32": (16, 8, 8), "s8": (16, 8, 32), "u8": (16, 8, 32)}
WIDE_SHAPES = ((8, 8, 4), (16, 8, 4), (16, 8, 8), (16, 8, 16))


def numbers_of(bits, kind):
    """The elements in registers, [registers, 32, elements], as products take them."""
    count, held, added = ELEMENTS[kind]
    raw = bits if kind == "f64" else bits.astype(np.uint32)
    raw = raw.view(held).reshape(*bits.shape, count)
    if kind == "bf16":
        return (raw.astype(np.uint32) << np.uint32(16)).view(np.float32)
    if kind == "tf32":  # the thirteen bits below are not read
        return (raw.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return raw.astype(added)


def decode_mma(instruction):
    found = re.search(r"m(\d+)n(\d+)k(\d+)\.row\.col\.(\w+)\.(\w+)\.(\w+)\.(\w+)$", instruction.opcode)
    kinds = found.groups()[3:] if found else ()
    shape = tuple(int(x) for x in found.groups()[:3]) if found else ()
    known = found and kinds[0] == kinds[3] and kinds[0] in SUMS and (
        shape in WIDE_SHAPES if kinds[1] == "f64" else SHAPES.get(kinds[1]) == shape)
    if not known or kinds[2] not in ELEMENTS or ELEMENTS[kinds[1]][2] is not ELEMENTS[kinds[2]][2]:
        raise SimulationError(f"{instruction}: the simulator knows mma.sync of 16-bit floats, tf32, 8-bit integers and f64 in their full shape")
    (rows, columns, depth), (sum_kind, kind_a, kind_b, _) = shape, kinds
    count, _, added = ELEMENTS[kind_a]
    number = SUMS[sum_kind]
    d, a, b, c = (pieces(operand) for operand in instruction.operands)
    halves = rows // 8
    if len(a) * 32 * count != rows * depth or len(b) * 32 * count != columns * depth or len(c) != 2 * halves or len(d) != 2 * halves:
        raise SimulationError(f"{instruction}: a fragment of another size")

    starts = [reader(name, np.dtype(number)) for name in c]

    # Where row i, column j of each matrix is among the elements [register, lane, element].
    def places(shape, row, column):
        row, column = np.broadcast_arrays(row, column)
        at = np.zeros(shape, int)
        at[row, column] = np.arange(row.size).reshape(row.shape)
        return at
    group, in_group, e = GROUP[:, None], IN_GROUP[:, None], np.arange(count)
    i = np.arange(len(a))[:, None, None]
    at_a = places((rows, depth), group + 8 * (i % halves), count * (in_group + 4 * (i // halves)) + e)
    i = np.arange(len(b))[:, None, None]
    at_b = places((depth, columns), count * (in_group + 4 * i) + e, group)
    i = np.arange(len(c))[:, None]
    at_c = GROUP + 8 * (i >> 1), 2 * IN_GROUP + (i & 1)

    def multiply(warp, mask):
        left = numbers_of(np.stack([warp.read(name) for name in a]), kind_a).reshape(-1)[at_a]
        right = numbers_of(np.stack([warp.read(name) for name in b]), kind_b).reshape(-1)[at_b]
        sums = np.stack([read(warp) for read in starts]) + (left @ right).astype(number)[at_c]
        for name, part in zip(d, sums):
            warp.write(name, part, FULL)
        warp.block.counts["mma"] += 1
    return multiply
