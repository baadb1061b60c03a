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

    def at(self, address, size):
        """SIZE bytes at ADDRESS, as a view."""
        for start, data, _ in self.buffers:
            if start <= address and address + size <= start + data.size:
                return data[address - start : address - start + size]
        near = [f"{name or 'a buffer'} of {data.size} bytes at {address - start:+d}"
                for start, data, name in self.buffers if start - self.GAP <= address < start + data.size + self.GAP]
        raise SimulationError(f"out of bounds: {size} bytes of global memory at {address:#x} ({'; '.join(near) or 'near no buffer'})")


NOBODY, SEVERAL = -1, -2


class SharedMemory:
    """Bytes of one block, with the last accesses to each.

    A read is safe when no copy is in flight to the bytes and no other warp has written them since the last barrier; a write when, in
    addition, no other warp has read them since.  Both orders of two accesses are seen, since each leaves its mark.
    """

    def __init__(self, size):
        self.data = np.full(size, 0xAB, np.uint8)
        self.epoch = 0  # barriers passed
        self.in_flight = np.zeros(size, np.int16)
        self.write_epoch = np.full(size, -1, np.int32)
        self.writer = np.full(size, NOBODY, np.int16)
        self.read_epoch = np.full(size, -1, np.int32)
        self.reader = np.full(size, NOBODY, np.int16)

    def check(self, address, size, alignment):
        if address % alignment:
            raise SimulationError(f"misaligned: shared memory at {address}, which must be a multiple of {alignment}")
        if address < 0 or address + size > self.data.size:
            raise SimulationError(f"out of bounds: {size} bytes of shared memory at {address}; the block has {self.data.size}")

    def before_read(self, where, warp):
        if self.in_flight[where].any():
            raise SimulationError(f"race: warp {warp} reads shared memory that an asynchronous copy still fills")
        if ((self.write_epoch[where] == self.epoch) & (self.writer[where] != warp)).any():
            raise SimulationError(f"race: warp {warp} reads shared memory that another warp wrote since the last barrier")
        fresh = self.read_epoch[where] != self.epoch
        self.reader[where] = np.where(fresh | (self.reader[where] == warp), warp, SEVERAL)
        self.read_epoch[where] = self.epoch

    def before_write(self, where, warp):
        if self.in_flight[where].any():
            raise SimulationError(f"race: warp {warp} writes shared memory that an asynchronous copy still fills")
        if ((self.read_epoch[where] == self.epoch) & (self.reader[where] != warp)).any():
            raise SimulationError(f"race: warp {warp} writes shared memory that another warp read since the last barrier")
        if ((self.write_epoch[where] == self.epoch) & (self.writer[where] != warp)).any():
            raise SimulationError(f"race: warp {warp} writes shared memory that another warp wrote since the last barrier")

    def after_write(self, where, warp):
        self.write_epoch[where] = self.epoch
        self.writer[where] = warp

    def rows(self, addresses, size):
        """Indices of SIZE bytes at each of ADDRESSES, checked to be inside and aligned to SIZE."""
        addresses = np.asarray(addresses, np.int64)
        for bad in addresses[(addresses % size != 0) | (addresses < 0) | (addresses + size > self.data.size)]:
            self.check(int(bad), size, size)
        return addresses[:, None] + np.arange(size)
