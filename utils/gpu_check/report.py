"""What is known so far: a file that grows from run to run, and the table made of it."""
import itertools
import json
import os
import statistics


def read(path):
    """The report at PATH; what is none is said to be none."""
    try:
        with open(path) as f:
            data = json.load(f)
    except (UnicodeDecodeError, json.JSONDecodeError) as e:
        raise ValueError(f"{path} is no report ({e}); --fresh starts it anew") from e
    if not isinstance(data, dict) or not {"prepared", "numerics", "times", "faults"} <= data.keys():
        raise ValueError(f"{path} is no report; --fresh starts it anew")
    return data


class Report:
    """The report at PATH, of PREPARED programs; AGAIN forgets what is in it of the functions given."""

    def __init__(self, path, prepared):
        self.path = path
        self.data = {"prepared": prepared, "numerics": {}, "times": {}, "candidates": {}, "faults": []}
        if os.path.exists(path):
            self.data = {"candidates": {}} | read(path)
            if self.data["prepared"] != prepared:
                raise ValueError(f"{path} is of other programs; --fresh starts it anew")

    def opened(self, target, device, torch):
        """Results of several devices are no one report."""
        mine = {"target": target, "device": device, "torch": torch}
        if self.data.setdefault("of", mine) != mine:
            raise ValueError(f"{self.path} is of {self.data['of']}, and here is {mine}; --fresh starts it anew")

    def forget(self, functions):
        for part in ("numerics", "times", "candidates"):
            self.data[part] = {unit: one for unit, one in self.data[part].items() if one["function"] not in functions}
        self.data["faults"] = [one for one in self.data["faults"] if one["function"] not in functions]

    def add(self, part, unit, record):
        self.data[part][unit] = record

    def add_fault(self, unit, what, forced, error):
        """What ended a process: a candidate that was forced does not run again, otherwise the unit does not."""
        self.data["faults"].append({"function": unit.split()[1], "unit": unit, "case": what, "forced": forced, "error": error})
        if not forced:
            function, sizes = unit.split()[1:]
            record = {"function": function, "sizes": [int(s) for s in sizes.split("x")], "failures": [], "not_run": [error]}
            self.add(unit.split()[0], unit, record | ({"runs": 0, "ran": []} if unit.startswith("numerics") else {"error": error}))

    def faulty(self):
        return sorted({f"{one['function']} {one['forced'][-1]}" for one in self.data["faults"] if one["forced"]})

    def done(self):
        return [*self.data["numerics"], *self.data["times"], *self.data["candidates"]]

    def failures(self):
        """All that is wrong: numbers, and what ended a process."""
        units = [one for part in ("numerics", "times", "candidates") for one in self.data[part].values()]
        faults = [{"case": one["case"], "error": one["error"]} for one in self.data["faults"]]
        return [failure for one in units for failure in one.get("failures", [])] + faults

    def never_ran(self):
        """Candidates that no sizes so far allowed."""
        units, found = list(self.data["numerics"].values()), []
        for one in units:
            ran = {name for other in units if other["function"] == one["function"] for name in other["ran"]}
            found += [f"{one['function']} {name}" for name in one.get("candidates", []) if name not in ran]
        return found

    def skipped(self):
        """{program: why none of its numbers were checked}"""
        return {one["function"]: one["skipped"] for one in self.data["numerics"].values() if "skipped" in one}

    def save(self):
        numbers = self.data["numerics"].values()
        self.data["summary"] = {"runs": sum(one["runs"] for one in numbers), "failures": self.failures(), "never_ran": self.never_ran(),
                                "skipped": self.skipped(), "table": self.table()}
        partial = self.path + ".part"
        with open(partial, "w") as f:
            json.dump(self.data, f, indent=1)
        os.replace(partial, self.path)                      # whatever ends this process, the file is whole

    def table(self):
        """Lines for each function's numbers and times, worst sizes first among what is named."""
        lines, skipped = [], self.skipped()
        for function in dict.fromkeys(one["function"] for one in self.data["numerics"].values()):
            if function in skipped:
                lines.append(f"{function}: skipped: {skipped[function]}")
                continue
            mine = [one for one in self.data["numerics"].values() if one["function"] == function]
            wrong = sum(len(one["failures"]) for one in mine) + sum(f["function"] == function for f in self.data["faults"])
            lines.append(f"{function}: {len(mine)} sizes, {sum(one['runs'] for one in mine)} runs, {wrong} wrong")
        entries = [one for one in self.data["times"].values() if "us" in one]
        return lines + worst(entries) + rank(list(self.data["candidates"].values()))


