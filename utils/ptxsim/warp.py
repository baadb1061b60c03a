"""Thirty-two lanes with registers, a program counter each, and their groups of asynchronous copies."""
import re

import numpy as np

from .bulkstore import Stores
from .memory import SimulationError
from .wait import Meeting, Sleep
from .wgmma import Products

LANES = np.arange(32)
FULL = np.ones(32, bool)
# What a loop around a wait does between two attempts.
IDLE = ("bra", "setp", "selp", "mov", "and", "or", "not")


class Warp:
    def __init__(self, block, index):
        self.block, self.index = block, index
        self.agent = block.shared.first + index  # among the warps of the cluster
        self.registers = {}
        self.pc = np.zeros(32, np.int64)
        self.active = FULL.copy()
        self.done, self.waiting = False, None  # a Meeting
        self.groups, self.open_group = [], []  # asynchronous copies: (lanes, where, bytes)
        self.products = Products(self)
        self.stores = Stores(self)
        threads = block.threads
        grid = tuple(block.launch.grid) + (1,) * (3 - len(block.launch.grid))
        special = {"%tid.x": LANES + 32 * index, "%laneid": LANES}
        special["%cluster_ctarank"] = np.full(32, block.rank)
        special["%cluster_nctarank"] = np.full(32, block.cluster_size)
        for axis, letter in enumerate("xyz"):
            special["%ctaid." + letter] = np.full(32, block.index[axis])
            special["%nctaid." + letter] = np.full(32, grid[axis])
            special["%ntid." + letter] = np.full(32, threads if letter == "x" else 1)
        self.registers.update({name: value.astype(np.uint64) for name, value in special.items()})
        for name in ("%tid.y", "%tid.z"):
            self.registers[name] = np.zeros(32, np.uint64)

    def read(self, name):
        """The bits of a register, symbol or constant in each lane, as uint64."""
        value = self.registers.get(name)
        if value is not None:
            if self.products.sums:
                self.products.check(name)
            return value
        if name in self.block.symbols:
            bits = self.block.symbols[name]
        elif re.match(r"^-?\d+$", name):
            bits = int(name) & (2**64 - 1)
        elif re.match(r"^0[fFdD]", name) or re.match(r"^-?0[xX]", name):
            bits = int(re.sub(r"^0[fFdD]", "", name).rstrip("U"), 16) & (2**64 - 1)
        else:
            raise SimulationError(f"register {name} is read before it is written")
        value = np.full(32, bits, np.uint64)
        if not name.startswith("%"):
            self.registers[name] = value  # constants, found faster the next time
        return value

    def write(self, name, value, mask):
        if self.products.sums:
            self.products.sums.pop(name, None)
        old = self.registers.get(name)
        value = value.astype(np.uint64, copy=False)
        self.registers[name] = value if old is None or mask.all() else np.where(mask, value, old)

    def move(self, target, source, mask):
        """Copies a register, which may be done while a matrix instruction still adds to it: assemblers remove such copies."""
        group = self.products.sums.pop(source, None)
        self.write(target, self.read(source), mask)
        if group is not None:
            self.products.sums.update({source: group, target: group})

    def where(self):
        """What an unfinished warp waits at."""
        places = sorted(set(self.pc[self.active].tolist()))
        return f"warp {self.index} at {', '.join(str(self.block.code[pc][0]) for pc in places)}"

    def run(self):
        """Runs until a barrier, the end, or until all of its lanes wait for others; whether anything was done.

        Lanes that come to an instruction of the whole warp wait there for the others, as the assembler's reconvergence points make
        them do; lanes that wait at different ones can never meet.
        """
        code, counts = self.block.code, self.block.counts
        parked, asleep, progress = np.zeros(32, bool), np.zeros(32, bool), False
        while self.active.any():
            ready = self.active & ~parked & ~asleep
            if not ready.any() and asleep.any():
                return progress
            if not ready.any():
                places = set(self.pc[self.active].tolist())
                if len(places) > 1:
                    where = "; ".join(str(code[pc][0]) for pc in sorted(places))
                    raise SimulationError(f"warp {self.index} is divided among instructions that all of it must execute: {where}")
                parked[:] = False
                ready = self.active
            pc = int(self.pc[ready].min())
            lanes = ready & (self.pc == pc)
            instruction, execute, converged = code[pc]
            if converged and (lanes != self.active).any():
                parked |= lanes
                continue
            try:
                if instruction.predicate:
                    holds = self.read(instruction.predicate) != 0
                    mask = lanes & (~holds if instruction.negated else holds)
                    if converged and (mask != self.active).any() and mask.any():
                        raise SimulationError("executed by a part of the warp; all of it must")
                else:
                    mask = lanes
                self.pc[lanes] = pc + 1
                counts["instructions"] += 1
                result = execute(self, mask) if mask.any() else None
                if isinstance(result, Sleep):
                    asleep |= result.lanes
                    if result.again:
                        self.pc[result.lanes] = pc
                    progress |= not result.lanes.any()
                    continue
                progress |= instruction.opcode.split(".")[0] not in IDLE
                if isinstance(result, Meeting):
                    self.waiting = result
                    return True
            except SimulationError as error:
                raise SimulationError(f"warp {self.index}, {instruction}: {error}") from None
        self.done = True
        return True

    def take_copies(self, mask):
        """The asynchronous copies that lanes of MASK have made: (where, bytes); this warp waits for them no longer."""
        taken = []

        def divide(copies):
            rest = []
            for lanes, where, data in copies:
                mine = mask[lanes]
                taken.append((where[mine], data[mine]))
                if not mine.all():
                    rest.append((lanes[~mine], where[~mine], data[~mine]))
            return rest
        self.groups = [divide(group) for group in self.groups]
        self.open_group = divide(self.open_group)
        return taken

    def land(self, copies):
        """Asynchronous copies arrive, and belong to this warp until the next barrier."""
        shared = self.block.shared
        for _, where, data in copies:
            shared.data[where] = data
            shared.in_flight[where] -= 1
            shared.after_write(where, self.agent)
