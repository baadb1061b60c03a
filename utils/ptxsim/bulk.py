"""Bulk tensor copies, the barrier objects they complete on, and what else warps with roles need."""
import re

import numpy as np

from . import bulkstore, cluster
from .memory import SimulationError
from .tensormap import PATTERN, swizzled
from .transfer import address_of
from .wait import Sleep

U64 = np.uint64
# PTX ISA: what an mbarrier's transaction count holds.
MOST_TRANSACTIONS = 2**20 - 1


class Barrier:
    def __init__(self, address, count, agent, agents):
        self.address, self.count, self.pending, self.transactions, self.phase = address, count, count, 0, 0
        self.agent, self.time = agent, 0  # bulk copies that complete here
        self.fenced = False
        self.seen = np.zeros(agents, np.int32)  # by those who arrived; with the phase it becomes known
        self.known = self.seen.copy()

    def __str__(self):
        return (f"at {self.address} waits in phase {self.phase} for {self.pending} of {self.count} arrivals"
                f" and {self.transactions} bytes")

    def turn(self):
        if self.pending == 0 and self.transactions == 0:
            self.phase += 1
            self.pending = self.count
            self.known = self.seen.copy()

    def arrive(self, seen, count=1):
        if count > self.pending:
            raise SimulationError(f"more arrivals at a barrier than it counts: {self}")
        np.maximum(self.seen, seen, out=self.seen)
        self.pending -= count
        self.turn()

    def expect(self, count):
        self.transactions += count
        if not -MOST_TRANSACTIONS <= self.transactions <= MOST_TRANSACTIONS:
            raise SimulationError(f"a barrier counts transactions to {MOST_TRANSACTIONS}: {self}")

    def complete(self, count, seen):
        np.maximum(self.seen, seen, out=self.seen)
        self.expect(-count)
        self.turn()


def decode(instruction):
    opcode = instruction.opcode
    for prefix, function in (("mbarrier.init.", decode_init), ("mbarrier.arrive.expect_tx.", decode_arrival),
                             ("mbarrier.arrive.", decode_arrival), ("cp.async.mbarrier.arrive.", decode_copied), ("mbarrier.try_wait.parity.", decode_wait),
                             ("fence.mbarrier_init.", decode_fence), ("cp.async.bulk.tensor.", decode_copy),
                             ("cp.async.bulk.commit_group", bulkstore.decode_commit), ("cp.async.bulk.wait_group", bulkstore.decode_wait),
                             ("fence.proxy.async", bulkstore.decode_fence),
                             ("setmaxnreg.", decode_registers), ("elect.sync", decode_election)):
        if opcode.startswith(prefix):
            return function(instruction)
    return None


def barrier_at(warp, address, block=None):
    """The barrier object at ADDRESS of BLOCK (that of WARP), or where an address of a cluster says."""
    if not block:
        block, address = cluster.target(warp, address)
    barrier = block.barriers.get(int(address))
    if not barrier:
        raise SimulationError(f"there is no barrier at {int(address)} of block {block.rank} of its cluster" if block is not warp.block
                              else f"there is no barrier at {int(address)}")
    maker, time = barrier.made
    if block is not warp.block and block.shared.clock[warp.agent][maker] < time:
        raise SimulationError("a barrier of another block that may not have been made yet")
    return barrier


def decode_init(instruction):
    def init(warp, mask):
        block, shared = warp.block, warp.block.shared
        for lane in np.flatnonzero(mask):
            address, count = int(address_of(warp, instruction.operands[0])[lane]), int(warp.read(instruction.operands[1])[lane])
            where = shared.rows([address], 8)
            if address in block.barriers:
                raise SimulationError(f"a barrier at {address} is made twice")
            shared.before_write(where, warp.agent)
            shared.after_write(where, warp.agent)
            shared.reserved[where] = True
            if len(block.barriers) == shared.AGENTS:
                raise SimulationError(f"the simulator knows {shared.AGENTS} barriers a block")
            agent = shared.first_barrier + len(block.barriers)
            block.barriers[address] = Barrier(address, count, agent, shared.clock.shape[1])
            block.barriers[address].made = warp.agent, int(shared.clock[warp.agent][warp.agent])
    return init


def decode_fence(instruction):
    def fence(warp, mask):
        for barrier in warp.block.barriers.values():
            barrier.fenced = True
    return fence


def decode_arrival(instruction):
    expects = "expect_tx" in instruction.opcode
    # [state,] address [, count]
    at = next(i for i, operand in enumerate(instruction.operands) if operand.startswith("["))

    def arrive(warp, mask):
        addresses = address_of(warp, instruction.operands[at])
        count = warp.read(instruction.operands[at + 1]) if len(instruction.operands) > at + 1 else None
        for lane in np.flatnonzero(mask):
            barrier = barrier_at(warp, addresses[lane])
            if expects:
                barrier.expect(int(count[lane]))
            barrier.arrive(warp.block.shared.release(warp.agent), 1 if expects or count is None else int(count[lane]))
        if at and instruction.operands[0] != "_":
            warp.write(instruction.operands[0], np.zeros(32, U64), mask)
    return arrive


