"""Thirty-two lanes with registers, a program counter each, and their groups of asynchronous copies."""
import numpy as np

from .bulkstore import Stores
from .memory import SimulationError
from .registers import U64, as_bits, constant
from .wait import Meeting, Sleep
from .wgmma import Products

LANES = np.arange(32)
FULL = np.ones(32, bool)


class Warp:
    def __init__(self, block, index):
        self.block, self.index = block, index
        self.agent = block.shared.first + index  # among the warps of the cluster
        self.registers = {}
        self.pc = np.zeros(32, np.int64)
        self.active = FULL
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
            return as_bits(value)
        bits = self.block.symbols[name] if name in self.block.symbols else constant(name)
        if bits is None:
            raise SimulationError(f"register {name} is read before it is written")
        value = np.full(32, bits, U64)
        if not name.startswith("%"):
            self.registers[name] = value  # constants, found faster the next time
        return value

    def write(self, name, value, mask):
        """Sets lanes of MASK to numbers of any type."""
        if self.products.sums:
            self.products.sums.pop(name, None)
        if mask is not FULL:
            old = self.registers.get(name)
            if old is not None and old.dtype == value.dtype:
                value = np.where(mask, value, old)
            elif old is not None:
                value = np.where(mask, as_bits(value), as_bits(old))
        self.registers[name] = value

    def move(self, target, source, mask):
        """Copies a register, which may be done while a matrix instruction still adds to it: assemblers remove such copies."""
        group = self.products.sums.pop(source, None)
        value = self.registers.get(source)
        self.write(target, self.read(source) if value is None else value, mask)
        if group is not None:
            self.products.sums.update({source: group, target: group})

    def where(self):
        """What an unfinished warp waits at."""
        places = sorted(set(self.pc[self.active].tolist()))
        return f"warp {self.index} at {', '.join(str(self.block.code[pc].instruction) for pc in places)}"

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
                    where = "; ".join(str(code[pc].instruction) for pc in sorted(places))
                    raise SimulationError(f"warp {self.index} is divided among instructions that all of it must execute: {where}")
                parked[:] = False
                ready = self.active
            pc = int(self.pc[ready].min())
            lanes = ready & (self.pc == pc)
            together = np.array_equal(lanes, self.active)
            rest = () if together else self.pc[ready & ~lanes]
            end, worked = self.go_straight(pc, lanes, together, rest.min() if len(rest) else len(code))
            progress |= worked
            if end != pc:
                self.pc[lanes] = end
                continue
            step = code[pc]
            if step.converged and not together:
                parked |= lanes
                continue
            instruction = step.instruction
            try:
                mask = self.guarded(instruction, lanes) if instruction.predicate else lanes
                if step.converged and (mask != self.active).any() and mask.any():
                    raise SimulationError("executed by a part of the warp; all of it must")
                self.pc[lanes] = pc + 1
                counts["instructions"] += 1
                result = step.execute(self, mask) if mask.any() else None
                if isinstance(result, Sleep):
                    asleep |= result.lanes
                    if result.again:
                        self.pc[result.lanes] = pc
                    progress |= not result.lanes.any()
                    continue
                progress |= not step.idle
                if isinstance(result, Meeting):
                    self.waiting = result
                    return True
            except SimulationError as error:
                raise SimulationError(f"warp {self.index}, {instruction}: {error}") from None
        self.done = True
        return True

    def guarded(self, instruction, lanes):
        """Those of LANES for which the predicate of INSTRUCTION holds."""
        holds = self.read(instruction.predicate) != 0
        return lanes & (~holds if instruction.negated else holds)

    def go_straight(self, pc, lanes, together, limit):
        """Runs LANES from PC to the first instruction at which they may part, wait or, at LIMIT, meet others, without a counter for each.

        TOGETHER: they are all active ones, which whole-warp instructions need.  Returns where that is and whether anything was done.
        """
        code, all_lanes = self.block.code, np.count_nonzero(lanes)
        lanes = FULL if all_lanes == 32 else lanes
        executed, progress = 0, False
        try:
            while pc < limit:
                step = code[pc]
                if step.waits or step.converged and not together:
                    break
                instruction, mask, count = step.instruction, lanes, all_lanes
                if instruction.predicate:
                    mask = self.guarded(instruction, lanes)
                    count = np.count_nonzero(mask)
                    if count == all_lanes:
                        mask = lanes
                    elif count and (step.converged or instruction.target >= 0):
                        break
                executed += 1
                progress |= not step.idle
                if count and instruction.target >= 0:
                    pc = instruction.target
                    continue
                if count:
                    step.execute(self, mask)
                pc += 1
        except SimulationError as error:
            raise SimulationError(f"warp {self.index}, {instruction}: {error}") from None
        finally:
            self.block.counts["instructions"] += executed
        return pc, progress

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
