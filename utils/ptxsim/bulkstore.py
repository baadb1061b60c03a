"""Bulk tensor copies from shared memory to a tensor, and the groups that a thread waits for."""
import re

import numpy as np

from .memory import SimulationError
from .tensormap import PATTERN, swizzled
from .transfer import address_of, pieces


class Stores:
    """The copies of each lane of a warp that may still read shared memory."""

    def __init__(self, warp):
        self.warp = warp
        self.open, self.groups = {}, {}  # lane -> what each copy reads; lane -> groups of them

    def pending(self):
        return any(self.open.values()) or any(self.groups.values())

    def start(self, lane, where):
        self.warp.block.shared.reading[where] += 1
        self.open.setdefault(lane, []).append(where)

    def commit(self, lane):
        self.groups.setdefault(lane, []).append(self.open.pop(lane, []))

    def wait(self, lane, most):
        shared = self.warp.block.shared
        groups = self.groups.get(lane, [])
        while len(groups) > most:
            for where in groups.pop(0):
                shared.reading[where] -= 1
                shared.after_read(where, self.warp.agent)


def decode_place(instruction, operand, dimensions):
    """A function of (warp, lane) that gives a tensor and where in it a box begins."""
    found = re.match(r"^\[\s*([%\w$]+)\s*,\s*(\{.*\})\s*\]$", operand)
    if not found:
        raise SimulationError(f"{instruction}: tensor {operand} has an unknown form")

    def place(warp, lane):
        tensor = warp.block.maps.get(int(warp.read(found[1])[lane]))
        if not tensor:
            raise SimulationError("a bulk copy of something that is no tensor map")
        if len(tensor.extents) != dimensions:
            raise SimulationError(f"a bulk copy of {dimensions} dimensions of a tensor of {len(tensor.extents)}")
        return tensor, [int(np.uint32(int(warp.read(c)[lane])).astype(np.int32)) for c in pieces(found[2])]
    return place


def decode_store(instruction, dimensions):
    target, source = instruction.operands[:2]
    if "bulk_group" not in instruction.opcode or len(instruction.operands) != 2:
        raise SimulationError(f"{instruction}: the simulator knows bulk copies to tensors that are waited for in groups")
    read_place = decode_place(instruction, target, dimensions)

    def store(warp, mask):
        block, shared = warp.block, warp.block.shared
        for lane in np.flatnonzero(mask):
            tensor, origin = read_place(warp, lane)
            address, size = int(address_of(warp, source)[lane]), tensor.box_rows() * tensor.row_bytes()
            if address % (PATTERN if tensor.swizzle else 128):
                raise SimulationError(f"misaligned: bulk copy from shared memory at {address}, which must be a multiple of {PATTERN}")
            shared.check(address, size, 1)
            where = np.arange(address, address + size)
            shared.before_read(where, warp.agent)
            if not shared.fenced(where, warp.agent):
                raise SimulationError("a bulk copy reads shared memory that was stored without a fence.proxy.async behind it")
            data = shared.data[swizzled(where) if tensor.swizzle else where].reshape(tensor.box_rows(), -1)
            for row, columns, at, count in tensor.parts(origin):
                block.memory.at(at, count)[:] = data[row, columns]
            warp.stores.start(lane, where)
            block.counts["bulk stores"] += 1
    return store


def decode_commit(instruction):
    def commit(warp, mask):
        for lane in np.flatnonzero(mask):
            warp.stores.commit(lane)
    return commit


def decode_wait(instruction):
    def wait(warp, mask):
        for lane in np.flatnonzero(mask):
            warp.stores.wait(lane, int(instruction.operands[0]))
    return wait


def decode_fence(instruction):
    def fence(warp, mask):
        warp.block.shared.fence(warp.agent)
    return fence
