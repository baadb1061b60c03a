"""An interpreter of the PTX that device kernels are made of, for checking them where there is no GPU.

Warps run in lockstep of 32 lanes, the lowest program counter first.  What is checked while a kernel runs:

- bounds and alignment of every access to global and shared memory;
- races on shared memory: bytes that an asynchronous copy or a matrix instruction still owns, and bytes that two warps touch, one of
  them writing, without having synchronised by a barrier or a barrier object in between;
- barriers that not all warps reach, and deadlocks; more arrivals or bytes than a barrier object counts;
- sums that are read before the matrix instructions on them are complete.

Counted: instructions, matrix instructions, bank conflicts of loads, stores, ldmatrix and 16-byte asynchronous copies.

It follows the PTX ISA as its authors read it.  It is no measurement of a GPU and knows nothing of time.
"""
from .launch import Launch, run
from .memory import GlobalMemory, SimulationError
from .module import Module, read_ptx
from .tensormap import TensorMap

__all__ = ["GlobalMemory", "Launch", "Module", "SimulationError", "TensorMap", "read_ptx", "run"]
