"""What an instruction answers when lanes have to wait for other warps."""
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Meeting:
    """A barrier at which warps wait for each other."""

    number: int
    threads: int


@dataclass
class Sleep:
    lanes: np.ndarray  # of them: those that let the others go first
    again: bool = False  # they execute the instruction once more; else they have an answer
