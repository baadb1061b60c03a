"""Blocks of a grid, one after the other; warps of a block, from barrier to barrier."""
from collections import Counter
from dataclasses import dataclass

import numpy as np

from .execute import decode
from .memory import SharedMemory, SimulationError
from .warp import Warp


@dataclass
class Launch:
    """One launch: extents of grid, bytes of dynamic shared memory, arguments in order (integers, floats, addresses)."""

    grid: tuple
    shared_bytes: int
    arguments: list
    threads: int = 0  # 0: what the function's .reqntid says
    late: bool = True  # asynchronous copies land as late as they may; else at once


class Block:
    def __init__(self, launch, function, symbols, parameters, memory, index):
        self.launch, self.memory, self.index, self.counts = launch, memory, index, Counter()
        self.shared = SharedMemory(launch.shared_bytes)
        self.symbols, self.parameters = symbols, parameters
        self.code = function.decoded
        self.threads = launch.threads or function.threads
        self.warps = [Warp(self, i) for i in range(self.threads // 32)]

    def run(self):
        while True:
            for warp in self.warps:
                if not warp.done and not warp.waiting:
                    warp.run()
            alive = [warp for warp in self.warps if not warp.done]
            if not alive:
                break
            if len(alive) != len(self.warps) or not all(warp.waiting for warp in alive):
                raise SimulationError("a barrier that not all warps of the block reach")
            self.shared.epoch += 1
            for warp in alive:
                warp.waiting = False
        for warp in self.warps:
            if warp.groups or warp.open_group:
                self.counts["copies in flight at exit"] += 1


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
    parameters = {}
    for (symbol, size), value in zip(function.parameters, launch.arguments):
        if isinstance(value, float):
            value = int(np.float32(value).view(np.uint32)) if size == 4 else int(np.float64(value).view(np.uint64))
        parameters[symbol] = int(value) & ((1 << (8 * size)) - 1)
    # One block of shared memory: symbols all start at its beginning, as external arrays do.
    symbols = {symbol: 0 for symbol in module.shared}
    counts = Counter()
    grid = tuple(launch.grid) + (1,) * (3 - len(launch.grid))
    for z in range(grid[2]):
        for y in range(grid[1]):
            for x in range(grid[0]):
                block = Block(launch, function, symbols, parameters, memory, (x, y, z))
                try:
                    block.run()
                except SimulationError as error:
                    raise SimulationError(f"block ({x}, {y}, {z}): {error}") from None
                counts.update(block.counts)
    return counts
