"""NumPy references of the programs in this folder; see README.md."""
from . import blocks, contractions, control, convolutions, elementwise, imported, inplace, rows, transformers  # noqa: F401
from .registry import PROGRAMS, Program, draw, parse_sizes, spell_sizes  # noqa: F401
from .sweep import sweep  # noqa: F401
