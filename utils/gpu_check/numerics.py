"""Every candidate of a program at a case's sizes, against a reference in f64."""
import numpy as np

from .device import DeviceError, empty


def draw(rng, shape, kind):
    if kind == "int64":
        return rng.integers(0, 97, shape)
    return rng.integers(-128, 128, shape).astype(np.int8) if kind == "int8" else rng.standard_normal(shape).astype(np.float32)


class NumpyArrays:
    """Arrays go to the device and back by the run time."""
    xp, kinds = np, ("float16", "float32", "float64", "int8", "int32", "int64")

    def __init__(self, program):
        self.program = program

    def make(self, value, kind):
        value = np.ascontiguousarray(value.astype(kind))
        return self.program.upload(value), value.astype(kind if kind == "int64" else np.float64)

    def result(self, shape, kind):
        value = empty(shape, kind)
        return self.program.upload(value), value

    def settle(self):
        """Returns when what was made lies on the device."""

    def error(self, made, value, want):
        """The largest difference, and the largest element of the reference."""
        got = self.program.download(made, np.empty_like(value)).astype(np.float64)
        want = np.asarray(want, np.float64)
        if not got.size:
            return 0.0, 0.0
        return float(np.abs(got - want).max()), float(np.abs(want).max())

    def free(self, made):
        self.program.free(made)


class TorchArrays:
    """Tensors of PyTorch, which the run time borrows."""
    kinds = ("float16", "float32", "float64", "int8", "int32", "int64", "bfloat16", "float8_e4m3fn")

    def __init__(self, program, torch, device):
        self.program, self.xp, self.device = program, torch, device

    def make(self, value, kind):
        tensor = self.xp.from_numpy(np.ascontiguousarray(value)).to(self.device).to(getattr(self.xp, kind))
        return self.program.borrow(tensor), tensor if kind == "int64" else tensor.to(self.xp.float32).double()

    def result(self, shape, kind):
        tensor = self.xp.full(shape, -7 if kind.startswith("int") else float("nan"), dtype=getattr(self.xp, kind), device=self.device)
        return self.program.borrow(tensor), tensor

    def settle(self):
        """Programs run on a stream that does not wait for the one that tensors are filled on."""
        self.xp.cuda.synchronize()

    def error(self, made, value, want):
        return apart(value, want)

    def free(self, made):
        pass


def apart(got, want):
    """The largest difference of two tensors with as many elements, and the largest element of the second."""
    if not got.numel():
        return 0.0, 0.0
    want = want.double().reshape(tuple(got.shape))
    return float((got.double() - want).abs().max()), float(want.abs().max())


def wrong(error, largest, tolerance):
    """No number is wrong, too."""
    return not error <= tolerance * max(largest, 1e-3)


def faults_of(function, faulty):
    """The "kernel=candidate" of FUNCTION among "function kernel=candidate"."""
    return {one.split(" ", 1)[1] for one in faulty if one.startswith(function + " ")}


def ways(kernels, kernel, faulty):
    """What to force before a candidate of KERNEL until it runs, nothing first: the parts of a chain run only behind the chain's choice, which
    is known when it runs."""
    return [(), *(((one.kernel, name),) for one in kernels if one.chosen is None and one.kernel != kernel
                  for name in one.names if f"{one.kernel}={name}" not in faulty)]


class Sizes:
    """CASE at SIZES: its arguments and what it should give. What would run a candidate in FAULTY does not run."""

    def __init__(self, program, arrays, case, sizes, faulty, step):
        self.program, self.arrays, self.case, self.faulty, self.step = program, arrays, case, faulty, step
        self.name = f"{case.function} {'x'.join(map(str, sizes))}"
        inputs, self.results = case.shapes(*sizes)
        rng = np.random.default_rng(sum(sizes) + len(case.function))
        self.made, values = zip(*(arrays.make(draw(rng, shape, kind), kind) for shape, kind in inputs))
        # A reduction of nothing: an empty row has no largest element.
        want = None if case.function in ("softmax_f32", "argmax_f32") and 0 in sizes else case.reference(arrays.xp, *values)
        self.want = want if isinstance(want, tuple) or want is None else (want,)
        self.kernels = program.choices(case.function, self.made)
        self.record = {"function": case.function, "sizes": list(sizes), "runs": 0, "ran": [], "not_run": [], "failures": []}

    def call(self, forced=()):
        """Runs with what is FORCED; what each kernel chose, or None where a guard or a fault forbids it."""
        program, outs = self.program, [self.arrays.result(shape, kind) for shape, kind in self.results]
        text = "".join(f" {kernel}={name}" for kernel, name in forced)
        try:
            for kernel, name in forced:
                program.force(kernel, name)
            chosen = {f"{one.kernel}={one.chosen}" for one in program.choices(self.case.function, self.made)}
            if found := chosen.intersection(self.faulty) if not forced else ():
                self.record["not_run"].append(f"{self.name}: would run {min(found)}")
                return None
            self.step(self.name + text, [f"{kernel}={name}" for kernel, name in forced])
            self.arrays.settle()
            program.prepare(self.case.function, self.made, [out for out, _ in outs])()
            program.synchronize()
            self.record["runs"] += 1
            for (out, value), expected in zip(outs, self.want or ()):
                error, largest = self.arrays.error(out, value, expected)
                if wrong(error, largest, self.case.tolerance):
                    self.fail(text, error, largest=largest)
            return {(one.kernel, one.chosen) for one in program.ran()}
        except DeviceError as e:
            if not (forced and "guard" in str(e)):
                self.fail(text, str(e))
                program.synchronize()                       # fails where the device is lost, which ends this process
            return None
        finally:
            for kernel, _ in forced:
                program.force(kernel, None)
            for out, _ in outs:
                self.arrays.free(out)

    def fail(self, text, error, **more):
        self.record["failures"].append({"case": self.name + text, "error": error, **more})

    def run(self):
        """Each candidate by force, then what the costs choose."""
        for kernel, names, *_ in self.kernels:
            for name in names if len(names) > 1 else ():
                if f"{kernel}={name}" in self.faulty:
                    continue
                for before in ways(self.kernels, kernel, self.faulty):
                    ran = self.call((*before, (kernel, name)))
                    if ran is None or (kernel, name) in ran:
                        break
                if ran and (kernel, name) in ran:
                    self.record["ran"].append(f"{kernel}={name}")
        self.call()
        for one in self.made:
            self.arrays.free(one)
        return self.record


def candidates(program, arrays, case):
    """All candidates of CASE that can be forced, from its smallest sizes with something in them."""
    inputs, _ = case.shapes(*next(s for s in case.edges if 0 not in s))
    made = [arrays.make(draw(np.random.default_rng(0), shape, kind), kind)[0] for shape, kind in inputs]
    found = [f"{one.kernel}={name}" for one in program.choices(case.function, made) if len(one.names) > 1 for name in one.names]
    for one in made:
        arrays.free(one)
    return found


def run_sizes(program, arrays, case, sizes, faulty, step):
    """The record of CASE at SIZES; STEP is told what runs next and what is forced for it."""
    with program.recording():
        return Sizes(program, arrays, case, sizes, faulty, step).run()
