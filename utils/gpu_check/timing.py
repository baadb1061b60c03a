"""Each program against what PyTorch has for it: interleaved rounds, medians, in CUDA graphs where both can be captured."""
import statistics

ROUNDS, CALLS = 11, 10


def others(torch):
    """{function: what PyTorch does for the same inputs, written to the given result where it can be}"""
    F = torch.nn.functional
    product = lambda a, b, out: torch.matmul(a, b, out=out)  # noqa: E731
    return {"gemm_f16": product, "gemm_bf16": product, "gemm_f32": product,
            "gemm_nt_f16": lambda a, b, out: torch.matmul(a, b.t(), out=out),
            "linear_f16": lambda a, b, bias, out: torch.relu_(torch.addmm(bias, a, b, out=out)),
            "softmax_f32": lambda x, out: torch.softmax(x, -1, out=out),
            "layer_norm_f32": lambda x, g, h, out: F.layer_norm(x, x.shape[-1:], g, h),
            "attention_f16": lambda q, k, v, out: F.scaled_dot_product_attention(q[None], k[None], v[None])}


def capture(torch, call, stream):
    """CALLS calls as one graph, or None and why not."""
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(CALLS):
                call()
        return graph.replay, ""
    except Exception as e:                                  # whatever a library raises while it is captured
        torch.cuda.synchronize()
        return None, str(e).splitlines()[0][:200]


def measure(torch, sides, stream):
    """Median microseconds of a call for each of SIDES, whose rounds take turns."""
    times = [[] for _ in sides]
    with torch.cuda.stream(stream):
        for _ in range(ROUNDS):
            for side, taken in zip(sides, times):
                first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                first.record(stream)
                side()
                last.record(stream)
                last.synchronize()
                taken.append(first.elapsed_time(last) * 1e3 / CALLS)
    return [statistics.median(taken) for taken in times]


def several(call):
    def run():
        for _ in range(CALLS):
            call()
    return run


def time_case(program, torch, case, sizes, other, stream, device):
    inputs, results = case.shapes(*sizes)
    tensors = [torch.randn(shape, device=device).to(getattr(torch, kind)) for shape, kind in inputs]
    outs = [torch.empty(shape, dtype=getattr(torch, kind), device=device) for shape, kind in results]
    theirs_out = torch.empty_like(outs[0])
    arguments = [program.borrow(t) for t in tensors]
    ours = program.prepare(case.function, arguments, [program.borrow(t) for t in outs])
    # A bias of the products' own type is what PyTorch takes.
    given = [t.to(tensors[0].dtype) if case.function == "linear_f16" else t for t in tensors]
    theirs = lambda: other(*given, theirs_out)  # noqa: E731
    program.set_stream(stream.cuda_stream)
    with torch.cuda.stream(stream):
        for _ in range(3):
            ours()
            theirs()
    torch.cuda.synchronize()
    graphs = [capture(torch, call, stream) for call in (ours, theirs)]
    both = all(graph for graph, _ in graphs)
    sides = [graph for graph, _ in graphs] if both else [several(ours), several(theirs)]
    mine, reference = measure(torch, sides, stream)
    entry = {"function": case.function, "sizes": list(sizes), "us": mine, "torch_us": reference, "ratio": mine / reference,
             "graphs": both, "chosen": [(kernel, name) for kernel, _, name, _ in program.choices(case.function, arguments)]}
    if not both:
        entry["no_graph"] = [why for _, why in graphs]
    if case.flops:
        entry["tflops"] = case.flops(*sizes) / mine * 1e-6
    if case.moved:
        entry["gbytes"] = case.moved(*sizes) / mine * 1e-3
    return entry


def copy_bandwidth(torch, device, stream):
    """Gigabytes a second read and written by a copy of a gigabyte: what memory-bound programs are measured by."""
    a = torch.empty(1 << 28, device=device)
    b = torch.empty_like(a)
    return 8.0 * a.numel() / measure(torch, [several(lambda: b.copy_(a))], stream)[0] * 1e-3


def run(program, torch, cases, device, say, few=False):
    stream = torch.cuda.Stream(device)
    entries, table = [], others(torch)
    for case in cases:
        if case.function not in table:
            continue
        for sizes in case.timed[:2] if few else case.timed:
            entry = time_case(program, torch, case, sizes, table[case.function], stream, device)
            entries.append(entry)
            say(f"{case.function:16} {'x'.join(map(str, sizes)):20} {entry['us']:10.1f} us  torch {entry['torch_us']:10.1f} us  "
                f"ratio {entry['ratio']:6.2f}  {entry.get('tflops') or 0:7.1f} TFLOP/s  {entry['chosen'][0][1] if entry['chosen'] else ''}")
    return {"copy_gbytes": copy_bandwidth(torch, device, stream), "entries": entries}


def worst(entries, count=3):
    """For each function its geometric mean ratio and its worst sizes."""
    lines = []
    for function in dict.fromkeys(e["function"] for e in entries):
        mine = sorted((e for e in entries if e["function"] == function), key=lambda e: -e["ratio"])
        mean = statistics.geometric_mean(e["ratio"] for e in mine)
        names = ", ".join(f"{'x'.join(map(str, e['sizes']))} ({e['ratio']:.2f})" for e in mine[:count])
        lines.append(f"{function}: time over torch's {mean:.2f} in the mean; worst {names}")
    return lines
