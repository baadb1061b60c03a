"""Checks a file of vortex-probe: which numbers it has, and that their order of magnitude is of this world."""
import json
import os
import sys

data = json.load(open(sys.argv[1]))
spread, machine = data.pop("_spread"), data.pop("_machine")
assert machine["signature"] and machine["version"], machine
assert all(isinstance(v, (int, float)) and v > 0 for v in data.values()), data
assert set(spread) <= set(data) and all(v >= 0 for v in spread.values()), spread
needed = {"core.units", "core.startup", "l1.capacity", "l1.bandwidth", "l1.latency", "l2.capacity", "l2.bandwidth",
          "device.capacity", "device.bandwidth", "device.stream", "device.latency", "device.touched", "device.exposed", "device.triad", "fma.f32.rate",
          "fma.f64.rate", "dot.i16.rate", "register.startup", "l1.translation"}
assert needed <= set(data), needed - set(data)
assert data["core.units"] <= len(os.sched_getaffinity(0))
# One core: at least a tenth of one vector operation a nanosecond, at most two 512-bit ones at 7 GHz.  A loop that the
# compiler took away shows as a rate beyond that.
for key, lanes in (("fma.f32.rate", 16), ("fma.f64.rate", 8), ("dot.i16.rate", 32), ("dot.ui8.rate", 64), ("dot.bf16.rate", 32)):
    if key in data:
        assert 0.1 <= data[key] <= 2 * lanes * 2 * 7, (key, data[key])
for level in ("l1", "l2", "device"):
    assert 0.1 <= data[level + ".bandwidth"] <= 5000, level
assert data["device.stream"] <= data["device.bandwidth"]
assert data["device.touched"] <= data["device.bandwidth"]
assert data["l1.latency"] < data["device.latency"]
# A tile is some ten or a hundred cycles; a wait for a page is no longer than one for memory.
assert 0.5 <= data["register.startup"] <= 500, data["register.startup"]
assert data["l1.translation"] <= data["device.latency"]
