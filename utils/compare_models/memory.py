"""What a call takes beyond the memory that was there: its results and what lies between them and the arguments.

A process loads one contender, calls it at the smallest size that was drawn, so that what is made once is there, and then once at the largest: the highest
resident size meanwhile (/proc/self/status, VmHWM) less the resident size before. Arguments are there before; results count for all, whoever allocates them."""
import ctypes
import gc

from . import timing

MIB = 2 ** 20


def resident(field):
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field + ":"))


def forget_peak():
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def extent(sizes):
    product = 1
    for value in sizes.values():
        product *= value
    return product


def taken(contender, model, program, sizes):
    """Bytes that a first call at SIZES took, of which the results are a part, and the largest error."""
    inputs, wants = program.make(sizes)
    call, results = contender.prepare(model.names, inputs[:model.inputs], wants)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what the reference left to the allocator would be taken from there
    forget_peak()
    before = resident("VmRSS")
    call()
    peak = resident("VmHWM")
    return max(0, peak - before), timing.error_of(results(), wants)


def measure(name, contender, model, program, all_sizes, artifact, threads):
    """The JSON of one contender: bytes at the largest of ALL_SIZES, or why there are none."""
    inputs, _ = program.make(program.sizes[0])
    ready, missing = timing.load({name: contender}, model, inputs[model.inputs:], threads, artifact)
    if missing:
        return {"missing": missing[name]}
    small, large = min(all_sizes, key=extent), max(all_sizes, key=extent)
    try:
        taken(ready[name], model, program, small)
        found, error = taken(ready[name], model, program, large)
    except Exception as failed:  # noqa: BLE001 - told, the others are measured
        return {"missing": (str(failed).splitlines() or [type(failed).__name__])[0][:200]}
    if error > program.tolerance:
        return {"missing": f"wrong by {error:.1e}"}
    _, wants = program.make(large)
    return {"sizes": large, "bytes": found, "result_bytes": sum(want.nbytes for want in wants), "version": contender.version}


def render(runs):
    """The table of [{"model", "threads", "contenders": {name: JSON of measure}}]."""
    names = list(dict.fromkeys(name for run in runs for name in run["contenders"]))
    lines = ["| | size | " + " | ".join(names) + " | results |", "|" + "---|" * (len(names) + 3)]
    for run in runs:
        found = run["contenders"]
        known = next((row for row in found.values() if "bytes" in row), None)
        if not known:
            continue
        size = " ".join(f"{k}={v}" for k, v in known["sizes"].items())
        cells = [f"{found[name]['bytes'] / MIB:.1f}" if "bytes" in found.get(name, {}) else "-" for name in names]
        label = f"{run['model']}, {run['threads']} thread{'s' * (run['threads'] > 1)}"
        lines.append("| " + " | ".join([label, size, *cells, f"{known['result_bytes'] / MIB:.1f}"]) + " |")
    left = [f"- {run['model']}, {run['threads']}: without {name} ({row['missing']})." for run in runs
            for name, row in run["contenders"].items() if "missing" in row]
    return "\n".join(["MiB that a first call at this size took:", "", *lines, *([""] + left if left else [])]) + "\n"
