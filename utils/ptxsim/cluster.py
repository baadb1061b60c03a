"""Blocks that start together: they reach each other's shared memory and barrier objects, and meet at a barrier of their own.

An address in the window of a cluster names a block in its upper bits; without one it is the executing block's.
"""
import numpy as np

from .memory import SimulationError
from .transfer import address_of
from .wait import Sleep

U64 = np.uint64
SHIFT = 24  # of the block's number plus one


def target(warp, address):
    """The block that ADDRESS is in, and where in its shared memory."""
    rank, offset = int(address) >> SHIFT, int(address) & (1 << SHIFT) - 1
    return block_of(warp, rank - 1) if rank else warp.block, offset


def block_of(warp, rank):
    """Block RANK of the cluster of WARP, which then has to outlast what WARP does to it."""
    cluster = warp.block.cluster
    if not 0 <= rank < len(cluster.blocks):
        raise SimulationError(f"block {rank} of a cluster of {len(cluster.blocks)}")
    block = cluster.blocks[rank]
    if block is not warp.block:
        if block.done:
            raise SimulationError(f"reaches into block {rank} of its cluster, which has ended")
        block.reached.append((warp.agent, int(cluster.clock[warp.agent][warp.agent])))
    return block


def check_end(block):
    """Nothing that others do to BLOCK may come after its end, whatever their order here."""
    clock = block.cluster.clock[[warp.agent for warp in block.warps]]
    for agent, time in block.reached:
        if not (clock[:, agent] >= time).any():
            raise SimulationError(f"the block ends while warp {agent} of its cluster may still reach its shared memory")


class Meeting:
    """The barrier of a cluster: all of its threads that have not ended arrive, then they go on."""

    def __init__(self, agents):
        self.phase, self.arrived, self.passed = 0, {}, {}  # agent -> lanes; agent -> phase in which each lane arrived
        self.seen = np.zeros(agents, np.int32)
        self.known = self.seen.copy()

    def arrive(self, warp, mask):
        lanes = self.arrived.setdefault(warp.agent, np.zeros(32, bool))
        if (lanes & mask).any():
            raise SimulationError("arrives twice at the barrier of a cluster")
        lanes |= mask
        self.passed.setdefault(warp.agent, np.full(32, -1))[mask] = self.phase
        np.maximum(self.seen, warp.block.shared.release(warp.agent), out=self.seen)

    def complete(self, warps):
        """Turns to the next phase when every lane that lives has arrived."""
        if not self.arrived or any((w.active & ~self.arrived.get(w.agent, np.zeros(32, bool))).any() for w in warps if not w.done):
            return
        self.phase += 1
        self.arrived, self.known = {}, self.seen.copy()


def decode(instruction):
    opcode = instruction.opcode
    if opcode.startswith("mapa.shared::cluster"):
        return decode_map(instruction)
    if opcode.startswith("barrier.cluster.arrive"):
        return lambda warp, mask: warp.block.cluster.meeting.arrive(warp, mask)
    if opcode.startswith("barrier.cluster.wait"):
        return wait
    return None


def decode_map(instruction):
    result, address, rank = instruction.operands

    def place(warp, mask):
        at, wanted = warp.read(address), warp.read(rank)
        for lane in np.flatnonzero(mask):
            if int(wanted[lane]) >= len(warp.block.cluster.blocks):
                raise SimulationError(f"maps an address to block {int(wanted[lane])} of a cluster of {len(warp.block.cluster.blocks)}")
        warp.write(result, at & U64((1 << SHIFT) - 1) | (wanted + U64(1)) << U64(SHIFT), mask)
    return place


def wait(warp, mask):
    cluster = warp.block.cluster
    meeting = cluster.meeting
    passed = meeting.passed.get(warp.agent, np.full(32, -1))
    if (passed[mask] < 0).any():
        raise SimulationError("waits at the barrier of a cluster without having arrived")
    meeting.complete([w for block in cluster.blocks for w in block.warps])
    through = mask & (passed < meeting.phase)
    if through.any():
        warp.block.shared.acquire(warp.agent, meeting.known)
    return Sleep(mask & ~through, again=True)
