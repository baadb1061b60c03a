"""Ranks the candidates of a chain that is made up, on a clock that its kernels turn: FOLDER [FAULTY...] is of utils/gpu_check, and what faulted.

Its choice is known when it runs: one kernel for all, or two parts. One candidate's guard never holds, one fails, nothing can be captured."""
import contextlib
import json
import sys
import types

sys.path.insert(0, sys.argv[1])
from gpu_check import device, ranking, report  # noqa: E402

# Microseconds of each candidate, and what it is taken to cost.
FUSED, FIRST, LAST = ({"small": (10, 20), "large": (40, 32), "fails": (1, 50), "never": (1, None)}, {"a": (30, 15), "b": (20, 30)},
                      {"only": (5, 5)})
KERNELS = {"f.chain": {"parts": (0, 45), "fused": (0, 20)}, "f.chain.fused": FUSED, "f.first": FIRST, "f.last": LAST}


class Chain(device.Program):
    def __init__(self):
        self.now, self.forced, self.latest = 0, {}, []

    def force(self, kernel, name):
        self.forced.pop(kernel, None)
        self.forced |= {kernel: name} if name else {}

    def recording(self):
        return contextlib.nullcontext()

    def choice(self, kernel):
        costs = {name: 1e3 * cost for name, (_, cost) in KERNELS[kernel].items() if cost}
        preferred = {"f.chain": "fused"}.get(kernel) or min(costs, key=costs.get)
        return device.Choice(kernel, list(KERNELS[kernel]), self.forced.get(kernel) or preferred, preferred, costs)

    def choices(self, function, arguments):
        return [self.choice(kernel) if kernel != "f.chain" else device.Choice(kernel, ["parts", "fused"], None, None, {}) for kernel in KERNELS]

    def ran(self):
        return self.latest

    def prepare(self, function, arguments, results):
        return self.call

    def call(self):
        chain = self.choice("f.chain")
        self.latest = [chain, *map(self.choice, ["f.chain.fused"] if chain.chosen == "fused" else ["f.first", "f.last"])]
        for one in self.latest:
            if one.chosen not in one.costs:
                raise device.DeviceError(f"{one.chosen} is forced, but its guard does not hold")
            if one.chosen == "fails":
                raise device.DeviceError("it fails")
            self.now += KERNELS[one.kernel][one.chosen][0]


program, steps, times = Chain(), [], []


class Event:
    """What is timed is what would be blamed for a fault."""

    def __init__(self, enable_timing):
        times.append(steps[-1])

    def record(self, stream):
        self.at = program.now
        assert steps[-1] == [f"{kernel}={name}" for kernel, name in program.forced.items()], f"{steps[-1]}: {program.forced}"

    def synchronize(self):
        pass

    def elapsed_time(self, last):
        return (last.at - self.at) * 1e-3


def uncaptured(graph, stream):
    raise RuntimeError("no graphs here")


torch = types.SimpleNamespace(cuda=types.SimpleNamespace(stream=contextlib.nullcontext, synchronize=lambda: None, Event=Event,
                                                         CUDAGraph=object, graph=uncaptured))
timer = types.SimpleNamespace(program=program, torch=torch, stream=None, rounds=3, faulty={f"f {one}" for one in sys.argv[2:]},
                              make=lambda case, sizes: ([], []))


def rank():
    times.clear()
    return ranking.rank(timer, lambda what, forced: steps.append(forced), types.SimpleNamespace(function="f"), (3, 5))


entry = rank()
for one in entry["kernels"]:
    print(json.dumps(one))
print(entry["failures"], "forced:", program.forced, "times:", len(times) // 2)
print("\n".join(report.rank([entry | {"function": "f", "sizes": (3, 5)}])))
ranking.SECONDS = -1                                        # of which the first round is too many
rank()
print("times:", len(times) // 2)
