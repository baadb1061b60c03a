"""An interpreter of the PTX that device kernels are made of, for checking them where there is no GPU.

Warps run in lockstep of 32 lanes, the lowest program counter first.  What is checked while a kernel runs:

- bounds and alignment of every access to global and shared memory;
- races on shared memory: bytes that an asynchronous copy still owns, and bytes that two warps touch between two barriers, one of
  them writing;
- barriers that not all warps reach.

Counted: instructions, matrix instructions, bank conflicts of ldmatrix and of 16-byte asynchronous copies.

It follows the PTX ISA as its authors read it.  It is no measurement of a GPU and knows nothing of time.
"""
from .launch import Launch, run
from .memory import GlobalMemory, SimulationError
from .module import Module, read_ptx

__all__ = ["GlobalMemory", "Launch", "Module", "SimulationError", "read_ptx", "run"]
