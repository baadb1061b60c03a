"""One process on the device: works through what the report does not have yet and tells each piece to the process that started it. A kernel
that faults or never ends takes this process with it, not the report."""
import ctypes
import functools
import gzip
import itertools
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import zlib

from . import numerics, ranking, timing
from .cases import CASES
from .device import DeviceError, Program


def find_torch():
    try:
        import torch
        return torch if torch.cuda.is_available() else None
    except ImportError:
        return None


def open_artifact(folder, target, number):
    """What is loaded is unpacked beside what is packed, or where the system keeps such files, and gone when it is loaded."""
    with tempfile.NamedTemporaryFile(suffix=".so", dir=folder if os.access(folder, os.W_OK) else None) as plain:
        with gzip.open(os.path.join(folder, f"{target}.so.gz")) as packed:
            shutil.copyfileobj(packed, plain)
        plain.flush()
        return Program(os.path.join(folder, "libvortex_runtime.so"), plain.name, number)


def open_program(folder, number, targets):
    """The first of TARGETS, the latest first, that the device runs."""
    problems = []
    for target in targets:
        try:
            return target, open_artifact(folder, target, number)
        except (DeviceError, OSError, EOFError, zlib.error) as e:
            problems.append(f"{target}: {e}")
    sys.exit("run: no program runs on this device\n  " + "\n  ".join(problems))


def name_of(kind, function, sizes):
    return f"{kind} {function} {'x'.join(map(str, sizes))}"


def filled(case):
    """The sizes of CASE with something in them."""
    return [sizes for sizes in case.edges if 0 not in sizes]


class Worker:
    """TASK: functions, sizes, few, what, rounds, device, targets, and of the report done, faulty and the time to stop at."""

    def __init__(self, folder, task, pipe):
        self.task, self.pipe = task, pipe
        self.torch = find_torch()
        if self.torch:
            self.torch.cuda.set_device(task["device"])
            self.torch.zeros(1, device="cuda")              # makes the context that all share
        target, self.program = open_program(folder, task["device"], task["targets"])
        self.device = f"cuda:{task['device']}"
        self.arrays = (numerics.TorchArrays(self.program, self.torch, self.device) if self.torch else numerics.NumpyArrays(self.program))
        self.tell("opened", target=target, device=self.torch.cuda.get_device_name(task["device"]) if self.torch else None,
                  torch=self.torch.__version__ if self.torch else None, remarks=self.program.remarks())
        self.unit = None
        self.times = timing.Timer(self.program, self.torch, self.device, task["rounds"], task["faulty"]) if self.torch else None

    def tell(self, event, **what):
        self.pipe.write(json.dumps({"event": event, **what}) + "\n")
        self.pipe.flush()

    def step(self, what, forced):
        self.tell("step", unit=self.unit, what=what, forced=forced)

    def units(self):
        """(name, case, sizes) of all that there is to do: numbers first; of what is timed one of each program, then the next of each, so
        that a run which ends early has something of all."""
        listed, few, what = [tuple(s) for s in self.task["sizes"]], self.task["few"], self.task["what"]
        cases = [case for case in CASES if case.function in self.task["functions"]]
        for case in cases if what != "candidates" else ():
            for sizes in case.sizes(listed) if listed else filled(case)[:3] if few else case.edges:
                yield name_of("numerics", case.function, sizes), case, sizes
        if not self.torch or what == "numerics":
            return
        timed = [[(case, sizes) for sizes in (case.sizes(listed) if listed else case.timed[:2] if few else dict.fromkeys(case.timed))]
                 for case in cases if self.times.compares(case)]
        for case, sizes in filter(None, itertools.chain.from_iterable(itertools.zip_longest(*timed))):
            yield name_of(what, case.function, sizes), case, sizes

    def numbers(self, case, sizes):
        if lacking := sorted({kind for _, kind in sum(case.shapes(*case.edges[0]), [])}.difference(self.arrays.kinds)):
            why = f"{' and '.join(lacking)} {'are types' if len(lacking) > 1 else 'is a type'} of PyTorch, which is not here"
            return {"function": case.function, "sizes": list(sizes), "runs": 0, "ran": [], "not_run": [why], "failures": [], "skipped": why}
        faulty = numerics.faults_of(case.function, self.task["faulty"])
        record = numerics.run_sizes(self.program, self.arrays, case, sizes, faulty, self.step)
        if sizes == filled(case)[0]:
            record["candidates"] = numerics.candidates(self.program, self.arrays, case)
        return record

    def run(self):
        todo = [one for one in self.units() if one[0] not in set(self.task["done"])]
        for i, (unit, case, sizes) in enumerate(todo):
            if self.task["until"] and time.time() > self.task["until"]:
                return self.tell("stopped", left=len(todo) - i)
            self.unit, kind = unit, unit.split()[0]
            self.step(unit, [])
            if kind == "numerics":
                record = self.numbers(case, sizes)
            else:
                rank = functools.partial(ranking.rank, self.times, self.step)
                record = self.times.time(case, sizes, self.times.compare if kind == "times" else rank)
            self.tell(kind, unit=unit, record=record)
        self.tell("stopped", left=0)


def end_with_parent():
    """A run that is killed, at the end of a lent machine's time say, leaves nothing on the device."""
    if sys.platform == "linux":
        set_parent_death_signal = 1                         # PR_SET_PDEATHSIG, prctl(2)
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def main(folder, arguments):
    end_with_parent()
    task = json.loads(arguments[0])
    with os.fdopen(task["pipe"], "w") as pipe:
        worker = Worker(folder, task, pipe)
        try:
            worker.run()
        except Exception as e:                              # a lost device says so with errors of several kinds
            worker.tell("ended", error=timing.first_line(e))
            sys.exit(1)
