"""Instructions of a whole warp on matrices."""
import re

import numpy as np

from .memory import SimulationError
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
        shared.before_read(where, warp.index)
        counts["ldmatrix"] += 1
        halves = shared.data[where].view(np.uint16).reshape(len(registers), 8, 8)
        for i, register in enumerate(registers):
            banks = {(int(a) >> 4) & 7 for a in addresses[8 * i : 8 * i + 8]}
            counts["bank conflicts of ldmatrix"] += 8 - len(banks)
            matrix = halves[i].T if transposed else halves[i]
            warp.write(register, np.ascontiguousarray(matrix).view(np.uint32).reshape(32), FULL)
    return load


def halves_of(bits, brain):
    """The two 16-bit floats in each lane's register, as float32 [32, 2]."""
    raw = np.ascontiguousarray(bits.astype(np.uint32)).view(np.uint16).reshape(32, 2)
    if brain:
        return (raw.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return raw.view(np.float16).astype(np.float32)


def decode_mma(instruction):
    shape = re.search(r"m(\d+)n(\d+)k(\d+)\.row\.col\.f32\.(bf16|f16)\.\4\.f32", instruction.opcode)
    if not shape or shape.groups()[:3] != ("16", "8", "16"):
        raise SimulationError(f"{instruction}: the simulator knows mma.m16n8k16 of 16-bit floats with f32 accumulators")
    brain = shape[4] == "bf16"
    d, a, b, c = (pieces(operand) for operand in instruction.operands)

    def multiply(warp, mask):
        left, right = np.zeros((16, 16), np.float32), np.zeros((16, 8), np.float32)
        sums = np.zeros((16, 8), np.float32)
        for i, register in enumerate(a):
            halves = halves_of(warp.read(register), brain)
            for h in range(2):
                left[GROUP + 8 * (i & 1), 2 * IN_GROUP + h + 8 * (i >> 1)] = halves[:, h]
        for i, register in enumerate(b):
            halves = halves_of(warp.read(register), brain)
            for h in range(2):
                right[2 * IN_GROUP + h + 8 * i, GROUP] = halves[:, h]
        for i, register in enumerate(c):
            sums[GROUP + 8 * (i >> 1), 2 * IN_GROUP + (i & 1)] = warp.read(register).astype(np.uint32).view(np.float32)
        sums += left @ right
        for i, register in enumerate(d):
            warp.write(register, sums[GROUP + 8 * (i >> 1), 2 * IN_GROUP + (i & 1)].view(np.uint32), FULL)
        warp.block.counts["mma"] += 1
    return multiply
