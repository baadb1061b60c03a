"""Global memory with bounds; shared memory that knows who touched what."""
import numpy as np


class SimulationError(Exception):
    """What a kernel did that it must not do, or an instruction the simulator does not know."""


class GlobalMemory:
    """Arrays at addresses far from each other; everything between them is out of bounds."""

    GAP = 1 << 20

    def __init__(self):
        self.buffers = []  # (address, bytes, name)
        self.next = 1 << 32

    def place(self, array, name=""):
        """The address of ARRAY, which kernels then read and write."""
        view = array.reshape(-1).view(np.uint8)
        if not np.shares_memory(view, array) and array.size:
            raise SimulationError("arrays in global memory must be contiguous")
        address = self.next
        self.buffers.append((address, view, name))
        self.next += (view.size + 2 * self.GAP) // self.GAP * self.GAP
        return address

    def rows(self, addresses, size):
        """A buffer and where in it SIZE bytes at each of ADDRESSES are, aligned to SIZE; None where they are not all in one buffer."""
        low, high = int(addresses.min()), int(addresses.max())
        for start, data, _ in self.buffers:
            if start <= low and high + size <= start + data.size:
                if size > 1 and (addresses & np.uint64(size - 1)).any():
                    return None
                return data, (addresses - np.uint64(start)).astype(np.int64)[:, None] + np.arange(size)
        return None

    def at(self, address, size):
        """SIZE bytes at ADDRESS, as a view."""
        for start, data, _ in self.buffers:
            if start <= address and address + size <= start + data.size:
                return data[address - start : address - start + size]
        near = [f"{name or 'a buffer'} of {data.size} bytes at {address - start:+d}"
                for start, data, name in self.buffers if start - self.GAP <= address < start + data.size + self.GAP]
        raise SimulationError(f"out of bounds: {size} bytes of global memory at {address:#x} ({'; '.join(near) or 'near no buffer'})")


class SharedMemory:
    """Bytes of one block, with the last accesses to each and what every warp knows of them.

    Time is a vector clock: each warp counts its own steps from one synchronisation to the next and knows how far it has seen the
    others.  So does each barrier object, for the bulk copies that complete on it.  An access is safe when whoever accesses the bytes
    has seen the last write, and for a write all reads; no copy may be in flight to them, and no matrix instruction may still read
    what is written.  Both orders of two accesses are seen, since each leaves its mark.

    What threads write becomes visible to bulk copies and to matrix instructions of groups by a fence for their proxy somewhere on the
    way from the write to who starts them.  So each clock has a second half: what a warp knows to be behind such a fence.
    """

    AGENTS = 64  # beside warps: barrier objects of a block

    def __init__(self, size, warps=32, clock=None, rank=0):
        self.data = np.full(size, 0xAB, np.uint8)
        self.warps = warps
        self.clock = self.clocks(warps) if clock is None else clock  # that of the cluster
        self.first = rank * warps  # warp of the cluster that is this block's first, which alone read here
        self.first_barrier = len(self.clock) + rank * self.AGENTS
        self.in_flight = np.zeros(size, np.int16)  # copies
        self.reading = np.zeros(size, np.int16)  # matrix instructions
        self.reserved = np.zeros(size, bool)  # barrier objects
        self.threads_wrote = np.zeros(size, bool)  # not bulk copies
        self.writer = np.zeros(size, np.int16)
        self.write_time = np.zeros(size, np.int32)
        self.read_time = np.zeros((warps, size), np.int32)

    @classmethod
    def clocks(cls, warps, blocks=1):
        """What each warp of as many blocks has seen of the others and of barrier objects."""
        clock = np.zeros((warps * blocks, 2 * (warps + cls.AGENTS) * blocks), np.int32)
        clock[:, : warps * blocks] = np.eye(warps * blocks, dtype=np.int32)
        return clock

    def check(self, address, size, alignment):
        if address % alignment:
            raise SimulationError(f"misaligned: shared memory at {address}, which must be a multiple of {alignment}")
        if address < 0 or address + size > self.data.size:
            raise SimulationError(f"out of bounds: {size} bytes of shared memory at {address}; the block has {self.data.size}")

    def seen(self, where, warp):
        """Whether WARP has seen the last write to all of the bytes."""
        return (self.write_time[where] <= self.clock[warp][self.writer[where]]).all()

    def before_read(self, where, warp):
        if self.in_flight[where].any():
            raise SimulationError(f"race: warp {warp} reads shared memory that an asynchronous copy still fills")
        if not self.seen(where, warp):
            raise SimulationError(f"race: warp {warp} reads shared memory that another warp wrote since the last barrier")
        self.after_read(where, warp)

    def after_read(self, where, warp):
        self.read_time[warp - self.first][where] = self.clock[warp][warp]

    def before_write(self, where, warp, what="writes"):
        if self.reserved[where].any():
            raise SimulationError(f"warp {warp} {what} shared memory that a barrier object occupies")
        if self.in_flight[where].any():
            raise SimulationError(f"race: warp {warp} {what} shared memory that an asynchronous copy still fills")
        if self.reading[where].any():
            raise SimulationError(f"race: warp {warp} {what} shared memory that a matrix instruction or a bulk copy may still read")
        later = self.read_time[:, where] > self.clock[warp][self.first : self.first + self.warps].reshape(-1, *[1] * where.ndim)
        if later.any() and any(later[i].any() for i in range(self.warps) if self.first + i != warp):
            raise SimulationError(f"race: warp {warp} {what} shared memory that another warp read since the last barrier")
        if not self.seen(where, warp):
            raise SimulationError(f"race: warp {warp} {what} shared memory that another warp wrote since the last barrier")

    def after_write(self, where, warp):
        self.write(where, warp, self.clock[warp][warp])

    def write(self, where, agent, time, threads=True):
        """Marks a write of AGENT, by THREADS or by a bulk copy."""
        self.writer[where] = agent
        self.write_time[where] = time
        self.threads_wrote[where] = threads

    def fence(self, warp):
        """A fence for bulk copies and matrix instructions behind all that WARP has seen."""
        seen, fenced = np.split(self.clock[warp], 2)
        np.maximum(fenced, seen, out=fenced)
        self.clock[warp][warp] += 1

    def fenced(self, where, warp):
        """Whether bulk copies and matrix instructions that WARP starts see all that threads wrote to the bytes."""
        behind = np.split(self.clock[warp], 2)[1]
        return (~self.threads_wrote[where] | (self.write_time[where] <= behind[self.writer[where]])).all()

    def synchronize(self, warps):
        """A barrier of WARPS."""
        self.clock[warps] = self.clock[warps].max(axis=0)
        self.clock[warps, warps] += 1

    def release(self, warp):
        """What WARP has seen and done so far; what it does from here on is later."""
        seen = self.clock[warp].copy()
        self.clock[warp][warp] += 1
        return seen

    def acquire(self, warp, seen):
        np.maximum(self.clock[warp], seen, out=self.clock[warp])

    def rows(self, addresses, size):
        """Indices of SIZE bytes at each of ADDRESSES, checked to be inside and aligned to SIZE."""
        addresses = np.asarray(addresses, np.int64)
        for bad in addresses[(addresses % size != 0) | (addresses < 0) | (addresses + size > self.data.size)]:
            self.check(int(bad), size, size)
        return addresses[:, None] + np.arange(size)
