"""Blocks of a grid, one after the other; warps of a block, each until it has to wait."""
from collections import Counter
from dataclasses import dataclass

import numpy as np

from .cluster import Meeting, check_end
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
    def __init__(self, cluster, rank, launch, function, symbols, parameters, maps, memory, index):
        self.cluster, self.rank, self.done = cluster, rank, False
        self.cluster_size = function.cluster
        self.reached = []  # what other blocks do to this one's memory: (warp, its time)
        self.launch, self.memory, self.index, self.counts = launch, memory, index, Counter()
        self.symbols, self.parameters, self.maps = symbols, parameters, maps
        self.code = function.decoded
        self.threads = launch.threads or function.threads
        self.shared = SharedMemory(launch.shared_bytes, self.threads // 32, cluster.clock, rank)
        self.barriers = {}  # address -> Barrier
        self.registers = Registers(self.threads, function.blocks)
        self.warps = [Warp(self, i) for i in range(self.threads // 32)]

    def advance(self):
        """Runs each warp until it has to wait; whether anything was done."""
        progress = False
        for warp in self.warps:
            if not warp.done and not warp.waiting:
                progress |= warp.run()
        if not self.done and all(warp.done for warp in self.warps):
            self.end()
            return True
        return progress

    def end(self):
        self.done = True
        flying = sum(block is self for block, _ in self.cluster.copies)
        if flying:
            raise SimulationError(f"the block ends with {flying} bulk copies in flight to its shared memory")
        if any(warp.stores.pending() for warp in self.warps):
            raise SimulationError("the block ends with bulk copies that still read its shared memory")
        check_end(self)
        for warp in self.warps:
            if warp.groups or warp.open_group:
                self.counts["copies in flight at exit"] += 1

    def meet(self):
        """Lets warps go on from barriers that all of their threads have reached; whether there was one."""
        alive, met = [warp for warp in self.warps if not warp.done], False
        for meeting in {warp.waiting for warp in alive if warp.waiting}:
            there = [warp for warp in alive if warp.waiting == meeting]
            if len(there) == len(alive) and 32 * len(alive) < meeting.threads and meeting.number == 0:
                raise SimulationError("a barrier that not all warps of the block reach")
            if 32 * len(there) != meeting.threads:
                continue
            self.shared.synchronize([warp.agent for warp in there])
            for warp in there:
                warp.waiting = None
            met = True
        return met


class Cluster:
    """Blocks that start together, most often one."""

    def __init__(self, launch, function, symbols, parameters, maps, memory, indices):
        warps = (launch.threads or function.threads) // 32
        self.clock = SharedMemory.clocks(warps, len(indices))
        self.copies = []  # bulk copies in flight, in order of issue: (block, function)
        self.meeting = Meeting(self.clock.shape[1])
        self.blocks = []
        for rank, index in enumerate(indices):
            self.blocks.append(Block(self, rank, launch, function, symbols, parameters, maps, memory, index))

    def run(self):
        while not all(block.done for block in self.blocks):
            progress = self.each(Block.advance)
            if self.each(Block.meet) or progress:
                continue
            if not self.copies:
                alive = [warp for block in self.blocks for warp in block.warps if not warp.done]
                raise SimulationError(f"block {self.blocks[0].index}: deadlock: " + "; ".join(warp.where() for warp in alive)
                                      + "".join(f"; barrier {b}" for block in self.blocks for b in block.barriers.values()))
            block, land = self.copies.pop(0)  # as late as may be: nobody can go on without
            try:
                land()
            except SimulationError as error:
                raise SimulationError(f"block {block.index}: {error}") from None

    def each(self, what):
        """Whether WHAT did something for any block; its error names the block."""
        did = False
        for block in self.blocks:
            try:
                did |= bool(what(block))
            except SimulationError as error:
                raise SimulationError(f"block {block.index}: {error}") from None
        return did


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
    if grid[0] % function.cluster:
        raise SimulationError(f"a grid of {grid[0]} blocks is no multiple of the cluster of {function.cluster}")
    for z in range(grid[2]):
        for y in range(grid[1]):
            for x in range(0, grid[0], function.cluster):
                indices = [(x + rank, y, z) for rank in range(function.cluster)]
                cluster = Cluster(launch, function, symbols, parameters, maps, memory, indices)
                cluster.run()
                for block in cluster.blocks:
                    counts.update(block.counts)
    return counts
