"""Floats of eight bits, as NumPy has none: f8E4M3FN and f8E5M2 (OCP 8-bit floating point specification)."""
import numpy as np


def values_of(fraction, bias, infinities):
    """The number that each of the 256 bytes is."""
    byte = np.arange(256)
    exponent, rest = byte >> fraction & (0x7F >> fraction), byte & ((1 << fraction) - 1)
    most = 0x7F >> fraction
    lifted = np.where(exponent == 0, rest, rest + (1 << fraction))
    value = lifted * 2.0 ** (np.maximum(exponent, 1) - bias - fraction)
    if infinities:
        value = np.where(exponent == most, np.where(rest == 0, np.inf, np.nan), value)
    else:
        value = np.where(byte & 0x7F == 0x7F, np.nan, value)
    return np.where(byte >= 128, -value, value).astype(np.float32)


VALUES = {"e4m3": values_of(3, 7, False), "e5m2": values_of(2, 15, True)}
NAMES = {"f8E4M3FN": "e4m3", "f8E5M2": "e5m2"}  # as MLIR spells them


def decode(data, kind):
    return VALUES[kind][data]


def encode(numbers, kind):
    """The bytes nearest to NUMBERS, ties to even; beyond the largest infinity, or NaN where there is none."""
    numbers = np.asarray(numbers, np.float64)
    known = VALUES[kind][:128]
    finite = known[np.isfinite(known)].astype(np.float64)
    magnitude = np.abs(numbers)
    # Above the largest number rounding goes on as if there were one more.
    steps = np.append(finite, 2 * finite[-1] - finite[-2])
    above = np.clip(np.searchsorted(steps, magnitude), 1, len(steps) - 1)
    low, high = steps[above - 1], steps[above]
    down = (magnitude - low < high - magnitude) | ((magnitude - low == high - magnitude) & ((above - 1) % 2 == 0))
    byte = np.where(down, above - 1, above)
    byte = np.where(magnitude >= steps[-1], len(finite), byte)
    byte = np.where(np.isnan(numbers), 0x7F, byte)
    return (byte | np.where(np.signbit(numbers), 0x80, 0)).astype(np.uint8)