def decode_copied(instruction):
    """Lanes arrive when the asynchronous copies that they have made so far have landed."""
    if ".noinc." not in instruction.opcode:
        raise SimulationError(f"{instruction}: the simulator knows arrivals behind copies that a barrier's count has (.noinc)")

    def arrive(warp, mask):
        block, lanes = warp.block, np.flatnonzero(mask)
        addresses = {int(x) for x in address_of(warp, instruction.operands[0])[lanes]}
        if len(addresses) > 1:
            raise SimulationError("the simulator knows lanes of a warp that arrive at one barrier behind their copies")
        barrier, shared = barrier_at(warp, addresses.pop()), block.shared
        copies = warp.take_copies(mask)

        def land():
            barrier.time += 1
            for where, data in copies:
                shared.data[where] = data
                shared.in_flight[where] -= 1
                shared.write(where, barrier.agent, barrier.time)
            seen = np.zeros_like(barrier.seen)  # of this warp nothing but its copies
            seen[barrier.agent] = barrier.time
            barrier.arrive(seen, lanes.size)
        if block.launch.late:
            block.cluster.copies.append((block, land))
        else:
            land()
    return arrive


def decode_wait(instruction):
    result, address, parity = instruction.operands[:3]

    def wait(warp, mask):
        addresses, wanted = address_of(warp, address), warp.read(parity)
        passes = np.zeros(32, bool)
        for lane in np.flatnonzero(mask):
            barrier = barrier_at(warp, addresses[lane])
            # The phase of that parity is complete when the current one has the other.
            if barrier.phase & 1 != int(wanted[lane]) & 1:
                passes[lane] = True
                warp.block.shared.acquire(warp.agent, barrier.known)
        warp.write(result, passes.astype(U64), mask)
        # Who does not pass may give up at any time: after all others have had their turn.
        return Sleep(mask & ~passes)
    return wait


def decode_registers(instruction):
    increase = ".inc." in instruction.opcode

    def change(warp, mask):
        done = warp.block.registers.change(warp.index, int(instruction.operands[0]), increase)
        return None if done else Sleep(mask, again=True)
    return change


def decode_election(instruction):
    lane, predicate = (part.strip() for part in instruction.operands[0].split("|"))

    def elect(warp, mask):
        leader = int(np.flatnonzero(mask)[0])
        warp.write(predicate, (np.arange(32) == leader).astype(U64), mask)
        if lane != "_":
            warp.write(lane, np.full(32, leader, U64), mask)
    return elect


def decode_copy(instruction):
    dimensions = int(re.search(r"tensor\.(\d)d\.", instruction.opcode)[1])
    if ".global.shared::cta" in instruction.opcode:
        return bulkstore.decode_store(instruction, dimensions)
    if "shared::cluster.global" not in instruction.opcode or "complete_tx" not in instruction.opcode:
        raise SimulationError(f"{instruction}: the simulator knows bulk copies to shared memory that complete on a barrier object")
    multicast = "multicast" in instruction.opcode
    target, source, barrier_operand = instruction.operands[:3]
    read_place = bulkstore.decode_place(instruction, source, dimensions)

    def copy(warp, mask):
        block = warp.block
        for lane in np.flatnonzero(mask):
            tensor, origin = read_place(warp, lane)
            address, barrier = int(address_of(warp, target)[lane]), int(address_of(warp, barrier_operand)[lane])
            if address % (PATTERN if tensor.swizzle else 128):
                raise SimulationError(f"misaligned: bulk copy to shared memory at {address}, which must be a multiple of {PATTERN}")
            data = box_of(block.memory, tensor, origin)
            block.counts["bulk copies"] += 1
            if not multicast:
                start(warp, block, address, barrier, data, tensor.swizzle)
                continue
            members = int(warp.read(instruction.operands[3])[lane]) & 0xFFFF
            for rank in range(members.bit_length()):
                if members >> rank & 1:
                    start(warp, cluster.block_of(warp, rank), address, barrier, data, tensor.swizzle)
    return copy


def start(warp, block, address, barrier, data, swizzle):
    """A copy of DATA by WARP to ADDRESS of BLOCK, which completes on the barrier there."""
    shared, barrier = block.shared, barrier_at(warp, barrier, block)
    if not barrier.fenced:
        raise SimulationError("a bulk copy completes on a barrier that no fence.mbarrier_init has made visible to it")
    shared.check(address, data.size, 1)
    where = np.arange(address, address + data.size)
    shared.before_write(where, warp.agent, "fills")
    shared.in_flight[where] += 1
    seen = shared.clock[warp.agent].copy()

    def land():
        shared.data[swizzled(where) if swizzle else where] = data
        shared.in_flight[where] -= 1
        barrier.time += 1
        seen[barrier.agent] = barrier.time
        shared.write(where, barrier.agent, barrier.time, threads=False)
        barrier.complete(data.size, seen)
    if block.launch.late:
        block.cluster.copies.append((block, land))
    else:
        land()


def box_of(memory, tensor, origin):
    """The bytes of a box in order, zeros outside of the tensor."""
    out = np.zeros((tensor.box_rows(), tensor.row_bytes()), np.uint8)
    for row, columns, address, size in tensor.parts(origin):
        out[row, columns] = memory.at(address, size)
    return out.reshape(-1)
