"""Blocks of a grid, one after the other; warps of a block, each until it has to wait."""
from collections import Counter
from dataclasses import dataclass

import numpy as np

from .execute import decode
from .memory import SharedMemory, SimulationError
from .tensormap import BYTES, TensorMap
from .warp import Warp

# Where parameters that are passed by value and read in place lie.
PARAMETERS = 1 << 56


@dataclass
class Launch:
    """One launch: extents of grid, bytes of dynamic shared memory, arguments in order (integers, floats, addresses, tensor maps)."""

    grid: tuple
    shared_bytes: int
    arguments: list
    threads: int = 0  # 0: what the function's .reqntid says
    late: bool = True  # asynchronous copies land as late as they may; else at once


class Block:
    def __init__(self, launch, function, symbols, parameters, maps, memory, index):
        self.launch, self.memory, self.index, self.counts = launch, memory, index, Counter()
        self.symbols, self.parameters, self.maps = symbols, parameters, maps
        self.code = function.decoded
        self.threads = launch.threads or function.threads
        self.shared = SharedMemory(launch.shared_bytes, self.threads // 32)
        self.barriers = {}  # address -> Barrier
        self.copies = []  # bulk copies in flight, in order of issue
        self.registers = Registers(self.threads, function.blocks)
        self.warps = [Warp(self, i) for i in range(self.threads // 32)]

    def run(self):
        while True:
            progress = False
            for warp in self.warps:
                if not warp.done and not warp.waiting:
                    progress |= warp.run()
            alive = [warp for warp in self.warps if not warp.done]
            if not alive:
                break
            if self.meet(alive):
                continue
            if not progress and self.copies:
                self.copies.pop(0)()  # as late as may be: nobody can go on without
            elif not progress:
                raise SimulationError("deadlock: " + "; ".join(warp.where() for warp in alive)
                                      + "".join(f"; barrier {b}" for b in self.barriers.values()))
        if self.copies:
            raise SimulationError(f"the block ends with {len(self.copies)} bulk copies in flight to its shared memory")
        if any(warp.stores.pending() for warp in self.warps):
            raise SimulationError("the block ends with bulk copies that still read its shared memory")
        for warp in self.warps:
            if warp.groups or warp.open_group:
                self.counts["copies in flight at exit"] += 1

    def meet(self, alive):
        """Lets warps go on from barriers that all of their threads have reached; whether there was one."""
        met = False
        for meeting in {warp.waiting for warp in alive if warp.waiting}:
            there = [warp for warp in alive if warp.waiting == meeting]
            if len(there) == len(alive) and 32 * len(alive) < meeting.threads and meeting.number == 0:
                raise SimulationError("a barrier that not all warps of the block reach")
            if 32 * len(there) != meeting.threads:
                continue
            self.shared.synchronize([warp.index for warp in there])
            for warp in there:
                warp.waiting = None
            met = True
        return met


class Registers:
    """The registers of a block, which groups of warps may give away and take (setmaxnreg)."""

    FILE = 65536  # of a multiprocessor of every capability that has setmaxnreg

    def __init__(self, threads, blocks):
        self.held = {}
        self.first = min(self.FILE // (threads * blocks) // 8 * 8, 255)
        self.free = 0  # of one lane

    def change(self, warp, count, increase):
        """Whether WARP now has COUNT registers a thread; if not, it has to wait."""
        held = self.held.get(warp, self.first)
        if count % 8 or not 24 <= count <= 256 or (count < held) == increase and count != held:
            raise SimulationError(f"changes the registers of a thread from {held} to {count}")
        if count - held > self.free:
            return False
        self.free -= count - held
        self.held[warp] = count
        return True


def run(module, launch, memory, name=""):
    """Runs function NAME of MODULE over the whole grid; returns what was counted."""
    function = module.entry(name)
    if len(launch.arguments) != len(function.parameters):
        raise SimulationError(f"'{function.name}' has {len(function.parameters)} parameters, {len(launch.arguments)} arguments given")
    threads = launch.threads or function.threads
    if threads < 32 or threads % 32:
        raise SimulationError(f"blocks of {threads} threads are not whole warps")
    if not hasattr(function, "decoded"):
        function.decoded = [decode(instruction) for instruction in function.instructions]
    parameters, maps, places = {}, {}, {}
    for i, ((symbol, size), value) in enumerate(zip(function.parameters, launch.arguments)):
        if size == BYTES:
            places[symbol] = PARAMETERS + i * BYTES
            maps[places[symbol]] = value if isinstance(value, TensorMap) else TensorMap.decode(value.to_bytes(BYTES, "little"))
            continue
        if isinstance(value, float):
            value = int(np.float32(value).view(np.uint32)) if size == 4 else int(np.float64(value).view(np.uint64))
        parameters[symbol] = int(value) & ((1 << (8 * size)) - 1)
    # One block of shared memory: symbols all start at its beginning, as external arrays do.
    symbols = {symbol: 0 for symbol in module.shared} | places
    counts = Counter()
    grid = tuple(launch.grid) + (1,) * (3 - len(launch.grid))
    for z in range(grid[2]):
        for y in range(grid[1]):
            for x in range(grid[0]):
                block = Block(launch, function, symbols, parameters, maps, memory, (x, y, z))
                try:
                    block.run()
                except SimulationError as error:
                    raise SimulationError(f"block ({x}, {y}, {z}): {error}") from None
                counts.update(block.counts)
    return counts
