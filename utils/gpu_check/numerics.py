"""Every candidate of every program at its edges, against a reference in f64."""
import numpy as np

from .device import DeviceError, empty


def draw(rng, shape, kind):
    if kind == "int64":
        return rng.integers(0, 97, shape)
    return rng.integers(-128, 128, shape).astype(np.int8) if kind == "int8" else rng.standard_normal(shape).astype(np.float32)


class NumpyArrays:
    """Arrays go to the device and back by the run time."""
    xp, kinds = np, ("float16", "float32", "int8", "int32", "int64")

    def __init__(self, program):
        self.program = program

    def make(self, value, kind):
        value = np.ascontiguousarray(value.astype(kind))
        return self.program.upload(value), value.astype(kind if kind == "int64" else np.float64)

    def result(self, shape, kind):
        value = empty(shape, kind)
        return self.program.upload(value), value

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
    kinds = ("float16", "float32", "int8", "int32", "int64", "bfloat16", "float8_e4m3fn")

    def __init__(self, program, torch, device):
        self.program, self.xp, self.device = program, torch, device

    def make(self, value, kind):
        tensor = self.xp.from_numpy(np.ascontiguousarray(value)).to(self.device).to(getattr(self.xp, kind))
        return self.program.borrow(tensor), tensor if kind == "int64" else tensor.to(self.xp.float32).double()

    def result(self, shape, kind):
        tensor = self.xp.full(shape, -7 if kind.startswith("int") else float("nan"), dtype=getattr(self.xp, kind), device=self.device)
        return self.program.borrow(tensor), tensor

    def error(self, made, value, want):
        if not value.numel():
            return 0.0, 0.0
        return float((value.double() - want.double()).abs().max()), float(want.double().abs().max())

    def free(self, made):
        pass


def check_sizes(program, arrays, case, sizes, say):
    """The failures of CASE at SIZES: what the costs choose, then each candidate by force."""
    inputs, results = case.shapes(*sizes)
    rng = np.random.default_rng(sum(sizes) + len(case.function))
    made, values = zip(*(arrays.make(draw(rng, shape, kind), kind) for shape, kind in inputs))
    # A reduction of nothing: an empty row has no largest element.
    want = None if case.function in ("softmax_f32", "argmax_f32") and 0 in sizes else case.reference(arrays.xp, *values)
    want = want if isinstance(want, tuple) or want is None else (want,)
    kernels = program.choices(case.function, made)
    runs = [(None, None)] + [(kernel, name) for kernel, names, _, _ in kernels if len(names) > 1 for name in names]
    failures, ran = [], 0
    for kernel, name in runs:
        outs = [arrays.result(shape, kind) for shape, kind in results]
        what = f"{case.function} {'x'.join(map(str, sizes))}" + (f" {kernel}={name}" if kernel else "")
        try:
            if kernel:
                program.force(kernel, name)
            program.prepare(case.function, made, [out for out, _ in outs])()
            program.synchronize()
            ran += 1
            for (out, value), expected in zip(outs, want or ()):
                error, largest = arrays.error(out, value, expected)
                if not error <= case.tolerance * max(largest, 1e-3):
                    failures.append({"case": what, "error": error, "largest": largest})
        except DeviceError as e:
            if not (kernel and "guard" in str(e)):
                failures.append({"case": what, "error": str(e)})
        finally:
            if kernel:
                program.force(kernel, None)
            for out, _ in outs:
                arrays.free(out)
    for one in made:
        arrays.free(one)
    for failure in failures:
        say(f"WRONG {failure['case']}: {failure['error']}")
    return ran, failures


def check(program, arrays, cases, say, few=False, listed=()):
    """Runs all cases at their edges, or at those sizes LISTED that have as many extents; a summary for the report."""
    runs, failures, skipped = 0, [], []
    for case in cases:
        if any(kind not in arrays.kinds for _, kind in sum(case.shapes(*case.edges[0]), [])):
            skipped.append(case.function)
            continue
        before, wrong = runs, len(failures)
        for sizes in case.sizes(listed) if listed else case.edges[3:6] if few else case.edges:
            ran, found = check_sizes(program, arrays, case, sizes, say)
            runs += ran
            failures += found
        say(f"{case.function}: {runs - before} runs, {len(failures) - wrong} wrong")
    return {"runs": runs, "failures": failures, "skipped": skipped}
