"""What was measured as Markdown."""
import math
import statistics

WORST = 3


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def ratios(run):
    """[(ratio to the best peer, that peer, sizes)] of a run, and {peer: ratios}."""
    best, each = [], {}
    for row in run["rows"]:
        ours, others = row["ms"].get("vortex"), {name: ms for name, ms in row["ms"].items() if name != "vortex"}
        if ours is None or not others:
            continue
        for name, ms in others.items():
            each.setdefault(name, []).append(ms / ours)
        fastest = min(others, key=others.get)
        best.append((others[fastest] / ours, fastest, " ".join(f"{k}={v}" for k, v in row["sizes"].items())))
    return best, each


def extra(run, name):
    """Median of what a first call at a size takes more than later ones, in ms."""
    more = [row["first_ms"][name] - row["ms"][name] for row in run["rows"] if name in row["ms"]]
    return f"{max(0.0, statistics.median(more)):.2f}" if more else "-"


def render(runs):
    peers = list(dict.fromkeys(name for run in runs for row in run["rows"] for name in row["ms"] if name != "vortex"))
    versions = {name: version for run in runs for name, version in run["versions"].items()}
    head = ["", "sizes", *(f"{name} {versions.get(name, '')}".strip() for name in peers), "over best", "ahead", "scratch, MiB"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    worst, firsts = [], []
    for run in runs:
        label = f"{run['model']}, {run['threads']} thread{'s' * (run['threads'] > 1)}"
        best, each = ratios(run)
        if not run["rows"]:
            continue
        peak = max(row.get("scratch_bytes", 0) for row in run["rows"]) / 2 ** 20
        cells = [f"{mean(each[name]):.2f}" if name in each else "-" for name in peers]
        over = f"**{mean([r for r, _, _ in best]):.2f}**" if best else "-"
        ahead = f"{sum(r > 1 for r, _, _ in best)} of {len(best)}" if best else "-"
        firsts.append(f"- {label}: " + ", ".join(f"{name} {extra(run, name)}" for name in ["vortex", *each]) + ".")
        lines.append("| " + " | ".join([label, str(len(run["rows"])), *cells, over, ahead, f"{peak:.1f}"]) + " |")
        if best:
            found = sorted(best)[:WORST]
            worst.append(f"- {label}: " + "; ".join(f"{sizes} {ratio:.2f} ({peer})" for ratio, peer, sizes in found) + ".")
        for row in run["rows"]:
            bad = [f"{name} is wrong" for name in row["wrong"]] + [f"{name} failed" for name in row["failed"]]
            if bad:
                worst.append(f"- {label}, {' '.join(f'{k}={v}' for k, v in row['sizes'].items())}: {', '.join(bad)}.")
        for name, why in run["missing"].items():
            worst.append(f"- {label}: without {name} ({why}).")
    if worst:
        lines += ["", "Worst over best:", "", *worst]
    return "\n".join([*lines, "", "A first call at a size, ms more than later ones (median):", "", *firsts]) + "\n"
