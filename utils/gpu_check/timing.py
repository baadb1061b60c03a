"""Each program against what PyTorch has for it (cuBLAS, cuDNN, its own kernels): interleaved rounds, medians, in CUDA graphs where both can
be captured."""
import statistics

ROUNDS, CALLS = 11, 10


def others(torch, device):
    """{function: what PyTorch does for the same inputs, written to the given result where it can be}"""
    F = torch.nn.functional
    one = torch.ones(1, device=device)
    torch.backends.cudnn.benchmark = True                   # cuDNN takes the fastest of what it has

    def product(tf32=False):
        def multiply(a, b, out):
            torch.backends.cuda.matmul.allow_tf32 = tf32
            return torch.matmul(a, b, out=out)
        return multiply

    def convolution(stride):
        # Seen as channels first, images and weights lie as cuDNN likes them best.
        return lambda x, w, out: F.conv2d(x.permute(0, 3, 1, 2), w.permute(0, 3, 1, 2), stride=stride)

    attend = F.scaled_dot_product_attention
    return {"gemm_f16": product(), "gemm_bf16": product(), "gemm_f32": product(), "gemm_tf32": product(tf32=True),
            "gemm_nt_f16": lambda a, b, out: torch.matmul(a, b.t(), out=out),
            "gemm_tn_f16": lambda a, b, out: torch.matmul(a.t(), b, out=out),
            "gemm_i8": lambda a, b, out: torch._int_mm(a, b.t(), out=out),
            "gemm_e4m3": lambda a, b, out: torch._scaled_mm(a, b.t(), one, one, out_dtype=torch.float32),
            "bmm_f16": lambda a, b, out: torch.bmm(a, b, out=out),
            "bmm_nt_f16": lambda a, b, out: torch.bmm(a, b.permute(0, 2, 1), out=out),
            "linear_f16": lambda a, b, bias, out: torch.relu_(torch.addmm(bias, a, b, out=out)),
            "conv_f16": convolution(1), "conv_s2_f16": convolution(2),
            "softmax_f32": lambda x, out: torch.softmax(x, -1, out=out),
            "layer_norm_f32": lambda x, g, h, out: F.layer_norm(x, x.shape[-1:], g, h),
            "add_f32": lambda x, y, out: torch.add(x, y, out=out),
            "transpose_f32": lambda x, out: out.copy_(x.t()),
            "attention_f16": lambda q, k, v, out: attend(q[None], k[None], v[None]),
            "attention_causal_f16": lambda q, k, v, out: attend(q[None], k[None], v[None], is_causal=True)}


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


def measure(torch, sides, stream, rounds=ROUNDS):
    """Median microseconds of a call for each of SIDES, whose rounds take turns."""
    times = [[] for _ in sides]
    with torch.cuda.stream(stream):
        for _ in range(rounds):
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


def missing(torch, call):
    """Why the library does not compute this, or nothing."""
    try:
        call()
        torch.cuda.synchronize()
        return ""
    except Exception as e:                                  # each of its functions has limits and errors of its own
        return (str(e).splitlines() or [type(e).__name__])[0][:200]


def time_case(program, torch, case, sizes, other, stream, device, rounds):
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
        without = missing(torch, theirs)
        calls = [ours] if without else [ours, theirs]
        for _ in range(3):
            for call in calls:
                call()
    torch.cuda.synchronize()
    graphs = [capture(torch, call, stream) for call in calls]
    both = all(graph for graph, _ in graphs)
    sides = [graph for graph, _ in graphs] if both else [several(call) for call in calls]
    mine, *reference = measure(torch, sides, stream, rounds)
    entry = {"function": case.function, "sizes": list(sizes), "us": mine, "graphs": both,
             "chosen": [(kernel, name) for kernel, _, name, _ in program.choices(case.function, arguments)]}
    if reference:
        entry |= {"torch_us": reference[0], "over_torch": reference[0] / mine}
    else:
        entry["without"] = without
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


def describe(entry):
    """A line of the table."""
    over = f"torch {entry['torch_us']:10.1f} us  over torch {entry['over_torch']:5.2f}" if "torch_us" in entry else f"torch: {entry['without']}"
    rate = f"{entry['tflops']:7.1f} TFLOP/s" if "tflops" in entry else f"{entry['of_copy']:7.2f} of a copy" if "of_copy" in entry else ""
    return (f"{entry['function']:20} {'x'.join(map(str, entry['sizes'])):24} {entry['us']:10.1f} us  {over}  {rate}  "
            f"{', '.join(name for _, name in entry['chosen'] if name)}")


def run(program, torch, cases, device, say, few=False, sizes=(), rounds=ROUNDS):
    """Times of CASES at their sizes, or at those of SIZES that have as many extents."""
    stream = torch.cuda.Stream(device)
    entries, table = [], others(torch, device)
    copy = copy_bandwidth(torch, device, stream)
    for case in cases:
        if case.function not in table:
            continue
        for extents in case.sizes(sizes) if sizes else case.timed[:2] if few else dict.fromkeys(case.timed):
            entry = time_case(program, torch, case, extents, table[case.function], stream, device, rounds)
            if case.moved:
                entry["of_copy"] = entry["gbytes"] / copy
            entries.append(entry)
            say(describe(entry))
    return {"copy_gbytes": copy, "entries": entries}


def worst(entries, count=3):
    """For each function its geometric mean over PyTorch and its worst sizes; above 1 Vortex is ahead."""
    lines = []
    for function in dict.fromkeys(e["function"] for e in entries):
        mine = [e for e in entries if e["function"] == function]
        against = sorted((e for e in mine if "over_torch" in e), key=lambda e: e["over_torch"])
        line = f"{function}: {len(mine)} sizes"
        if against:
            names = ", ".join(f"{'x'.join(map(str, e['sizes']))} ({e['over_torch']:.2f})" for e in against[:count])
            line += f", {statistics.geometric_mean(e['over_torch'] for e in against):.2f} over torch in the mean of {len(against)}; worst {names}"
        copies = [e["of_copy"] for e in mine if "of_copy" in e]
        lines.append(line + (f"; {max(copies):.2f} of a copy's bandwidth at best" if copies else ""))
    return lines
