"""Loads, stores, atomic updates and asynchronous copies."""
import functools
import re

import numpy as np

from .memory import SimulationError
from .registers import UNSIGNED

U64 = np.uint64


def pieces(operand):
    return [p.strip() for p in operand.strip("{}").split(",")]


@functools.lru_cache(maxsize=None)
def parse_address(operand):
    found = re.match(r"^\[\s*([%\w$@]+)\s*(?:\+\s*(-?\d+))?\s*\]$", operand)
    if not found:
        raise SimulationError(f"address {operand} has an unknown form")
    return found[1], U64(int(found[2] or 0) & (2**64 - 1))


def address_of(warp, operand):
    """The address in each lane: [register], [register+offset], [symbol], [constant]."""
    name, offset = parse_address(operand)
    return warp.read(name) + offset


def to_bytes(bits, size):
    return np.ascontiguousarray(bits, U64).reshape(-1, 1).view(np.uint8)[:, :size]


def from_bytes(data, signed=False):
    values = np.ascontiguousarray(data).view(UNSIGNED[data.shape[1]]).reshape(-1)
    if signed:  # a register that is wider has the sign
        return values.view(f"i{values.itemsize}").astype(np.int64)
    return values


def global_at(warp, address, size):
    if address % size:
        raise SimulationError(f"misaligned: global memory at {address:#x}, which must be a multiple of {size}")
    return warp.block.memory.at(address, size)


def count_conflicts(addresses, size):
    """Times that lanes wait because another one wants another word of the same bank: 32 banks of four bytes; lanes with more than
    four bytes take turns, as many at once as have 128."""
    conflicts, turn = 0, max(32 * 4 // max(size, 4), 1)
    firsts = (addresses >> U64(2)).tolist()
    for first in range(0, len(firsts), turn):
        banks = [0] * 32
        for word in {word + i for word in firsts[first : first + turn] for i in range(max(size // 4, 1))}:
            banks[word % 32] += 1
        conflicts += max(banks) - 1
    return conflicts


def decode(instruction):
    parts = instruction.opcode.split(".")
    if parts[0] == "ld" and "param" in parts:
        return decode_parameter(instruction)
    if parts[0] in ("ld", "st") and ("global" in parts or "shared" in parts):
        return decode_access(instruction, parts)
    if parts[0] in ("red", "atom") and "global" in parts:
        return decode_atomic(instruction, parts)
    if instruction.opcode.startswith("cp.async."):
        return decode_copy(instruction, parts)
    return None


def decode_parameter(instruction):
    symbol = re.match(r"^\[\s*([\w$]+)\s*\]$", instruction.operands[1])
    if not symbol:
        return None

    def load(warp, mask):
        if symbol[1] not in warp.block.parameters:
            raise SimulationError(f"no parameter {symbol[1]}")
        warp.write(instruction.operands[0], np.full(32, warp.block.parameters[symbol[1]], U64), mask)
    return load


def decode_access(instruction, parts):
    load = parts[0] == "ld"
    registers = pieces(instruction.operands[0 if load else 1])
    address = instruction.operands[1 if load else 0]
    each = int(re.sub(r"\D", "", parts[-1])) // 8
    size = each * len(registers)
    signed = parts[-1][0] == "s"

    def from_global(warp, mask):
        at = address_of(warp, address)
        data = np.zeros((32, size), np.uint8)
        known = warp.block.memory.rows(at[mask], size)
        if known:
            data[mask] = known[0][known[1]]
        else:
            for lane in np.flatnonzero(mask):
                data[lane] = global_at(warp, int(at[lane]), size)
        for i, register in enumerate(registers):
            warp.write(register, from_bytes(data[:, i * each : (i + 1) * each], signed), mask)

    def to_global(warp, mask):
        at = address_of(warp, address)
        data = np.concatenate([to_bytes(warp.read(register), each) for register in registers], axis=1)
        known = warp.block.memory.rows(at[mask], size)
        if known:
            known[0][known[1]] = data[mask]
            return
        for lane in np.flatnonzero(mask):
            global_at(warp, int(at[lane]), size)[:] = data[lane]

    def from_shared(warp, mask):
        shared = warp.block.shared
        addresses = address_of(warp, address)[mask]
        where = shared.rows(addresses, size)
        warp.block.counts["bank conflicts of loads"] += count_conflicts(addresses, size)
        shared.before_read(where, warp.agent)
        data = np.zeros((32, size), np.uint8)
        data[mask] = shared.data[where]
        for i, register in enumerate(registers):
            warp.write(register, from_bytes(data[:, i * each : (i + 1) * each], signed), mask)

    def to_shared(warp, mask):
        shared = warp.block.shared
        addresses = address_of(warp, address)[mask]
        where = shared.rows(addresses, size)
        warp.block.counts["bank conflicts of stores"] += count_conflicts(addresses, size)
        data = np.concatenate([to_bytes(warp.read(register), each) for register in registers], axis=1)
        shared.before_write(where, warp.agent)
        shared.data[where] = data[mask]
        shared.after_write(where, warp.agent)

    if "global" in parts:
        return from_global if load else to_global
    return from_shared if load else to_shared


def decode_atomic(instruction, parts):
    if "add" not in parts or parts[-1] != "f32":
        return None

    def update(warp, mask):
        at = address_of(warp, instruction.operands[-2])
        value = warp.read(instruction.operands[-1]).astype(np.uint32).view(np.float32)
        old = np.zeros(32, U64)
        for lane in np.flatnonzero(mask):
            cell = global_at(warp, int(at[lane]), 4).view(np.float32)
            old[lane] = cell.view(np.uint32)[0]
            cell += value[lane]
        if parts[0] == "atom":
            warp.write(instruction.operands[0], old, mask)
    return update


def decode_copy(instruction, parts):
    operands = instruction.operands
    if parts[2] == "commit_group":
        def commit(warp, mask):
            warp.groups.append(warp.open_group)
            warp.open_group = []
        return commit
    if parts[2] == "wait_group":
        def wait(warp, mask):
            while len(warp.groups) > int(operands[0]):
                warp.land(warp.groups.pop(0))
        return wait
    if parts[2] not in ("ca", "cg"):
        return None
    size = int(operands[2])

    def copy(warp, mask):
        block = warp.block
        shared = block.shared
        target, source = address_of(warp, operands[0])[mask], address_of(warp, operands[1])[mask]
        given = warp.read(operands[3])[mask].astype(np.uint32) if len(operands) > 3 else np.full(target.size, size)
        if size == 16:
            lanes = np.flatnonzero(mask)
            for first in range(0, 32, 8):
                banks = [(int(t) >> 4) & 7 for t, lane in zip(target, lanes) if first <= lane < first + 8]
                block.counts["bank conflicts of copies"] += len(banks) - len(set(banks))
        where = shared.rows(target, size)
        data = np.zeros((target.size, size), np.uint8)
        for i in range(target.size):
            taken = int(given[i])
            if taken > size:
                raise SimulationError(f"an asynchronous copy of {size} bytes takes {taken} from memory")
            if int(source[i]) % size:
                raise SimulationError(f"misaligned: asynchronous copy of {size} bytes from {int(source[i]):#x}")
            if taken:
                data[i, :taken] = block.memory.at(int(source[i]), taken)
        shared.before_write(where, warp.agent)
        shared.in_flight[where] += 1
        if not block.launch.late:
            shared.data[where] = data
        warp.open_group.append((np.flatnonzero(mask), where, data))
        block.counts["asynchronous copies"] += 1
    return copy
