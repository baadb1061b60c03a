"""All candidates of each kernel that the sizes allow, by force, against each other and against what they were taken to cost: rounds that take
turns, medians, in CUDA graphs where all can be captured."""
import contextlib
import functools

from .device import DeviceError
from .numerics import faults_of, ways
from .timing import capture, first_line, measure, several

# Candidates that are slow are so after few rounds, too, and what all are run for is lent by the minute.
SECONDS = 5


def rank(timer, step, case, sizes):
    """The times of all candidates; STEP is told what runs next and what is forced for it."""
    return Ranking(timer, step, case, sizes).run()


class Ranking:
    """CASE at SIZES. Candidates of one kernel are forced, while the others take their choice, or the cheapest that did not fault."""

    def __init__(self, timer, step, case, sizes):
        self.timer, self.program, self.torch, self.step = timer, timer.program, timer.torch, step
        self.name = f"{case.function} {'x'.join(map(str, sizes))}"
        self.faulty, self.failures = faults_of(case.function, timer.faulty), []
        tensors, outs = timer.make(case, sizes)
        arguments = [self.program.borrow(t) for t in tensors]
        self.call = self.program.prepare(case.function, arguments, [self.program.borrow(t) for t in outs])
        self.kernels = self.program.choices(case.function, arguments)
        self.outer = {one.kernel for one in self.kernels if one.chosen is None}
        self.detours = [detour for detour in map(self.detour, self.kernels) if detour]

    def run(self):
        # One candidate is no choice, but its time says how good its cost is where nothing else is in it. What others run behind is last: a
        # fault of theirs is then known to be theirs.
        kernels = [one for one in self.kernels if len(self.kernels) == 1 or len(self.may_run(one)) > 1]
        kernels.sort(key=lambda one: one.kernel in self.outer)
        return {"kernels": [entry for entry in map(self.rank, kernels) if entry], "failures": self.failures}

    def may_run(self, one):
        """The candidates of a kernel that the sizes allow; all where that is known when it runs."""
        return list(one.costs) or one.names

    def detour(self, one):
        """The candidate that a kernel runs in the place of one that faulted."""
        names = self.may_run(one)
        left = [name for name in names if f"{one.kernel}={name}" not in self.faulty]
        if not left:
            raise DeviceError(f"all candidates of {one.kernel} faulted")
        return (one.kernel, min(left, key=lambda name: one.costs.get(name, 0))) if left != names and one.chosen not in left else None

    @contextlib.contextmanager
    def turn(self, forced):
        """In it calls run what is FORCED, the last of which is to blame for a fault."""
        names = [f"{kernel}={name}" for kernel, name in forced]
        self.step(" ".join([self.name, *names]), names)
        with self.program.forcing(forced):
            yield

    def attempt(self, kernel, name):
        """(What is to be forced for NAME of KERNEL to run, the choices of such a call), or None where it cannot."""
        for before in ways(self.kernels, kernel, self.faulty):
            given = {kernel, *(one for one, _ in before)}
            forced = [*(detour for detour in self.detours if detour[0] not in given), *before, (kernel, name)]
            try:
                with self.turn(forced), self.program.recording():
                    self.call()
                    self.torch.cuda.synchronize()
                    ran = {one.kernel: one for one in self.program.ran()}
            except (RuntimeError, DeviceError) as e:
                if "guard" in str(e):
                    continue
                self.failures.append({"case": f"{self.name} {kernel}={name}", "error": first_line(e)})
                self.torch.cuda.synchronize()               # fails where the device is lost, which ends this process
                return None
            if kernel in ran and ran[kernel].chosen == name:
                return forced, ran
        return None

    def rank(self, one):
        """The entry of the report for a kernel, or None where none of its candidates runs."""
        tried = {name: self.attempt(one.kernel, name) for name in self.may_run(one) if f"{one.kernel}={name}" not in self.faulty}
        found = {name: attempt for name, attempt in tried.items() if attempt}
        if not found:
            return None
        us, graphs = self.measure([forced for forced, _ in found.values()])
        us = dict(zip(found, us))
        _, ran = next(iter(found.values()))
        choice, best = ran[one.kernel], min(us, key=us.get)
        entry = {"kernel": one.kernel, "chosen": choice.preferred, "best": best, "us": us, "graphs": graphs,
                 "predicted_us": {name: choice.costs[name] * 1e-3 for name in us}, "alone": set(ran) - self.outer == {one.kernel}}
        return entry | ({"of_best": us[best] / us[choice.preferred]} if choice.preferred in us else {})

    def measure(self, forced):
        """The times of calls with each of FORCED, and whether they were of graphs."""
        turns = [functools.partial(self.turn, one) for one in forced]
        graphs = []
        for turn in turns:
            with turn():
                graphs.append(capture(self.torch, self.call, self.timer.stream)[0])
        runs = graphs if all(graphs) else [several(self.call)] * len(forced)
        return measure(self.torch, runs, self.timer.stream, self.timer.rounds, turns, SECONDS), all(graphs)
