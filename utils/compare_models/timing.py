"""Times the contenders of one model in this process, in turns, at sizes that none of them was told before."""
import os
import statistics
import sys
import time
import warnings

import numpy as np

TOLERANCES = {"f32": 0.0, "bf16": 0.05}  # at least; a factor of bf16 has an error of up to 0.004, and layers add up
REST = 0.02  # seconds between contenders, for the threads of the last one to stop looking for work


def keep_others_away():
    """Real-time priority for every thread of the process, where it may be had."""
    for thread in map(int, os.listdir("/proc/self/task")):
        try:
            os.sched_setscheduler(thread, os.SCHED_FIFO, os.sched_param(10))
        except OSError:
            return


def error_of(results, wants):
    """The largest error over max(1, largest value); a result of another shape or without a number is wrong."""
    if len(results) != len(wants) or any(r.shape != w.shape for r, w in zip(results, wants)):
        return float("inf")
    worst = 0.0
    for result, want in zip(results, wants):
        if want.size:
            error = float(np.max(np.abs(result - want)) / max(1.0, float(np.max(np.abs(want)))))
            worst = max(worst, error if error == error else float("inf"))
    return worst


def timed(call, count):
    times = []
    for _ in range(count):
        start = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - start))
    return times


def load(contenders, model, weights, threads, artifact):
    """Those that are installed and take the model; why the others do not."""
    ready, missing = {}, {}
    for name, contender in contenders.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                contender.load(model, weights, threads, artifact)
            ready[name] = contender
        except ImportError as error:
            missing[name] = str(error).splitlines()[0]
        except Exception as error:  # noqa: BLE001 - a peer that cannot load the model is told, the others are timed
            if name == "vortex":
                raise
            missing[name] = (str(error).splitlines() or [type(error).__name__])[0][:200]
    return ready, missing


def measure_size(ready, model, program, sizes, settings):
    """{"ms": ..., "first_ms": ..., "error": ...} of each contender at SIZES."""
    inputs, wants = program.make(sizes)
    inputs, calls, row = inputs[:model.inputs], {}, {"sizes": sizes, "ms": {}, "first_ms": {}, "error": {}, "wrong": [], "failed": {}}
    if settings.realtime:
        keep_others_away()
    for name, contender in ready.items():
        try:
            call, results = contender.prepare(model.names, inputs, wants)
            row["first_ms"][name] = timed(call, 1)[0]
            row["error"][name] = error_of(results(), wants)
        except Exception as error:  # noqa: BLE001 - as above
            row["failed"][name] = (str(error).splitlines() or [type(error).__name__])[0][:200]
            continue
        if row["error"][name] > max(program.tolerance, TOLERANCES[settings.precision]):
            row["wrong"].append(name)
        else:
            calls[name] = call
    if settings.realtime:
        keep_others_away()
    counts = {name: max(1, min(200, int(settings.slice_ms / max(1e-3, timed(call, 1)[0])))) for name, call in calls.items()}
    times = {name: [] for name in calls}
    order = list(calls)
    for repeat in range(settings.repeats):
        first = repeat % max(1, len(order))
        for name in order[first:] + order[:first]:
            time.sleep(REST)
            calls[name]()  # others have been in the caches
            times[name] += timed(calls[name], counts[name])
    row["ms"] = {name: statistics.median(found) for name, found in times.items()}
    if hasattr(ready.get("vortex"), "peak_bytes"):
        row["scratch_bytes"] = ready["vortex"].peak_bytes
    return row


def measure(contenders, model, program, all_sizes, artifact, settings):
    """The JSON of one model with one number of threads."""
    try:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:settings.threads])
    except OSError:
        pass
    inputs, _ = program.make(program.sizes[0])
    ready, missing = load(contenders, model, inputs[model.inputs:], settings.threads, artifact)
    for name, why in missing.items():
        print(f"  {name} left out: {why}", file=sys.stderr)
    rows = []
    for sizes in all_sizes:
        rows.append(measure_size(ready, model, program, sizes, settings))
        row = rows[-1]
        told = ", ".join(f"{name} {ms:.4g} ms" for name, ms in row["ms"].items())
        bad = "".join(f"; {name} is wrong ({row['error'][name]:.1e})" for name in row["wrong"])
        bad += "".join(f"; {name} failed: {why}" for name, why in row["failed"].items())
        print(f"  {' '.join(f'{k}={v}' for k, v in sizes.items())}: {told}{bad}", file=sys.stderr, flush=True)
    return {"threads": settings.threads, "versions": {name: contender.version for name, contender in ready.items()}, "missing": missing, "rows": rows}