def describe(entry):
    """A line of the table."""
    head = f"{entry['function']:20} {'x'.join(map(str, entry['sizes'])):24}"
    if "us" not in entry:
        return f"{head} not timed: {entry['error']}"
    over = (f"torch {entry['torch_us']:10.1f} us  over torch {entry['over_torch']:5.2f}" if "torch_us" in entry
            else f"torch: {entry['without']}")
    rate = f"{entry['tflops']:7.1f} TFLOP/s" if "tflops" in entry else f"{entry['of_copy']:7.2f} of a copy" if "of_copy" in entry else ""
    return (f"{head} {entry['us']:10.1f} us  {over}  {rate}  {', '.join(name for _, name in entry['chosen'] if name)}"
            + "".join(f"  WRONG {one['error']}" for one in entry["failures"]))


def worst(entries, count=3):
    """For each function its geometric mean over PyTorch and its worst sizes; above 1 Vortex is ahead."""
    lines = []
    for function in dict.fromkeys(e["function"] for e in entries):
        mine = [e for e in entries if e["function"] == function]
        line = f"{function}: {len(mine)} times"
        for key, other in (("over_torch", "torch"), ("of_copy", "a copy")):
            against = sorted((e for e in mine if key in e), key=lambda e: e[key])
            if against:
                names = ", ".join(f"{'x'.join(map(str, e['sizes']))} ({e[key]:.2f})" for e in against[:count])
                mean = statistics.geometric_mean(e[key] for e in against)
                line += f", {mean:.2f} over {other} in the mean of {len(against)}; worst {names}"
        lines.append(line)
    return lines


def describe_candidates(entry):
    """A line for each kernel whose candidates were timed."""
    head = f"{entry['function']:20} {'x'.join(map(str, entry['sizes'])):24}"
    if "error" in entry:
        return [f"{head} not timed: {entry['error']}"]

    def said(one, name):
        return f"{name} {one['us'][name]:.1f} us" if name in one["us"] else f"{name} not timed"
    return [f"{head} {one['kernel']}: chosen {said(one, one['chosen'])}, best {said(one, one['best'])} of {len(one['us'])}"
            for one in entry["kernels"]]


def tau(pairs):
    """Kendall's: of two (time, cost) the share in the same order, less the share in the other; None without two."""
    signs = [(a[0] - b[0]) * (a[1] - b[1]) for a, b in itertools.combinations(pairs, 2)]
    return sum((s > 0) - (s < 0) for s in signs) / len(signs) if signs else None


def rank(entries, count=3):
    """For each kernel what is chosen against the best candidate, and costs against times where nothing else is in the times."""
    lines, kernels = [], {}
    for entry in entries:
        for one in entry.get("kernels", ()):
            kernels.setdefault(one["kernel"], []).append(one | {"sizes": "x".join(map(str, entry["sizes"]))})
    for kernel, mine in kernels.items():
        lines += [f"{kernel}: {line}" for line in (*rank_choices(mine, count), *rank_costs(mine))]
    return lines


def rank_choices(mine, count):
    chosen = sorted((one for one in mine if "of_best" in one and len(one["us"]) > 1), key=lambda one: one["of_best"])
    if not chosen:
        return
    names = ", ".join(f"{one['sizes']} ({one['of_best']:.2f}: {one['chosen']}, not {one['best']})"
                      for one in chosen[:count] if one["best"] != one["chosen"])
    mean = statistics.geometric_mean(one["of_best"] for one in chosen)
    yield f"best candidate over the chosen one: {mean:.2f} in the mean of {len(chosen)}" + (names and f"; worst {names}")


def rank_costs(mine):
    pairs = [[(one["us"][name], cost) for name, cost in one["predicted_us"].items()] for one in mine if one["alone"]]
    ratios = [cost / time for size in pairs for time, cost in size if time > 0 and cost > 0]
    if not ratios:
        return
    taus = [t for t in map(tau, pairs) if t is not None]
    yield (f"costs against times of all candidates at {len(pairs)} sizes: mean error {statistics.mean(abs(r - 1) for r in ratios):.0%}"
           + (f", Kendall's tau {statistics.mean(taus):.2f}" if taus else ""))
    yield f"costs over times: {statistics.geometric_mean(ratios):.2f} in the mean of {len(ratios)}"
